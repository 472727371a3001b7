package channel_test

import (
	"context"
	"errors"
	"math"
	weakrand "math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sotto/compute/channel"
	"sotto/compute/measure"
	"sotto/compute/nn"
	"sotto/promise/dp"
	"sotto/promise/dp/dptest"
)

// TestSolveIsOptimal holds Solve to linear programs small enough to be solved
// exactly.
func TestSolveIsOptimal(t *testing.T) {
	rng := weakrand.New(weakrand.NewPCG(1, 1))
	problems := 60
	if !dptest.Long() {
		problems = 6
	}
	for _, epsilon := range []float64{0.01, 0.5, 1, 2, 4, 8, 12} {
		for range problems {
			scores := random(rng, 1+rng.IntN(6), 2+rng.IntN(4))
			want, err := simplex(scores, epsilon)
			if err != nil {
				t.Fatal(err)
			}
			got := solve(t, scores, epsilon)
			if !(got.Value <= want+1e-8 && want <= got.Bound+1e-8) {
				t.Errorf("ε = %v: value %v and bound %v, want the best, %v, between them", epsilon, got.Value, got.Bound, want)
			}
			if !(got.Value >= want-within && got.Bound <= want+within) {
				t.Errorf("ε = %v: value %v and bound %v, want both within %v of the best, %v", epsilon, got.Value, got.Bound, within, want)
			}
		}
	}
}

// TestSolveByHand has programs whose solution is known.
func TestSolveByHand(t *testing.T) {
	for _, c := range []struct {
		name   string
		e      float64
		scores nn.Matrix
		want   float64
	}{
		// Randomised response.
		{"two answers", 3, matrix([]float32{1, 0}, []float32{0, 1}), 3. / 4},
		{"three answers", 4, matrix([]float32{1, 0, 0}, []float32{0, 1, 0}, []float32{0, 0, 1}), 4. / 6},
		// A text is never worth telling apart from another with the same best
		// answer.
		{"one best", 2, matrix([]float32{1, 0}, []float32{0.75, 0.5}), 0.875},
		// Subset selection, as any answer of the three is as good: 2E/(2E+2).
		{"two selected", 3, matrix([]float32{1, 1, 0, 0}, []float32{0, 0, 1, 1}, []float32{1, 0, 0, 1}, []float32{0, 1, 1, 0}, []float32{1, 0, 1, 0}, []float32{0, 1, 0, 1}), 3. / 4},
		// Weights 1, 1, 2, 1 of 9: equal ones have 0.612 at best, whichever
		// answers they are of.
		{
			"unequal weights", 3,
			matrix([]float32{.3, .3, .8, .5}, []float32{.7, .8, .9, .5}, []float32{.6, .7, .4, 0}, []float32{.7, .1, .5, .8}, []float32{.4, .6, .1, .6}),
			27.8 / 45,
		},
	} {
		s := solve(t, c.scores, math.Log(c.e))
		if !(s.Value >= c.want-within && s.Value <= c.want+1e-7 && s.Bound >= c.want-1e-7 && s.Bound <= c.want+within) {
			t.Errorf("%s: value %v and bound %v, want %v", c.name, s.Value, s.Bound, c.want)
		}
	}
}

// TestEqualWeightsAreBelow shows that the last case above needs unequal weights:
// no equal ones of any answers, with any number of them raised, reach it.
func TestEqualWeightsAreBelow(t *testing.T) {
	scores := matrix([]float32{.3, .3, .8, .5}, []float32{.7, .8, .9, .5}, []float32{.6, .7, .4, 0}, []float32{.7, .1, .5, .8}, []float32{.4, .6, .1, .6})
	const e = 3
	best := 0.0
	for set := 1; set < 1<<4; set++ {
		for raised := range 4 {
			weights, count := make([]float64, 4), 0
			for v := range weights {
				if set>>v&1 == 1 {
					weights[v] = 1
					count++
				}
			}
			if raised >= count {
				continue
			}
			for v := range weights {
				weights[v] /= float64(count) + (e-1)*float64(raised+1)
			}
			best = max(best, valueOf(t, scores, weights, math.Log(e)))
		}
	}
	if math.Abs(best-0.612) > 1e-7 {
		t.Errorf("the best of equal weights has %v, want 0.612", best)
	}
	if got := solve(t, scores, math.Log(e)).Value; !(got > best+0.005) {
		t.Errorf("Solve has %v, want well above %v", got, best)
	}
}

