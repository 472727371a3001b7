package gate

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"sotto/dp"
	"sotto/experiment"
	"sotto/measure"
	"sotto/report/evidence"
)

// subject is one thing that rules judge, whatever kind of evidence it is.
type subject struct {
	name  string // for a person
	match Match  // its own values
	fault string // why its numbers mean nothing; "" if they do

	promises *promises         // nil if it does not speak of them
	refuted  *bool             // nil if nothing could have been refuted
	numbers  map[string]number // by the name of the limit; none if it does not speak of it
}

// promises are what was proved and what was claimed.
type promises struct {
	proved  []dp.Guarantee // of different units; none if nothing is
	claimed *dp.Epsilon    // nil: nobody claimed anything
	at      dp.Unit        // the unit of claimed
	bound   dp.Epsilon     // that an audit certified in that unit; 0 if none did
}

// contradicted reports whether an audit certified more than was proved.
func (p *promises) contradicted(g dp.Guarantee) bool {
	return g.Unit == p.at && !(p.bound <= g.Epsilon*slack)
}

// in returns what was proved in a unit.
func (p *promises) in(u dp.Unit) (dp.Guarantee, bool) {
	for _, g := range p.proved {
		if g.Unit == u {
			return g, true
		}
	}
	return dp.Guarantee{}, false
}

// number is what was measured, with its 95 % interval; NaN is not measured.
type number struct{ value, low, high measure.Number }

var unmeasured = measure.Number(math.NaN())

func measured(n measure.Number) bool { return !math.IsNaN(float64(n)) }

func exactly(v measure.Number) number { return number{v, unmeasured, unmeasured} }

func estimated(e measure.Estimate) number { return number{e.Value, e.Low, e.High} }

// subjects lists what there is to judge.
func subjects(e *evidence.Evidence) []subject {
	var all []subject
	for _, r := range e.Results {
		for i := range r.Configurations {
			all = append(all, training(r.Data.Name, &r.Configurations[i]))
		}
	}
	for _, a := range e.Attacks {
		all = append(all, attacks(a)...)
	}
	for _, a := range e.Attempts {
		all = append(all, attempt(a.Attempt))
	}
	for _, a := range e.Audits {
		all = append(all, audited(a))
	}
	for _, r := range e.Releases {
		all = append(all, released(r))
	}
	for _, f := range e.Fairness {
		all = append(all, groups(join("fairness of", f.Source, "by", strings.Join(f.Columns.Group, " × ")), f.Fairness))
		for _, a := range f.Attributes {
			all = append(all, groups(join("fairness of", f.Source, "by", a.Attribute), a.Fairness))
		}
	}
	return all
}

func training(data string, c *experiment.Configuration) subject {
	m, strongest := &c.Mean, c.Strongest()
	s := subject{
		match: Match{Kind: Training, Data: data, Method: c.Method, Mechanism: c.Mechanism, Variant: c.Variant, Selected: c.Selected},
		fault: untrained(c), promises: &promises{claimed: m.Claimed, at: m.Unit},
		numbers: map[string]number{
			"accuracy": {m.Accuracy, m.Low, m.High},
			"leakage":  {strongest.Mean, unmeasured, strongest.High},

			"leakage_bound": exactly(m.AttackLimit), "gap": exactly(m.Gap), "grms": exactly(m.GRMS),
			"parity": exactly(unmeasured), "odds": exactly(unmeasured),
		},
	}
	if c.Fairness != nil {
		s.numbers["parity"], s.numbers["odds"] = estimated(c.Fairness.ParityDifference), estimated(c.Fairness.OddsDifference)
	}
	if m.True != nil {
		s.promises.proved = append(s.promises.proved, dp.Guarantee{Unit: m.Unit, Epsilon: *m.True, Delta: m.Delta})
	}
	if st := c.Statement; st != nil {
		s.match.Variant = st.Variant
		if st.TextLevel != nil {
			s.promises.proved = append(s.promises.proved, dp.Guarantee{Unit: dp.Text, Epsilon: *st.TextLevel, Delta: st.TextDelta})
		}
	}
	s.name = configurationName(s.match, c.Point)
	return s
}

func configurationName(m Match, p experiment.Point) string {
	parts := []string{m.Data, m.Method}
	if m.Mechanism != m.Method {
		parts = append(parts, m.Mechanism)
	}
	parts = append(parts, m.Variant)
	if p.Epsilon != 0 {
		parts = append(parts, fmt.Sprintf("ε=%v", p.Epsilon))
	}
	if p.Lambda != 0 {
		parts = append(parts, fmt.Sprintf("λ=%v", p.Lambda))
	}
	if p.Dim != 0 {
		parts = append(parts, fmt.Sprintf("D=%d", p.Dim))
	}
	return join(parts...)
}

