package estimate

import (
	"fmt"

	"sotto/compute/measure"
	"sotto/evidence"
	"sotto/evidence/page"
	"sotto/promise/dp"
)

// Format marks what "sotto estimate" prints as JSON.
const Format = "sotto-estimate-1"

// Counted is what a result says of the releases that it is about.
type Counted struct {
	Format    string        `json:"format"`
	File      string        `json:"file,omitempty"` // of the releases, without folders; absent for a stream
	N         int           `json:"n"`
	Epsilon   dp.Epsilon    `json:"epsilon"` // of each release
	Mechanism string        `json:"mechanism"`
	Variant   string        `json:"variant,omitempty"`
	Guarantee dp.Guarantee  `json:"guarantee"`
	Shuffled  *dp.Guarantee `json:"shuffled,omitempty"` // a second guarantee, under its assumption

	Confidence float64 `json:"confidence"` // of intervals
	Unfit
}

// Unfit says what releases cannot tell because of how they were made. A theorem on
// shuffled releases is of releases that nothing tells apart, and an interval is one of
// people who release once.
type Unfit struct {
	// NoShuffle is why there is no guarantee after shuffling, and NoIntervals why shares
	// and means have neither intervals nor standard errors. Both are "" where they have.
	NoShuffle   string `json:"no_shuffle,omitempty"`
	NoIntervals string `json:"no_intervals,omitempty"`
}

// Result is what releases say together.
type Result struct {
	Counted
	Raised   int     `json:"raised"` // answers that each input stands for: what shares sum to
	Method   Method  `json:"method"`
	Shares   []Named `json:"shares"`
	Assuming string  `json:"assuming,omitempty"` // where shares are those of inputs

	// AnswerGuarantee and GroupGuarantee are the parts of Guarantee where the group of
	// each person was released too.
	AnswerGuarantee *dp.Guarantee `json:"answer_guarantee,omitempty"`
	GroupGuarantee  *dp.Guarantee `json:"group_guarantee,omitempty"`

	Groups  []Group   `json:"groups,omitempty"`
	Compare *Compared `json:"comparison,omitempty"`
}

// Named is the share of an answer with its name.
type Named struct {
	Answer string `json:"answer"`
	Share
}

// Group is what the releases of a group say.
type Group struct {
	Group  string  `json:"group"`
	N      int     `json:"n,omitempty"`    // releases of a public group
	Size   *Share  `json:"size,omitempty"` // of a group that was released, among all people
	Method Method  `json:"method"`
	Shares []Named `json:"shares"`
}

// Compared is how two groups or files differ.
type Compared struct {
	First  string   `json:"first"`
	Second string   `json:"second"`
	FirstN int      `json:"first_n"`
	OtherN int      `json:"second_n"`
	P      float64  `json:"p"`
	Each   []Differ `json:"differences"`
}

// Differ is a difference with the name of its answer.
type Differ struct {
	Answer string `json:"answer"`
	Difference
}

// Name gives shares the names of their answers. It panics if there are not as
// many.
func (s Shares) Name(names []string) []Named {
	all := make([]Named, len(s.Each))
	for a, each := range s.Each {
		all[a] = Named{names[a], each}
	}
	return all
}

// Kind is what "sotto estimate" prints.
var Kind = evidence.Kind[Result]{
	Format: Format, Name: "estimate", List: "estimates",
	Section:  evidence.Each("Shares", (*Result).sections),
	Summary:  evidence.Said((*Result).Sentence, nil),
	Subjects: (*Result).subjects,
	Check: func(r *Result) error {
		if len(r.Shares) == 0 || r.N < 1 {
			return fmt.Errorf("estimate: the result has %d shares of %d releases, must have some", len(r.Shares), r.N)
		}
		return r.Guarantee.Validate()
	},
}

func (r *Result) subjects() []evidence.Subject {
	widest := r.widest()
	return r.subject("shares", "half_width", measure.Estimate{Value: widest, Low: widest, High: widest})
}

// subject is what gates may limit: a number of what was told, and the guarantee.
func (c *Counted) subject(told, number string, value measure.Estimate) []evidence.Subject {
	g := c.Guarantee
	return []evidence.Subject{{
		Name:    told + " in " + c.name(),
		Match:   evidence.Match{Data: c.name(), Mechanism: c.Mechanism, Variant: c.Variant},
		Numbers: map[string]measure.Estimate{number: value},
		Promise: &evidence.Promise{Mechanism: c.Mechanism, Variant: c.Variant, Unit: g.Unit, Delta: g.Delta, Proved: &g.Epsilon, Assumptions: g.Assumptions},
	}}
}

