package records

import (
	"context"
	"math"
)

// millionths is the unit of weights, in which they are stored.
const millionths = 1e6

// weigh makes the weight of an edge of a logit, 1 − 2p in millionths.
func weigh(logit float64) int32 {
	return int32(math.Round((1 - 2*Probability(logit)) * millionths))
}

// score compares all pairs, keeps their weights on disk, and joins rows that are
// probably one.
func (e *engine) score(ctx context.Context, r *Result) error {
	e.scored = newSpool(max(1, len(e.found.Tiles)))
	e.set = make([]int32, e.n)
	for i := range e.set {
		e.set[i] = int32(i)
	}
	for _, p := range e.o.Must {
		e.join(uint32(p[0]), uint32(p[1]))
	}
	var tally Tally
	part := 0
	parts := make(map[[2]int]int, len(e.found.Tiles))
	for p, t := range e.found.Tiles {
		parts[[2]int{t.I, t.J}] = p
	}
	err := e.tiles(ctx, "comparing pairs", func(entry) bool { return true }, func(pairs []entry, at func(uint32) *row) error {
		i, j := Pair(pairs[0].Key)
		part = parts[[2]int{int(i) / chunkRows * chunkRows, int(j) / chunkRows * chunkRows}]
		logits := e.logits(r.Model, pairs, at)
		for k, z := range logits {
			i, j := Pair(pairs[k].Key)
			w := weigh(z)
			if w < 0 {
				e.join(i, j)
			}
			if e.entity[i] >= 0 && e.entity[j] >= 0 && !e.trained[i] && !e.trained[j] {
				tally.Add(Probability(z), e.entity[i] == e.entity[j])
			}
			if err := e.scored.Add(part, entry{Key: pairs[k].Key, Value: uint32(w)}); err != nil {
				return err
			}
		}
		r.Pairs += len(pairs)
		return nil
	})
	r.Calibration = tally.Calibration()
	f := e.found
	r.Blocks = Blocks{Bound: f.Bound, Skipped: f.Skipped, Widest: f.Widest, Left: f.Left}
	return err
}

// logits compares pairs without keeping what was found.
func (e *engine) logits(m *Model, pairs []entry, at func(uint32) *row) []float64 {
	out := make([]float64, len(pairs))
	width := Width(len(e.t.Columns))
	const many = 512
	e.parallel((len(pairs)+many-1)/many*16, func(part int) { // in parts, each with one place to compare in
		n := (len(pairs) + many - 1) / many * 16
		x := make([]float64, width)
		for k := len(pairs) * part / n; k < len(pairs)*(part+1)/n; k++ {
			i, j := Pair(pairs[k].Key)
			e.compare(x, at(i), at(j))
			out[k] = m.Logit(x)
		}
	})
	return out
}

// root returns the row that stands for those that are probably one with i.
func (e *engine) root(i uint32) uint32 {
	for e.set[i] != int32(i) {
		e.set[i] = e.set[e.set[i]]
		i = uint32(e.set[i])
	}
	return i
}

func (e *engine) join(i, j uint32) {
	a, b := e.root(i), e.root(j)
	e.set[max(a, b)] = int32(min(a, b))
}
