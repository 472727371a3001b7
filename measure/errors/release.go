package errors

import (
	"fmt"

	"sotto/dp"
	"sotto/measure"
	"sotto/report/page"
)

// Released is counts of cohorts that may leave: with noise, under ε.
type Released struct {
	Epsilon    dp.Epsilon `json:"epsilon"`
	Neighbours string     `json:"neighbours"` // tables that ε makes indistinguishable
	// Rows is how many rows of a person were counted at most; 0 if each row is its own.
	Rows   int     `json:"rows_per_person,omitempty"`
	Scale  float64 `json:"scale"` // of the Laplace noise of each count
	Counts []Count `json:"counts"`
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

func (r *Released) blocks() []page.Block {
	t := &page.Table{Caption: fmt.Sprintf("Counts that may leave, ε = %v", r.Epsilon), Head: page.Heads("rule", "#right", "#wrong", "#wrong, share")}
	for _, c := range r.Counts {
		t.Add(page.Clean(c.Rule, 300), fmt.Sprint(c.Right), fmt.Sprint(c.Wrong), percent(c.ErrorRate))
	}
	note := fmt.Sprintf("These counts alone are released, with ε = %v between %s. All other numbers of this page are those of the rows themselves.", r.Epsilon, r.Neighbours)
	return append([]page.Block{{Note: note}}, t.Blocks()...)
}
