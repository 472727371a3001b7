package reproduce_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"sotto/study/reproduce"
	"sotto/text/encode/catalogue"
)

// TestEncodersOfFiles: a spec, also what it says for those in a hurry, chooses no program, no
// address and no file elsewhere; one beside it, or in a folder that a person named, it may.
func TestEncodersOfFiles(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	words := func(dir string) string {
		path := filepath.Join(dir, "words.txt")
		if err := os.WriteFile(path, []byte("parcel 1 2\nlate 3 4\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	near, far, sentinel := words(dir), words(elsewhere), filepath.Join(elsewhere, "sentinel")
	for _, tt := range []struct {
		encoder string
		within  []string
		refused bool
	}{
		{"hash:16", nil, false},
		{near, nil, false},
		{far, nil, true},
		{far, []string{elsewhere}, false},
		{"command:touch " + sentinel, []string{elsewhere}, true},
		{"endpoint:http://127.0.0.1:1/v1?model=m", nil, true},
	} {
		for _, quick := range []bool{false, true} {
			said := fmt.Sprintf(`"encoder": %q`, tt.encoder)
			first, hurry := said, ""
			if quick {
				first, hurry = `"encoder": "hash:8"`, `, "quick": {`+said+`}`
			}
			spec := filepath.Join(dir, "table.json")
			content := fmt.Sprintf(`{"name": "mine", "about": "a test", "paper": "none",
				"runs": [{"name": "r", "experiment": {"data": "reviews", "attribute": "none", %s, "methods": ["majority"]}%s}],
				"rows": [{"name": "ours", "run": "r", "match": {"method": "majority"}, "published": {"accuracy": 50}}]}`, first, hurry)
			if err := os.WriteFile(spec, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			s, err := reproduce.FindSpec(t.Context(), spec)
			if err != nil {
				t.Fatal(err)
			}
			_, err = reproduce.MakeTable(catalogue.Within(t.Context(), tt.within...), s, reproduce.Options{Store: t.TempDir(), Quick: quick, Workers: 1})
			if tt.refused && !errors.Is(err, catalogue.ErrNamed) || !tt.refused && err != nil {
				t.Errorf("encoder %s, quick %v, within %v: %v, want refused %v", tt.encoder, quick, tt.within, err, tt.refused)
			}
		}
	}
	if _, err := os.Stat(sentinel); err == nil {
		t.Error("a program was run that only a spec named")
	}
}