// untrained says why a configuration's numbers are not those of its training.
func untrained(c *experiment.Configuration) string {
	if len(c.Seeds) == 0 {
		return "it was not trained"
	}
	for _, s := range c.Seeds {
		if s.Interrupted {
			return fmt.Sprintf("the training with seed %d was interrupted", s.Seed)
		}
	}
	return ""
}

// attacks lists the models that were attacked, or what was attacked if it has
// no models.
func attacks(a *evidence.Attack) []subject {
	if len(a.Models) == 0 {
		// The field of a.Attack stays empty when a file is read: a's own hides it.
		return []subject{attacked(join("attack on", a.Source), a.Attack, a.Refuted)}
	}
	var all []subject
	for _, m := range a.Models {
		all = append(all, attacked(join("attack on", a.Source, m.Folder, fmt.Sprintf("seed %d", m.Seed)), m.Attack, m.Refuted))
	}
	return all
}

func attacked(name string, a *experiment.Attack, refuted bool) subject {
	s := subject{name: join(name, "for", a.Attribute), match: Match{Kind: Attack}}
	if refuted || measured(a.Limit) { // without a limit nothing can be refuted
		s.refuted = &refuted
	}
	worst := exactly(unmeasured)
	for i, o := range a.Attackers {
		if i == 0 || !(o.Accuracy <= float64(worst.value)) {
			worst.value = measure.Number(o.Accuracy)
		}
		if i == 0 || !(o.High <= float64(worst.high)) {
			worst.high = measure.Number(o.High)
		}
	}
	s.numbers = map[string]number{"leakage": worst, "leakage_bound": exactly(a.Limit)}
	return s
}

// attempt speaks of leakage where it guesses the attribute from several
// releases of a text. Other kinds guess something else.
func attempt(a *experiment.Attempt) subject {
	s := subject{name: join(string(a.Kind), "attack on", a.Source), match: Match{Kind: Attack}}
	limited := slices.ContainsFunc(a.Findings, func(f experiment.Finding) bool { return measured(f.Limit) })
	if a.Refuted || limited { // without a limit nothing can be refuted
		s.refuted = &a.Refuted
	}
	for _, f := range a.Findings {
		if a.Kind != experiment.Averaging || f.Metric != "accuracy" {
			continue
		}
		worst, ok := s.numbers["leakage"]
		if !ok || !(f.Value <= worst.value) {
			worst.value = f.Value
		}
		if !ok || !(f.High <= worst.high) {
			worst.high = f.High
		}
		s.numbers = map[string]number{"leakage": worst}
	}
	return s
}

func audited(a *evidence.Audit) subject {
	s := subject{
		name:     join("audit of", a.Mechanism, a.Variant),
		match:    Match{Kind: Audit, Mechanism: a.Mechanism, Variant: a.Variant},
		promises: &promises{claimed: &a.Claimed, at: a.Unit, bound: dp.Epsilon(a.LowerBound)}, refuted: &a.Refuted,
	}
	if a.True != nil {
		s.promises.proved = []dp.Guarantee{{Unit: a.Unit, Epsilon: *a.True, Delta: a.Delta}}
	}
	return s
}

func released(r *evidence.Release) subject {
	s := subject{
		name:     join("release", r.Name),
		match:    Match{Kind: Release, Mechanism: r.Mechanism.Mechanism, Variant: r.Mechanism.Variant},
		promises: &promises{proved: []dp.Guarantee{r.Guarantee}, claimed: &r.Claimed, at: r.Guarantee.Unit},
	}
	if r.Word != nil {
		s.promises.proved = append(s.promises.proved, *r.Word)
	}
	return s
}

func groups(name string, f *measure.Fairness) subject {
	gap := f.GRMS
	if len(f.Classes) == 2 { // as of a training
		gap = f.Classes[1].TPRDifference
	}
	return subject{name: name, match: Match{Kind: Fairness}, numbers: map[string]number{
		"accuracy": estimated(f.Accuracy.Estimate),
		"gap":      estimated(gap),
		"grms":     estimated(f.GRMS),
		"parity":   estimated(f.ParityDifference),
		"odds":     estimated(f.OddsDifference),
	}}
}

// join joins what is not empty with blanks.
func join(parts ...string) string {
	var some []string
	for _, p := range parts {
		if p != "" {
			some = append(some, p)
		}
	}
	return strings.Join(some, " ")
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
