package explain

import (
	"cmp"
	"context"
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"slices"

	"sotto/text"
)

// LIME fits a linear model to what a predictor says of the text with words left out
// at random, the more alike the text the more it counts (Ribeiro, Singh and
// Guestrin, KDD 2016). The zero value has the defaults of its authors for texts.
//
// A word that occurs twice is left out twice or not at all, and each of its places
// has the word's weight. Equal seeds give equal bits, whichever texts were explained
// before. The fit is divided into runs under seeds of their own, so that every
// explanation says how stable it is.
type LIME struct {
	Samples  int     // texts to ask about, the text itself included; 0 means 5,000
	Features int     // most words with a weight, the others have 0; 0 means 10
	Width    float64 // of the kernel, in hundredths of cosine distance; 0 means 25
	Runs     int     // that tell how stable weights are; 0 means 5
	Seed     uint64
}

var _ Explainer = LIME{}

// Name implements [Explainer].
func (LIME) Name() string { return "lime" }

// The penalties of the fits that choose words and that weigh them.
const (
	chooseAlpha = 0.01
	weighAlpha  = 1
	// fewFeatures is up to how many words are chosen one by one.
	fewFeatures = 6
)

// Validate reports the first setting out of range.
func (l LIME) Validate() error {
	l = l.filled()
	switch {
	case l.Runs < 2 || l.Runs > 100:
		return fmt.Errorf("explain: lime has %d runs, must have from 2 to 100", l.Runs)
	case l.Samples < 10*l.Runs || l.Samples > 1_000_000:
		return fmt.Errorf("explain: lime has %d samples, must have from %d, ten for each run, to 1,000,000", l.Samples, 10*l.Runs)
	case l.Features < 1:
		return fmt.Errorf("explain: lime has %d features, must have at least 1", l.Features)
	case !(l.Width > 0) || math.IsInf(l.Width, 1):
		return fmt.Errorf("explain: width of lime's kernel is %v, must be positive and finite", l.Width)
	}
	return nil
}

func (l LIME) filled() LIME {
	l.Samples, l.Features = cmp.Or(l.Samples, 5000), cmp.Or(l.Features, 10)
	l.Width, l.Runs = cmp.Or(l.Width, 25), cmp.Or(l.Runs, 5)
	return l
}

// bag is the different words of a text.
type bag struct {
	of []int // of each word its place among the different ones
	n  int
}

func newBag(s string, words []text.Span) bag {
	place, b := map[string]int{}, bag{of: make([]int, len(words))}
	for i, w := range words {
		at, known := place[s[w.Start:w.End]]
		if !known {
			at = b.n
			place[s[w.Start:w.End]] = at
			b.n++
		}
		b.of[i] = at
	}
	return b
}

// Explain implements [Explainer].
func (l LIME) Explain(ctx context.Context, p Predictor, s string, class int) (*Explanation, error) {
	if err := l.Validate(); err != nil {
		return nil, err
	}
	l = l.filled()
	q, err := open(ctx, p, s, class)
	if err != nil {
		return nil, err
	}
	b := newBag(s, q.words)
	ones, kept := l.draw(s, b)
	values, err := q.values(ctx, kept)
	if err != nil {
		return nil, err
	}
	all, parts := newMoments(b.n), make([]*moments, l.Runs)
	for r := range parts {
		parts[r] = newMoments(b.n)
		from, to := l.run(r)
		for i := from; i < to; i++ {
			parts[r].add(ones[i], values[i], l.kernel(len(ones[i]), b.n))
		}
		all.join(parts[r])
	}
	everything := indices(b.n)
	all.add(everything, q.whole[q.class], 1)
	whole, err := l.fit(all)
	if err != nil {
		return nil, err
	}
	weights := make([]float64, len(q.words))
	said := whole.at
	counted := make([]bool, b.n)
	spread := whole.spread(b.n)
	for i, at := range b.of {
		weights[i] = spread[at]
		if !counted[at] {
			said += spread[at]
			counted[at] = true
		}
	}
	e, err := q.explanation(l.Name(), whole.at, weights)
	if err != nil {
		return nil, err
	}
	e.Check = math.Abs(said - e.Probability) // each word once
	e.Local = &Local{Samples: l.Samples, R2: whole.r2, Predicted: said, Runs: l.Runs, Within: (l.Samples - 1) / l.Runs, Top: min(5, (b.n+1)/2)}
	return e, l.stability(e.Local, parts, everything, q.whole[q.class])
}

