package estimate

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"sotto/compute/measure"
	"sotto/evidence"
	"sotto/evidence/page"
)

// MeanFormat marks what "sotto estimate" prints of means as JSON.
const MeanFormat = "sotto-estimate-mean-1"

// MeanResult is what releases of vectors say.
type MeanResult struct {
	Counted
	Of   string   `json:"of"` // what the mean is of
	Mean *Average `json:"mean"`

	Groups  []MeanGroup    `json:"groups,omitempty"`
	Compare *MeansCompared `json:"comparison,omitempty"`
}

// MeanGroup is the mean of a public group.
type MeanGroup struct {
	Group string   `json:"group"`
	N     int      `json:"n"`
	Mean  *Average `json:"mean"`
}

// MeansCompared is how the means of two groups or files differ.
type MeansCompared struct {
	First  string `json:"first"`
	Second string `json:"second"`
	FirstN int    `json:"first_n"`
	OtherN int    `json:"second_n"`
	MeanComparison
}

// Farthest returns the n coordinates that are farthest from 0, in standard errors where
// they are known, in their order.
func Farthest(all []Interval, n int) []int {
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	far := func(i int) float64 {
		if e := float64(all[i].Error); e == e { //nolint:gocritic // NaN stands for no error that is known
			return math.Abs(all[i].Value) / max(e, 1e-300)
		}
		return math.Abs(all[i].Value)
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(far(j), far(i)) })
	order = order[:min(n, len(order))]
	slices.Sort(order)
	return order
}

// MeanKind is what "sotto estimate" prints of means.
var MeanKind = evidence.Kind[MeanResult]{
	Format: MeanFormat, Name: "mean", List: "means",
	Section:  evidence.Each("Means", (*MeanResult).sections),
	Summary:  evidence.Said((*MeanResult).Sentence, nil),
	Subjects: (*MeanResult).subjects,
	Check: func(r *MeanResult) error {
		if r.Mean == nil || len(r.Mean.Coordinates) == 0 || r.N < leastRows {
			return fmt.Errorf("estimate: the result has no mean or is one of %d releases, must have one of at least %d", r.N, leastRows)
		}
		return r.Guarantee.Validate()
	},
}

func (r *MeanResult) subjects() []evidence.Subject {
	n := r.Mean.Norm
	return r.subject("mean", "length", measure.Estimate{Value: measure.Number(n.Value), Low: n.Low, High: n.High})
}

// Sentence says how long the mean is, and how well that is known.
func (r *MeanResult) Sentence() string {
	n := r.Mean.Norm
	said := fmt.Sprintf("The mean of %s of %s has length %s", page.Plural(r.N, "release", "releases"), r.Of, decimal(measure.Number(n.Value)))
	if r.NoIntervals != "" {
		return said + "; there is no interval: " + r.NoIntervals + "."
	}
	return fmt.Sprintf("%s, from %s to %s with confidence %v %%.", said, decimal(n.Low), decimal(n.High), 100*r.Confidence)
}

// Hold is [Result.Hold] for means.
func (r *MeanResult) Hold(u Unfit) {
	r.hold(u)
	if u.NoIntervals == "" {
		return
	}
	r.Mean.clear()
	for _, g := range r.Groups {
		g.Mean.clear()
	}
	r.Compare = nil
}

func (a *Average) clear() {
	a.Norm.Clear()
	for i := range a.Coordinates {
		a.Coordinates[i].Clear()
	}
}

func decimal(v measure.Number) string { return page.Decimal(v, 4) }

// shownOnPage is how many coordinates a page shows.
const shownOnPage = 20

func (r *MeanResult) sections() []page.Section {
	table := func(caption string, a *Average) []page.Block {
		t := &page.Table{Caption: caption, Head: page.Heads("coordinate", "#mean", fmt.Sprintf("#%v %% interval", 100*r.Confidence), "#standard error")}
		row := func(name string, v Interval) {
			if r.NoIntervals != "" {
				t.Add(name, decimal(measure.Number(v.Value)), "-", "-")
				return
			}
			t.Add(name, decimal(measure.Number(v.Value)), decimal(v.Low)+" to "+decimal(v.High), decimal(v.Error))
		}
		row("length", a.Norm)
		for _, i := range Farthest(a.Coordinates, shownOnPage) {
			row(fmt.Sprint(i), a.Coordinates[i])
		}
		return t.Blocks()
	}
	blocks := table(fmt.Sprintf("Mean of %s: its length, and the %d coordinates farthest from 0", r.Of, min(shownOnPage, len(r.Mean.Coordinates))), r.Mean)
	for _, g := range r.Groups {
		blocks = append(blocks, table(fmt.Sprintf("%s: %s", g.Group, page.Plural(g.N, "release", "releases")), g.Mean)...)
	}
	if c := r.Compare; c != nil {
		t := &page.Table{Caption: fmt.Sprintf("%s less %s", c.First, c.Second), Head: page.Heads("what", "#difference", "#interval", "#p")}
		t.Add("length", decimal(measure.Number(c.Distance.Value)), decimal(c.Distance.Low)+" to "+decimal(c.Distance.High), decimal(measure.Number(c.P)))
		blocks = append(blocks, t.Blocks()...)
	}
	return []page.Section{{
		Title:   r.name(),
		Meaning: "Where the vectors of all people lie on average, from their releases alone. Single releases are mostly noise; many together are not.",
		Source:  fmt.Sprintf("sotto estimate: %s by %s, each with %v; %s", page.Plural(r.N, "release", "releases"), r.Mechanism, r.Guarantee, r.intervals("Student's intervals")),
		Blocks:  blocks,
	}}
}
