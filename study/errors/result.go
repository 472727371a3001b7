package errors

import (
	"errors"
	"fmt"
	"math"

	"sotto/compute/measure"
	"sotto/evidence"
	"sotto/evidence/page"
)

// Format is that of a [Result].
const Format = "sotto-errors-1"

// Result is what "sotto errors" finds.
type Result struct {
	Format  string         `json:"format"`
	Source  string         `json:"source"` // name of the file, without folders
	Rows    int            `json:"rows"`
	LeftOut int            `json:"left_out"` // rows without a label
	Errors  int            `json:"errors"`
	Rate    measure.Number `json:"error_rate"`
	Seed    uint64         `json:"seed"`
	Balance bool           `json:"balanced"` // rankers were judged on as many right as wrong answers
	Splits  int            `json:"splits"`
	Judged
	// NoFeatures says which features of privacy there are not, and why.
	NoFeatures []Absent `json:"no_features,omitempty"`

	Cohorts []Cohort    `json:"cohorts"`
	HeatMap *HeatMap    `json:"heat_map,omitempty"`
	Privacy *Loss       `json:"privacy,omitempty"`
	Tree    TreeOptions `json:"tree"`
}

// Kind is what "sotto errors" prints.
var Kind = evidence.Kind[Result]{
	Format: Format, Name: "errors", List: "errors",
	Check:    (*Result).check,
	Section:  evidence.Each("Where it fails", (*Result).sections),
	Summary:  evidence.Said((*Result).Sentence, nil),
	Subjects: (*Result).subjects,
}

// check refuses what a page could not show.
func (r *Result) check() error {
	if len(r.Cohorts) == 0 {
		return errors.New("errors: a result has no cohorts, must have at least one")
	}
	if h := r.HeatMap; h != nil {
		if len(h.Cells) != len(h.Rows.Names) {
			return errors.New("errors: the heat map has not as many rows as names of them")
		}
		for _, line := range h.Cells {
			if len(line) != len(h.Columns.Names) {
				return errors.New("errors: the heat map has not as many columns as names of them")
			}
		}
	}
	return nil
}

// Count fills in how many answers are wrong.
func (r *Result) Count(wrong []bool) {
	r.Rows, r.Errors = len(wrong), len(chosen(wrong))
	r.Rate = ratio(r.Errors, r.Rows)
}

// Rules returns those of the cohorts.
func (r *Result) Rules() []Rule {
	var rules []Rule
	for _, c := range r.Cohorts {
		if c.Rule != noRule {
			rules = append(rules, c.Conditions)
		}
	}
	return rules
}

// sizes are those from which on a gate may speak of cohorts.
var sizes = []int{20, 50, 100, 200, 500, 1000}

// subjects lets gates limit the error rate, that of the worst cohort above some size,
// and what such a cohort loses by privacy.
func (r *Result) subjects() []evidence.Subject {
	s := evidence.Subject{
		Name:    "errors in " + page.FileName(r.Source),
		Match:   evidence.Match{Data: page.FileName(r.Source)},
		Numbers: map[string]measure.Estimate{"error_rate": evidence.Exactly(r.Rate), "accuracy": evidence.Exactly(1 - r.Rate)},
	}
	for _, n := range sizes {
		s.Numbers[fmt.Sprintf("cohort_error_rate_above_%d", n)] = r.worst(n)
		if r.Privacy != nil {
			s.Numbers[fmt.Sprintf("cohort_loss_above_%d", n)] = r.Privacy.Greatest(n)
		}
	}
	if r.Privacy != nil {
		if g := r.Privacy.Guarantee; g != nil {
			s.Promise = &evidence.Promise{Unit: g.Unit, Delta: g.Delta, Proved: &g.Epsilon, Assumptions: g.Assumptions}
		}
		h := r.Privacy.All.HeldOut
		s.Numbers["loss"] = measure.Estimate{Value: r.Privacy.All.Loss, Low: h.Low, High: h.High}
	}
	return []evidence.Subject{s}
}

// worst returns the error rate of the cohort of more than so many texts that has the
// highest, on the held-out rows; that of all texts if there is none so large.
func (r *Result) worst(texts int) measure.Estimate {
	e := evidence.Unmeasured()
	for _, c := range r.Cohorts {
		if h := c.HeldOut; c.Size > texts && !math.IsNaN(float64(h.ErrorRate)) && !(h.ErrorRate <= e.Value) {
			e.Value, e.Low, e.High = h.ErrorRate, h.Low, h.High
		}
	}
	if math.IsNaN(float64(e.Value)) && r.Rows > texts {
		return evidence.Exactly(r.Rate)
	}
	return e
}

// Sentence says what matters most. Numbers of cohorts are those of the held-out rows.
func (r *Result) Sentence() string {
	text := fmt.Sprintf("%s %% of %s are wrong", page.Decimal(100*r.Rate, 1), page.Plural(r.Rows, "answer", "answers"))
	if c := r.Cohorts[0]; len(r.Cohorts) > 1 && !math.IsNaN(float64(c.HeldOut.ErrorRate)) {
		text += fmt.Sprintf("; most often where this holds: %s (%s %% of held-out texts)", page.Clean(c.Rule, 200), page.Decimal(100*c.HeldOut.ErrorRate, 1))
	}
	text += "."
	if l := r.Privacy; l != nil {
		text += fmt.Sprintf(" Privacy costs %s points of accuracy", page.Decimal(100*l.All.Loss, 1))
		if c := l.surest(); c != nil {
			text += fmt.Sprintf(", and %s where this holds: %s", page.Decimal(100*c.HeldOut.Loss, 1), page.Clean(c.Rule, 200))
		}
		text += "."
	}
	return text
}
