package gate

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"

	"sotto/evidence"
	"sotto/promise/dp"
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

// Judge holds evidence, as package evidence reads it, against the policy. The
// error is that of Validate.
func (p Policy) Judge(e *evidence.Evidence) (*Verdict, error) {
	if err := p.Validate(e.Kinds()...); err != nil {
		return nil, err
	}
	v := &Verdict{Passed: true, Checks: []Check{}, Reasons: []string{}}
	var all []evidence.Subject
	for _, s := range e.Subjects() {
		if s.Broken != "" { // which no rule can make good
			v.add(Check{Rule: "evidence", Subject: s.Name, Finding: s.Broken})
			continue
		}
		all = append(all, s)
	}
	if slices.ContainsFunc(p.Rules, func(r Rule) bool { return r.Epsilon != nil || r.Claim != "" }) {
		v.refuted(all)
	}
	judged := map[int]bool{}
	for i, r := range p.Rules {
		var some []evidence.Subject
		for k, s := range all {
			if covers(r.Match, s.Match) {
				some, judged[k] = append(some, s), true
			}
		}
		v.apply(r.name(i), r, some)
	}
	v.Judged = len(judged)
	return v, nil
}

// refuted fails a policy on ε if an attack has shown that the stated one is not
// kept, whichever evidence its rules match.
func (v *Verdict) refuted(all []evidence.Subject) {
	for _, s := range all {
		if s.Match.Kind == "attack" && s.Refuted != nil && *s.Refuted {
			v.add(Check{Rule: "evidence", Subject: s.Name, Finding: "the attack refuted the ε that is stated"})
		}
	}
}

func (v *Verdict) add(c Check) {
	c.Subject, c.Finding = oneLine(c.Subject), oneLine(c.Finding)
	v.Checks = append(v.Checks, c)
	if !c.Passed {
		v.Passed = false
		reason := c.Finding
		if c.Subject != "" {
			reason = c.Subject + ": " + reason
		}
		v.Reasons = append(v.Reasons, c.Rule+": "+reason)
	}
}

// covers reports whether evidence with the given values is what m speaks of.
func covers(m, own Match) bool {
	return own == Match{
		Kind: cmp.Or(m.Kind, own.Kind), Data: cmp.Or(m.Data, own.Data), Method: cmp.Or(m.Method, own.Method), Test: cmp.Or(m.Test, own.Test),
		Mechanism: cmp.Or(m.Mechanism, own.Mechanism), Variant: cmp.Or(m.Variant, own.Variant), Selected: m.Selected || own.Selected,
	}
}

