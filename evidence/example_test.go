package evidence_test

import (
	"fmt"
	"os"
	"strings"

	"sotto/compute/measure"
	"sotto/evidence"
	"sotto/evidence/page"
	"sotto/report"
	"sotto/report/gate"
)

// drift is what some command measures and stores: how far vectors have moved
// since they were last looked at.
type drift struct {
	Format   string         `json:"format"`
	Source   string         `json:"source"`
	Distance measure.Number `json:"distance"`
}

// driftKind is all that report and gate need to know of it. A kind of sotto's
// own stands beside its type, with one line for it in report.Kinds.
var driftKind = evidence.Kind[drift]{
	Format: "example-drift-1", Name: "drift", List: "drifts",
	Section: func(e *evidence.Evidence) []page.Section {
		table := &page.Table{Caption: "Drift", Head: page.Heads("vectors", "#distance")}
		for _, d := range evidence.All[drift](e) {
			table.Add(d.Source, page.Decimal(d.Distance, 2))
		}
		if len(table.Rows) == 0 {
			return nil
		}
		return []page.Section{{ID: "drift", Title: "Drift", Meaning: "How far vectors have moved.", Blocks: table.Blocks()}}
	},
	Summary: func(e *evidence.Evidence) (string, []page.Verdict) {
		var all []page.Verdict
		for _, d := range evidence.All[drift](e) {
			all = append(all, page.Verdict{Label: "moved", Text: d.Source})
		}
		return fmt.Sprintf("%s moved.", page.Plural(len(all), "file", "files")), all
	},
	Subjects: func(d *drift) []evidence.Subject {
		return []evidence.Subject{{Name: "drift of " + d.Source, Numbers: map[string]measure.Estimate{"distance": evidence.Exactly(d.Distance)}}}
	},
}

func ExampleKind() {
	found, err := append(report.Kinds(), driftKind).New()
	if err != nil {
		fmt.Println(err)
		return
	}
	if err = found.Add("drift.json", strings.NewReader(`{"format": "example-drift-1", "source": "may.npy", "distance": 3.25}`)); err != nil {
		fmt.Println(err)
		return
	}
	if err = report.Markdown(os.Stdout, found); err != nil {
		fmt.Println(err)
	}
	policy, err := gate.Parse(strings.NewReader(`{"rules": [{"match": {"kind": "drift"}, "numbers": {"distance": {"max": 2}}}]}`), driftKind)
	if err != nil {
		fmt.Println(err)
		return
	}
	verdict, err := policy.Judge(found)
	fmt.Printf("\n%q %v\n", verdict.Reasons, err)
	// Output:
	// # What these representations promise and keep
	//
	// **1 file moved.**
	//
	// - **moved** may.npy
	//
	// ## In plain words
	//
	// These results claim no ε and prove none: whatever they show, they promise no protection.
	//
	// ## Drift
	//
	// How far vectors have moved.
	//
	// | vectors | distance |
	// | --- | --: |
	// | may.npy | 3.25 |
	//
	// Written by sotto from stored results. It stays on the trusted side: what it says of accuracies, counts and texts was computed from private data, and no guarantee covers what it tells.
	//
	// ["rule 1: drift of may.npy: distance is 3.25, allowed at most 2"] <nil>
}