// name returns that of the file of releases, for pages.
func (c *Counted) name() string {
	if c.File == "" {
		return "a stream"
	}
	return page.FileName(c.File)
}

// widest returns half of the widest interval.
func (r *Result) widest() measure.Number {
	if r.NoIntervals != "" {
		return measure.Undefined
	}
	var w measure.Number
	for _, s := range r.Shares {
		w = max(w, (s.High-s.Low)/2)
	}
	return w
}

// Sentence says which answer is the commonest, and how well that is known.
func (r *Result) Sentence() string {
	most := r.Shares[0]
	for _, s := range r.Shares {
		if s.Share.Share > most.Share.Share {
			most = s
		}
	}
	said := fmt.Sprintf("Of %s, %s %% answered %s, the commonest answer", page.Plural(r.N, "release", "releases"), percent(measure.Number(most.Share.Share)), most.Answer)
	if r.NoIntervals != "" {
		return said + "; there is no interval: " + r.NoIntervals + "."
	}
	return fmt.Sprintf("%s, from %s to %s %% with confidence %v %%.", said, percent(most.Low), percent(most.High), 100*r.Confidence)
}

func percent(share measure.Number) string { return page.Decimal(100*share, 2) }

// Clear takes back what an interval would say.
func (i *Interval) Clear() {
	i.Low, i.High, i.Error = measure.Undefined, measure.Undefined, measure.Undefined
}

// Clear takes back what an interval would say.
func (s *Share) Clear() {
	s.Low, s.High, s.Error = measure.Undefined, measure.Undefined, measure.Undefined
}

// hold takes back the guarantee after shuffling where releases do not bear it.
func (c *Counted) hold(u Unfit) {
	c.Unfit = u
	if u.NoShuffle != "" {
		c.Shuffled = nil
	}
}

// Hold takes intervals back where releases do not bear them, and so the guarantee after
// shuffling.
func (r *Result) Hold(u Unfit) {
	r.hold(u)
	if u.NoIntervals == "" {
		return
	}
	for i := range r.Shares {
		r.Shares[i].Clear()
	}
	for g := range r.Groups {
		for i := range r.Groups[g].Shares {
			r.Groups[g].Shares[i].Clear()
		}
		if r.Groups[g].Size != nil {
			r.Groups[g].Size.Clear()
		}
	}
	r.Compare = nil
}

// intervals says of which kind they are, or why there are none.
func (u Unfit) intervals(kind string) string {
	if u.NoIntervals != "" {
		return "no intervals: " + u.NoIntervals
	}
	return kind
}

// table shows shares.
func (r *Result) table(caption string, shares []Named) *page.Table {
	t := &page.Table{Caption: caption, Head: page.Heads("answer", "#share", fmt.Sprintf("#%v %% interval", 100*r.Confidence), "#standard error")}
	for _, s := range shares {
		if r.NoIntervals != "" {
			t.Add(s.Answer, percent(measure.Number(s.Share.Share))+" %", "-", "-")
			continue
		}
		t.Add(s.Answer, percent(measure.Number(s.Share.Share))+" %", percent(s.Low)+" to "+percent(s.High)+" %", percent(s.Error)+" points")
	}
	return t
}

func (r *Result) sections() []page.Section {
	blocks := r.table("Share of each answer", r.Shares).Blocks()
	for _, g := range r.Groups {
		about := page.Plural(g.N, "release", "releases")
		if g.Size != nil {
			about = percent(measure.Number(g.Size.Share)) + " % of the people"
		}
		blocks = append(blocks, r.table(fmt.Sprintf("%s: %s", g.Group, about), g.Shares).Blocks()...)
	}
	if c := r.Compare; c != nil {
		t := &page.Table{Caption: fmt.Sprintf("%s less %s", c.First, c.Second), Head: page.Heads("answer", "#difference", "#interval", "#p, for all answers together")}
		for _, d := range c.Each {
			t.Add(d.Answer, percent(measure.Number(d.Difference.Difference)), percent(d.Low)+" to "+percent(d.High), page.Decimal(measure.Number(d.Adjusted), 4))
		}
		blocks = append(blocks, t.Blocks()...)
	}
	return []page.Section{{
		Title:   r.name(),
		Meaning: "How common each answer is among those who released one, from the releases alone. Single releases are mostly noise; many together are not.",
		Source:  fmt.Sprintf("sotto estimate: %s by %s, each with %v; shares by the method %s, %s", page.Plural(r.N, "release", "releases"), r.Mechanism, r.Guarantee, r.Method, r.intervals("intervals after Clopper and Pearson")),
		Blocks:  blocks,
	}}
}
