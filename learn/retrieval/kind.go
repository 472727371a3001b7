package retrieval

import (
	"fmt"

	"sotto/compute/measure"
	"sotto/evidence"
	"sotto/evidence/page"
	"sotto/promise/dp"
)

// Result is what is left of the neighbours of some rows.
type Result struct {
	Format  string `json:"format"`
	Raw     string `json:"raw"`     // name of the file of raw vectors, without folders
	Private string `json:"private"` // and of private ones, or the mechanism that was tried
	Rows    int    `json:"rows"`
	Queries int    `json:"queries"`
	Metric  Metric `json:"metric"`
	Dim     int    `json:"dim"` // numbers of a raw vector
	// PrivateDim is the same of a private one.
	PrivateDim int    `json:"private_dim"`
	Seed       uint64 `json:"seed"`

	Mechanism string        `json:"mechanism,omitempty"`
	Variant   string        `json:"variant,omitempty"`
	Claimed   *dp.Epsilon   `json:"claimed,omitempty"`
	Guarantee *dp.Guarantee `json:"guarantee,omitempty"` // that is recorded of the private file, or proved of the mechanism

	Recalls []Neighbours `json:"recalls"`
}

// Kind is what "sotto measure retrieval" prints.
var Kind = evidence.Kind[Result]{
	Format: Format, Name: "retrieval", List: "retrievals",
	Section:  evidence.Each("Neighbours", (*Result).sections),
	Summary:  evidence.Said((*Result).Sentence, nil),
	Subjects: (*Result).subjects,
}

func (r *Result) subjects() []evidence.Subject {
	s := evidence.Subject{
		Name:    fmt.Sprintf("neighbours in %s of %s", page.FileName(r.Private), page.FileName(r.Raw)),
		Match:   evidence.Match{Data: page.FileName(r.Private), Mechanism: r.Mechanism, Variant: r.Variant},
		Numbers: map[string]measure.Estimate{},
	}
	for _, n := range r.Recalls {
		s.Numbers[fmt.Sprintf("recall_at_%d", n.K)] = measure.Estimate{Value: n.Recall, Low: n.Low, High: n.High}
	}
	if g := r.Guarantee; g != nil {
		s.Promise = &evidence.Promise{Mechanism: r.Mechanism, Variant: r.Variant, Unit: g.Unit, Delta: g.Delta, Claimed: r.Claimed, Proved: &g.Epsilon, Assumptions: g.Assumptions}
	}
	return []evidence.Subject{s}
}

// Sentence says what the last number of neighbours comes to.
func (r *Result) Sentence() string {
	if len(r.Recalls) == 0 {
		return "No neighbours were compared."
	}
	n := r.Recalls[len(r.Recalls)-1]
	text := fmt.Sprintf("Of the %s of a vector, %s %% are left after the release, where chance leaves %s %%.",
		page.Plural(n.K, "nearest neighbour", "nearest neighbours"), page.Decimal(100*n.Recall, 1), page.Decimal(100*n.Chance, 1))
	if n.Low <= n.Chance {
		text += " That is no more than chance may give: nothing can be found by these releases."
	}
	return text
}

func (r *Result) sections() []page.Section {
	t := &page.Table{Caption: "Neighbours before and after release", Head: page.Heads("#k", "#recall", "#95 % interval", "#chance")}
	for _, n := range r.Recalls {
		t.Add(fmt.Sprint(n.K), page.Decimal(100*n.Recall, 2)+" %", page.Decimal(100*n.Low, 2)+" to "+page.Decimal(100*n.High, 2)+" %", page.Decimal(100*n.Chance, 2)+" %")
	}
	return []page.Section{{
		Title:   page.FileName(r.Private),
		Meaning: "Of the k vectors that are nearest to one before its release, the share that is among the k nearest after it. It says what a search by private vectors can still find.",
		Source: fmt.Sprintf("sotto measure retrieval: %s of %d rows, each among all others, by %s; the intervals are of the mean over all rows, after Hoeffding",
			page.Plural(r.Queries, "query", "queries"), r.Rows, r.Metric),
		Blocks: t.Blocks(),
	}}
}
