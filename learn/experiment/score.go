package experiment

import (
	"context"
	"sync"

	"sotto/compute/channel"
	"sotto/compute/measure"
	"sotto/compute/nn"
	"sotto/data/dataset"
	"sotto/learn/attack"
	"sotto/learn/model"
	"sotto/promise/dp"
)

// scorer measures models on one data set, whatever encoders they have.
type scorer struct {
	data      *TrainingSet          // of which it reads all but the vectors
	labels    [][]float64           // priors of each label's classes in the test part
	groups    []float64             // and of the attribute's
	reference nn.Matrix             // scores of a model without protection, test rows × classes; empty if there is none
	known     func() *channel.Known // what that model knows of test texts; nil if there is none

	mu         sync.Mutex
	yardsticks map[dp.Epsilon]measure.Number // by ε, as several labels take seconds
}

func newScorer(d *TrainingSet) *scorer {
	s := &scorer{data: d, yardsticks: map[dp.Epsilon]measure.Number{}}
	for _, c := range d.Labels {
		s.labels = append(s.labels, measure.Shares(dataset.Select(c.IDs, d.Test), len(c.Classes)))
	}
	if d.Z != nil {
		s.groups = measure.Shares(dataset.Select(d.Z, d.Test), d.Groups)
	}
	return s
}

// part is what was released of one part of the data, and what the model
// answers to it.
type part struct {
	rows     []int
	released nn.Matrix
	answers  [][]int // to each label
	// law is how likely each code was for each row, and told what each code is
	// answered with, of a model that releases codes; empty for others.
	law  nn.Matrix
	told [][]int
}

// release makes the releases of some rows, of which x has the vectors as the model's
// encoder makes them.
func (s *scorer) release(p *nn.Pool, m *model.Model, x nn.Matrix, rows []int, seed uint64, name string) (part, error) {
	released, err := m.Release(p, x, rows, append(model.SimulationKey(seed), name...))
	if err != nil {
		return part{}, err
	}
	q := part{rows: rows, released: released, answers: m.Predict(p, released, seed)}
	return q, q.lawful(p, m, x, seed)
}

// lawful fills in the law of a model that releases codes.
func (q *part) lawful(p *nn.Pool, m *model.Model, x nn.Matrix, seed uint64) error {
	law, coded, err := m.Law(p, x, q.rows)
	if err != nil || !coded {
		return err
	}
	each := nn.NewMatrix(law.Cols, law.Cols)
	for c := range law.Cols {
		each.Row(c)[c] = 1
	}
	q.law, q.told = law, m.Predict(p, each, seed)
	return nil
}

// accuracy returns the share of right answers to a label: over everything that
// the channel can give where its law is known, else by what was drawn.
func (q part) accuracy(label int, want []int) float64 {
	if q.told == nil {
		return measure.Accuracy(want, q.answers[label])
	}
	sum, known := 0.0, 0
	for i, y := range want {
		if y < 0 {
			continue
		}
		known++
		for c, share := range q.law.Row(i) {
			if q.told[label][c] == y {
				sum += float64(share)
			}
		}
	}
	return sum / float64(max(known, 1))
}

// confusion counts the answers to a label as accuracy does.
func (q part) confusion(label int, want []int, classes int) *measure.Confusion {
	c := measure.NewConfusion(classes)
	if q.told == nil {
		c.Add(want, q.answers[label])
		return c
	}
	law := make([]float64, classes)
	for i, y := range want {
		clear(law)
		for code, share := range q.law.Row(i) {
			law[q.told[label][code]] += float64(share)
		}
		c.AddLaw(y, law)
	}
	return c
}

// measured is what was found out about one model.
type measured struct {
	Score
	fairness *measure.Fairness // nil without an attribute whose groups have names
	released nn.Matrix         // of the test part
}

// score measures a model on the vectors x of its encoder. The attack is left out if the
// model is only what an interrupted training had so far.
func (s *scorer) score(ctx context.Context, p *nn.Pool, m *model.Model, x nn.Matrix, seed uint64, attacked bool) (measured, error) {
	out := measured{Score: Unmeasured()}
	out.Seed, out.Epoch = seed, m.Kept.Epoch
	validation, err := s.release(p, m, x, s.data.Validation, seed, "validation")
	if err != nil {
		return out, err
	}
	test, err := s.release(p, m, x, s.data.Test, seed, "test")
	if err != nil {
		return out, err
	}
	out.released = test.released
	s.utility(&out.Score, validation, test)
	s.promise(&out.Score, m)
	if out.fairness, err = s.compare(p, test); err != nil {
		return out, err
	}
	if attacked && m.Dim() > 0 {
		if out.Unknown, err = s.learnLater(ctx, p, seed, validation, test); err != nil {
			return out, err
		}
	}
	if s.data.Z == nil {
		return out, nil
	}
	out.Majority = measure.Number(measure.Majority(dataset.Select(s.data.Z, test.rows)))
	if !attacked || m.Dim() == 0 {
		return out, nil
	}
	fit, score, groups := s.attackable(validation, test)
	if groups == 0 {
		return out, nil // nothing that can be learnt can be scored
	}
	leak, err := measure.Leak(ctx, p, measure.Probe{Seed: seed}, fit, score, groups)
	if err != nil {
		return out, err
	}
	out.Leakage, out.Attack = measure.Number(leak.Accuracy), &leak
	if st, ok := m.Statement(); !ok || st.Honest() || m.Dim() < 2 {
		return out, nil
	}
	fit.X, score.X = attack.Centred(fit.X), attack.Centred(score.X)
	centred, err := measure.Leak(ctx, p, measure.Probe{Seed: seed}, fit, score, groups)
	if err != nil {
		return out, err
	}
	out.Centred = &centred
	return out, nil
}

