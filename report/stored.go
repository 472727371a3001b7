package report

import (
	"fmt"
	"path"
	"slices"

	"sotto/experiment"
	"sotto/report/evidence"
	"sotto/train/model"
)

// The lists of evidence, without the entries that hold nothing: a file can say
// null where an object is due.

func results(e *evidence.Evidence) []*experiment.Result {
	return kept(e.Results, func(r *experiment.Result) bool { return r != nil })
}

// tasks joins the results on the same rows of the same data, whose numbers can
// be compared: they share a plot.
func tasks(e *evidence.Evidence) []*experiment.Result {
	var all []*experiment.Result
	for _, r := range results(e) {
		i := slices.IndexFunc(all, func(t *experiment.Result) bool { return sameTask(t, r) })
		if i < 0 {
			joined := *r
			joined.Configurations = slices.Clone(r.Configurations)
			all = append(all, &joined)
			continue
		}
		t := all[i]
		t.Configurations = append(t.Configurations, r.Configurations...)
		if !finite(float64(t.Reference)) {
			t.Reference = r.Reference
		}
	}
	return all
}

func sameTask(a, b *experiment.Result) bool {
	x, y := a.Data, b.Data
	return x.Hash != "" && x.Hash == y.Hash && x.Name == y.Name && x.Variant == y.Variant && x.Encoder == y.Encoder && x.Vectors == y.Vectors &&
		sameLabels(x, y) && x.Attribute == y.Attribute && a.Rows == b.Rows && slices.Equal(a.Priors, b.Priors) &&
		(a.Reference == b.Reference || !finite(float64(a.Reference)) || !finite(float64(b.Reference)))
}

// sameLabels reports whether two records name the same labels.
func sameLabels(x, y model.DataRecord) bool {
	return x.Label == y.Label && slices.Equal(x.Unknown, y.Unknown) &&
		slices.EqualFunc(x.More, y.More, func(a, b model.LabelRecord) bool { return a.Name == b.Name })
}

func releases(e *evidence.Evidence) []*evidence.Release {
	return kept(e.Releases, func(r *evidence.Release) bool { return r != nil })
}

func audits(e *evidence.Evidence) []*evidence.Audit {
	return kept(e.Audits, func(a *evidence.Audit) bool { return a != nil })
}

func attempts(e *evidence.Evidence) []*evidence.Attempt {
	return kept(e.Attempts, func(a *evidence.Attempt) bool { return a != nil && a.Attempt != nil })
}

func comparisons(e *evidence.Evidence) []*evidence.Fairness {
	return kept(e.Fairness, func(f *evidence.Fairness) bool { return f != nil && f.Fairness != nil })
}

func kept[T any](all []T, keep func(T) bool) []T {
	var some []T
	for _, v := range all {
		if keep(v) {
			some = append(some, v)
		}
	}
	return some
}

// attacked is an attack on one model or file of releases.
type attacked struct {
	name   string
	folder string // the same for all seeds
	*experiment.Attack
}

// models lists the attacks, one for each model.
func models(e *evidence.Evidence) []attacked {
	var all []attacked
	for _, a := range e.Attacks {
		if a == nil {
			continue
		}
		source := nameText(path.Base(a.Source))
		if len(a.Models) == 0 && a.Attack != nil {
			all = append(all, attacked{source, source, a.Attack})
		}
		for _, m := range a.Models {
			if m.Attack == nil {
				continue
			}
			name := source
			if m.Folder != "" {
				name = nameText(m.Folder)
			}
			if m.Seed != 0 {
				name += fmt.Sprintf(", seed %d", m.Seed)
			}
			if slices.ContainsFunc(all, func(other attacked) bool { return other.name == name }) {
				name = source + ", " + name
			}
			all = append(all, attacked{name, source + "/" + m.Folder, m.Attack})
		}
	}
	return all
}
