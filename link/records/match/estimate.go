package match

import (
	"math"

	"sotto/link/records/field"
)

// Estimate makes a model from comparisons without a label, after Fellegi and Sunter
// (1969): pairs are a mixture of the same and of others, columns agree to some degree
// independently of each other in each of the two, and the mixture that fits the pairs
// best is found by expectation and maximisation. Its probabilities are as good as that
// assumption, which is seldom quite true.
func Estimate(columns []string, x [][]float64) *Model {
	m := newMixture(len(columns))
	levels := make([][]uint8, len(x))
	for k, row := range x {
		levels[k] = make([]uint8, len(columns))
		for c := range columns {
			f := field.Features(row[c*field.Count : (c+1)*field.Count])
			levels[k][c] = uint8(f.Level())
		}
	}
	m.start(levels)
	for range 100 {
		if m.step(levels) < 1e-7 {
			break
		}
	}
	out := newModel(columns, m.weights(len(columns)))
	out.Estimated, out.Pairs = true, len(x)
	return out
}

// A mixture is how often each level is found in a column, among the same and others.
type mixture struct {
	share        float64 // of pairs, those that are the same
	same, others [][field.Levels]float64
}

// startSame is how often each level is found among the same, before anything is known.
var startSame = [field.Levels]float64{0, 0.05, 0.07, 0.13, 0.25, 0.5}

func newMixture(columns int) *mixture {
	m := &mixture{share: 0.1, same: make([][field.Levels]float64, columns), others: make([][field.Levels]float64, columns)}
	for c := range columns {
		m.same[c] = startSame
	}
	return m
}

// start takes for others what all pairs have, of which most are others.
func (m *mixture) start(levels [][]uint8) {
	for c := range m.others {
		for l := 1; l < field.Levels; l++ {
			m.others[c][l] = 1
		}
		for _, row := range levels {
			m.others[c][row[c]]++
		}
		normalise(&m.others[c])
	}
}

// normalise makes the levels but for the missing one add up to 1.
func normalise(p *[field.Levels]float64) {
	p[0] = 0
	sum := 0.0
	for _, v := range p {
		sum += v
	}
	for l := range p {
		p[l] /= sum
	}
}

// step is one of expectation and maximisation. It returns how much the share changed.
func (m *mixture) step(levels [][]uint8) float64 {
	next := newMixture(len(m.same)) // a pair more among the same, so that no level is impossible
	copy(next.others, m.others)
	sum := 0.0
	for _, row := range levels {
		z := math.Log(m.share / (1 - m.share))
		for c, l := range row {
			if l > 0 {
				z += math.Log(m.same[c][l] / m.others[c][l])
			}
		}
		p := Probability(z)
		sum += p
		for c, l := range row {
			next.same[c][l] += p
			next.others[c][l] += 1 - p
		}
	}
	for c := range next.same {
		normalise(&next.same[c])
		normalise(&next.others[c])
	}
	next.share = min(0.9, max(1e-4, sum/float64(max(1, len(levels)))))
	change := math.Abs(next.share - m.share)
	*m = *next
	return change
}

// weights are those of the model, which has one for each level of a column and none for
// other features: more agreement never speaks for less.
func (m *mixture) weights(columns int) []float64 {
	w := make([]float64, Width(columns)+1)
	for c := range m.same {
		var ratio [field.Levels]float64
		for l := 1; l < field.Levels; l++ {
			ratio[l] = math.Log(m.same[c][l] / m.others[c][l])
		}
		rising(ratio[1:], m.same[c][1:], m.others[c][1:])
		at := w[c*field.Count:]
		at[field.Different], at[field.Weak], at[field.Close], at[field.VeryClose] = ratio[1], ratio[2], ratio[3], ratio[4]
		at[field.Equal] = ratio[5] - ratio[4] // what is equal is very alike, too
	}
	w[len(w)-1] = math.Log(m.share / (1 - m.share))
	return w
}

// rising makes a list that does not fall, by taking means over what does, weighed by
// how often levels are found.
func rising(v, same, others []float64) {
	type run struct {
		sum, weight float64
		n           int
	}
	var runs []run
	for k, x := range v {
		weight := same[k] + others[k]
		runs = append(runs, run{float64(x * weight), weight, 1})
		for n := len(runs); n > 1 && runs[n-2].sum/runs[n-2].weight > runs[n-1].sum/runs[n-1].weight; n = len(runs) {
			a, b := runs[n-2], runs[n-1]
			runs = append(runs[:n-2], run{a.sum + b.sum, a.weight + b.weight, a.n + b.n})
		}
	}
	k := 0
	for _, r := range runs {
		for range r.n {
			v[k] = r.sum / r.weight
			k++
		}
	}
}