// apply holds what a rule matches against its limits. A limit that none of it
// speaks of fails.
func (v *Verdict) apply(name string, r Rule, some []evidence.Subject) {
	if len(some) == 0 {
		v.add(Check{Rule: name, Finding: "the rule matches nothing"})
		return
	}
	demands := r.demands()
	spoken := make([]bool, len(demands))
	for _, s := range some {
		if s.Fault != "" { // whatever it would have said
			v.add(Check{Rule: name, Subject: s.Name, Finding: s.Fault})
		}
		for i, d := range demands {
			finding, verdict := d.judge(s)
			spoken[i] = spoken[i] || verdict != silent || s.Fault != ""
			if verdict != silent && s.Fault == "" {
				v.add(Check{Rule: name, Subject: s.Name, Limit: d.name, Passed: verdict == kept, Finding: finding})
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
	set   bool
	judge func(evidence.Subject) (finding string, a answer)
}

// demands lists the limits that a rule sets, in the order of its fields.
func (r Rule) demands() []demand {
	all := []demand{{"epsilon", r.Epsilon != nil, r.Epsilon.judge}, {"claim", r.Claim != "", judgeClaim}}
	for _, m := range r.limits() {
		all = append(all, demand{m.name, true, m.judge})
	}
	all = append(all, demand{"audit", r.Audit != "", judgeRefuted("audit")}, demand{"attack", r.Attack != "", judgeRefuted("attack")})
	return slices.DeleteFunc(all, func(d demand) bool { return !d.set })
}

// limited is a limit on the number of that name.
type limited struct {
	name, text string
	limit      *Limit
	share      bool
	least      bool // the more the better
}

// limits lists the limits on numbers that a rule sets.
func (r Rule) limits() []limited {
	set := slices.DeleteFunc([]limited{
		{"accuracy", "accuracy", r.Accuracy, true, true},
		{"macro_f1", "macro-F1", r.MacroF1, true, true},
		{"balanced_accuracy", "balanced accuracy", r.Balanced, true, true},
		{"min_recall", "smallest recall", r.Least, true, true},
		{"leakage", "leakage", r.Leakage, true, false},
		{"leakage_bound", "leakage bound", r.LeakageBound, true, false},
		{"gap", "TPR gap", r.Gap, true, false},
		{"grms", "GRMS", r.GRMS, true, false},
		{"parity", "demographic parity difference", r.Parity, true, false},
		{"odds", "equalised odds difference", r.Odds, true, false},
	}, func(m limited) bool { return m.limit == nil })
	for _, name := range slices.Sorted(maps.Keys(r.Numbers)) {
		set = append(set, limited{name, strings.ReplaceAll(name, "_", " "), r.Numbers[name], false, false})
	}
	return set
}

func (m limited) judge(s evidence.Subject) (string, answer) {
	n, ok := s.Numbers[m.name]
	if !ok {
		return "", silent
	}
	by := m.limit.By
	if by == "" && m.name == "leakage" {
		by = Interval
	}
	got, is, allowed, within := n.Value, "is", "", false
	switch {
	case by == Interval && m.limit.Min != nil:
		got, is = n.Low, "may be as low as"
	case by == Interval:
		got, is = n.High, "may be as high as"
	}
	v := float64(got)
	if l := m.limit; l.Min != nil {
		allowed, within = fmt.Sprintf("allowed at least %v", *l.Min), v >= *l.Min
	} else {
		allowed, within = fmt.Sprintf("allowed at most %v", *l.Max), v <= *l.Max
	}
	if math.IsNaN(v) {
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

func (p *Promise) judge(s evidence.Subject) (string, answer) {
	if s.Promise == nil {
		return "", silent
	}
	unit, limit := cmp.Or(p.Unit, dp.Text), dp.Epsilon(*p.Max)
	g, ok := s.Promise.In(unit)
	if !ok {
		return fmt.Sprintf("no ε (%s) is proved, allowed at most %v", unit, limit), broken
	}
	if text := contradiction(s.Promise, g); text != "" {
		return text, broken
	}
	small := g.Epsilon <= limit*slack
	if small && !(g.Delta <= p.DeltaMax*slack) {
		return fmt.Sprintf("δ is %.6g (%s), allowed at most %v", g.Delta, unit, p.DeltaMax), broken
	}
	return fmt.Sprintf("true ε is %v (%s), allowed at most %v", g.Epsilon, unit, limit), keptIf(small)
}

func judgeClaim(s evidence.Subject) (string, answer) {
	if s.Promise == nil || s.Promise.Claimed == nil {
		return "", silent // nobody claims anything
	}
	claimed := *s.Promise.Claimed
	g, ok := s.Promise.In(s.Promise.Unit)
	if !ok {
		return fmt.Sprintf("claimed ε is %v, but none is proved", claimed), broken
	}
	if text := contradiction(s.Promise, g); text != "" {
		return text, broken
	}
	return fmt.Sprintf("claimed ε is %v, true ε is %v (%s)", claimed, g.Epsilon, g.Unit), keptIf(g.Epsilon <= claimed*slack)
}

// contradiction says that an audit has found what a proof excludes, "" if none
// has.
func contradiction(p *evidence.Promise, g dp.Guarantee) string {
	if p.Audit == nil || g.Unit != p.Unit || dp.Epsilon(p.Audit.LowerBound) <= g.Epsilon*slack {
		return ""
	}
	return fmt.Sprintf("an audit certifies ε ≥ %v, above the %v (%s) that is proved", dp.Epsilon(p.Audit.LowerBound), g.Epsilon, g.Unit)
}

// judgeRefuted judges what an audit or an attack tried to refute.
func judgeRefuted(kind string) func(evidence.Subject) (string, answer) {
	return func(s evidence.Subject) (string, answer) {
		switch {
		case s.Match.Kind != kind || s.Refuted == nil:
			return "", silent
		case *s.Refuted:
			return fmt.Sprintf("the %s refuted the ε that is stated", kind), broken
		}
		return fmt.Sprintf("the %s did not refute the ε that is stated", kind), kept
	}
}

// oneLine keeps what a file says from breaking the line that shows it.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, s)
}
