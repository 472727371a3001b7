package shard

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sotto/compute/measure"
	"sotto/data/dataset"
	"sotto/data/table"
	"sotto/internal/layout"
	"sotto/learn/experiment"
	"sotto/learn/model"
	"sotto/promise/mech"
	"sotto/text/encode/catalogue"
)

// judge is a model that answers each release, and what is counted of its answers.
type judge struct {
	head   *model.Head
	said   experiment.CountedAnswers // without counts
	labels []judged
	notes  []string
}

// judged is one label that is counted.
type judged struct {
	classes map[string]int
	first   int // column of its first class among the scores
	k       int // how many classes it has
}

// The places of labels that are no class.
const (
	missingLabel = -1
	otherLabel   = -2
)

// openJudge loads the model of a job, nil if none is evaluated. It refuses one that
// takes other releases than the job makes.
func (w *Worker) openJudge(ctx context.Context) (*judge, error) {
	dir := w.spec.Evaluate
	if dir == "" {
		return nil, nil //nolint:nilnil // no model is no error
	}
	j := &judge{said: experiment.CountedAnswers{Dir: dir}}
	m, info, folder, err := experiment.FirstModel(dir)
	if err == nil {
		if j.head, err = m.Head(info); err == nil {
			err = w.madeFor(ctx, m, info, folder)
		}
		j.said.Seed, j.said.Epoch = info.Seed, m.Kept.Epoch
	} else if head, failed := model.LoadHead(dir); failed == nil { // a classifier alone
		j.head, err = head, nil
		j.notes = append(j.notes, "the classifier does not say which encoder and masks it was trained with; that they are the job's is on the word of whoever ran it")
	}
	if err == nil {
		err = w.sameRelease(j.head.Manifest.Receives.Parameters)
	}
	if err != nil {
		return nil, fmt.Errorf("--evaluate: %w", err)
	}
	h := j.head.Manifest
	j.said.Method, j.said.Interrupted, j.said.Statement, j.said.Coverage, j.said.Guarantee = h.Method, h.Interrupted, h.Receives, h.Assumption, j.head.Guarantee()
	return j, j.choose(w.spec.Labels)
}

// madeFor refuses a model that takes something else than the job's vectors.
func (w *Worker) madeFor(ctx context.Context, m *model.Model, info model.Manifest, folder string) error {
	if err := info.Data.Texts(); err != nil {
		return err
	}
	if numbers, _, err := info.Data.Numbers(); err != nil || len(numbers) > 0 {
		return fmt.Errorf("%s takes the columns %s beside texts, must take none: a job releases texts alone", folder, strings.Join(numbers, ", "))
	}
	near, err := catalogue.Near(info.Data.Encoder, folder)
	if err != nil {
		return err
	}
	if err = catalogue.Beside(folder, dataset.Dir()).Allow(ctx, near); err != nil {
		return err
	}
	if same, err := sameEncoder(string(near), w.spec.Encoder); err != nil || !same {
		return errors.Join(fmt.Errorf("%s was trained on vectors of the encoder %s, must be those of the job: %s", folder, info.Data.Encoder, w.spec.Encoder), err)
	}
	a, masks := m.Architecture(), info.Masked()
	switch {
	case a.Standardise || len(a.Encoder) > 0 || a.Scaling != "" || len(a.Answers) > 0:
		return fmt.Errorf("%s has layers of its own between the encoder and the release, and a job releases the encoder's vectors; must be a model without (sotto train --method cells or privemb), or a classifier that sotto estimate train made", folder)
	case masks.Dropout != w.spec.Dropout || masks.Dropout > 0 && masks.Draw != w.spec.Masks:
		return fmt.Errorf("%s was trained with dropout %v %s, must be that of the job: %v %s", folder, masks.Dropout, masks.Draw, w.spec.Dropout, w.spec.Masks)
	case len(masks.Rules) != len(w.Rules()) || len(masks.Lacking(w.Rules())) > 0:
		return fmt.Errorf("%s was trained with texts masked by %q, must be masked as those of the job: by %q", folder, masks.Rules, w.Rules())
	}
	return nil
}

// sameEncoder reports whether two names stand for one encoder.
func sameEncoder(a, b string) (bool, error) {
	if a == b {
		return true, nil
	}
	x, err := catalogue.Digest(a)
	if err != nil {
		return false, err
	}
	y, err := catalogue.Digest(b)
	return x == y, err
}

