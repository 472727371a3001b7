package evidence

import (
	"sotto/compute/measure"
	"sotto/promise/audit"
	"sotto/promise/dp"
)

// Subject is one thing that a gate judges, whatever kind of evidence it is: a
// configuration, a file, an attack.
type Subject struct {
	Name  string // for a person
	Match Match  // its own values
	Fault string // why its numbers mean nothing; "" if they do
	// Broken says why no policy may pass, whichever evidence its rules match; ""
	// if it is no such thing. Such a subject is not judged otherwise.
	Broken string

	Promise *Promise // nil if it does not speak of any
	Refuted *bool    // nil if nothing could have been refuted
	// Numbers are what was measured, by the name of the limit in a policy, each
	// with its 95 % interval. What is NaN was not measured, which fails a limit;
	// of what is not here the subject does not speak.
	Numbers map[string]measure.Estimate
}

// Match says what evidence a rule of a policy speaks of: that which has all the
// values given here. Without any it is all evidence.
type Match struct {
	Kind      string `json:"kind,omitempty"`
	Data      string `json:"data,omitempty"`      // of a training; the vectors or the language whose bias was measured
	Method    string `json:"method,omitempty"`    // of a training, the measure of an association test, or of an eraser
	Test      string `json:"test,omitempty"`      // the name of an association test
	Mechanism string `json:"mechanism,omitempty"` // of a training, a release or an audit
	Variant   string `json:"variant,omitempty"`   // of the mechanism
	Selected  bool   `json:"selected,omitempty"`  // only configurations that the training selected
}

// Promise is what is claimed of one mechanism at one ε, what is proved and what
// an audit certified. Gates judge it, and pages list it.
type Promise struct {
	Name               string // for a person, with what ε depends on; "" keeps it out of the lists of pages
	Mechanism, Variant string
	Dim                int
	User               string // the configuration or file that makes the promise; "" for none
	Reason             string // why the truth is what it is
	Assumptions        []string

	Unit            dp.Unit
	Delta           float64
	Claimed, Proved *dp.Epsilon    // nil: nobody claimed anything; nothing is proved
	Also            []dp.Guarantee // proved of other units beside it
	Audit           *audit.Result  // of an audit alone
}

// In returns what is proved in a unit.
func (p *Promise) In(u dp.Unit) (dp.Guarantee, bool) {
	if p.Proved != nil && p.Unit == u {
		return dp.Guarantee{Unit: u, Epsilon: *p.Proved, Delta: p.Delta}, true
	}
	for _, g := range p.Also {
		if g.Unit == u {
			return g, true
		}
	}
	return dp.Guarantee{}, false
}

// Exactly is a number without an interval.
func Exactly(v measure.Number) measure.Estimate {
	return measure.Estimate{Value: v, Low: measure.Undefined, High: measure.Undefined}
}

// Unmeasured is a number that a subject should have and has not.
func Unmeasured() measure.Estimate { return Exactly(measure.Undefined) }
