package frontier_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"sotto/compute/measure"
	"sotto/evidence/page"
	"sotto/evidence/page/pagetest"
	"sotto/promise/dp"
	"sotto/report"
	"sotto/report/gate"
	"sotto/study/reproduce/frontier"
)

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
				truth := dp.Epsilon(e)
				v := about(0.5 + 0.02*float64(i) + 0.03*float64(k))
				p := frontier.Point{Epsilon: e, True: &truth, Unit: dp.Text, Seeds: []uint64{1, 2}, Accuracy: v, Gap: &v, Leakage: &v, LeakageLimit: 0.9}
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

func TestPage(t *testing.T) {
	var b strings.Builder
	if err := page.HTML(&b, invented().Page()); err != nil {
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

// A report shows a stored frontier as its own page does, and a gate judges its
// points and aims.
func TestStoredFrontier(t *testing.T) {
	r := invented()
	stored, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	found, err := append(report.Kinds(), frontier.Kind).New()
	if err != nil {
		t.Fatal(err)
	}
	if err = found.Add("frontier.json", bytes.NewReader(stored)); err != nil {
		t.Fatal(err)
	}
	var own, all strings.Builder
	if err = page.Markdown(&own, r.Page()); err != nil {
		t.Fatal(err)
	}
	if err = report.Markdown(&all, found); err != nil {
		t.Fatal(err)
	}
	if pagetest.Intervals(t, own.String()) == 0 {
		t.Error("the page shows no interval")
	}
	_, sections, _ := strings.Cut(own.String(), "\n### What each ε here means")
	_, sections, _ = strings.Cut(sections, "\n## ")
	sections, _, _ = strings.Cut(sections, "\n### Notes")
	if !strings.Contains(all.String(), sections) || !strings.Contains(all.String(), "Of 1 aim, 0 reached, 1 missed") {
		t.Error("the report does not show what the page of the frontier shows")
	}
	for rule, want := range map[string]string{
		`"match": {"kind": "frontier", "data": "adult", "method": "auto"}, "epsilon": {"max": 8}, "claim": "true", "accuracy": {"min": 0.5}`: "",
		`"match": {"kind": "frontier", "data": "adult", "method": "label"}, "epsilon": {"max": 4}`:                                           "rule 1: frontier adult label ε=8: true ε is 8 (text), allowed at most 4",
		`"match": {"kind": "frontier"}, "numbers": {"missed": {"max": 0}}`:                                                                   "missed is 1, allowed at most 0",
	} {
		policy, failed := gate.Parse(strings.NewReader(`{"rules": [{`+rule+`}]}`), frontier.Kind)
		if failed != nil {
			t.Fatal(failed)
		}
		v, failed := policy.Judge(found)
		if failed != nil || v.Passed != (want == "") || want != "" && !strings.Contains(strings.Join(v.Reasons, "; "), want) {
			t.Errorf("%s: %q, %v, want %q", rule, v.Reasons, failed, want)
		}
	}
	r.Missing, r.Tasks[0].Curves[0].Private, r.Tasks[0].Curves[0].Points[0].Epsilon = []string{"adult"}, true, 0
	if err = found.Put(r); err == nil {
		t.Error("an ε of 0 was taken")
	}
}

// FuzzStored feeds whatever can be read as a frontier to a report, and looks for panics and
// for text that gets out of its place.
func FuzzStored(f *testing.F) {
	for _, r := range []*frontier.Result{invented(), {Format: frontier.Format, Tasks: []frontier.TaskResult{{Classes: []int{2}, Curves: []frontier.Curve{{Method: "auto", Private: true, Points: []frontier.Point{{Epsilon: 1, Search: &frontier.Search{}}}}}}}}} {
		b, err := json.Marshal(r)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		found, err := append(report.Kinds(), frontier.Kind).New()
		if err != nil {
			t.Fatal(err)
		}
		if found.Add("fuzz.json", bytes.NewReader(content)) != nil {
			return
		}
		var b bytes.Buffer
		if report.HTML(&b, found) == nil {
			pagetest.HTML(t, b.String())
		}
		report.Sentence(found)
	})
}
