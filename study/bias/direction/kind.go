package direction

import (
	"errors"
	"fmt"
	"slices"

	"sotto/compute/measure"
	"sotto/evidence"
	"sotto/promise/mech"
)

// Kind is what "sotto bias direction" stores, for reports and gates.
var Kind = evidence.Kind[Report]{
	Format: Format, Name: "direction", List: "directions",
	Check:    (*Report).check,
	Section:  evidence.Each("Gender direction", (*Report).Sections),
	Summary:  evidence.Said((*Report).sentence, (*Report).Verdicts),
	Subjects: (*Report).subjects,
	Stated:   func(r *Report) []*mech.Statement { return []*mech.Statement{r.Release} },
}

// check refuses a report that lacks what pages rely on.
func (r *Report) check() error {
	if len(r.Languages) == 0 {
		return errors.New("direction: the report has no languages, must have some")
	}
	for i, l := range r.Languages {
		if l.Result == nil || l.After != nil && r.Release == nil {
			return fmt.Errorf("direction: language %d has no result, or private vectors without a mechanism", i+1)
		}
	}
	c, n := r.Correlation, len(r.Languages)
	if c == nil {
		return nil
	}
	square := len(c.R) == n && len(c.Shared) == n && len(c.Languages) == n
	for i := 0; square && i < n; i++ {
		square = len(c.R[i]) == n && len(c.Shared[i]) == n
	}
	if !square || slices.ContainsFunc(c.Clustered, func(i int) bool { return i < 0 || i >= n }) {
		return fmt.Errorf("direction: the correlation is not one of %d languages", n)
	}
	return nil
}

// subjects are the languages. One without a direction has numbers that mean
// nothing, shown by force or not.
func (r *Report) subjects() []evidence.Subject {
	var all []evidence.Subject
	for _, l := range r.Languages {
		s := evidence.Subject{
			Name:  "gender direction of " + l.Label(),
			Match: evidence.Match{Data: l.Language},
			Numbers: map[string]measure.Estimate{
				"direct_bias": evidence.Exactly(l.DirectBias), "direct_bias_above_random": evidence.Exactly(l.DirectBias - l.Random), "confidence": evidence.Exactly(l.Confidence),
			},
		}
		if l.Refused != "" {
			s.Fault = "no direction of gender was found: " + l.Refused
		}
		if l.After != nil {
			s.Numbers["private_direct_bias"] = l.After.DirectBias.Estimate()
			s.Numbers["private_agreement"] = l.After.Agreement.Estimate()
		}
		all = append(all, s)
	}
	return all
}
