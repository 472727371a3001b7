package report

import (
	"fmt"
	"maps"
	"slices"

	"sotto/compute/measure"
	"sotto/evidence"
	"sotto/evidence/page"
	"sotto/learn/experiment"
	"sotto/learn/model"
	"sotto/promise/dp"
)

// resultKind is what "sotto train" stores.
var resultKind = evidence.Kind[experiment.Result]{
	Format: experiment.ResultsFormat, Name: "training", List: "results",
	Check: func(r *experiment.Result) error {
		for i := range r.Pictures {
			if err := checkPicture(&r.Pictures[i]); err != nil {
				return err
			}
		}
		return nil
	},
	Section: func(e *evidence.Evidence) []page.Section {
		leakage, fairness := leakageSection(), fairnessSection()
		for _, r := range tasks(e) {
			leakage.Blocks = append(leakage.Blocks, leakageOf(r)...)
			fairness.Blocks = append(fairness.Blocks, fairnessOf(r)...)
		}
		return []page.Section{accuracySection(e), leakage, fairness}
	},
	Subjects: func(r *experiment.Result) []evidence.Subject {
		var all []evidence.Subject
		if r.Interrupted {
			all = append(all, evidence.Subject{Name: r.Data.Name, Broken: "the training was interrupted"})
		}
		for _, f := range r.Failed {
			all = append(all, evidence.Subject{Name: r.Data.Name, Broken: fmt.Sprintf("the training %s failed: %s", f.Job, f.Reason)})
		}
		for i := range r.Configurations {
			all = append(all, training(r.Data.Name, &r.Configurations[i]))
		}
		return all
	},
}

// evaluationKind is what "sotto evaluate" prints: configurations that were
// measured again, shown and judged as those of a training.
var evaluationKind = evidence.Kind[experiment.Evaluation]{
	Format: experiment.EvaluationFormat, Name: "training", List: "evaluations",
	Subjects: func(e *experiment.Evaluation) []evidence.Subject { return resultKind.Subjects(evaluated(e)) },
}

// evaluated is an evaluation as a result, as far as it goes.
func evaluated(e *experiment.Evaluation) *experiment.Result {
	return &experiment.Result{Data: e.Data, Rows: e.Rows, Reference: e.Reference, Configurations: e.Models}
}

// training is what there is to judge of a configuration.
func training(data string, c *experiment.Configuration) evidence.Subject {
	m, strongest := &c.Mean, c.Strongest()
	leakage := evidence.Exactly(strongest.Mean)
	leakage.High = strongest.High
	s := evidence.Subject{
		Match: evidence.Match{Data: data, Method: c.Method, Mechanism: c.Mechanism, Variant: c.Variant, Selected: c.Selected},
		Fault: untrained(c), Promise: stated(c),
		Numbers: map[string]measure.Estimate{
			"accuracy": {Value: m.Accuracy, Low: m.Low, High: m.High}, "leakage": leakage, "leakage_bound": evidence.Exactly(m.AttackLimit),
			"gap": evidence.Exactly(m.Gap), "grms": evidence.Exactly(m.GRMS), "parity": evidence.Unmeasured(), "odds": evidence.Unmeasured(),
		},
	}
	maps.Copy(s.Numbers, m.Estimates())
	if c.Fairness != nil {
		s.Numbers["parity"], s.Numbers["odds"] = c.Fairness.ParityDifference, c.Fairness.OddsDifference
	}
	if c.Statement != nil {
		s.Match.Variant = c.Statement.Variant
	}
	parts := []string{data, c.Method, "", s.Match.Variant}
	if c.Mechanism != c.Method {
		parts[2] = c.Mechanism
	}
	if c.Epsilon != 0 {
		parts = append(parts, fmt.Sprintf("ε=%v", c.Epsilon))
	}
	if c.Lambda != 0 {
		parts = append(parts, fmt.Sprintf("λ=%v", c.Lambda))
	}
	if c.Dim != 0 {
		parts = append(parts, fmt.Sprintf("D=%d", c.Dim))
	}
	s.Name = join(parts...)
	return s
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

// stated is the promise of a configuration.
func stated(c *experiment.Configuration) *evidence.Promise {
	m, s := &c.Mean, c.Statement
	p := &evidence.Promise{
		Name: configurationName(c), User: seriesName(c),
		Unit: m.Unit, Delta: m.Delta, Claimed: m.Claimed, Proved: m.True,
	}
	if s == nil {
		return p
	}
	p.Name = mechanismName(s.Parameters, s.Mechanism, s.Variant)
	p.Mechanism, p.Variant, p.Dim, p.Reason, p.Assumptions = s.Mechanism, s.Variant, s.Parameters.Dim, s.Reason, s.Assumptions
	if s.Dropout > 0 {
		p.Name += fmt.Sprintf(", word dropout %.3g", s.Dropout)
	}
	if s.TextLevel != nil {
		p.Also = []dp.Guarantee{{Unit: dp.Text, Epsilon: *s.TextLevel, Delta: s.TextDelta}}
	}
	return p
}

// tasks joins the results on the same rows of the same data, whose numbers can
// be compared: they share a plot, published methods and ours. Methods differ in
// the model without protection that they were held against; the best of these is
// that of all.
func tasks(e *evidence.Evidence) []*experiment.Result {
	var all []*experiment.Result
	measured := evidence.All[experiment.Result](e)
	for _, v := range evidence.All[experiment.Evaluation](e) {
		measured = append(measured, evaluated(v))
	}
	for _, r := range measured {
		joined := *r
		joined.Configurations = nil
		t := *entry(&all, func(t *experiment.Result) bool { return sameTask(t, r) }, &joined)
		t.Configurations = append(t.Configurations, r.Configurations...)
		if !(t.Reference >= r.Reference) { // also if it is not defined
			t.Reference = r.Reference
		}
	}
	return all
}

func sameTask(a, b *experiment.Result) bool {
	x, y := a.Data, b.Data
	return x.Hash != "" && x.Hash == y.Hash && x.Name == y.Name && x.Variant == y.Variant && x.Encoder == y.Encoder && x.Vectors == y.Vectors &&
		sameLabels(x, y) && x.Attribute == y.Attribute && a.Rows == b.Rows && slices.Equal(a.Priors, b.Priors)
}

// sameLabels reports whether two records name the same labels.
func sameLabels(x, y model.DataRecord) bool {
	return x.Label == y.Label && slices.Equal(x.Unknown, y.Unknown) &&
		slices.EqualFunc(x.More, y.More, func(a, b model.LabelRecord) bool { return a.Name == b.Name })
}
