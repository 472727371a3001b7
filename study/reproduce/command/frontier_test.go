package reproduce_test

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/evidence/page/pagetest"
	"sotto/report"
	"sotto/study/reproduce/frontier"
)

// smallFrontier is a part of the frontier that needs no data.
const smallFrontier = "frontier --quick --limit 160 --only reviews-later --methods plain,label --epsilon 4 "

func TestFrontier(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "frontier.html")
	out, errs, err := reproduced(t.Context(), strings.Fields(smallFrontier+"--out "+dir+"/store --html "+file+" --svg "+dir+"/svg")...)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"reviews-later: sentiment (2 classes); unknown in training: author", "label RR", "ε = 4", "AIMS", "NOT MEASURED", "note: --quick"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not printed:\n%s", want, out)
		}
	}
	if !strings.Contains(errs, "2 of 2: reviews-later") {
		t.Errorf("standard error tells nothing of the work: %s", errs)
	}
	content, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(content), "Of 8 aims, 0 reached") {
		t.Errorf("the page is %v, %d bytes, want the aims in it", err, len(content))
	}
	pagetest.HTML(t, string(content))
	for _, name := range []string{"reviews-later-unknown.svg", "reviews-later-known.svg"} {
		if drawing, fault := os.ReadFile(filepath.Join(dir, "svg", name)); fault != nil || !strings.Contains(string(drawing), "label RR") {
			t.Errorf("%s: %v, want the method in it", name, fault)
		}
	}
	out, errs, err = reproduced(t.Context(), strings.Fields(smallFrontier+"--json --out "+dir+"/store --markdown "+dir+"/frontier.md")...)
	var r frontier.Result
	if err != nil || json.Unmarshal([]byte(out), &r) != nil || r.Format != frontier.Format || len(r.Tasks) != 1 || !strings.Contains(errs, "found") {
		t.Errorf("--json: %v, %s; told %s", err, out, errs)
	}
	stored := filepath.Join(dir, "frontier.json")
	if err = os.WriteFile(stored, []byte(out), 0o666); err != nil {
		t.Fatal(err)
	}
	if found, fault := append(report.Kinds(), frontier.Kind).Load(stored); fault != nil || report.HTML(io.Discard, found) != nil || len(found.Subjects()) < 2 {
		t.Errorf("a report of --json: %v", fault)
	}
	if content, err = os.ReadFile(filepath.Join(dir, "frontier.md")); err != nil {
		t.Fatal(err)
	}
	pagetest.Markdown(t, string(content))
	out, errs, err = reproduced(t.Context(), strings.Fields(smallFrontier+"--show --out "+dir+"/empty")...)
	if err != nil || errs != "" || !strings.Contains(out, "not computed yet, or come to nothing: 2 experiments") {
		t.Errorf("--show of an empty folder: %v, %s; told %s", err, out, errs)
	}
}

func TestFrontierRefuses(t *testing.T) {
	for _, tt := range []struct{ flags, want string }{
		{"--shard 3", "must be i/n"},
		{"--shard 0/3", "shard is 0 of 3"},
		{"--shard 1/2x", "must be i/n"},
		{"--only mnist", "task is"},
		{"--methods luck", "method is"},
		{"--seeds 0", "seeds"},
	} {
		_, _, err := reproduced(t.Context(), strings.Fields("frontier --out "+t.TempDir()+" "+tt.flags)...)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", tt.flags, err, tt.want)
		}
	}
}
