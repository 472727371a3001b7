package names

import "math"

// unheard is how much is taken from the score of what there is not.
const unheard = 30

// Find returns the names of a sentence, in order and without overlap.
func (m *Model) Find(s Sentence) []Span {
	var l lattice
	return m.find(&l, s)
}

// find is Find with room to compute in.
func (m *Model) find(l *lattice, s Sentence) []Span {
	n := len(s.Words)
	if n == 0 {
		return nil
	}
	m.featurise(l, s)
	tags := m.chain.tags
	l.grow(n, tags)
	var sums [256]int32
	for i := range n {
		acc := sums[:tags]
		clear(acc)
		for _, f := range l.feats[l.starts[i]:l.starts[i+1]] {
			row := m.index.find(f)
			if row < 0 {
				continue
			}
			for b, w := range m.rows[row*tags : (row+1)*tags] {
				acc[b] += int32(w)
			}
		}
		for b, v := range acc {
			l.score[i*tags+b] = float64(v) * m.step
		}
		l.score[i*tags] -= m.lean
		if s.Words[i] == "I" { // Ann and I are not one
			for t := range m.types {
				l.score[i*tags+tag(t, end)] -= unheard
				l.score[i*tags+tag(t, single)] -= unheard
			}
		}
	}
	path := m.chain.path(l, n, nil)
	outside := true
	for _, t := range path {
		outside = outside && t == 0
	}
	if outside {
		return nil
	}
	m.chain.sum(l, n)
	var spans []Span
	for i := 0; i < n; {
		if path[i] == 0 {
			i++
			continue
		}
		j := i + 1
		for (path[j-1]-1)%parts == begin || (path[j-1]-1)%parts == inside {
			j++
		}
		p := m.chain.probability(l, path, i, j, n)
		spans = append(spans, Span{Type: m.types[(path[i]-1)/parts], Start: i, End: j, Confidence: m.calibrate(p)})
		i = j
	}
	return spans
}

// calibrate turns the probability that the model gives into how often such names
// are right.
func (m *Model) calibrate(p float64) float64 {
	p = max(1e-6, min(1-1e-6, p))
	return 1 / (1 + math.Exp(-(float64(m.slope*math.Log(p/(1-p))) + m.shift)))
}
