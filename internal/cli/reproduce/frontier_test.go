package reproduce_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sotto/experiment/frontier"
	"sotto/internal/cli/reproduce"
	"sotto/measure"
	"sotto/report/page"
	"sotto/report/page/pagetest"
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
	if content, err = os.ReadFile(filepath.Join(dir, "frontier.md")); err != nil {
		t.Fatal(err)
	}
	pagetest.Markdown(t, string(content))
	out, errs, err = reproduced(t.Context(), strings.Fields(smallFrontier+"--show --out "+dir+"/empty")...)
	if err != nil || errs != "" || !strings.Contains(out, "not computed yet, or come to nothing: 2 experiments") {
		t.Errorf("--show of an empty folder: %v, %s; told %s", err, out, errs)
	}
}

// invented is a result in which every declared task has every method that takes
// part in it, with accuracies that grow with ε, and hostile names.
func invented() *frontier.Result {
	r := &frontier.Result{Format: frontier.Format, Seeds: 2, Epsilons: frontier.Epsilons(), Notes: []string{pagetest.Evil}}
	about := func(v float64) frontier.Estimate {
		return frontier.Estimate{Summary: measure.Summarise([]float64{v, v + 0.01}), Values: []measure.Number{measure.Number(v), measure.Number(v + 0.01)}}
	}
	for _, task := range frontier.Tasks() {
		t := frontier.TaskResult{Task: task, Classes: []int{2}, Attribute: pagetest.Evil, UnknownMajority: 0.4, Notes: []string{pagetest.Evil}}
		for i, m := range frontier.Methods() {
			if !slices.Contains(m.Parts, task.Part) {
				continue
			}
			c := frontier.Curve{Method: m.Name, Title: m.Title, Private: m.Private}
			for k, e := range r.Epsilons {
				if !m.Private && k > 0 {
					break
				}
				v := about(0.5 + 0.02*float64(i) + 0.03*float64(k))
				p := frontier.Point{Epsilon: e, Seeds: []uint64{1, 2}, Accuracy: v, Gap: &v, Leakage: &v, LeakageLimit: 0.9}
				if task.Part == frontier.Later {
					p.Unknown = &v
				}
				if m.Name == "auto" {
					p.Search = &frontier.Search{Limit: v.Mean + 0.02, Bound: v.Mean + 0.05}
				}
				c.Points = append(c.Points, p)
			}
			t.Curves = append(t.Curves, c)
		}
		r.Tasks = append(r.Tasks, t)
	}
	r.Verdicts = []frontier.Verdict{{Aim: pagetest.Evil, Outcome: frontier.Missed, Checks: []frontier.Check{{Task: "adult", Epsilon: 4, Against: "label", Difference: about(-1), Outcome: frontier.Missed}}}}
	return r
}

func TestFrontierPage(t *testing.T) {
	var b strings.Builder
	if err := page.HTML(&b, reproduce.FrontierPage(invented())); err != nil {
		t.Fatal(err)
	}
	pagetest.HTML(t, b.String())
	pagetest.Numbers(t, b.String())
	if !strings.Contains(b.String(), "Of 1 aim, 0 reached, 1 missed") {
		t.Error("the page does not say that an aim is missed")
	}
	// One drawing for each task, and two for those with labels unknown in training.
	pagetest.Browser(t, b.String(), 8+4+2*3)
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
