package mech_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"sotto/promise/dp/dptest"
	"sotto/promise/mech"
)

func privUnit(tb testing.TB, dim int, eps float64) *mech.PrivUnit {
	tb.Helper()
	m, err := mech.NewPrivUnit(mech.Params{Dim: dim, Epsilon: eps})
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// gammaOf returns γ, which the mean squared error gives away.
func gammaOf(m *mech.PrivUnit) float64 { return 1 / math.Sqrt(1+m.MSE()) }

// quadrature integrates exp(logf) over [a, b] by the midpoint rule after the
// substitution that flattens both ends doubly exponentially, which converges to
// the last digits for a smooth function: tanh–sinh.
func quadrature(logf func(float64) float64, a, b float64) float64 {
	const h = 1.0 / 64
	half, sum := (b-a)/2, 0.0
	for k := -4 * 64; k <= 4*64; k++ {
		s := float64(k) * h
		u := math.Pi / 2 * math.Sinh(s)
		// The distance from the nearer end keeps its digits; t is a or b plus it.
		near := half * 2 / (1 + math.Exp(2*math.Abs(u)))
		t := a + near
		if s > 0 {
			t = b - near
		}
		weight := half * math.Pi / 2 * math.Cosh(s) / (math.Cosh(u) * math.Cosh(u))
		if v := weight * math.Exp(logf(t)); !math.IsNaN(v) {
			sum += v * h
		}
	}
	return sum
}

// capQuadrature returns τ(γ) and the mean over the cap, by integration of
// (1−t²)^((D−3)/2) relative to its value at 0: no gamma function is involved.
func capQuadrature(dim int, gamma float64) (tail, mean float64) {
	power := float64(dim-3) / 2
	density := func(t float64) float64 { return power * math.Log1p(-t*t) }
	// In high dimensions the mass lies within a few 1/√D of 0: integrating
	// where the density is below e^−745 would only waste nodes.
	end := math.Min(1, math.Sqrt(-math.Expm1(-745/math.Max(power, 1))))
	all := 2 * quadrature(density, 0, end)
	above := quadrature(density, gamma, math.Max(end, math.Min(1, gamma+end)))
	first := quadrature(func(t float64) float64 { return density(t) + math.Log(t) }, gamma, math.Max(end, math.Min(1, gamma+end)))
	return above / all, first / all
}

// TestCapTail compares the measure of a cap and its mean with integration. The
// loss of PrivUnit moves by the relative error of τ/(1−τ), at most twice that of
// τ, and its guarantee allows 10⁻¹⁰ for it.
func TestCapTail(t *testing.T) {
	for _, dim := range []int{3, 4, 5, 50, 300, 768, 4096, 8192} {
		for _, eps := range []float64{0.05, 1, 8, 20} {
			gamma := gammaOf(privUnit(t, dim, eps))
			tail, mean := capQuadrature(dim, gamma)
			if got := mech.CapTail(dim, gamma); !within(got, tail, 2e-11) {
				t.Errorf("capTail(%d, %v) = %v, want %v: off by %.2g", dim, gamma, got, tail, got/tail-1)
			}
			if got := mech.CapMean(dim, gamma); !within(got, mean, 1e-8) {
				t.Errorf("capMean(%d, %v) = %v, want %v: off by %.2g", dim, gamma, got, mean, got/mean-1)
			}
		}
	}
}

// TestPrivUnitBestCap: γ solves γ = m(γ), and no other cap has more signal.
func TestPrivUnitBestCap(t *testing.T) {
	for _, dim := range []int{3, 5, 50, 768} {
		for _, eps := range []float64{0.1, 1, 4, 8, 12} {
			gamma := gammaOf(privUnit(t, dim, eps))
			best := mech.CapSignal(dim, eps, gamma)
			if !within(best, gamma, 1e-9) {
				t.Errorf("dim=%d ε=%v: m(γ) = %v, want γ = %v", dim, eps, best, gamma)
			}
			for g := 0.001; g < 0.999; g += 0.001 {
				if other := mech.CapSignal(dim, eps, g); other > best*(1+1e-9) {
					t.Errorf("dim=%d ε=%v: the signal at %v is %v, more than %v at γ = %v", dim, eps, g, other, best, gamma)
				}
			}
		}
	}
}

// TestPrivUnitLaw compares the coordinate along the input, which three
// different samplers draw, with its law: that of a coordinate of a uniform unit
// vector, raised on [γ, 1] to have the probability p = e^ετ/(1+(e^ε−1)τ); and
// the rest with a uniform direction in the D−1 dimensions that are left.
func TestPrivUnitLaw(t *testing.T) {
	heavy(t)
	for _, dim := range []int{3, 50, 5, 768}[:dptest.Count(t, 2, 4)] {
		for _, eps := range []float64{0.1, 1, 4, 8, 12} {
			n := 20000
			if dim > 100 {
				n = 5000 // most of the time goes into directions
			}
			call := fmt.Sprintf("privunit dim=%d ε=%v", dim, eps)
			m := privUnit(t, dim, eps)
			gamma := gammaOf(m)
			x := normals(dim, 8)
			u := directed(x)
			side := directed(orthogonal(normals(dim, 9), u))
			var along, beside []float64
			draw(t, m, x, n, dptest.Source(t, uint64(dim)+uint64(10*eps)), func(y []float64) {
				c := inner(y, u) * gamma
				along = append(along, c)
				beside = append(beside, inner(y, side)*gamma/math.Sqrt(1-c*c))
				if l := length(y) * gamma; !within(l, 1, 1e-6) {
					t.Fatalf("%s: a release has length %v/γ, want 1/γ", call, l)
				}
			})
			tail := 1 - sphereCDF(dim, gamma)
			p := 1 / (1 + math.Exp(-eps)*(1-tail)/tail)
			checkLaw(t, call+" along the input", along, func(c float64) float64 {
				if c < gamma {
					return (1 - p) * sphereCDF(dim, c) / (1 - tail)
				}
				return 1 - p*(1-sphereCDF(dim, c))/tail
			})
			checkLaw(t, call+" beside the input", beside, func(c float64) float64 { return besideCDF(dim, c) })
		}
	}
}

// besideCDF is the law of a coordinate of a uniform unit vector in the dim−1
// dimensions orthogonal to an input.
func besideCDF(dim int, c float64) float64 {
	if dim == 3 { // on a circle
		return 1 - math.Acos(min(max(c, -1), 1))/math.Pi
	}
	return sphereCDF(dim-1, c)
}

// orthogonal returns v without its part along the unit vector u.
func orthogonal(v, u []float64) []float64 {
	along := inner(v, u)
	w := make([]float64, len(v))
	for i := range v {
		w[i] = v[i] - along*u[i]
	}
	return w
}

// TestPrivUnitUnbiased compares means with the input's unit vector and the mean
// squared error with 1/γ²−1.
//
// A release has length 1/γ. Along the input its coordinate has mean 1 and a
// deviation below 1/γ; each axis has a deviation below 1/γ·√((1+D·…)/D), for
// which the sample's own is taken, n being large.
func TestPrivUnitUnbiased(t *testing.T) {
	heavy(t)
	const dim, draws = 10, 40000
	for _, eps := range []float64{0.5, 4, 10} {
		m := privUnit(t, dim, eps)
		x := normals(dim, 6)
		u := directed(x)
		sum, squares := make([]float64, dim), make([]float64, dim)
		var errors, errorSquares float64
		draw(t, m, x, draws, dptest.Source(t, 7), func(y []float64) {
			e := 0.0
			for i, v := range y {
				sum[i] += v
				squares[i] += v * v
				e += (v - u[i]) * (v - u[i])
			}
			errors += e
			errorSquares += e * e
		})
		deviation := func(sum, squares float64) float64 {
			return math.Sqrt(squares/draws - sum/draws*sum/draws)
		}
		for i := range u {
			checkMean(t, fmt.Sprintf("privunit ε=%v coordinate %d", eps, i), sum[i]/draws, u[i], deviation(sum[i], squares[i]), draws, dim)
		}
		checkMean(t, fmt.Sprintf("privunit ε=%v squared error", eps), errors/draws, m.MSE(), deviation(errors, errorSquares), draws, 1)
	}
}

// TestPrivUnitLoss compares the guarantee with the loss that the integer p and
// the cap's integrated measure have.
func TestPrivUnitLoss(t *testing.T) {
	for _, dim := range []int{3, 5, 50, 300, 768, 8192} {
		for _, eps := range []float64{1e-6, 1e-3, 0.05, 1, 8, 20} {
			m := privUnit(t, dim, eps)
			tail, _ := capQuadrature(dim, gammaOf(m))
			odds, _ := logRatio(integer(m.Inside()), integer(m.Inside().Not())).Float64()
			exact := odds + math.Log1p(-tail) - math.Log(tail)
			g := float64(m.Guarantee().Epsilon)
			if !(exact <= g) || !(exact >= g-1e-6) {
				t.Errorf("dim=%d ε=%v: the loss is %.12v, the guarantee %.12v", dim, eps, exact, g)
			}
		}
	}
}

// TestPrivUnitZero: the zero vector has no direction, and is released as the
// first axis is.
func TestPrivUnitZero(t *testing.T) {
	m := privUnit(t, 3, 2)
	for seed := range uint64(10) {
		zero, errZero := m.Privatize([]float64{0, 0, 0}, dptest.Source(t, seed))
		axis, errAxis := m.Privatize([]float64{2, 0, 0}, dptest.Source(t, seed))
		if errZero != nil || errAxis != nil || !slices.Equal(zero, axis) {
			t.Errorf("Privatize of zero = %v, %v, want what the first axis gives, %v, %v", zero, errZero, axis, errAxis)
		}
		if r, err := m.LogRatio(zero, []float64{0, 0, 0}, []float64{2, 0, 0}); r != 0 || err != nil {
			t.Errorf("LogRatio between zero and the first axis = %v, %v, want 0", r, err)
		}
	}
}
