package decoy

import (
	"cmp"
	"context"
	"maps"
	"math"
	weakrand "math/rand/v2"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"sotto/study/explain"
)

// reading is an explanation as a reader sees it: the words of a text, strongest first,
// each once with the sum of its weights.
type reading struct {
	words   []string
	weights []float64
}

// read makes a reading of an explanation.
func read(e *explain.Explanation) reading {
	sum, order := map[string]float64{}, []string(nil)
	for _, t := range e.Tokens {
		word := strings.ToLower(t.Text)
		if _, ok := sum[word]; !ok {
			order = append(order, word)
		}
		sum[word] += t.Weight
	}
	slices.SortStableFunc(order, func(a, b string) int { return cmp.Compare(math.Abs(sum[b]), math.Abs(sum[a])) })
	r := reading{words: order}
	for _, w := range order {
		r.weights = append(r.weights, sum[w])
	}
	return r
}

// rank is the place of the first cue, 1 for the strongest word, or 0 if there is none. A
// word without any weight has not been found.
func (r reading) rank(cues map[string]bool) int {
	for i, w := range r.words {
		if cues[w] {
			if r.weights[i] == 0 {
				return len(r.words)
			}
			return i + 1
		}
	}
	return 0
}

// among is how many of the k strongest words are cues.
func (r reading) among(cues map[string]bool, k int) (n int) {
	for i, w := range r.words[:min(k, len(r.words))] {
		if cues[w] && r.weights[i] != 0 {
			n++
		}
	}
	return n
}

// hit reports whether a reader who looks at the k strongest words sees a cue.
func (r reading) hit(cues map[string]bool, k int) bool { return r.among(cues, k) > 0 }

// readAll explains texts, so many at a time. A text without a word has an empty reading.
func readAll(ctx context.Context, e explain.Explainer, p explain.Predictor, texts []string, workers int) ([]reading, error) {
	all := make([]reading, len(texts))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(max(workers, 1))
	for i, s := range texts {
		g.Go(func() error {
			if len(explain.Words(s)) == 0 {
				return nil
			}
			said, err := e.Explain(ctx, p, s, explain.Predicted)
			if err != nil {
				return err
			}
			all[i] = read(said)
			return nil
		})
	}
	return all, g.Wait()
}

// Order is a way to choose which explanations are read first.
type Order string

// The orders of reading.
const (
	Uniform  Order = "uniform"  // at random
	SPPick   Order = "sp-pick"  // as LIME's submodular pick: those first that add the most important words
	Clusters Order = "clusters" // one after another from clusters of explanations, the most central first
)

// Orders lists the orders.
func Orders() []Order { return []Order{Uniform, SPPick, Clusters} }

// shown is how many words of an explanation count for picking, as in LIME.
const shown = 6

// importance is I_j = √Σ_i |W_ij| of each word over all readings.
func importance(all []reading) map[string]float64 {
	sum := map[string]float64{}
	for _, r := range all {
		for i, w := range r.words[:min(shown, len(r.words))] {
			sum[w] += math.Abs(r.weights[i])
		}
	}
	for w, v := range sum {
		sum[w] = math.Sqrt(v)
	}
	return sum
}

// listed returns words by their importance over all readings, largest first.
func listed(all []reading) []string {
	size := importance(all)
	words := slices.Sorted(maps.Keys(size))
	slices.SortStableFunc(words, func(a, b string) int { return cmp.Compare(size[b], size[a]) })
	return words
}

// spPick returns the order of the submodular pick: each time the explanation that adds
// most to Σ_j 1[some explanation read has word j]·I_j, the first of equals.
func spPick(all []reading) []int {
	size := importance(all)
	covered, done := map[string]bool{}, make([]bool, len(all))
	var order []int
	for range all {
		best, gain := -1, -1.0
		for i, r := range all {
			if done[i] {
				continue
			}
			sum := 0.0
			for k, w := range r.words[:min(shown, len(r.words))] {
				if r.weights[k] != 0 && !covered[w] {
					sum += size[w]
				}
			}
			if sum > gain {
				best, gain = i, sum
			}
		}
		done[best] = true
		order = append(order, best)
		for k, w := range all[best].words[:min(shown, len(all[best].words))] {
			if all[best].weights[k] != 0 {
				covered[w] = true
			}
		}
	}
	return order
}

// until returns how many explanations are read in an order until so many hits: one
// more than there are if they do not have as many.
func until(order []int, hit []bool, hits int) float64 {
	for at, i := range order {
		if hit[i] {
			if hits--; hits == 0 {
				return float64(at + 1)
			}
		}
	}
	return float64(len(hit) + 1)
}

// expected is until for an order at random, its mean: hits·(n+1)/(h+1), h being how many
// hits there are.
func expected(hit []bool, hits int) float64 {
	n, h := len(hit), 0
	for _, v := range hit {
		h += number(v)
	}
	if h < hits {
		return float64(n + 1)
	}
	return float64(hits*(n+1)) / float64(h+1)
}

// untilHits returns how many explanations are read until the first and the third hit.
func untilHits(o Order, all []reading, hit []bool, rng *weakrand.Rand) (first, third float64) {
	var order []int
	switch o {
	case SPPick:
		order = spPick(all)
	case Clusters:
		order = clusters(all, rng)
	default:
		return expected(hit, 1), expected(hit, 3)
	}
	return until(order, hit, 1), until(order, hit, 3)
}
