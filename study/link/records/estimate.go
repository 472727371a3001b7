package records

import (
	"math"
)

// A Sample is comparisons without a label, from which a model is estimated.
type Sample struct {
	Rows       int         // of the table
	Candidates int         // pairs that are compared, of which Alike are some
	Alike      [][]float64 // comparisons of those
	Random     [][]float64 // comparisons of rows by chance, which are taken for others
}

// Estimate makes a model from comparisons without a label, after Fellegi and Sunter
// (1969): all pairs of rows are a mixture of the same and of others, columns agree to
// some degree independently of each other in each of the two, and the mixture that fits
// the pairs best is found by expectation and maximisation. Pairs that are not compared
// are others. Its probabilities are as good as that assumption, which is seldom quite
// true; of fewer than three columns a mixture cannot be told from others.
func Estimate(columns []string, s Sample) *Model {
	m := newMixture(len(columns))
	all := max(1, float64(s.Rows)*float64(s.Rows-1)/2)
	m.share = min(0.5, 1/float64(max(2, s.Rows)))
	parts := []part{
		{levels(s.Alike, len(columns)), min(float64(s.Candidates), all) / float64(max(1, len(s.Alike))), true},
		{levels(s.Random, len(columns)), max(0, all-float64(s.Candidates)) / float64(max(1, len(s.Random))), false},
	}
	m.start(parts)
	for range 200 {
		if m.step(parts, all) < 1e-6 {
			break
		}
	}
	out := newModel(columns, m.weights(len(columns)))
	out.Estimated, out.Pairs = true, len(s.Alike)
	return out
}

// A part is comparisons, each of which stands for so many pairs.
type part struct {
	levels [][]uint8
	weight float64
	open   bool // some may be the same
}

// levels returns the level of every column of comparisons.
func levels(x [][]float64, columns int) [][]uint8 {
	out := make([][]uint8, len(x))
	for k, row := range x {
		out[k] = make([]uint8, columns)
		for c := range columns {
			f := Features(row[c*Count : (c+1)*Count])
			out[k][c] = uint8(f.Level())
		}
	}
	return out
}

// A mixture is how often each level is found in a column, among the same and others.
type mixture struct {
	share        float64 // of pairs, those that are the same
	same, others [][Levels]float64
}

// startOthers is how often each level is found among others, which counts as much as
// fewOthers pairs of them: in a small table chance is not seen.
var startOthers = [Levels]float64{0, 0.8, 0.12, 0.05, 0.02, 0.01}

const fewOthers = 20

// startSame is how often each level is found among the same, before anything is known.
var startSame = [Levels]float64{0, 0.05, 0.07, 0.13, 0.25, 0.5}

func newMixture(columns int) *mixture {
	m := &mixture{same: make([][Levels]float64, columns), others: make([][Levels]float64, columns)}
	for c := range columns {
		m.same[c] = startSame
	}
	return m
}

// start takes for others what all pairs have, of which most are others.
func (m *mixture) start(parts []part) {
	for c := range m.others {
		m.others[c] = fewest()
		for _, p := range parts {
			for _, row := range p.levels {
				m.others[c][row[c]] += p.weight
			}
		}
		normalise(&m.others[c])
	}
}

// fewest is what others count before any is seen.
func fewest() (out [Levels]float64) {
	for l, v := range startOthers {
		out[l] = fewOthers * v
	}
	return out
}

// normalise makes the levels but for the missing one add up to 1.
func normalise(p *[Levels]float64) {
	p[0] = 0
	sum := 0.0
	for _, v := range p {
		sum += v
	}
	for l := range p {
		p[l] /= sum
	}
}

// step is one of expectation and maximisation over so many pairs. It returns by how
// much the share changed, as a part of it.
func (m *mixture) step(parts []part, all float64) float64 {
	next := newMixture(len(m.same)) // some pairs more of each kind, so that no level is impossible
	for c := range next.others {
		next.others[c] = fewest()
	}
	sum := 0.0
	for _, part := range parts {
		for _, row := range part.levels {
			p := 0.0
			if part.open {
				p = m.probability(row)
			}
			yes := float64(part.weight * p)
			sum += yes
			for c, l := range row {
				next.same[c][l] += yes
				next.others[c][l] += part.weight - yes
			}
		}
	}
	for c := range next.same {
		normalise(&next.same[c])
		normalise(&next.others[c])
	}
	next.share = min(0.5, max(0.1/all, sum/all))
	change := math.Abs(next.share-m.share) / m.share
	*m = *next
	return change
}

// probability is that of a pair with such levels.
func (m *mixture) probability(row []uint8) float64 {
	z := math.Log(m.share / (1 - m.share))
	for c, l := range row {
		if l > 0 {
			z += math.Log(m.same[c][l] / m.others[c][l])
		}
	}
	return Probability(z)
}

// weights are those of the model, which has one for each level of a column and none for
// other features: more agreement never speaks for less.
func (m *mixture) weights(columns int) []float64 {
	w := make([]float64, Width(columns)+1)
	for c := range m.same {
		var ratio [Levels]float64
		for l := 1; l < Levels; l++ {
			ratio[l] = math.Log(m.same[c][l] / m.others[c][l])
		}
		rising(ratio[1:], m.same[c][1:], m.others[c][1:])
		at := w[c*Count:]
		at[Different], at[weak], at[Close], at[VeryClose] = ratio[1], ratio[2], ratio[3], ratio[4]
		at[Equal] = ratio[5] - ratio[4] // what is equal is very alike, too
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
