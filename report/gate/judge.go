package gate

import (
	"fmt"
	"slices"

	"sotto/dp"
	"sotto/report/evidence"
)

// Verdict is what a policy says of evidence.
type Verdict struct {
	Passed  bool     `json:"passed"`
	Judged  int      `json:"judged"`  // how many configurations, releases, attacks, … a rule matched
	Checks  []Check  `json:"checks"`  // in the order of the rules
	Reasons []string `json:"reasons"` // the checks that did not pass, one line each; none if all did
}

// Check is one limit, held against one piece of evidence.
type Check struct {
	Rule    string `json:"rule"`
	Subject string `json:"subject,omitempty"` // "" where the rule found none
	Limit   string `json:"limit,omitempty"`   // the field of the rule
	Passed  bool   `json:"passed"`
	Finding string `json:"finding"` // what is, and what is allowed
}

// line renders a check as a reason.
func (c Check) line() string {
	if c.Subject == "" {
		return c.Rule + ": " + c.Finding
	}
	return c.Rule + ": " + c.Subject + ": " + c.Finding
}

// Judge holds evidence, as package evidence reads it, against the policy. The
// error is that of Validate.
func (p Policy) Judge(e *evidence.Evidence) (*Verdict, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	v := &Verdict{Passed: true, Checks: []Check{}, Reasons: []string{}}
	v.whole(e)
	all := subjects(e)
	if slices.ContainsFunc(p.Rules, func(r Rule) bool { return r.Epsilon != nil || r.Claim != "" }) {
		v.refuted(all)
	}
	judged := make([]bool, len(all))
	for i, r := range p.Rules {
		var some []subject
		for k, s := range all {
			if r.Match.covers(s.match) {
				some, judged[k] = append(some, s), true
			}
		}
		v.apply(r.name(i), r, some)
	}
	for _, yes := range judged {
		if yes {
			v.Judged++
		}
	}
	return v, nil
}

// whole fails what no rule can make good: results that are not whole.
func (v *Verdict) whole(e *evidence.Evidence) {
	for _, r := range e.Results {
		if r.Interrupted {
			v.add(Check{Rule: "evidence", Subject: r.Data.Name, Finding: "the training was interrupted"})
		}
		for _, f := range r.Failed {
			v.add(Check{Rule: "evidence", Subject: r.Data.Name, Finding: fmt.Sprintf("the training %s failed: %s", f.Job, f.Reason)})
		}
	}
}

// refuted fails a policy on ε if an attack has shown that the stated one is not
// kept, whichever evidence its rules match.
func (v *Verdict) refuted(all []subject) {
	for _, s := range all {
		if s.match.Kind == Attack && s.refuted != nil && *s.refuted {
			v.add(Check{Rule: "evidence", Subject: s.name, Finding: "the attack refuted the ε that is stated"})
		}
	}
}

func (v *Verdict) add(c Check) {
	c.Subject, c.Finding = oneLine(c.Subject), oneLine(c.Finding)
	v.Checks = append(v.Checks, c)
	if !c.Passed {
		v.Passed = false
		v.Reasons = append(v.Reasons, c.line())
	}
}

// covers reports whether evidence with the given values is what m speaks of.
func (m Match) covers(own Match) bool {
	for _, pair := range [][2]string{
		{string(m.Kind), string(own.Kind)},
		{m.Data, own.Data},
		{m.Method, own.Method},
		{m.Mechanism, own.Mechanism},
		{m.Variant, own.Variant},
	} {
		if pair[0] != "" && pair[0] != pair[1] {
			return false
		}
	}
	return !m.Selected || own.Selected
}

// apply holds what a rule matches against its limits. A limit that none of it
// speaks of fails.
func (v *Verdict) apply(name string, r Rule, some []subject) {
	if len(some) == 0 {
		v.add(Check{Rule: name, Finding: "the rule matches nothing"})
		return
	}
	demands := r.demands()
	spoken := make([]bool, len(demands))
	for _, s := range some {
		if s.fault != "" { // whatever it would have said
			v.add(Check{Rule: name, Subject: s.name, Finding: s.fault})
		}
		for i, d := range demands {
			finding, verdict := d.judge(s)
			spoken[i] = spoken[i] || verdict != silent || s.fault != ""
			if verdict != silent && s.fault == "" {
				v.add(Check{Rule: name, Subject: s.name, Limit: d.name, Passed: verdict == kept, Finding: finding})
			}
		}
	}
	for i, d := range demands {
		if !spoken[i] {
			v.add(Check{Rule: name, Limit: d.name, Finding: fmt.Sprintf("nothing that the rule matches speaks of %s", d.name)})
		}
	}
}

// answer is what evidence has to say to a demand.
type answer string

const (
	silent answer = "silent" // it does not speak of it
	kept   answer = "kept"
	broken answer = "broken"
)

func keptIf(yes bool) answer {
	if yes {
		return kept
	}
	return broken
}

