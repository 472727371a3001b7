package records

import (
	"context"
	"errors"
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"slices"
)

// mostTrained is how many pairs are learnt from, drawn from those that could be.
const mostTrained = 20_000

// enough is how many labelled pairs need no estimate to begin with.
const enough = 2000

// learn makes the model, or takes the one that is given.
func (e *engine) learn(ctx context.Context, r *Result) error {
	if m := e.o.With; m != nil {
		if len(m.Columns) != len(e.t.Columns) {
			return fmt.Errorf("records: the model compares %d columns and the table has %d, must be as many", len(m.Columns), len(e.t.Columns))
		}
		r.Model = m
		return nil
	}
	pairs, err := e.known(ctx)
	if err != nil {
		return err
	}
	if e.o.Unsupervised {
		pairs = nil
	}
	labels := len(pairs) > 0
	if !labels && !e.o.Unsupervised && e.o.Ask == nil && slices.ContainsFunc(e.entity, func(k int32) bool { return k >= 0 }) {
		return ErrOneSided // those who name entities want them to be learnt from
	}
	if len(pairs) >= enough && e.o.Ask == nil {
		return e.fit(r, pairs, nil)
	}
	pool, x, err := e.pool(ctx)
	if err != nil {
		return err
	}
	prior, err := e.estimate(x)
	if err != nil {
		return err
	}
	if e.o.Ask != nil {
		if r.Model, r.Trained, err = e.ask(prior, pairs, pool, x); err != nil {
			return err
		}
		r.Model.Encoder = e.o.EncoderName
		return nil
	}
	if labels {
		return e.fit(r, pairs, prior)
	}
	prior.Encoder = e.o.EncoderName
	r.Model = prior
	return nil
}

func (e *engine) fit(r *Result, pairs []MatchPair, prior *Model) error {
	e.stage("learning", 0, 0)
	m, err := Fit(e.t.Columns, pairs, prior)
	if err != nil {
		return err
	}
	m.Encoder = e.o.EncoderName
	r.Model, r.Trained = m, len(pairs)
	return nil
}

// known returns the pairs that are labelled, and those of rows whose entity is learnt
// from, drawn by chance if they are many.
func (e *engine) known(ctx context.Context) ([]MatchPair, error) {
	out, err := e.labelled()
	if err != nil || e.o.Unsupervised || !slices.Contains(e.trained, true) {
		return out, err
	}
	both := func(key uint64) bool {
		i, j := Pair(key)
		return e.trained[i] && e.trained[j]
	}
	count := 0
	if err = e.keys(ctx, func(x entry) {
		if both(x.Key) {
			count++
		}
	}); err != nil {
		return nil, err
	}
	draw := e.drawn(count)
	err = e.tiles(ctx, "learning", func(x entry) bool { return both(x.Key) && draw(x.Key) }, func(pairs []entry, at func(uint32) *row) error {
		for k, x := range e.comparisons(pairs, at) {
			i, j := Pair(pairs[k].Key)
			a, b := e.entity[i], e.entity[j]
			out = append(out, MatchPair{X: x, Same: a == b, Fold: mix(uint64(min(a, b)) + 1)})
		}
		return nil
	})
	return out, err
}

// keys calls visit with every pair, without its rows.
func (e *engine) keys(ctx context.Context, visit func(entry)) error {
	var buf []entry
	for p := range e.found.Tiles {
		if err := ctx.Err(); err != nil {
			return err
		}
		pairs, err := e.found.Read(p, buf)
		if err != nil {
			return err
		}
		buf = pairs
		for _, x := range pairs {
			visit(x)
		}
	}
	return nil
}

// drawn returns what takes about [mostTrained] of so many pairs, the same in every run.
func (e *engine) drawn(count int) func(key uint64) bool {
	if count <= mostTrained {
		return func(uint64) bool { return true }
	}
	limit := uint64(float64(mostTrained) / float64(count) * math.MaxUint64)
	salt := mix(e.o.Seed + 77)
	return func(key uint64) bool { return mix(key^salt) < limit }
}

// pool returns pairs by chance, and what their comparisons find.
func (e *engine) pool(ctx context.Context) (pairs []entry, x [][]float64, err error) {
	draw := e.drawn(e.found.Count)
	err = e.tiles(ctx, "estimating", func(x entry) bool { return draw(x.Key) }, func(some []entry, at func(uint32) *row) error {
		pairs = append(pairs, some...)
		x = append(x, e.comparisons(some, at)...)
		return nil
	})
	return pairs, x, err
}

