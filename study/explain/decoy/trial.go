package decoy

import (
	"context"
	"fmt"
	"math"
	weakrand "math/rand/v2"

	"sotto/study/explain/linear"
)

// trial is the models and rows of one seed.
type trial struct {
	seed           uint64
	rng            *weakrand.Rand
	asked          Models
	clean, decoy   *linear.Model // nil for models from elsewhere
	keep           []int         // of the planted rows
	x              *linear.Rows
	labels         []int
	base           scores   // of the decoy model
	pool, instance []string // texts that are explained
	repaired       map[string]repair
}

// newTrial draws rows by a seed and fits both models to them.
func (b *bench) newTrial(ctx context.Context, seed uint64) (*trial, error) {
	t := &trial{seed: seed, rng: weakrand.New(weakrand.NewPCG(seed, 0x6465636f79)), repaired: map[string]repair{}}
	if b.Models != nil {
		t.asked = *b.Models
		return t, b.draw(t)
	}
	in := make([]bool, len(b.data.Train.Texts))
	var all []int
	for _, i := range t.rng.Perm(len(in))[:int(math.Ceil(b.Share*float64(len(in))))] {
		in[i] = true
	}
	for i, ok := range in {
		if ok {
			all = append(all, i)
		}
	}
	for i, from := range b.rows.From {
		if in[from] {
			t.keep = append(t.keep, i)
			t.labels = append(t.labels, b.rows.Labels[i])
		}
	}
	t.x = b.planted.train.Gather(t.keep)
	labels := make([]int, len(all))
	for k, i := range all {
		labels[k] = b.data.Train.Labels[i]
	}
	var err error
	if t.clean, err = b.fit(ctx, &b.clean, b.clean.train.Gather(all), labels, b.Fit); err != nil {
		return nil, err
	}
	if t.decoy, err = b.fit(ctx, &b.planted, t.x, t.labels, b.Fit); err != nil {
		return nil, err
	}
	t.base = b.scores(t.decoy, b.planted.test, b.planted.cut)
	t.asked = Models{Clean: t.clean, Decoy: t.decoy}
	return t, b.draw(t)
}

// draw draws the texts that are explained.
func (b *bench) draw(t *trial) error {
	for i, k := range t.rng.Perm(len(b.shown.Texts)) {
		if i < b.Pool {
			t.pool = append(t.pool, b.shown.Texts[k])
		}
		if len(t.instance) < b.Instances && b.cued(b.shown.Texts[k]) {
			t.instance = append(t.instance, b.shown.Texts[k])
		}
	}
	if len(t.instance) == 0 && len(b.cues) > 0 {
		return fmt.Errorf("decoy: no test row of %s has a cue, must some: there is nothing to explain", b.data.Name)
	}
	return nil
}

// cued reports whether a text has a cue.
func (b *bench) cued(s string) bool {
	for word := range b.cues {
		if has(s, word) {
			return true
		}
	}
	return false
}

// scores are accuracies on the test rows and on all slices together.
type scores struct{ test, slice float64 }

func (b *bench) scores(m *linear.Model, test *linear.Rows, cut []*linear.Rows) scores {
	s := scores{test: accuracy(m, test, b.data.Test.Labels)}
	right, rows := 0.0, 0.0
	for k, x := range cut {
		if n := float64(x.Len()); n > 0 {
			right += n * accuracy(m, x, b.slices[k].Labels)
			rows += n
		}
	}
	if s.slice = math.NaN(); rows > 0 {
		s.slice = right / rows
	}
	return s
}
