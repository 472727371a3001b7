package weat

import (
	"errors"
	"fmt"
	"math"

	"sotto/compute/measure"
	"sotto/evidence"
	"sotto/evidence/page"
	"sotto/promise/mech"
)

// Kind is what "sotto bias weat" stores, for reports and gates.
var Kind = evidence.Kind[Report]{
	Format: Format, Name: "weat", List: "weat",
	Check:    (*Report).check,
	Section:  evidence.Each("Association tests", (*Report).Sections),
	Summary:  evidence.Said((*Report).sentence, nil),
	Subjects: (*Report).subjects,
	Stated:   (*Report).stated,
}

// stated lists what was promised of the private vectors of each model.
func (r *Report) stated() []*mech.Statement {
	var all []*mech.Statement
	for _, m := range r.Models {
		all = append(all, m.Guarantee)
	}
	return all
}

// check refuses a report that lacks what pages rely on.
func (r *Report) check() error {
	if len(r.Models) == 0 {
		return errors.New("weat: the report has no models, must have some")
	}
	variants := 0
	for i, m := range r.Models {
		tests := r.Of(m.Name)
		if len(tests) == 0 {
			return fmt.Errorf("weat: model %d has no tests, must have some", i+1)
		}
		if i == 0 {
			variants = len(tests[0])
		}
		for _, t := range tests {
			if len(t) != variants {
				return fmt.Errorf("weat: a test has %d variants, must have %d as the first", len(t), variants)
			}
			for k, v := range t {
				if v.Measure != tests[0][k].Measure || v.Statistic != tests[0][k].Statistic || (v.Private != nil) != (m.Guarantee != nil) {
					return errors.New("weat: tests have different measures, statistics or mechanisms, must have the same")
				}
			}
		}
	}
	if len(r.Summaries) != variants*len(r.Models) {
		return fmt.Errorf("weat: there are %d summaries, must be %d", len(r.Summaries), variants*len(r.Models))
	}
	return nil
}

// subjects are the tests by each measure and statistic. Effects are judged by
// their magnitude, and chance by the p that holds as a level.
func (r *Report) subjects() []evidence.Subject {
	var all []evidence.Subject
	for _, t := range r.Tests {
		s := evidence.Subject{
			Name:    fmt.Sprintf("association test %s by %s %s of %s", t.Name, t.Measure, t.Statistic, page.FileName(t.Model)),
			Match:   evidence.Match{Data: page.FileName(t.Model), Method: string(t.Measure), Test: t.Name},
			Numbers: map[string]measure.Estimate{"effect": magnitude(evidence.Exactly(t.Effect)), "p": evidence.Exactly(t.Inclusive)},
		}
		if t.Refused != "" {
			s.Fault = "the test was refused: " + t.Refused
		}
		if t.Private != nil {
			s.Numbers["private_effect"] = magnitude(t.Private.Effect.Estimate())
			s.Numbers["private_significant"] = evidence.Exactly(t.Private.Significant)
		}
		all = append(all, s)
	}
	return all
}

// magnitude is that of an effect and of its interval.
func magnitude(e measure.Estimate) measure.Estimate {
	low, high := math.Abs(float64(e.Low)), math.Abs(float64(e.High))
	least := min(low, high)
	if e.Low < 0 && e.High > 0 {
		least = 0
	}
	return measure.Estimate{Value: measure.Number(math.Abs(float64(e.Value))), Low: measure.Number(least), High: measure.Number(max(low, high))}
}