// mostRandom is how many pairs are drawn from all rows, to see how others agree by
// chance.
const mostRandom = 3000

// estimate makes a model without a label.
func (e *engine) estimate(alike [][]float64) (*Model, error) {
	s := Sample{Rows: e.n, Candidates: e.found.Count, Alike: alike}
	rng := weakrand.New(weakrand.NewPCG(e.o.Seed, 23))
	for range min(mostRandom, e.n*(e.n-1)/2) {
		i, j := rng.IntN(e.n), rng.IntN(e.n)
		if i == j {
			continue
		}
		x, err := e.pair(i, j)
		if err != nil {
			return nil, err
		}
		s.Random = append(s.Random, x)
	}
	return Estimate(e.t.Columns, s), nil
}

// labelled returns what is known of single pairs.
func (e *engine) labelled() ([]MatchPair, error) {
	var out []MatchPair
	for k, l := range e.o.Labelled {
		if l.I < 0 || l.I >= e.n || l.J < 0 || l.J >= e.n || l.I == l.J {
			return nil, fmt.Errorf("records: labelled pair %d: rows are %d and %d, must be two of 0 to %d", k, l.I, l.J, e.n-1)
		}
		if l.Unsure {
			continue
		}
		x, err := e.pair(l.I, l.J)
		if err != nil {
			return nil, err
		}
		out = append(out, MatchPair{X: x, Same: l.Same, Fold: mix(uint64(min(l.I, l.J)))})
	}
	return out, nil
}

// pair compares two rows.
func (e *engine) pair(i, j int) ([]float64, error) {
	a, err := e.loadOne(i)
	if err != nil {
		return nil, err
	}
	b, err := e.loadOne(j)
	if err != nil {
		return nil, err
	}
	x := make([]float64, Width(len(e.t.Columns)))
	e.compare(x, a, b)
	return x, nil
}

// An Answer is what a person says about a pair.
type Answer string

// The answers.
const (
	Same   Answer = "same"
	Other  Answer = "other"
	Unsure Answer = "unsure" // the pair is not asked about again, and not learnt from
	Quit   Answer = "quit"   // enough was asked
)

// A Question is a pair of rows about which an answer would tell the most.
type Question struct {
	I, J         int
	Columns      []string
	A, B         []string // the fields that are compared
	Probability  float64  // that the model has now
	Same, Others int      // answers so far
	Left         int      // pairs that could still be asked about
	Explanation
}

// errAnswer is what a caller of [Link] is told that answers something else.
var errAnswer = errors.New("records: the answer is none of same, other, unsure and quit")

// ask asks until it is told to stop, and learns from each answer.
func (e *engine) ask(prior *Model, known []MatchPair, pool []entry, x [][]float64) (*Model, int, error) {
	l := NewLearner(e.t.Columns, prior)
	for _, p := range known {
		l.Add(p)
	}
	asked := make(map[uint64]bool)
	for _, p := range e.o.Labelled {
		asked[key(uint32(p.I), uint32(p.J))] = true
	}
	for {
		k, p, err := l.Next(x, func(k int) bool { return asked[pool[k].Key] })
		if err != nil {
			return nil, 0, err
		}
		if k < 0 {
			break
		}
		i, j := Pair(pool[k].Key)
		asked[pool[k].Key] = true
		m, err := l.Model()
		if err != nil {
			return nil, 0, err
		}
		q := Question{I: int(i), J: int(j), Columns: e.t.Columns, Probability: p, Left: len(pool) - len(asked) + 1, Explanation: m.Explain(x[k])}
		q.Same, q.Others = l.Answers()
		if q.A, err = e.fields(q.I); err != nil {
			return nil, 0, err
		}
		if q.B, err = e.fields(q.J); err != nil {
			return nil, 0, err
		}
		answer, err := e.o.Ask(q)
		if err != nil {
			return nil, 0, err
		}
		if answer == Quit {
			break
		}
		switch answer {
		case Same, Other:
			l.Add(MatchPair{X: x[k], Same: answer == Same, Fold: mix(uint64(i))})
		case Unsure:
		default:
			return nil, 0, errAnswer
		}
	}
	same, others := l.Answers()
	m, err := l.Model()
	return m, same + others, err
}

// fields returns what is compared of a row, as it stands in the table.
func (e *engine) fields(i int) (out []string, err error) {
	err = e.read(i, i+1, func(_ int, fields []string) error {
		out = append(out, fields...)
		return nil
	})
	return out, err
}
