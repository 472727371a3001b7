package errors

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"sotto/compute/measure"
	"sotto/evidence"
	"sotto/evidence/page"
	"sotto/promise/dp"
	"sotto/promise/mech"
)

// ReleasedFormat is the format of released counts.
const ReleasedFormat = "sotto-error-counts-1"

// Released is counts of cohorts that may leave: with noise, under ε.
type Released struct {
	Format  string     `json:"format"`
	Epsilon dp.Epsilon `json:"epsilon"`
	// Neighbours says which tables ε makes indistinguishable.
	Neighbours string `json:"neighbours"`
	// Assumption is what must hold of the answers.
	Assumption string `json:"assumption,omitempty"`
	// PerPerson is how many rows of a person were counted at most; 0 if each row is
	// somebody else's.
	PerPerson int     `json:"rows_per_person,omitempty"`
	Scale     float64 `json:"scale"` // of the Laplace noise of each count
	Counts    []Count `json:"counts"`
}

// Count is the released count of texts for which a rule is the first that holds. It is
// a whole number and may be below 0.
type Count struct {
	Rule       string         `json:"rule"`
	Conditions Rule           `json:"conditions"`
	Right      int64          `json:"right"`
	Wrong      int64          `json:"wrong"`
	ErrorRate  measure.Number `json:"error_rate"` // of these; undefined where they make none
}

// ReleaseOptions says under which ε counts are released.
type ReleaseOptions struct {
	Epsilon float64
	// Persons says whose each row is; nil if each is somebody else's. Of each person
	// the first PerPerson rows are counted; 0 means 1.
	Persons   []string
	PerPerson int
}

// Release counts right and wrong answers where each rule is the first that holds, and
// where none does, and releases the counts with noise.
//
// One row is in one count, so that a row more or less changes one count by one, and a
// person more or less PerPerson counts in all. That holds for rules that were fixed before
// anybody looked at these rows, and for features of which those of a row depend on
// that row alone, as those of every [Maker] and of [ForRules] do. Nothing but what it returns is covered.
func Release(rules []Rule, x *Features, wrong []bool, o ReleaseOptions, src rand.Source) (*Released, error) {
	if len(wrong) != len(x.Rows) || o.Persons != nil && len(o.Persons) != len(wrong) {
		return nil, fmt.Errorf("errors: %d answers, features of %d rows and %d persons, must be as many", len(wrong), len(x.Rows), len(o.Persons))
	}
	r := &Released{Format: ReleasedFormat, Neighbours: "tables of which one has one row more", Assumption: "whatever answers was not trained on these rows, nor on others of their persons"}
	change := 1
	if o.Persons != nil {
		change = max(1, o.PerPerson)
		r.PerPerson, r.Neighbours = change, "tables of which one has one person more, with all rows of that person"
	}
	m, err := mech.NewCounts(change, o.Epsilon)
	if err != nil {
		return nil, err
	}
	counts := make([]int64, 2*(len(rules)+1))
	taken := map[string]int{}
	for i, k := range first(rules, x) {
		if o.Persons != nil {
			p := o.Persons[i]
			if p == "" {
				return nil, fmt.Errorf("errors: row %d is nobody's, must be somebody's", i+1)
			}
			if taken[p]++; taken[p] > change {
				continue
			}
		}
		if wrong[i] {
			counts[2*k+1]++
		} else {
			counts[2*k]++
		}
	}
	noisy, err := m.Release(counts, src)
	if err != nil {
		return nil, err
	}
	r.Epsilon, r.Scale = m.Epsilon(), m.Scale()
	for k := range len(rules) + 1 {
		c := Count{Rule: noRule, Conditions: Rule{}, Right: noisy[2*k], Wrong: noisy[2*k+1], ErrorRate: measure.Undefined}
		if k < len(rules) {
			c.Rule, c.Conditions = rules[k].String(), slices.Concat(Rule{}, rules[k])
		}
		if right, bad := max(0, c.Right), max(0, c.Wrong); right+bad > 0 {
			c.ErrorRate = measure.Number(float64(bad) / float64(right+bad))
		}
		r.Counts = append(r.Counts, c)
	}
	return r, nil
}

// ReleasedKind is what "sotto errors --epsilon" prints.
var ReleasedKind = evidence.Kind[Released]{
	Format: ReleasedFormat, Name: "error counts", List: "error_counts",
	Section: evidence.Each("", (*Released).sections),
}

func (r *Released) sections() []page.Section {
	t := &page.Table{Caption: fmt.Sprintf("Counts under ε = %v", r.Epsilon), Head: page.Heads("rule", "#right", "#wrong", "#wrong, share")}
	for _, c := range r.Counts {
		t.Add(page.Clean(c.Rule, 300), fmt.Sprint(c.Right), fmt.Sprint(c.Wrong), percent(c.ErrorRate))
	}
	return []page.Section{{
		Title:   "Cohorts, counted under ε",
		Meaning: fmt.Sprintf("How many answers are right and wrong where each rule is the first that holds, with noise: ε = %v between %s. Counts may be below 0. It assumes that %s.", r.Epsilon, r.Neighbours, cmp.Or(r.Assumption, "answers do not depend on other rows")),
		Source:  fmt.Sprintf("sotto errors --epsilon: Laplace noise of scale %s on each count", page.Decimal(r.Scale, 2)),
		Blocks:  t.Blocks(),
	}}
}
