package explain

import (
	"cmp"
	"context"
	"fmt"
	"math"
	weakrand "math/rand/v2"

	"sotto/text"
)

// SHAP gives each word its Shapley value: what it adds to the probability of the
// class, on average over all orders in which words could be put into the text. The
// values add up to the probability of the text minus that of the text without a
// word, to within 10⁻⁶.
//
// Up to Exact words all choices of words are asked about, and the values are exact.
// Of longer texts Samples choices are, those of few and of nearly all words first and
// the others at random in pairs, and the values solve the least squares of
// KernelSHAP (Lundberg and Lee, NIPS 2017) that add up exactly. The zero value has
// the defaults.
type SHAP struct {
	Exact   int // most words of which all choices are asked about; 0 means 12, −1 none
	Samples int // choices to ask about otherwise; 0 means 2,048 and two for each word
	Seed    uint64
}

var _ Explainer = SHAP{}

// Name implements [Explainer].
func (SHAP) Name() string { return "shap" }

const (
	mostExact = 16 // of which there are 65,536 choices
	// AdditiveTo is how far Shapley values may be from adding up.
	AdditiveTo = 1e-6
)

// Explain implements [Explainer].
func (h SHAP) Explain(ctx context.Context, p Predictor, s string, class int) (*Explanation, error) {
	h.Exact = cmp.Or(h.Exact, 12)
	if h.Exact < -1 || h.Exact > mostExact {
		return nil, fmt.Errorf("explain: shap is exact up to %d words, must be from 1 to %d, or −1 for never", h.Exact, mostExact)
	}
	q, err := open(ctx, p, s, class)
	if err != nil {
		return nil, err
	}
	n := len(q.words)
	samples := cmp.Or(h.Samples, 2048+2*n)
	if samples < 2*n || samples > 1_000_000 {
		return nil, fmt.Errorf("explain: shap has %d samples of %d words, must have from two for each word to 1,000,000", samples, n)
	}
	nothing, err := q.values(ctx, [][]bool{make([]bool, n)})
	if err != nil {
		return nil, err
	}
	base, whole := nothing[0], q.whole[q.class]
	var weights []float64
	switch {
	case n == 1:
		weights = []float64{whole - base}
	case n <= h.Exact:
		weights, err = q.exact(ctx)
	default:
		c := choices(n, samples, weakrand.New(weakrand.NewPCG(h.Seed, text.HashEnd(text.HashOn(text.HashBasis, s)))))
		weights, err = q.kernel(ctx, c, base, whole)
	}
	if err != nil {
		return nil, err
	}
	e, err := q.explanation(h.Name(), base, weights)
	if err != nil {
		return nil, err
	}
	if e.Limit = AdditiveTo; e.Check > e.Limit {
		return nil, fmt.Errorf("explain: Shapley values are %.2g from adding up, must be within %v", e.Check, e.Limit)
	}
	return e, nil
}

// exact returns Shapley values by their definition: the mean over all sizes of the
// mean over all choices of that size, without the word, of what the word adds.
func (q *subject) exact(ctx context.Context) ([]float64, error) {
	n := len(q.words)
	kept := make([][]bool, 1<<n)
	for c := range kept {
		kept[c] = make([]bool, n)
		for j := range n {
			kept[c][j] = c>>j&1 == 1
		}
	}
	values, err := q.values(ctx, kept)
	if err != nil {
		return nil, err
	}
	share := make([]float64, n) // of a choice by its size: 1/(n·C(n−1, size))
	for size := range share {
		share[size] = 1 / (float64(n) * binomial(n-1, size))
	}
	weights := make([]float64, n)
	for c := range kept {
		size := 0
		for _, in := range kept[c] {
			if in {
				size++
			}
		}
		for j := range n {
			if !kept[c][j] {
				weights[j] += float64(share[size] * (values[c|1<<j] - values[c]))
			}
		}
	}
	return weights, nil
}

// binomial returns how many choices of k among n there are.
func binomial(n, k int) float64 {
	all := 1.0
	for i := range k {
		all = all * float64(n-i) / float64(i+1)
	}
	return math.Round(all)
}

// choice is some of the words, and how much it counts.
type choice struct {
	kept   []bool
	weight float64
}

// choices returns what KernelSHAP asks about: all choices of a size, and of what is
// left out, as long as the samples are enough for all of them, and then some at
// random, each with what it leaves out. A size counts (n−1)/(size·(n−size)).
func choices(n, samples int, rng *weakrand.Rand) []choice {
	half := n / 2 // sizes up to it, each together with n minus it
	share, rest := make([]float64, half+1), 0.0
	for size := 1; size <= half; size++ {
		share[size] = float64(n-1) / float64(size*(n-size))
		if 2*size != n {
			share[size] *= 2
		}
		rest += share[size]
	}
	var all []choice
	size := 1
	for ; size <= half; size++ {
		count := binomial(n, size)
		if 2*size != n {
			count *= 2
		}
		if float64(samples-len(all))*share[size]/rest < count {
			break
		}
		each(n, size, func(places []int) {
			all = append(all, choice{having(n, places, true), share[size] / count})
			if 2*size != n {
				all = append(all, choice{having(n, places, false), share[size] / count})
			}
		})
		rest -= share[size]
	}
	if size > half {
		return all
	}
	left := (samples - len(all)) / 2
	order := indices(n)
	for range left {
		at, u := size, rng.Float64()*rest
		for ; at < half && u >= share[at]; at++ {
			u -= share[at]
		}
		for j := range at {
			k := j + rng.IntN(n-j)
			order[j], order[k] = order[k], order[j]
		}
		w := rest / float64(2*left)
		all = append(all, choice{having(n, order[:at], true), w}, choice{having(n, order[:at], false), w})
	}
	return all
}

// each calls f with every choice of so many of n places.
func each(n, size int, f func(places []int)) {
	places := indices(size)
	for {
		f(places)
		i := size - 1
		for i >= 0 && places[i] == n-size+i {
			i--
		}
		if i < 0 {
			return
		}
		places[i]++
		for j := i + 1; j < size; j++ {
			places[j] = places[j-1] + 1
		}
	}
}

// having returns n words of which the given ones alone are kept, or left out.
func having(n int, places []int, in bool) []bool {
	kept := make([]bool, n)
	for i := range kept {
		kept[i] = !in
	}
	for _, i := range places {
		kept[i] = in
	}
	return kept
}

// kernel solves the least squares of KernelSHAP. That values add up is put in: the
// last one is what the others leave.
func (q *subject) kernel(ctx context.Context, all []choice, base, whole float64) ([]float64, error) {
	kept := make([][]bool, len(all))
	for i, c := range all {
		kept[i] = c.kept
	}
	values, err := q.values(ctx, kept)
	if err != nil {
		return nil, err
	}
	n := len(q.words) - 1
	g, b, x := make([]float64, n*n), make([]float64, n), make([]float64, n)
	for i, c := range all {
		last := 0.0
		if c.kept[n] {
			last = 1
		}
		y := values[i] - base - float64(last*(whole-base))
		for j := range x {
			x[j] = -last
			if c.kept[j] {
				x[j]++
			}
		}
		for j, v := range x {
			if v == 0 {
				continue
			}
			wv := float64(c.weight * v)
			b[j] += float64(wv * y)
			row := g[j*n : j*n+j+1]
			for k := range row {
				row[k] += float64(wv * x[k])
			}
		}
	}
	if err := cholesky(g, n, b); err != nil {
		return nil, err
	}
	sum := 0.0
	for _, v := range b {
		sum += v
	}
	return append(b, whole-base-sum), nil
}