// TestYardstickIsBelow: the formula of equal weights over the commonest classes
// is a channel, so no bound is below it; and it is not the limit. Four texts of
// five are of class 0 or 1, the last is plainly of class 2, the rarest. Randomised
// response over 0 and 2 has 0.76·20/21.
func TestYardstickIsBelow(t *testing.T) {
	often := []float32{0.7, 0.3, 0}
	posteriors := matrix(often, often, often, often, []float32{0, 0, 1})
	epsilon := math.Log(20)
	formula, err := measure.Yardstick(dp.Epsilon(epsilon), posteriors, nil)
	if want := (1 + 19*0.76) / 22; err != nil || math.Abs(formula-want) > 1e-6 {
		t.Fatalf("the formula has %v, %v, want %v", formula, err, want)
	}
	want := 0.76 * 20 / 21
	if exact, err := simplex(posteriors, epsilon); err != nil || math.Abs(exact-want) > 1e-6 {
		t.Errorf("the best has %v, %v, want %v", exact, err, want)
	}
	if s := solve(t, posteriors, epsilon); !(s.Value >= want-within && s.Value > formula+0.02) {
		t.Errorf("Solve has %v, want %v, above the formula's %v", s.Value, want, formula)
	}
	rng := weakrand.New(weakrand.NewPCG(2, 1))
	for range 20 {
		n, classes := 2+rng.IntN(8), 2+rng.IntN(4)
		posteriors := nn.NewMatrix(n, classes)
		for i := range n { // sixteenths, so that rows have sum 1 exactly
			for range 16 {
				posteriors.Row(i)[rng.IntN(classes)] += 1. / 16
			}
		}
		for _, epsilon := range []float64{0.5, 2, 4} {
			formula, err := measure.Yardstick(dp.Epsilon(epsilon), posteriors, nil)
			if s := solve(t, posteriors, epsilon); err != nil || formula > s.Bound || formula > s.Value+within {
				t.Errorf("ε = %v: value %v and bound %v, want none below the formula's %v (%v)", epsilon, s.Value, s.Bound, formula, err)
			}
		}
	}
}

// TestNothingIsAboveTheBound releases by exponential mechanisms of many more
// outputs than answers, with the best decoder there is and with one that draws
// its answers.
func TestNothingIsAboveTheBound(t *testing.T) {
	rng := weakrand.New(weakrand.NewPCG(3, 1))
	for _, epsilon := range []float64{0.5, 2, 4, 8} {
		for range 5 {
			n, v := 2+rng.IntN(5), 2+rng.IntN(4)
			scores := random(rng, n, v)
			bound := solve(t, scores, epsilon).Bound
			for _, outputs := range []int{2, v, 40} {
				law := exponential(rng, n, outputs, epsilon)
				best, drawn := 0.0, 0.0
				for y := range outputs {
					worth, draw := make([]float64, v), make([]float64, v)
					sum := 0.0
					for a := range v {
						draw[a] = rng.Float64()
						sum += draw[a]
						for x := range n {
							worth[a] += law[x][y] * float64(scores.Row(x)[a]) / float64(n)
						}
					}
					best += slices.Max(worth)
					for a := range v {
						drawn += draw[a] / sum * worth[a]
					}
				}
				if best > bound || drawn > bound {
					t.Errorf("ε = %v: %d outputs give %v, and %v with drawn answers, above the bound %v", epsilon, outputs, best, drawn, bound)
				}
			}
		}
	}
}

// exponential returns the probabilities of the outputs for each text, by an
// exponential mechanism: P(y|x) ∝ base(y)·e^{εu(x,y)/2}, 0 ≤ u ≤ 1. Half of the time
// u is 0 or 1, which is nearly the best that such a mechanism can do.
func exponential(rng *weakrand.Rand, n, outputs int, epsilon float64) [][]float64 {
	base := make([]float64, outputs)
	for y := range base {
		base[y] = rng.Float64()
	}
	sharp := rng.IntN(2) == 0
	law := make([][]float64, n)
	for x := range law {
		law[x] = make([]float64, outputs)
		sum := 0.0
		for y := range law[x] {
			u := rng.Float64()
			if sharp {
				u = math.Round(u)
			}
			law[x][y] = base[y] * math.Exp(epsilon*u/2)
			sum += law[x][y]
		}
		for y := range law[x] {
			law[x][y] /= sum
		}
	}
	return law
}

