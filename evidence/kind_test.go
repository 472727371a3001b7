package evidence_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sotto/evidence"
	"sotto/report"
	"sotto/report/gate"
)

// A kind of evidence that nobody knew is taken by everything that reads some:
// alone, in a file of everything, on both pages and by a gate.
func TestAddingAKind(t *testing.T) {
	kinds := append(report.Kinds(), driftKind)
	dir := t.TempDir()
	path := write(t, dir, "drift.json", drift{Format: "example-drift-1", Source: "may.npy", Distance: 3.25})
	if _, err := report.Load(path); err == nil || !strings.Contains(err.Error(), "must be one that this version knows") {
		t.Errorf("without the kind: error = %v, want a refusal", err)
	}
	found, err := kinds.Load(path, write(t, dir, "audit.json", files(t)["audit.json"]))
	if err != nil {
		t.Fatal(err)
	}
	again, err := kinds.Load(write(t, dir, "all.json", found))
	if err != nil {
		t.Fatal(err)
	}
	if got := evidence.All[drift](again); len(got) != 1 || got[0].Distance != 3.25 || len(evidence.All[evidence.Audit](again)) != 1 {
		t.Errorf("stored and loaded: %+v, want the drift and the audit", got)
	}
	if _, err = report.Load(filepath.Join(dir, "all.json")); err == nil || !strings.Contains(err.Error(), "drifts") {
		t.Errorf("without the kind: error = %v, want one that names the list", err)
	}
	var text, html bytes.Buffer
	if err = report.Markdown(&text, again); err != nil || !strings.Contains(text.String(), "## Drift\n") || !strings.Contains(text.String(), "## What was promised\n") {
		t.Errorf("Markdown, %v:\n%s", err, text.String())
	}
	if err = report.HTML(&html, again); err != nil || !strings.Contains(html.String(), "may.npy") {
		t.Errorf("HTML, %v, lacks the drift", err)
	}
	for rule, want := range map[string]string{
		`"numbers": {"distance": {"max": 4}}`:                      "",
		`"numbers": {"distance": {"min": 4}}`:                      "rule 1: drift of may.npy: distance is 3.25, allowed at least 4",
		`"numbers": {"distance": {"max": 4, "by": "interval"}}`:    "rule 1: drift of may.npy: the interval of the distance was not measured, allowed at most 4",
		`"numbers": {"speed_of_it": {"max": 4}}`:                   "rule 1: nothing that the rule matches speaks of speed_of_it",
		`"numbers": {"distance": {"max": 4}}, "claim": "true"`:     "rule 1: nothing that the rule matches speaks of claim",
		`"numbers": {"distance": {"max": 2}}, "name": "no\nspeed"`: "no speed: drift of may.npy: distance is 3.25, allowed at most 2",
	} {
		policy, err := gate.Parse(strings.NewReader(`{"rules": [{"match": {"kind": "drift"}, `+rule+`}]}`), driftKind)
		if err != nil {
			t.Fatal(err)
		}
		v, err := policy.Judge(again)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(v.Reasons, "; "); got != want || v.Passed != (want == "") {
			t.Errorf("%s: reasons %q, want %q", rule, got, want)
		}
	}
}

// Every kind has a name of its own for its files, and one for its list.
func TestKindsDiffer(t *testing.T) {
	content, err := json.Marshal(files(t)["audit.json"])
	if err != nil {
		t.Fatal(err)
	}
	if names := report.Kinds().Names(); !slices.Contains(names, "training") || slices.Contains(names, "") {
		t.Errorf("Names() = %q, want those of policies", names)
	}
	for _, twice := range []evidence.Kind[drift]{driftKind, {Format: driftKind.Format, List: "others"}, {Format: "other", List: driftKind.List}, {Format: "other"}, {List: "title"}} {
		if _, err = (evidence.Kinds{driftKind, twice}).New(); err == nil {
			t.Errorf("New with %s and %s, which another has: no error", twice.Format, twice.List)
		}
	}
	e := empty(t)
	if err = e.Put(new(int)); err == nil {
		t.Error("Put(an int) = nil, want an error")
	}
	if err = e.Add("audit.json", bytes.NewReader(content)); err != nil || len(e.Subjects()) != 1 || e.Subjects()[0].Match.Kind != "audit" {
		t.Errorf("an audit: %v, subjects %+v", err, e.Subjects())
	}
}
