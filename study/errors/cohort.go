package errors

import (
	"cmp"
	weakrand "math/rand/v2"
	"slices"

	"sotto/compute/measure"
	"sotto/compute/nn"
)

// Cohort is a kind of text, and how often answers to it are wrong.
type Cohort struct {
	Rule       string         `json:"rule"` // in words
	Conditions Rule           `json:"conditions"`
	Size       int            `json:"size"`
	Errors     int            `json:"errors"`
	ErrorRate  measure.Number `json:"error_rate"`
	Share      measure.Number `json:"share"` // of all errors
	HeldOut    HeldOut        `json:"held_out"`

	rows []int
}

// HeldOut is what the half of the rows says on which the rule was not found. A rule is
// found because it is extreme where it is found, so that only this half tells how
// extreme it is.
type HeldOut struct {
	Rows      int            `json:"rows"`
	Errors    int            `json:"errors"`
	ErrorRate measure.Number `json:"error_rate"`
	Low       measure.Number `json:"low"` // 95 % interval, after Clopper and Pearson
	High      measure.Number `json:"high"`
}

// Rows returns the rows of the cohort.
func (c *Cohort) Rows() []int { return slices.Clone(c.rows) }

// halves deals rows into two halves at random.
func halves(rows int, seed uint64) (found, held []bool) {
	order := nn.Indices(rows)
	weakrand.New(weakrand.NewPCG(seed, 0x68616c66)).Shuffle(rows, func(a, b int) { order[a], order[b] = order[b], order[a] })
	found, held = make([]bool, rows), make([]bool, rows)
	for k, i := range order {
		found[i], held[i] = k < (rows+1)/2, k >= (rows+1)/2
	}
	return found, held
}

// Cohorts finds the kinds of texts of which answers are wrong most often and least:
// the leaves of a shallow tree that is grown on one half of the rows, those with the
// most errors first. Together they hold every row once.
func Cohorts(x *Features, wrong []bool, o TreeOptions) ([]Cohort, error) {
	tree, held, err := o.tree(x, wrong)
	if err != nil {
		return nil, err
	}
	var all []Cohort
	for _, b := range tree {
		if b.leaf {
			all = append(all, count(b.rule, chosen(b.rule.Match(x)), wrong, held))
		}
	}
	slices.SortStableFunc(all, func(a, b Cohort) int { return cmp.Compare(b.ErrorRate, a.ErrorRate) })
	return all, nil
}

// tree grows the tree of cohorts on one half of the rows, and says which are held out.
func (o TreeOptions) tree(x *Features, wrong []bool) (all []*branch, held []bool, err error) {
	if o, err = o.filled(); err != nil {
		return nil, nil, err
	}
	found, held := halves(len(wrong), o.Seed)
	target := make([]int, len(wrong))
	for i, w := range wrong {
		if w {
			target[i] = 1
		}
	}
	return o.grow(x, chosen(found), target), held, nil
}

// count says how often answers to some rows are wrong.
func count(r Rule, rows []int, wrong, held []bool) Cohort {
	c := Cohort{Rule: r.String(), Conditions: r, Size: len(rows), rows: rows}
	if c.Conditions == nil {
		c.Conditions = Rule{}
	}
	h := &c.HeldOut
	for _, i := range rows {
		if held[i] {
			h.Rows++
		}
		if wrong[i] {
			c.Errors++
			if held[i] {
				h.Errors++
			}
		}
	}
	c.ErrorRate, c.Share = ratio(c.Errors, c.Size), ratio(c.Errors, len(chosen(wrong)))
	h.ErrorRate, h.Low, h.High = ratio(h.Errors, h.Rows), measure.Undefined, measure.Undefined
	if h.Rows > 0 {
		low, high := measure.ClopperPearson(h.Errors, h.Rows, 0.95)
		h.Low, h.High = measure.Number(low), measure.Number(high)
	}
	return c
}

// ratio is a/b, undefined for b = 0.
func ratio(a, b int) measure.Number {
	if b == 0 {
		return measure.Undefined
	}
	return measure.Number(float64(a) / float64(b))
}

// chosen returns the places that are true.
func chosen(is []bool) []int {
	var all []int
	for i, yes := range is {
		if yes {
			all = append(all, i)
		}
	}
	return all
}
