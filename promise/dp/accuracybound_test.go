package dp_test

import (
	"math"
	weakrand "math/rand/v2"
	"slices"
	"testing"

	"sotto/promise/dp"
)

func limit(tb testing.TB, eps dp.Epsilon, priors ...float64) float64 {
	tb.Helper()
	got, err := dp.AccuracyBound(eps, priors)
	if err != nil {
		tb.Fatalf("AccuracyBound(%v, %v) error = %v", eps, priors, err)
	}
	return got
}

func TestAccuracyBoundClosedCases(t *testing.T) {
	odds := func(eps float64) float64 { return 1 / (1 + math.Exp(-eps)) }
	for _, tt := range []struct {
		name   string
		eps    dp.Epsilon
		priors []float64
		want   float64
	}{
		{"nothing released: the majority", 0, []float64{0.2, 0.5, 0.3}, 0.5},
		{"everything released", dp.Infinite, []float64{0.2, 0.5, 0.3}, 1},
		{"everything released, some classes unnamed", dp.Infinite, []float64{0.2, 0.5}, 1},
		{"two equal classes", 1, []float64{0.5, 0.5}, odds(1)},
		{"two equal classes, much privacy", 0.05, []float64{0.5, 0.5}, odds(0.05)},
		{"a thousand at ε = 800", 800, slices.Repeat([]float64{1e-3}, 1000), 1},
		{"four equal classes", math.Ln2, slices.Repeat([]float64{0.25}, 4), 2.0 / 5},
		{"the majority is better than responding", 0.1, []float64{0.9, 0.1}, 0.9},
		{"responding is better", 3, []float64{0.9, 0.1}, odds(3)},
		{"two of three classes", 1, []float64{0.48, 0.48, 0.04}, 0.96 * odds(1)},
		{"one class", 2, []float64{1}, 1},
	} {
		if got := limit(t, tt.eps, tt.priors...); math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("%s: AccuracyBound(%v) = %v, want %v", tt.name, tt.eps, got, tt.want)
		}
	}
}

// TestAccuracyBoundRefutesAG: 80.87 % of AG's topics cannot be guessed at ε = 0.05, when
// the commonest has 57.8 %.
func TestAccuracyBoundRefutesAG(t *testing.T) {
	for _, priors := range [][]float64{{0.578}, {0.578, 0.2, 0.122, 0.1}, {0.578, 0.422}} {
		if got := limit(t, 0.05, priors...); !(got >= 0.578 && got < 0.6) {
			t.Errorf("AccuracyBound(0.05, %v) = %v, want it from 0.578 to 0.6", priors, got)
		}
	}
}

func TestAccuracyBoundOrder(t *testing.T) {
	a, b := limit(t, 1, 0.1, 0.6, 0.3), limit(t, 1, 0.6, 0.3, 0.1)
	if a != b {
		t.Errorf("AccuracyBound depends on the order of the classes: %v and %v", a, b)
	}
	priors := []float64{0.1, 0.6, 0.3}
	limit(t, 1, priors...)
	if !slices.Equal(priors, []float64{0.1, 0.6, 0.3}) {
		t.Errorf("AccuracyBound changed its argument to %v", priors)
	}
}

// TestAccuracyBoundGrows with ε, from the majority to 1.
func TestAccuracyBoundGrows(t *testing.T) {
	rng := weakrand.New(weakrand.NewPCG(1, 2))
	for range 50 {
		priors := randomPriors(rng, 2+rng.IntN(6))
		last := slices.Max(priors)
		for eps := dp.Epsilon(0); eps < 20; eps += 0.25 {
			got := limit(t, eps, priors...)
			if !(got >= last-1e-12 && got <= 1) {
				t.Fatalf("AccuracyBound(%v, %v) = %v, want it from %v to 1", eps, priors, got, last)
			}
			last = got
		}
	}
}

// TestAccuracyBoundPartial: leaving out rare classes never lowers the bound, however
// they share what is missing.
func TestAccuracyBoundPartial(t *testing.T) {
	rng := weakrand.New(weakrand.NewPCG(3, 4))
	for range 300 {
		full := randomPriors(rng, 3+rng.IntN(8))
		slices.SortFunc(full, func(a, b float64) int {
			if a > b {
				return -1
			}
			return 1
		})
		eps := dp.Epsilon(6 * rng.Float64())
		want := limit(t, eps, full...)
		for named := 1; named < len(full); named++ {
			if got := limit(t, eps, full[:named]...); !(got >= want-1e-12 && got <= 1) {
				t.Errorf("AccuracyBound(%v) of %d of %v = %v, want at least %v", eps, named, full, got, want)
			}
		}
	}
}

// TestAccuracyBoundTinyPrior: a class too rare to count is no reason for nonsense.
func TestAccuracyBoundTinyPrior(t *testing.T) {
	for _, eps := range []dp.Epsilon{0, 1, 800, dp.Infinite} {
		got := limit(t, eps, 0.5, math.SmallestNonzeroFloat64)
		if !(got >= 0.5 && got <= 1) {
			t.Errorf("AccuracyBound(%v, 0.5 and the smallest float) = %v, want it from 0.5 to 1", eps, got)
		}
	}
}