// attackable returns what an attacker is fitted to and scored on, with the
// groups numbered as [attack.Learnable] does.
func (s *scorer) attackable(validation, test part) (fit, score measure.Labelled, groups int) {
	fit.X, score.X = validation.released, test.released
	fit.Z, score.Z, groups = attack.Learnable(dataset.Select(s.data.Z, validation.rows), dataset.Select(s.data.Z, test.rows), s.data.Groups)
	return fit, score, groups
}

// utility fills in accuracy and fairness.
func (s *scorer) utility(out *Score, validation, test part) {
	s.told(out, test)
	validated, _ := s.accuracies(validation)
	out.ValidationAccuracy = measure.Number(validated)
	out.Gap, out.GRMS = s.gaps(test)
	out.ValidationGap, _ = s.gaps(validation)
}

// told fills in how well the labels are told.
func (s *scorer) told(out *Score, test part) {
	_, labels := s.accuracies(test)
	for l, c := range s.data.Labels {
		b := test.confusion(l, dataset.Select(c.IDs, test.rows), len(c.Classes)).Balance(c.Names())
		labels[l].Balance = &b
	}
	out.Tell(labels, len(test.rows), test.told == nil)
}

// accuracies returns the mean over labels, and each label's.
func (s *scorer) accuracies(q part) (float64, []LabelScore) {
	var all []LabelScore
	mean := 0.0
	for l, c := range s.data.Labels {
		want := dataset.Select(c.IDs, q.rows)
		a := q.accuracy(l, want)
		all = append(all, LabelScore{Name: c.Name, Accuracy: measure.Number(a), Majority: measure.Number(measure.Majority(want))})
		mean += a / float64(len(s.data.Labels))
	}
	return mean, all
}

// learnLater fits a classifier of each label that was unknown in training to
// the releases of the validation part, and scores it on those of the test part.
func (s *scorer) learnLater(ctx context.Context, p *nn.Pool, seed uint64, validation, test part) ([]LabelScore, error) {
	var all []LabelScore
	for _, c := range s.data.Unknown {
		fit := measure.Labelled{X: validation.released, Z: dataset.Select(c.IDs, validation.rows)}
		score := measure.Labelled{X: test.released, Z: dataset.Select(c.IDs, test.rows)}
		learnt, err := measure.Leak(ctx, p, measure.Probe{Seed: seed}, fit, score, len(c.Classes))
		if err != nil {
			return nil, err
		}
		all = append(all, LabelScore{Name: c.Name, Accuracy: measure.Number(learnt.Accuracy), Majority: measure.Number(measure.Majority(score.Z)), Balance: nil})
	}
	return all, nil
}

// compare compares the groups of the attribute by the answers.
func (s *scorer) compare(p *nn.Pool, q part) (*measure.Fairness, error) {
	if s.data.Z == nil || len(s.data.Record.Groups) == 0 {
		return nil, nil
	}
	return measure.CompareGroups(p, measure.Outcomes{
		Want: dataset.Select(s.data.Y, q.rows), Got: q.answers[0], Group: dataset.Select(s.data.Z, q.rows),
		Classes: s.data.Record.Classes, Groups: s.data.Record.Groups,
	}, measure.Bootstrap{})
}

// gaps returns the TPR gap as the tables print it, and over all classes.
func (s *scorer) gaps(q part) (gap, grms measure.Number) {
	if s.data.Z == nil {
		return measure.Undefined, measure.Undefined
	}
	t := measure.TruePositives(dataset.Select(s.data.Y, q.rows), q.answers[0], dataset.Select(s.data.Z, q.rows), s.data.Classes, s.data.Groups)
	all, _ := t.GRMS()
	grms = measure.Number(all)
	if s.data.Classes != 2 {
		return grms, grms
	}
	positive, _ := t.Gap(1)
	return measure.Number(positive), grms
}

// promise fills in what is claimed, what is true, and what that leaves room for.
func (s *scorer) promise(out *Score, m *model.Model) {
	g := m.Guarantee()
	if st, ok := m.Statement(); ok {
		out.Claimed = &st.Claimed
	}
	if !out.Allow(g, s.labels) {
		return
	}
	if s.groups != nil {
		out.AttackLimit = measure.AccuracyLimit(g.Epsilon, s.groups)
	}
	if s.reference.Rows > 0 {
		out.Yardstick = s.yardstick(g.Epsilon)
	}
}

// yardstick returns the accuracy of the reference's answers released at ε.
func (s *scorer) yardstick(epsilon dp.Epsilon) measure.Number {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v, ok := s.yardsticks[epsilon]; ok {
		return v
	}
	v := measure.Undefined
	if len(s.labels) == 1 {
		if y, err := measure.AnswerAccuracy(epsilon, s.reference, dataset.Select(s.data.Y, s.data.Test)); err == nil {
			v = measure.Number(y)
		}
	} else {
		v = s.severalYardstick(epsilon)
	}
	s.yardsticks[epsilon] = v
	return v
}
