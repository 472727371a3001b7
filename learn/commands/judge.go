package files

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"sotto/promise/audit"
)

// A judge guesses from some fields which input a run was on: each value of a
// field has a weight, and a sum of weights at or above high speaks for A, at or
// below low for B. In between it does not guess.
type judge struct {
	fields    []int
	weights   [][maxCodes]float64
	high, low float64
	expected  float64 // the bound that it had where it learnt
}

func (j *judge) guess(score float64) (which int, ok bool) {
	switch {
	case score >= j.high:
		return 0, true
	case score <= j.low:
		return 1, true
	}
	return 0, false
}

// weights returns how much each code of a field speaks for A, and how much the
// field tells, both from the runs outside of one fold.
func (t *table) weights(field, fold int) (w [maxCodes]float64, gain float64) {
	var counts [2][maxCodes]float64
	var sums [2]float64
	for r, code := range t.columns[field].codes {
		if r%folds != fold {
			counts[t.labels[r]][code]++
			sums[t.labels[r]]++
		}
	}
	kinds := 0.0
	total := sums[0] + sums[1]
	for code := range w {
		a, b := counts[0][code], counts[1][code]
		if a+b == 0 {
			continue
		}
		kinds++
		w[code] = math.Log((a+0.5)/(sums[0]+1)) - math.Log((b+0.5)/(sums[1]+1))
		for l, n := range [2]float64{a, b} {
			if n > 0 {
				gain += 2 * n * math.Log(n*total/((a+b)*sums[l]))
			}
		}
	}
	return w, gain - (kinds - 1)
}

// folds is into how many parts the runs are divided so that a judge is tried on
// others than it learnt from.
const folds = 5

// sizes are how many fields a judge may look at.
var sizes = []int{1, 3, 10, 30, 100, 300, 1000}

// judge learns from fields, taking as many as tell most of runs that it did not
// learn from. The bound wanted is at alpha and delta.
func (t *table) judge(fields []int, alpha, delta float64) *judge {
	var want []int
	for _, s := range sizes {
		if want = append(want, min(s, len(fields))); s >= len(fields) {
			break
		}
	}
	scores := make([][]float64, len(want))
	for i := range scores {
		scores[i] = make([]float64, len(t.labels))
	}
	for fold := range folds {
		ranked, weights := t.rank(fields, fold, want[len(want)-1])
		for r := fold; r < len(t.labels); r += folds {
			sum, next := 0.0, 0
			for i, f := range ranked {
				sum += weights[i][t.columns[f].codes[r]]
				for next < len(want) && i+1 == want[next] {
					scores[next][r] = sum
					next++
				}
			}
		}
	}
	best := &judge{expected: math.Inf(-1)}
	size := want[0]
	for i, s := range scores {
		if j := t.cut(s, alpha, delta); j.expected > best.expected {
			best, size = j, want[i]
		}
	}
	best.fields, best.weights = t.rank(fields, -1, size)
	return best
}

// rank returns the fields that tell most, with their weights.
func (t *table) rank(fields []int, fold, most int) ([]int, [][maxCodes]float64) {
	type ranked struct {
		field int
		gain  float64
	}
	all := make([]ranked, len(fields))
	for i, f := range fields {
		_, gain := t.weights(f, fold)
		all[i] = ranked{f, gain}
	}
	byGain := func(a, b ranked) int { return cmp.Compare(b.gain, a.gain) }
	slices.SortStableFunc(all, byGain)
	if most < len(all) {
		// Fields of one row often say the same, so that each counts for less than the
		// one before it.
		type row struct {
			file string
			row  int
		}
		before := map[row]float64{}
		for i, r := range all {
			if n := t.names[r.field]; n.row > 0 && r.gain > 0 {
				at := row{n.file, n.row}
				before[at]++
				all[i].gain /= before[at]
			}
		}
		slices.SortStableFunc(all, byGain)
		all = all[:most]
	}
	best, weights := make([]int, len(all)), make([][maxCodes]float64, len(all))
	for i, r := range all {
		best[i] = r.field
		weights[i], _ = t.weights(r.field, fold)
	}
	return best, weights
}

// shares are those of all runs of which a judge may guess that they were on one
// input.
var shares = []float64{0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7, 0.8, 0.9}

