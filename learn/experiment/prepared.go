package experiment

import (
	"cmp"
	"context"
	"errors"
	"runtime"

	"sotto/compute/channel"
	"sotto/compute/nn"
	"sotto/learn/model"
	"sotto/learn/train"
)

// Prepared is the data of a [Spec] as numbers, with the first of its methods,
// for those who do something else with both than [Run] does.
type Prepared struct {
	*TrainingSet
	Method train.Method
	Spec   Spec // filled

	scorer *scorer
}

// Prepare loads and encodes the data of a spec, as [Run] would.
func Prepare(ctx context.Context, s Spec, o Options) (*Prepared, error) {
	s, err := s.Filled(ctx)
	if err != nil {
		return nil, err
	}
	o.Workers = cmp.Or(o.Workers, runtime.GOMAXPROCS(0))
	r := &runner{spec: s, opt: o}
	defer func() { r.tuned.Close() }()
	d, err := r.load(ctx, false)
	if err != nil {
		return nil, err
	}
	points, err := s.points()
	if err != nil {
		return nil, err
	}
	r.data = d
	set, err := r.prepare(s, points[0])
	if err != nil {
		return nil, err
	}
	return &Prepared{d, set.method, s, newScorer(d)}, nil
}

// Expect measures a model that releases codes on the test part, as [Run] does but
// for the groups and the attackers: by the law of its release, without a draw.
func (p *Prepared) Expect(pool *nn.Pool, m *model.Model) (Score, error) {
	out := Unmeasured()
	q := part{rows: p.Test}
	if err := q.lawful(pool, m, p.X, p.Spec.FirstSeed); err != nil {
		return out, err
	}
	if q.told == nil {
		return out, errors.New("experiment: the model has no codes, must release one of several")
	}
	p.scorer.told(&out, q)
	p.scorer.promise(&out, m)
	return out, nil
}

// Answers measures the answers of a model without protection to the test part,
// and returns with them what it knows of these texts.
func (p *Prepared) Answers(pool *nn.Pool, m *model.Model) (Score, *channel.Known, error) {
	var out Score
	q, err := p.scorer.release(pool, m, p.X, p.Test, p.Spec.FirstSeed, "test")
	if err != nil {
		return out, nil, err
	}
	p.scorer.told(&out, q)
	return out, (&scorer{data: p.TrainingSet, reference: m.Logits(pool, q.released)}).learn(), nil
}

// Priors returns the shares of each label's classes in the test part, and of the
// attribute's groups, nil without one.
func (p *Prepared) Priors() (labels [][]float64, groups []float64) {
	return p.scorer.labels, p.scorer.groups
}