// TestSolution checks what every solution promises, on scores of all kinds.
func TestSolution(t *testing.T) {
	rng := weakrand.New(weakrand.NewPCG(4, 1))
	for _, epsilon := range []float64{0.1, 1, 3, 6, 15, 30} {
		scores := random(rng, 40+rng.IntN(60), 2+rng.IntN(10))
		s := solve(t, scores, epsilon)
		if got := valueOf(t, scores, s.Weights, epsilon); math.Abs(got-s.Value) > 1e-9 {
			t.Errorf("ε = %v: the weights have %v, want what the solution says, %v", epsilon, got, s.Value)
		}
		if !(s.Value <= s.Bound) {
			t.Errorf("ε = %v: value %v is above the bound %v", epsilon, s.Value, s.Bound)
		}
		four, err := channel.Solve(t.Context(), scores, dp.Epsilon(epsilon), channel.Options{Workers: 4})
		if err != nil || !slices.Equal(four.Weights, s.Weights) || four.Value != s.Value || four.Bound != s.Bound {
			t.Errorf("ε = %v: four workers find %+v, %v, want %+v", epsilon, four, err, s)
		}
	}
}

// TestSolveGrows: more ε never gives less, and neither the order of the answers
// nor the scale of the scores matters.
func TestSolveGrows(t *testing.T) {
	rng := weakrand.New(weakrand.NewPCG(5, 1))
	scores := random(rng, 50, 6)
	order := rng.Perm(scores.Cols)
	shuffled, scaled := nn.NewMatrix(scores.Rows, scores.Cols), nn.NewMatrix(scores.Rows, scores.Cols)
	const factor, shift = 1 << 20, -7 << 19
	for i := range scores.Rows {
		for v, s := range scores.Row(i) {
			shuffled.Row(i)[order[v]] = s
			scaled.Row(i)[v] = s*factor + shift
		}
	}
	last := channel.Solution{}
	for _, epsilon := range []float64{0.1, 0.5, 1, 2, 4, 8} {
		s := solve(t, scores, epsilon)
		if !(s.Bound >= last.Value && s.Value >= last.Value-within) {
			t.Errorf("ε = %v: value %v and bound %v, want no less than %v at a smaller ε", epsilon, s.Value, s.Bound, last.Value)
		}
		last = s
		other := solve(t, shuffled, epsilon)
		if !(other.Value <= s.Bound && s.Value <= other.Bound && math.Abs(other.Value-s.Value) <= within) {
			t.Errorf("ε = %v: in another order value %v and bound %v, want those of %v and %v", epsilon, other.Value, other.Bound, s.Value, s.Bound)
		}
		// s·2²⁰ − 7·2¹⁹ rounds to a multiple of 2⁻², which is 2⁻²² of the factor.
		large := solve(t, scaled, epsilon)
		value, bound := (large.Value-shift)/factor, (large.Bound-shift)/factor
		if !(value <= s.Bound+1e-6 && s.Value <= bound+1e-6 && large.Value <= large.Bound) {
			t.Errorf("ε = %v: scaled up value %v and bound %v, want those of %v and %v", epsilon, value, bound, s.Value, s.Bound)
		}
	}
}