// cut returns where a judge should guess, by scores of runs that are known.
func (t *table) cut(scores []float64, alpha, delta float64) *judge {
	labels := t.labels
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(i, j int) bool { return scores[order[i]] > scores[order[j]] })
	// guessed counts the runs of each input among the first so many, or the last.
	ends := func(n int, first bool) (limit float64, hits [2]int64) {
		if n == 0 {
			return math.Inf(1), hits
		}
		limit = scores[order[n-1]]
		if !first {
			limit = scores[order[len(order)-n]]
		}
		for i, s := range scores {
			if first && s >= limit || !first && s <= limit {
				hits[labels[i]]++
			}
		}
		return limit, hits
	}
	type end struct {
		limit float64
		hits  [2]int64
	}
	var highs, lows []end
	for _, share := range shares {
		n := int(math.Ceil(share * float64(len(scores))))
		h, hits := ends(n, true)
		highs = append(highs, end{h, hits})
		l, hits := ends(n, false)
		if n == 0 {
			l = math.Inf(-1)
		}
		lows = append(lows, end{l, hits})
	}
	var all [2]int64
	for _, l := range labels {
		all[l]++
	}
	best := &judge{high: math.Inf(1), low: math.Inf(-1), expected: math.Inf(-1)}
	for _, h := range highs {
		for _, l := range lows {
			if h.limit <= l.limit || delta > 0 && !math.IsInf(h.limit, 1) && !math.IsInf(l.limit, -1) {
				continue
			}
			guesses := tally{runs: all, high: h.hits, low: l.hits}
			if guesses.hopeless(best.expected, delta) {
				continue
			}
			if b := t.bound(&guesses, alpha, delta); b > best.expected {
				best.high, best.low, best.expected = h.limit, l.limit, b
			}
		}
	}
	return best
}

// bound is that of a tally, which is the same for many.
func (t *table) bound(of *tally, alpha, delta float64) float64 {
	if delta > 0 {
		return of.bound(alpha, delta)
	}
	at := known{of.right(), of.guesses(), alpha}
	b, ok := t.bounds[at]
	if !ok {
		b = of.bound(alpha, delta)
		t.bounds[at] = b
	}
	return b
}

// known is what a bound for δ = 0 depends on.
type known struct {
	right, guesses int64
	alpha          float64
}

// A tally counts guesses.
type tally struct {
	runs      [2]int64 // on A and on B
	high, low [2]int64 // of these, where the guess was A, and where it was B
}

func (t *tally) right() int64   { return t.high[0] + t.low[1] }
func (t *tally) guesses() int64 { return t.high[0] + t.high[1] + t.low[0] + t.low[1] }

// bound returns the ε that follows from the guesses, at a false-alarm rate alpha.
//
// Theorem. Under (ε, 0)-DP, each guess of a fair coin is right with odds of at most
// e^ε: [audit.GuessBound] takes the Clopper–Pearson bound of the share that is right,
// guesses of A and of B together. For δ > 0 the judge guesses one input alone, and
// [audit.Counts] takes Clopper–Pearson bounds of the probability of such a guess on
// either input.
func (t *tally) bound(alpha, delta float64) float64 {
	if delta == 0 {
		return audit.GuessBound(t.right(), t.guesses(), alpha)
	}
	c := audit.Counts{Hits: t.high[0], Draws: t.runs[0], Hits2: t.high[1], Draws2: t.runs[1]}
	if t.low[0]+t.low[1] > 0 {
		c = audit.Counts{Hits: t.low[1], Draws: t.runs[1], Hits2: t.low[0], Draws2: t.runs[0]}
	}
	return c.Bound(alpha, delta)
}

// hopeless reports that the bound is below another one, without computing it: it
// is below what the shares themselves say.
func (t *tally) hopeless(than, delta float64) bool {
	right, guesses := float64(t.right()), float64(t.guesses())
	return delta == 0 && (guesses == 0 || math.Log(right/(guesses-right)) <= than)
}

// p returns the smallest false-alarm rate at which the bound is above the claim.
func (t *tally) p(claim, delta float64) float64 {
	if !(t.bound(1-0x1p-20, delta) > claim) {
		return 1
	}
	low, high := -700.0, 0.0
	for high-low > 1e-6 {
		if mid := (low + high) / 2; t.bound(math.Exp(mid), delta) > claim {
			high = mid
		} else {
			low = mid
		}
	}
	return math.Exp(high)
}