// run returns which samples are those of a run.
func (l LIME) run(r int) (from, to int) {
	n := l.Samples - 1
	return r * n / l.Runs, (r + 1) * n / l.Runs
}

// draw draws which words are kept: so many are left out as an even draw from one to
// all says. It returns the places of the different words that are kept, and which
// words of the text that means.
func (l LIME) draw(s string, b bag) (ones [][]int, kept [][]bool) {
	ones, kept = make([][]int, l.Samples-1), make([][]bool, l.Samples-1)
	hash := text.HashEnd(text.HashOn(text.HashBasis, s))
	order, in := indices(b.n), make([]bool, b.n)
	for r := range l.Runs {
		rng := weakrand.New(weakrand.NewPCG(l.Seed, hash+uint64(r)))
		from, to := l.run(r)
		for i := from; i < to; i++ {
			left := 1 + rng.IntN(b.n)
			for j := range in {
				in[j] = true
			}
			for j := range left { // the first of a shuffle
				k := j + rng.IntN(b.n-j)
				order[j], order[k] = order[k], order[j]
				in[order[j]] = false
			}
			kept[i] = make([]bool, len(b.of))
			for j, at := range b.of {
				kept[i][j] = in[at]
			}
			ones[i] = make([]int, 0, b.n-left)
			for j, v := range in {
				if v {
					ones[i] = append(ones[i], j)
				}
			}
		}
	}
	return ones, kept
}

// kernel is how much a text counts that has k of n different words: the cosine
// distance between rows of zeros and ones is 1 − √(k/n).
func (l LIME) kernel(k, n int) float64 {
	d := 100 * (1 - math.Sqrt(float64(k)/float64(n))) / l.Width
	return math.Exp(-d * d / 2)
}

// fit chooses words and weighs them.
func (l LIME) fit(m *moments) (fit, error) {
	columns := indices(m.n)
	most := min(l.Features, m.n)
	switch {
	case most <= fewFeatures:
		columns = m.forward(most)
	case most < m.n:
		f, err := m.ridge(columns, chooseAlpha)
		if err != nil {
			return f, err
		}
		columns = f.strongest(most)
	}
	return m.ridge(columns, weighAlpha)
}

// forward chooses columns one by one, each time the one with which least squares
// explain most.
func (m *moments) forward(most int) []int {
	var chosen []int
	for range most {
		best, at := math.Inf(-1), -1
		for j := range m.n {
			if slices.Contains(chosen, j) {
				continue
			}
			f, err := m.ridge(append(slices.Clone(chosen), j), 0)
			if err == nil && f.r2 > best {
				best, at = f.r2, j
			}
		}
		if at < 0 { // the others say nothing that these do not
			break
		}
		chosen = append(chosen, at)
	}
	slices.Sort(chosen)
	return chosen
}

// strongest returns the columns with the largest weights, in order.
func (f fit) strongest(most int) []int {
	order := indices(len(f.columns))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(math.Abs(f.weights[b]), math.Abs(f.weights[a])) })
	top := make([]int, min(most, len(order)))
	for i := range top {
		top[i] = f.columns[order[i]]
	}
	slices.Sort(top)
	return top
}

// spread returns the weight of each of n columns.
func (f fit) spread(n int) []float64 {
	all := make([]float64, n)
	for i, c := range f.columns {
		all[c] = f.weights[i]
	}
	return all
}

// stability compares the fits of single runs.
func (l LIME) stability(to *Local, parts []*moments, everything []int, whole float64) error {
	var tops [][]int
	n := len(everything)
	sum, square := make([]float64, n), make([]float64, n)
	for _, m := range parts {
		m.add(everything, whole, 1)
		f, err := l.fit(m)
		if err != nil {
			return err
		}
		tops = append(tops, f.strongest(to.Top))
		for j, w := range f.spread(n) {
			sum[j] += w
			square[j] += float64(w * w)
		}
	}
	runs := float64(len(parts))
	for j := range sum {
		variance := (square[j] - float64(sum[j]*sum[j])/runs) / (runs - 1)
		to.Deviation = max(to.Deviation, math.Sqrt(max(0, variance)))
	}
	pairs := 0.0
	for i, a := range tops {
		for _, b := range tops[:i] {
			common := 0
			for _, v := range a {
				if slices.Contains(b, v) {
					common++
				}
			}
			to.Agreement += float64(common) / float64(max(len(a), len(b), 1))
			pairs++
		}
	}
	to.Agreement /= pairs
	return nil
}

func indices(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}