// TestSolveEnds: with no ε the best is one answer for all, of which a little ε
// adds at most its share, P ≤ e^ε·w; with much ε it is the best of each text.
func TestSolveEnds(t *testing.T) {
	rng := weakrand.New(weakrand.NewPCG(6, 1))
	for range 5 {
		scores := random(rng, 30, 4)
		means, each := make([]float64, scores.Cols), 0.0
		for i := range scores.Rows {
			for v, s := range scores.Row(i) {
				means[v] += float64(s) / float64(scores.Rows)
			}
			each += float64(slices.Max(scores.Row(i))) / float64(scores.Rows)
		}
		constant := slices.Max(means)
		s := solve(t, scores, 1e-6)
		if !(s.Value >= constant-within && s.Value <= constant*(1+2e-6) && s.Bound >= constant && s.Bound <= constant+within) {
			t.Errorf("without ε: value %v and bound %v, want the best answer's %v", s.Value, s.Bound, constant)
		}
		for _, epsilon := range []float64{30, 31, 800, 1e6} {
			s = solve(t, scores, epsilon)
			if !(s.Value >= each-within && s.Bound >= each*(1-1e-12) && s.Bound <= each+1e-6) {
				t.Errorf("ε = %v: value %v and bound %v, want the best of each text, %v", epsilon, s.Value, s.Bound, each)
			}
			valueOf(t, scores, s.Weights, epsilon)
			b, err := channel.BestSubset(t.Context(), scores, dp.Epsilon(epsilon), 1, scores.Cols)
			if err != nil || !(b.Value >= each-within && b.Value <= s.Bound) {
				t.Errorf("ε = %v: BestSubset = %+v, %v, want %v", epsilon, b, err, each)
			}
		}
	}
}

func TestSolveRefuses(t *testing.T) {
	good := matrix([]float32{1, 0}, []float32{0, 1})
	for _, c := range []struct {
		name    string
		scores  nn.Matrix
		epsilon dp.Epsilon
		want    string
	}{
		{"no ε", good, 0, "ε is 0"},
		{"negative ε", good, -1, "ε is -1"},
		{"NaN ε", good, dp.Epsilon(math.NaN()), "ε is NaN"},
		{"infinite ε", good, dp.Infinite, "finite"},
		{"no texts", nn.Matrix{Cols: 2}, 1, "no texts"},
		{"one answer", matrix([]float32{1}), 1, "from 2 to 1024"},
		{"many answers", nn.NewMatrix(1, 1025), 1, "from 2 to 1024"},
		{"NaN score", matrix([]float32{0, float32(math.NaN())}), 1, "not finite"},
		{"infinite score", matrix([]float32{0, float32(math.Inf(-1))}), 1, "not finite"},
	} {
		if s, err := channel.Solve(t.Context(), c.scores, c.epsilon, channel.Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: Solve = %+v, %v, want an error with %q", c.name, s, err, c.want)
		}
		if s, err := channel.BestSubset(t.Context(), c.scores, c.epsilon, 1, 2); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: BestSubset = %+v, %v, want an error with %q", c.name, s, err, c.want)
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := channel.Solve(ended, good, 1, channel.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Solve after the end: %v, want %v", err, context.Canceled)
	}
	if _, err := channel.BestSubset(ended, good, 1, 1, 2); !errors.Is(err, context.Canceled) {
		t.Errorf("BestSubset after the end: %v, want %v", err, context.Canceled)
	}
}

// FuzzSolve looks for scores whose best is not between value and bound. Each
// byte is a score.
func FuzzSolve(f *testing.F) {
	f.Add([]byte{255, 0, 0, 255}, uint8(2), 1.0)
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9}, uint8(3), 0.1)
	f.Add([]byte{0, 0, 0, 0}, uint8(2), 9.0)
	f.Add([]byte{200, 40, 10, 0, 40, 40, 90, 3}, uint8(4), 4.0)
	f.Fuzz(func(t *testing.T, content []byte, answers uint8, epsilon float64) {
		v := int(answers)
		if v < 2 || v > 6 || len(content) < v || len(content) > 36 || !(epsilon >= 1e-3 && epsilon <= 12) {
			t.Skip("no program that is small enough")
		}
		scores := nn.NewMatrix(len(content)/v, v)
		for i := range scores.Data {
			scores.Data[i] = float32(content[i]) / 255
		}
		s, err := channel.Solve(t.Context(), scores, dp.Epsilon(epsilon), channel.Options{Rounds: 200, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		if want, err := simplex(scores, epsilon); err == nil && !(s.Value <= want+1e-8 && want <= s.Bound+1e-8) {
			t.Errorf("value %v and bound %v, want the best, %v, between them", s.Value, s.Bound, want)
		}
		if got := valueOf(t, scores, s.Weights, epsilon); math.Abs(got-s.Value) > 1e-9 {
			t.Errorf("the weights have %v, want %v", got, s.Value)
		}
	})
}