func TestAccuracyBoundRefuses(t *testing.T) {
	nan := math.NaN()
	for _, tt := range []struct {
		eps    float64
		priors []float64
	}{
		{-1, []float64{0.5}},
		{nan, []float64{0.5}},
		{1, nil},
		{1, []float64{}},
		{1, []float64{0}},
		{1, []float64{-0.1, 0.5}},
		{1, []float64{1.1}},
		{1, []float64{0.6, 0.6}},
		{1, []float64{nan}},
		{1, []float64{math.Inf(1)}},
	} {
		if got, err := dp.AccuracyBound(dp.Epsilon(tt.eps), tt.priors); err == nil {
			t.Errorf("AccuracyBound(%v, %v) = %v, want an error", tt.eps, tt.priors, got)
		}
	}
}

func randomPriors(rng *weakrand.Rand, n int) []float64 {
	p, sum := make([]float64, n), 0.0
	for i := range p {
		p[i] = rng.ExpFloat64() * rng.ExpFloat64()
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}

// accuracy returns how often the best guess from a release of the channel is
// right: channel[c][y] is P(release y | class c).
func accuracy(channel [][]float64, priors []float64) float64 {
	sum := 0.0
	for y := range channel[0] {
		best := 0.0
		for c, p := range priors {
			best = max(best, p*channel[c][y])
		}
		sum += best
	}
	return sum
}

// lossOf returns the largest ln P(y|c)/P(y|d).
func lossOf(channel [][]float64) float64 {
	worst := 0.0
	for y := range channel[0] {
		for c := range channel {
			for d := range channel {
				worst = max(worst, math.Log(channel[c][y]/channel[d][y]))
			}
		}
	}
	return worst
}

// TestAccuracyBoundHolds draws random channels, mixes each with a constant one until it
// is ε-DP and no further, and never guesses better than the limit.
func TestAccuracyBoundHolds(t *testing.T) {
	rng := weakrand.New(weakrand.NewPCG(5, 6))
	for range 3000 {
		classes, releases := 2+rng.IntN(4), 2+rng.IntN(6)
		priors := randomPriors(rng, classes)
		eps := 4 * rng.Float64()
		sharp, flat := make([][]float64, classes), randomPriors(rng, releases)
		for c := range sharp {
			sharp[c] = randomPriors(rng, releases)
		}
		mixed := func(a float64) [][]float64 {
			m := make([][]float64, classes)
			for c := range m {
				m[c] = make([]float64, releases)
				for y := range m[c] {
					m[c][y] = a*sharp[c][y] + (1-a)*flat[y]
				}
			}
			return m
		}
		lo, hi := 0.0, 1.0
		for range 50 {
			if mid := (lo + hi) / 2; lossOf(mixed(mid)) <= eps {
				lo = mid
			} else {
				hi = mid
			}
		}
		if got, most := accuracy(mixed(lo), priors), limit(t, dp.Epsilon(eps), priors...); got > most+1e-12 {
			t.Errorf("a channel of loss %v guesses right with %v, more than AccuracyBound(%v, %v) = %v", lossOf(mixed(lo)), got, eps, priors, most)
		}
	}
}

// TestAccuracyBoundAttained: randomised response over the m commonest classes is ε-DP
// and, for the best m, guesses as often right as the limit says. Subset
// selection, the other optimal family, stays below.
func TestAccuracyBoundAttained(t *testing.T) {
	rng := weakrand.New(weakrand.NewPCG(7, 8))
	for range 300 {
		classes := 2 + rng.IntN(5)
		priors := randomPriors(rng, classes)
		slices.Sort(priors)
		slices.Reverse(priors)
		eps := 5 * rng.Float64()
		want := limit(t, dp.Epsilon(eps), priors...)
		best := 0.0
		for m := 1; m <= classes; m++ {
			response := make([][]float64, classes)
			for c := range response {
				response[c] = make([]float64, m)
				for y := range response[c] {
					weight := 1.0
					if y == c {
						weight = math.Exp(eps)
					}
					// A class that is not among the m is released as the first.
					if c >= m && y == 0 {
						weight = math.Exp(eps)
					}
					response[c][y] = weight / (math.Exp(eps) + float64(m-1))
				}
			}
			if lossOf(response) > eps+1e-12 {
				t.Fatalf("randomised response has loss %v, want %v", lossOf(response), eps)
			}
			best = max(best, accuracy(response, priors))
		}
		if math.Abs(best-want) > 1e-12 {
			t.Errorf("randomised response guesses right with %v at best, want AccuracyBound(%v, %v) = %v", best, eps, priors, want)
		}
		for k := 1; k < classes; k++ {
			if got := accuracy(subsets(classes, k, eps), priors); got > want+1e-12 {
				t.Errorf("subset selection of %d guesses right with %v, more than AccuracyBound(%v, %v) = %v", k, got, eps, priors, want)
			}
		}
	}
}

// subsets returns the channel that releases a set of k classes, e^ε times as
// likely if it holds the true one.
func subsets(classes, k int, eps float64) [][]float64 {
	channel := make([][]float64, classes)
	for set := range 1 << classes {
		size := 0
		for c := range classes {
			size += set >> c & 1
		}
		if size != k {
			continue
		}
		for c := range classes {
			weight := 1.0
			if set>>c&1 == 1 {
				weight = math.Exp(eps)
			}
			channel[c] = append(channel[c], weight)
		}
	}
	for c := range channel {
		sum := 0.0
		for _, w := range channel[c] {
			sum += w
		}
		for y := range channel[c] {
			channel[c][y] /= sum
		}
	}
	return channel
}
