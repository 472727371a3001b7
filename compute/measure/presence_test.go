package measure_test

import (
	"fmt"
	"math"
	"testing"

	"sotto/compute/measure"
	"sotto/promise/dp"
)

func TestF1(t *testing.T) {
	for _, tt := range []struct {
		name      string
		want, got [][]int
		value     float64
	}{
		{"all right", [][]int{{1, 0, 1}}, [][]int{{1, 0, 1}}, 1},
		{"never guessed", [][]int{{1, 0, 1}}, [][]int{{0, 0, 0}}, 0},
		{"always guessed", [][]int{{1, 0, 0}}, [][]int{{1, 1, 1}}, 2.0 / 4},
		{"unknown rows", [][]int{{1, -1, 0}}, [][]int{{1, 1, 0}}, 1},
		{"nothing there", [][]int{{0, 0}}, [][]int{{0, 0}}, math.NaN()},
		// Of two things: 2 hits, 1 false, 1 missed.
		{"together", [][]int{{1, 1, 0}, {1, 0, 0}}, [][]int{{1, 0, 1}, {1, 0, 0}}, 4.0 / 6},
	} {
		e := measure.Bootstrap{Seed: 3, Resamples: 50}.F1(tt.want, tt.got)
		if !near(float64(e.Value), tt.value, 1e-12) {
			t.Errorf("%s: F1 = %v, want %v", tt.name, e.Value, tt.value)
		}
		if !math.IsNaN(tt.value) && !(e.Low <= e.Value && e.Value <= e.High) {
			t.Errorf("%s: interval %v to %v does not hold %v", tt.name, e.Low, e.High, e.Value)
		}
	}
	for name, f := range map[string]func(){
		"no things": func() { measure.Bootstrap{}.F1(nil, nil) },
		"lengths":   func() { measure.Bootstrap{}.F1([][]int{{1}}, [][]int{{1, 0}}) },
	} {
		if !panics(f) {
			t.Errorf("%s: F1 does not panic", name)
		}
	}
}

// TestF1Interval: the bootstrap interval covers the F1 of the law. Of 200
// samples it should miss one in twenty; a percentile interval of a ratio on 300
// rows covers a little less, and 90 % is its worst case in the literature. The
// number of misses is then at most binomial(200, 0.1), and above 40 with
// probability 7.2·10⁻⁶.
func TestF1Interval(t *testing.T) {
	const truth = 2 * 0.3 * 0.8 / (0.3*0.8 + 0.3 + 0.7*0.1) // share 0.3, found 0.8, false 0.1
	misses := 0
	for k := range 200 {
		r := rng(uint64(k))
		want, got := make([]int, 300), make([]int, 300)
		for i := range want {
			chance := 0.1
			if r.Float64() < 0.3 {
				want[i], chance = 1, 0.8
			}
			if r.Float64() < chance {
				got[i] = 1
			}
		}
		e := measure.Bootstrap{Resamples: 200, Seed: uint64(k)}.F1([][]int{want}, [][]int{got})
		if !(float64(e.Low) <= truth && truth <= float64(e.High)) {
			misses++
		}
	}
	if misses > 40 {
		t.Errorf("%d of 200 intervals miss the true F1, want at most 40", misses)
	}
}

// TestF1Limit compares with a search over all pairs of rates that ε allows.
func TestF1Limit(t *testing.T) {
	for _, epsilon := range []float64{0, 0.3, 1, 3} {
		for _, p := range []float64{0.02, 0.3, 0.5, 0.9} {
			best, e := 0.0, math.Exp(epsilon)
			for f := 0.0; f <= 1; f += 1.0 / 4096 {
				found := min(e*f, 1-(1-f)/e)
				best = max(best, 2*p*found/(p+p*found+(1-p)*f))
			}
			// The best rates may lie between two of those tried, where F1 rises by
			// less than 2·(e^ε+1)/(4096·p).
			got := measure.F1Limit(dp.Epsilon(epsilon), []float64{p})
			if !(got >= best-1e-12 && got <= best+2*(e+1)/(4096*p)) {
				t.Errorf("F1Limit(%v, %v) = %v, want %v", epsilon, p, got, best)
			}
		}
	}
	// Two things: each vertex of the one with each of the other.
	for _, epsilon := range []float64{0, 1, 2} {
		pi, p := 1/(1+math.Exp(-epsilon)), []float64{0.6, 0.1}
		corners, best := [][2]float64{{0, 0}, {1 - pi, pi}, {1, 1}}, 0.0
		for _, a := range corners {
			for _, b := range corners {
				above := 2*p[0]*a[1] + 2*p[1]*b[1]
				below := p[0] + p[0]*a[1] + (1-p[0])*a[0] + p[1] + p[1]*b[1] + (1-p[1])*b[0]
				best = max(best, above/below)
			}
		}
		if got := measure.F1Limit(dp.Epsilon(epsilon), p); !near(got, best, 1e-12) {
			t.Errorf("F1Limit(%v, two things) = %v, want %v", epsilon, got, best)
		}
	}
	if got := measure.F1Limit(dp.Infinite, []float64{0.1, 0.4}); got != 1 {
		t.Errorf("F1Limit(∞) = %v, want 1", got)
	}
	if got := measure.F1Limit(1, []float64{0, 0}); !math.IsNaN(got) {
		t.Errorf("F1Limit of things that never are there = %v, want NaN", got)
	}
	// The majority row of the DPNR paper's Table 4: 1−F = 49.34 % on the 1,457 test
	// texts, of which 803, 367, 267, 149 and 127 name the five persons.
	var shares []float64
	for _, n := range []float64{803, 367, 267, 149, 127} {
		shares = append(shares, n/1457)
	}
	if got := 1 - measure.F1Limit(0, shares); !near(got, 0.4934, 5e-5) {
		t.Errorf("1−F of the best guess without a release = %v, want 0.4934", got)
	}
}

