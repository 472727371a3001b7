package decoy

import (
	"context"

	"sotto/compute/measure"
	"sotto/study/explain/linear"
)

// Finders lists what finds contaminated rows: the loss of the model on their own label,
// the labels of their neighbours, and how much they do for their own label (self-influence
// by gradients of the last layer); and rows at random, beside which the others must stand.
func Finders() []string { return []string{"loss", "neighbours", "influence", "random-rows"} }

// Neighbours is how many nearest rows vote.
const Neighbours = 20

// find measures a finder of rows for a seed.
func (b *bench) find(ctx context.Context, t *trial, name string, v values) error {
	flipped, flips := make([]bool, len(t.keep)), 0
	for k, i := range t.keep {
		flipped[k] = b.rows.Flipped[i]
		flips += number(flipped[k])
	}
	order, err := b.suspects(ctx, t, name, flips)
	if err != nil {
		return err
	}
	if order == nil {
		v.put("first", expected(flipped, 1))
		v.put("third", expected(flipped, 3))
		v.put("top1", float64(flips)/float64(len(flipped)))
		order = t.rng.Perm(len(flipped))
	} else {
		v.put("first", until(order, flipped, 1))
		v.put("third", until(order, flipped, 3))
		v.put("top1", float64(number(flipped[order[0]])))
	}
	right, labels := 0, append([]int(nil), t.labels...)
	for _, k := range order[:flips] {
		if flipped[k] {
			right++
			labels[k] = b.data.Train.Labels[b.rows.From[t.keep[k]]]
		}
	}
	v.put("precision", float64(right)/float64(max(flips, 1)))
	v.put("missed", float64(flips-right))
	m, err := b.fit(ctx, &b.planted, t.x, labels, b.Fit)
	if err != nil {
		return err
	}
	s := b.scores(m, b.planted.test, b.planted.cut)
	v.put("found", float64(number(right > 0)))
	v.put("relabelled test", s.test-t.base.test)
	v.put("relabelled slice", s.slice-t.base.slice)
	return nil
}

// suspects returns the rows in the order in which a finder suspects them: nil for one
// that suspects none more than others.
func (b *bench) suspects(ctx context.Context, t *trial, name string, flips int) ([]int, error) {
	if name == "random-rows" {
		return nil, nil
	}
	e := t.decoy.Examples(t.x, t.labels)
	scores, err := e.Losses(), error(nil)
	switch name {
	case "neighbours":
		scores, err = e.Disagreement(ctx, Neighbours, b.Workers)
	case "influence":
		scores, err = e.SelfInfluence(ctx, 2*flips, b.Workers)
	}
	return linear.Order(scores), err
}

// rankedFinders returns the finders of rows, best first.
func rankedFinders(names []string, all []values) []Explained {
	where := places(all, "missed")
	out := make([]Explained, len(names))
	for k, name := range names {
		v := all[k]
		out[k] = Explained{
			Name: name, Top1: v.mean("top1"), FirstHit: v.mean("first"), Place: measure.Summarise(where[k]),
			Find: &Find{
				First: v.count("first"), Third: v.count("third"), Precision: v.share("precision"),
				Relabel: Gain{v.mean("found"), v.gain("relabelled test"), v.gain("relabelled slice")},
			},
		}
	}
	return inPlace(out)
}
