package reproduce_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/study/reproduce"
)

// TestOwnFile makes a table of a file that lies beside its spec, twice: the
// second time from the store, and after a change of the file anew.
func TestOwnFile(t *testing.T) {
	dir, store := t.TempDir(), t.TempDir()
	write := func(name, content string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var rows strings.Builder
	rows.WriteString("comment,verdict,city\n")
	for i := range 120 {
		fmt.Fprintf(&rows, "%s parcel %d,%d,%d\n", []string{"fine", "poor"}[i%2], i, i%2, i/2%2)
	}
	write("customers.csv", rows.String())
	write("table.json", `{"name": "mine", "about": "a test", "paper": "none",
		"runs": [{"name": "r", "experiment": {"data": "parcels", "in": "customers.csv", "text": "comment", "label": "verdict", "attribute": "city", "encoder": "hash:16",
			"methods": ["label"], "epsilons": [2], "epochs": 2}, "quick": {"epochs": 1}, "measures": ["groups"]}],
		"rows": [{"name": "ours", "run": "r", "match": {"method": "label"}, "published": {"accuracy": 80, "difference:city": 0}}]}`)
	s, err := reproduce.FindSpec(t.Context(), filepath.Join(dir, "table.json"))
	if err != nil {
		t.Fatal(err)
	}
	for round, want := range []bool{false, true} {
		table, told := jobs(t, s, reproduce.Options{Store: store, Quick: true})
		if len(table.Rows) != 1 || strings.Contains(told, "re-used") != want || strings.Contains(asJSON(t, table), "customers") {
			t.Fatalf("round %d: %d rows, told %s", round, len(table.Rows), told)
		}
	}
	err = filepath.WalkDir(store, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if strings.Contains(string(content), "customers") || strings.Contains(string(content), dir) {
			t.Errorf("%s holds the path of the file", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	write("customers.csv", rows.String()+"one more,1,0\n")
	if _, told := jobs(t, s, reproduce.Options{Store: store, Quick: true}); strings.Contains(told, "re-used") {
		t.Error("what was computed on another file was taken")
	}
}