func TestPrecisionLimit(t *testing.T) {
	shares := []float64{0.1, 0.5, 0, 0.2, 1}
	for _, tt := range []struct {
		epsilon float64
		k       int
		want    float64
	}{
		{0, 1, 1},
		{0, 2, 0.75},
		{0, 3, 1.7 / 3},
		{math.Log(4), 3, (1 + 0.8 + 0.5) / 3}, // odds 1 to 4, and 1/4 to 1
		{math.Inf(1), 5, 4.0 / 5},
	} {
		if got := measure.PrecisionLimit(dp.Epsilon(tt.epsilon), shares, tt.k); !near(got, tt.want, 1e-12) {
			t.Errorf("PrecisionLimit(%v, %d) = %v, want %v", tt.epsilon, tt.k, got, tt.want)
		}
	}
	for _, k := range []int{0, 6} {
		if !panics(func() { measure.PrecisionLimit(1, shares, k) }) {
			t.Errorf("PrecisionLimit of %d words of 5 does not panic", k)
		}
	}
}

func TestHoeffding(t *testing.T) {
	for _, tt := range []struct {
		mean            float64
		draws           int
		low, high, slip float64
	}{
		{0, 100, 0, 1 - math.Exp(-math.Log(40)/100), 1e-9},
		{1, 100, math.Exp(-math.Log(40) / 100), 1, 1e-9},
		// Near the middle KL(m‖μ) is 2(m−μ)², up to its fourth power: 0.5 ± √(ln 40/2n).
		{0.5, 1e6, 0.5 - math.Sqrt(math.Log(40)/2e6), 0.5 + math.Sqrt(math.Log(40)/2e6), 1e-7},
	} {
		low, high := measure.Hoeffding(tt.mean, tt.draws, 0.95)
		if !near(low, tt.low, tt.slip) || !near(high, tt.high, tt.slip) {
			t.Errorf("Hoeffding(%v, %d) = %v, %v, want %v, %v", tt.mean, tt.draws, low, high, tt.low, tt.high)
		}
	}
	// It is wider than the exact interval of coins, which it also covers; where
	// all coins agree both are 1−(α/2)^{1/n}, up to rounding.
	for _, hits := range []int{0, 1, 7, 25, 49, 50} {
		low, high := measure.Hoeffding(float64(hits)/50, 50, 0.99)
		inner, outer := measure.ClopperPearson(hits, 50, 0.99)
		if !(low <= inner+1e-12 && outer <= high+1e-12) {
			t.Errorf("Hoeffding of %d in 50 = %v to %v, want it around %v to %v", hits, low, high, inner, outer)
		}
	}
	for _, f := range []func(){
		func() { measure.Hoeffding(math.NaN(), 5, 0.9) },
		func() { measure.Hoeffding(0.5, 0, 0.9) },
		func() { measure.Hoeffding(0.5, 5, 1) },
	} {
		if !panics(f) {
			t.Error("Hoeffding out of range does not panic")
		}
	}
}

func ExampleBootstrap_F1() {
	want := [][]int{{1, 1, 0, 0}, {0, 1, 0, 0}} // of two things, in four texts
	got := [][]int{{1, 0, 0, 0}, {0, 1, 1, 0}}
	e := measure.Bootstrap{Seed: 1}.F1(want, got)
	fmt.Printf("%.3f\n", float64(e.Value))
	// Output: 0.667
}

func ExamplePrecisionLimit() {
	// Words that stand in half and in a tenth of the texts.
	fmt.Printf("%.3f %.3f\n", measure.PrecisionLimit(0, []float64{0.5, 0.1}, 1), measure.PrecisionLimit(2, []float64{0.5, 0.1}, 1))
	// Output: 0.500 0.881
}