// sameRelease refuses a classifier of releases that another mechanism makes.
func (w *Worker) sameRelease(p mech.Params) error {
	mine := w.mech.Params()
	for _, differ := range []struct {
		what         string
		theirs, mine any
	}{
		{"mechanism", p.Mechanism, mine.Mechanism},
		{"variant", p.Variant, mine.Variant},
		{"ε", p.Epsilon, mine.Epsilon},
		{"δ", p.Delta, mine.Delta},
		{"number of dimensions", p.Dim, mine.Dim},
	} {
		if differ.theirs != differ.mine {
			return fmt.Errorf("the %s of the model is %v, must be that of the job, %v", differ.what, differ.theirs, differ.mine)
		}
	}
	theirs, err := mech.New(p)
	if err != nil {
		return err
	}
	said, err := json.Marshal(theirs.Params())
	if err != nil {
		return err
	}
	ours, err := json.Marshal(mine)
	if err != nil {
		return err
	}
	a, err := mech.Fingerprint(theirs)
	if err != nil {
		return err
	}
	b, err := mech.Fingerprint(w.mech)
	if err == nil && (!bytes.Equal(said, ours) || a != b) {
		err = fmt.Errorf("the model takes releases of another %s, with parameters or public cells of its own, must be that of the job", mine.Mechanism)
	}
	return err
}

// choose finds the labels that the columns hold: by their names, or the only one.
func (j *judge) choose(columns []string) error {
	h := j.head.Manifest
	var names []string
	for _, l := range h.Labels {
		names = append(names, l.Name)
	}
	for i, column := range columns {
		at := slices.Index(names, column)
		if at < 0 && len(names) == 1 && len(columns) == 1 {
			at = 0
		}
		if at < 0 || slices.Contains(columns[:i], column) {
			return fmt.Errorf("--evaluate: a column of labels is %q, must be one of %s, each once: the model answers these%s", column, strings.Join(names, ", "), layout.Hint(column, names))
		}
		one := judged{classes: map[string]int{}, k: len(h.Labels[at].Classes)}
		for l, k := range h.Architecture.Labels() {
			if l < at {
				one.first += k
			}
		}
		for y, name := range h.Labels[at].Classes {
			one.classes[name] = y
		}
		j.labels, j.said.Labels = append(j.labels, one), append(j.said.Labels, h.Labels[at])
	}
	return nil
}

// class returns which class of a label a value is.
func (j *judge) class(label int, v table.Value) int {
	if v.Kind == table.Missing || v.Text == "" {
		return missingLabel
	}
	if y, ok := j.labels[label].classes[v.Text]; ok && v.Kind != table.Nested {
		return y
	}
	return otherLabel
}

// evaluation says what answers come to that were counted in all chunks of a set.
func (j *judge) evaluation(s *Set, answers []Answered) (*experiment.Evaluation, error) {
	if len(answers) != len(j.labels) {
		return nil, fmt.Errorf("shard: %d labels were counted, must be %d", len(answers), len(j.labels))
	}
	said := j.said
	said.Data = model.DataRecord{Name: "job " + s.Job, Encoder: catalogue.Name(s.Encoder), Dropout: s.Dropout, Mask: strings.Join(s.Masks, "; "), Label: said.Labels[0].Name, Classes: said.Labels[0].Classes, More: said.Labels[1:]}
	notes := slices.Clone(j.notes)
	for l, a := range answers {
		c := measure.NewConfusion(j.labels[l].k)
		if err := c.Merge(a.Counts); err != nil {
			return nil, err
		}
		if a.Before != nil {
			before := measure.NewConfusion(j.labels[l].k)
			if err := before.Merge(a.Before); err != nil {
				return nil, err
			}
			if !slices.Equal(before.Rows(), c.Rows()) {
				return nil, errors.New("shard: other rows were counted before their release than after it, must be the same")
			}
			said.Before = append(said.Before, before)
		}
		known := int64(0)
		for _, n := range c.Rows() {
			known += int64(n)
		}
		if known+a.Missing+a.Other != s.Released {
			return nil, fmt.Errorf("shard: %d answers were counted of %d releases, must be one of each", known+a.Missing+a.Other, s.Released)
		}
		if a.Missing > 0 {
			notes = append(notes, fmt.Sprintf("%d releases are of rows without the label %s, and do not count", a.Missing, said.Labels[l].Name))
		}
		if a.Other > 0 {
			notes = append(notes, fmt.Sprintf("%d releases are of rows whose label %s is no class of the model, and do not count: it cannot be right about them", a.Other, said.Labels[l].Name))
		}
		said.Counts = append(said.Counts, c)
	}
	e, err := said.Evaluation()
	if err != nil {
		return nil, err
	}
	e.Warning, e.Notes = evaluationWarning, append(notes, e.Notes...)
	return e, nil
}

// evaluationWarning stands in every evaluation of a job.
const evaluationWarning = "counted from the true labels of the rows: not private, covered by no ε; keep it where the texts are, and let it not leave with the releases"