// demand is one limit of a rule.
type demand struct {
	name  string
	judge func(subject) (finding string, a answer)
}

// demands lists the limits that a rule sets, in the order of its fields.
func (r Rule) demands() []demand {
	var all []demand
	if r.Epsilon != nil {
		all = append(all, demand{"epsilon", r.Epsilon.judge})
	}
	if r.Claim != "" {
		all = append(all, demand{"claim", judgeClaim})
	}
	for _, m := range r.limits() {
		all = append(all, demand{m.name, m.judge})
	}
	if r.Audit != "" {
		all = append(all, demand{"audit", judgeRefuted(Audit)})
	}
	if r.Attack != "" {
		all = append(all, demand{"attack", judgeRefuted(Attack)})
	}
	return all
}

// limited is a limit on the share of that name.
type limited struct {
	name, text string
	limit      *Limit
}

// limits lists the limits on shares that a rule sets.
func (r Rule) limits() []limited {
	var set []limited
	for _, m := range []limited{
		{"accuracy", "accuracy", r.Accuracy},
		{"leakage", "leakage", r.Leakage},
		{"leakage_bound", "leakage bound", r.LeakageBound},
		{"gap", "TPR gap", r.Gap},
		{"grms", "GRMS", r.GRMS},
		{"parity", "demographic parity difference", r.Parity},
		{"odds", "equalised odds difference", r.Odds},
	} {
		if m.limit != nil {
			set = append(set, m)
		}
	}
	return set
}

func (m limited) judge(s subject) (string, answer) {
	n, ok := s.numbers[m.name]
	if !ok {
		return "", silent
	}
	by := m.limit.By
	if by == "" && m.name == "leakage" {
		by = Interval
	}
	got, is, allowed, within := n.value, "is", "", false
	switch {
	case by == Interval && m.limit.Min != nil:
		got, is = n.low, "may be as low as"
	case by == Interval:
		got, is = n.high, "may be as high as"
	}
	v := float64(got)
	if l := m.limit; l.Min != nil {
		allowed, within = fmt.Sprintf("allowed at least %v", *l.Min), v >= *l.Min
	} else {
		allowed, within = fmt.Sprintf("allowed at most %v", *l.Max), v <= *l.Max
	}
	if !measured(got) {
		what := m.text
		if by == Interval {
			what = "the interval of the " + m.text
		}
		return fmt.Sprintf("%s was not measured, %s", what, allowed), broken
	}
	return fmt.Sprintf("%s %s %.6g, %s", m.text, is, v, allowed), keptIf(within)
}

// slack is how far ε may be above its limit for the last digits alone.
const slack = 1 + 1e-6

func (p *Promise) judge(s subject) (string, answer) {
	if s.promises == nil {
		return "", silent
	}
	unit := p.Unit
	if unit == "" {
		unit = dp.Text
	}
	limit := dp.Epsilon(*p.Max)
	g, ok := s.promises.in(unit)
	if !ok {
		return fmt.Sprintf("no ε (%s) is proved, allowed at most %v", unit, limit), broken
	}
	if s.promises.contradicted(g) {
		return contradiction(s.promises.bound, g), broken
	}
	if !(g.Epsilon <= limit*slack) {
		return fmt.Sprintf("true ε is %v (%s), allowed at most %v", g.Epsilon, unit, limit), broken
	}
	if !(g.Delta <= p.DeltaMax*slack) {
		return fmt.Sprintf("δ is %.6g (%s), allowed at most %v", g.Delta, unit, p.DeltaMax), broken
	}
	return fmt.Sprintf("true ε is %v (%s), allowed at most %v", g.Epsilon, unit, limit), kept
}

func judgeClaim(s subject) (string, answer) {
	if s.promises == nil || s.promises.claimed == nil {
		return "", silent // nobody claims anything
	}
	claimed := *s.promises.claimed
	g, ok := s.promises.in(s.promises.at)
	if !ok {
		return fmt.Sprintf("claimed ε is %v, but none is proved", claimed), broken
	}
	if s.promises.contradicted(g) {
		return contradiction(s.promises.bound, g), broken
	}
	return fmt.Sprintf("claimed ε is %v, true ε is %v (%s)", claimed, g.Epsilon, g.Unit), keptIf(g.Epsilon <= claimed*slack)
}

// contradiction says that an audit has found what a proof excludes.
func contradiction(bound dp.Epsilon, g dp.Guarantee) string {
	return fmt.Sprintf("an audit certifies ε ≥ %v, above the %v (%s) that is proved", bound, g.Epsilon, g.Unit)
}

// judgeRefuted judges what an audit or an attack tried to refute.
func judgeRefuted(kind Kind) func(subject) (string, answer) {
	return func(s subject) (string, answer) {
		switch {
		case s.match.Kind != kind || s.refuted == nil:
			return "", silent
		case *s.refuted:
			return fmt.Sprintf("the %s refuted the ε that is stated", kind), broken
		}
		return fmt.Sprintf("the %s did not refute the ε that is stated", kind), kept
	}
}
