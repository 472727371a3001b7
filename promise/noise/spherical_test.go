package noise_test

import (
	"fmt"
	"math"
	"testing"

	"sotto/promise/noise"
)

// TestDecay compares the rate of an event of probability e^(−a/b) with it, below
// and above one and with 128 bits.
func TestDecay(t *testing.T) {
	const draws = 40_000
	for i, tt := range []struct {
		a, b [2]uint64
		rate float64
	}{
		{[2]uint64{0, 1}, [2]uint64{0, 3}, 1.0 / 3},
		{[2]uint64{0, 5}, [2]uint64{0, 5}, 1},
		{[2]uint64{0, 7}, [2]uint64{0, 3}, 7.0 / 3},
		{[2]uint64{1, 0}, [2]uint64{2, 0}, 0.5},
		{[2]uint64{5, 1 << 63}, [2]uint64{3, 0}, 5.5 / 3},
		{[2]uint64{0, 1 << 62}, [2]uint64{1, 0}, 0.25},
	} {
		s := seeded(t, byte(i))
		seen := []int{0, 0}
		for range draws {
			if s.Decay(tt.a, tt.b) {
				seen[0]++
			} else {
				seen[1]++
			}
		}
		p := math.Exp(-tt.rate)
		checkCounts(t, fmt.Sprintf("decay of %v", tt.rate), seen, []float64{p, 1 - p})
	}
	for range 100 {
		if s := seeded(t, 9); !s.Decay([2]uint64{0, 0}, [2]uint64{0, 8}) {
			t.Fatal("an event of probability e⁰ did not happen")
		}
	}
}

// TestGeometric compares the law with its weights.
func TestGeometric(t *testing.T) {
	const draws, cells = 40_000, 12
	for i, scale := range []uint64{1, 2, 5} {
		s := seeded(t, byte(20+i))
		last := min(cells, int(4*scale))
		seen, law := make([]int, last+1), make([]float64, last+1)
		for k := range last {
			law[k] = -math.Expm1(-1/float64(scale)) * math.Exp(-float64(k)/float64(scale))
		}
		law[last] = math.Exp(-float64(last) / float64(scale))
		for range draws {
			seen[min(s.Geometric(scale), uint64(last))]++
		}
		checkCounts(t, fmt.Sprintf("geometric of scale %d", scale), seen, law)
	}
}

// TestDiscreteGaussian compares the law with its weights e^(−y²/2v).
func TestDiscreteGaussian(t *testing.T) {
	const draws = 60_000
	for i, v := range []uint64{1, 4, 30} {
		s := seeded(t, byte(30+i))
		last := int(2 * math.Sqrt(float64(v)))
		law, total := make([]float64, 2*last+3), 0.0
		seen := make([]int, len(law))
		for y := -200; y <= 200; y++ {
			w := math.Exp(-float64(y*y) / float64(2*v))
			total += w
			law[min(max(y, -last-1), last+1)+last+1] += w
		}
		for j := range law {
			law[j] /= total
		}
		for range draws {
			seen[min(max(int(s.DiscreteGaussian(v)), -last-1), last+1)+last+1]++
		}
		checkCounts(t, fmt.Sprintf("discrete Gaussian of variance %d", v), seen, law)
	}
}

// TestSphericalTheorem sums the law at small scales, where no integral stands in
// for it, and compares its worst loss for a unit of distance with the bound that
// [noise.SphericalStep] is an instance of.
func TestSphericalTheorem(t *testing.T) {
	for _, dim := range []int{1, 2, 3, 8, 9} {
		for _, scale := range []int{2, 30} {
			for _, least := range []int{(dim + 3) / 2, 20} {
				log := sphericalLaw(dim, scale, least)
				bound := noise.SphericalBound(float64(least), float64(scale))
				worst := 0.0
				for r := 0.0; r < 60; r++ {
					worst = max(worst, log(r)-log(r+1))
				}
				if worst > bound {
					t.Errorf("D=%d T=%d v₀=%d: the loss of a unit is %v, more than the bound, %v", dim, scale, least, worst, bound)
				}
				if scale == 30 && least == 20 && worst < 0.85*bound {
					t.Errorf("D=%d T=%d v₀=%d: the loss of a unit is %v, far below the bound, %v: the bound is not that of this law", dim, scale, least, worst, bound)
				}
			}
		}
	}
}

// sphericalLaw returns ln of the law of a point at that distance, summed over
// variances.
func sphericalLaw(dim, scale, least int) func(r float64) float64 {
	terms := (dim+1)/2 + 1
	var weights []float64 // ln of π(v)·θ(v)^−D
	binomial := 0.0       // ln C(k+m, m)
	for k := range 60 * scale {
		if k > 0 {
			binomial += math.Log(float64(k+terms-1) / float64(k))
		}
		v, theta := float64(least+k), 1.0
		for y := 1.0; v < 4 && y < 12*math.Sqrt(v); y++ {
			theta += 2 * math.Exp(-y*y/(2*v))
		}
		if v >= 4 { // Poisson: √(2πv)·(1+2·Σ exp(−2π²k²v)), and the sum is below 10⁻³⁴
			theta = math.Sqrt(2 * math.Pi * v)
		}
		weights = append(weights, binomial-float64(k)/float64(scale)-float64(dim)*math.Log(theta))
	}
	return func(r float64) float64 {
		top, sum := math.Inf(-1), 0.0
		for k, w := range weights {
			top = max(top, w-r*r/float64(2*(least+k)))
		}
		for k, w := range weights {
			sum += math.Exp(w - r*r/float64(2*(least+k)) - top)
		}
		return top + math.Log(sum)
	}
}

// TestSphericalNoise compares squared lengths with the variance, in even and odd
// dimensions.
func TestSphericalNoise(t *testing.T) {
	const draws = 4000
	for i, dim := range []int{1, 2, 7, 64} {
		s := seeded(t, byte(40+i))
		k := make([]int64, dim)
		sum, first := 0.0, 0.0
		sigma := math.Sqrt(noise.SphericalVariance(dim))
		for range draws {
			s.Spherical(k)
			for _, v := range k {
				sum += float64(v) / sigma * (float64(v) / sigma)
			}
			first += float64(k[0]) / sigma
		}
		// With n terms V/E[V] is Gamma(n)/n, so that ‖Z‖² has E[·²] =
		// D(D+2)(1+1/n); coordinates have variance 1. Five deviations: the means
		// of 4000 are close to normal, and both sides of five are 6·10⁻⁷.
		d, n := float64(dim), float64((dim+1)/2+1)
		deviation := math.Sqrt((d*(d+2)*(1+1/n) - d*d) / draws)
		if got := sum / draws; math.Abs(got-d) > 5*deviation {
			t.Errorf("D=%d: mean squared length is %v variances, want %v ± %v", dim, got, d, deviation)
		}
		if got := first / draws; math.Abs(got) > 5/math.Sqrt(draws) {
			t.Errorf("D=%d: mean is %v deviations, want 0", dim, got)
		}
	}
}

// TestSphericalLog compares the formula with the sum that it stands for.
func TestSphericalLog(t *testing.T) {
	const scale = 3000
	unit := math.Sqrt(float64(uint64(1)<<36) / scale) // the formula's scale over this one's
	for _, dim := range []int{1, 2, 6, 7} {
		log := sphericalLaw(dim, scale, (dim+3)/2)
		for _, r := range []float64{1, 30, 100, 400} {
			got, want := noise.SphericalLog(dim, r*unit), log(r)-log(0)
			if !(math.Abs(got-want) < 0.02) {
				t.Errorf("SphericalLog(%d, %v) = %v, want %v", dim, r*unit, got, want)
			}
		}
	}
	for _, x := range []float64{0, 1e3, 1e9, 1e12, 1e15} { // both branches meet
		if got := noise.SphericalLog(2, x); !(got <= 0) || math.IsInf(got, 0) {
			t.Errorf("SphericalLog(2, %v) = %v, want a finite number that is not positive", x, got)
		}
	}
}
