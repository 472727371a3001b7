package mech

import (
	"fmt"
	"math"
	"math/rand/v2"

	"sotto/promise/dp"
	"sotto/promise/noise"
)

// Gaussian scales a vector to the unit L2 sphere and adds Gaussian noise of
// the least variance that (ε, δ) allows.
//
// Domain: finite vectors whose norm does not overflow. The zero vector stays
// zero. Neighbours: any two.
//
// Theorem. With inputs rounded to integer vectors of norm at most R and the
// noise of [noise.Stream.Gaussian], σ = [noise.GaussianScale], a release is
// (ε, δ)-DP with δ = Φ(R/σ − εσ/2R) − e^ε·Φ(−R/σ − εσ/2R) + (1+e^ε)·D·η,
// η = [noise.GaussianError].
//
// Numerics: input and noise are integers; η covers what the table differs from
// the real law. The largest R for the wanted δ is chosen.
//
// Proof: gaussian.md. Audit: TestAuditGaussian. Reference: Balle and Wang,
// Improving the Gaussian Mechanism for Differential Privacy, ICML 2018.
type Gaussian struct {
	square
	radius int64 // R
}

var _ dp.Distinguisher = (*Gaussian)(nil)

// NewGaussian takes dim, epsilon and delta; delta 0 means 10⁻⁶.
func NewGaussian(p Params) (*Gaussian, error) {
	p, _, err := prepare[none](p, "gaussian", 1)
	if err != nil {
		return nil, err
	}
	if p.Delta == 0 {
		p.Delta = defaultDelta
	}
	m := &Gaussian{square: square{p}}
	// The least R with √D cells of room, else rounding would lose the input.
	least := int64(math.Ceil(4 * math.Sqrt(float64(p.Dim))))
	if !(m.deltaFor(least) <= p.Delta) {
		return nil, fmt.Errorf("mech: epsilon %v and delta %v of gaussian are too small, or epsilon too large, for the sampler's grid at dim %d", p.Epsilon, p.Delta, p.Dim)
	}
	lo, hi := least, int64(1)<<40 // deltaFor grows with R
	for hi-lo > 1 {
		if mid := lo + (hi-lo)/2; m.deltaFor(mid) <= p.Delta {
			lo = mid
		} else {
			hi = mid
		}
	}
	m.radius = lo
	return m, nil
}

const defaultDelta = 1e-6

// deltaFor returns the δ of the theorem at radius R, rounded up.
func (m *Gaussian) deltaFor(radius int64) float64 {
	epsilon, z := m.params.Epsilon, float64(radius)/noise.GaussianScale
	// e^ε·Φ(·) is at most Φ of the other argument; computed by logarithms where
	// e^ε would overflow, and left out, which only raises δ, where Φ underflows.
	exact := float64(normalTail(epsilon/(2*z) - z))
	if tail := normalTail(epsilon/(2*z) + z); tail > 0 {
		exact -= math.Exp(epsilon + math.Log(tail))
	}
	slack := float64((1 + math.Exp(epsilon)) * float64(m.params.Dim) * noise.GaussianError)
	return float64((max(exact, 0)+slack)*(1+1e-9)) + 1e-18
}

// normalTail returns P(N(0,1) ≥ x).
func normalTail(x float64) float64 { return math.Erfc(x/math.Sqrt2) / 2 }

// Guarantee implements [dp.Mechanism].
func (m *Gaussian) Guarantee() dp.Guarantee {
	return dp.Guarantee{Unit: dp.Text, Epsilon: dp.Epsilon(m.params.Epsilon), Delta: m.deltaFor(m.radius)}
}

// MSE returns the mean squared error of a release, Dσ².
func (m *Gaussian) MSE() float64 {
	sigma := noise.GaussianScale / float64(m.radius)
	return float64(m.params.Dim) * sigma * sigma
}

// Privatize implements [dp.Mechanism].
func (m *Gaussian) Privatize(x []float64, src rand.Source) ([]float64, error) {
	return privatize(m, x, src)
}

// PrivatizeTo implements [dp.Vector].
func (m *Gaussian) PrivatizeTo(dst, x []float64, src rand.Source) error {
	checkShape(m, dst, x)
	if err := m.cells(dst, x); err != nil {
		return err
	}
	s := noise.From(src)
	inverse := 1 / float64(m.radius)
	var k [noiseBlock]int64
	for rest := dst; len(rest) > 0; {
		n := min(len(rest), noiseBlock)
		s.Gaussian(k[:n])
		for i, v := range k[:n] {
			rest[i] = (float64(int64(rest[i])+v) + 0.5) * inverse
		}
		rest = rest[n:]
	}
	return nil
}

// cells writes x as the nearest integer vector of norm at most R. Rounding
// adds D/12 to the squared norm on average, so the first try leaves room for
// three times that; the last try leaves room for the most that it can add.
func (m *Gaussian) cells(dst, x []float64) error {
	norm := norm2(x)
	if !finite(norm) {
		return refuse(dst, notFinite)
	}
	if norm < tiny {
		clear(dst)
		return nil
	}
	r, d := float64(m.radius), float64(len(x))
	for _, length := range [2]float64{math.Sqrt(float64(r*r) - float64(d/4)), r - float64(math.Sqrt(d)/2) - 1} {
		square := int64(0)
		for _, v := range x {
			c := math.Round(v * (length / norm))
			square += int64(c) * int64(c)
		}
		if square <= m.radius*m.radius {
			for i, v := range x {
				dst[i] = math.Round(v * (length / norm))
			}
			return nil
		}
	}
	return refuse(dst, "its norm could not be computed")
}

// LogRatio implements [dp.Distinguisher].
func (m *Gaussian) LogRatio(y, x, x2 []float64) (float64, error) {
	a, b, err := both(m.cells, len(x), x, x2)
	if err != nil {
		return 0, err
	}
	var logA, logB float64
	for i, v := range y {
		k, err := unlattice(v, m.radius)
		if err != nil {
			return 0, err
		}
		logA += noise.GaussianLog(k - int64(a[i]))
		logB += noise.GaussianLog(k - int64(b[i]))
	}
	if math.IsInf(logA, -1) && math.IsInf(logB, -1) {
		return 0, errRelease
	}
	return logA - logB, nil
}

// Profile implements [dp.Profiled].
func (m *Gaussian) Profile() dp.Profile {
	d := m.params.Dim
	x, x2 := make([]float64, d), make([]float64, d)
	x[0], x2[0] = 1, -1
	cells := make([]float64, d)
	if err := m.cells(cells, x); err != nil {
		panic(err) // the vector is finite
	}
	c := cells[0]
	// The likelihood ratio exceeds e^ε beyond this coordinate.
	threshold := m.params.Epsilon * noise.GaussianScale * noise.GaussianScale / (2 * c)
	return dp.Profile{
		Mechanism: m.params.Mechanism, Variant: m.params.Variant, Claimed: dp.Epsilon(m.params.Epsilon),
		Reason: "the variance is the least for which the Gaussian's exact trade-off curve passes through (ε, δ)",
		Witness: dp.Witness{
			X: x, X2: x2, Event: fmt.Sprintf("x = (1, 0, …), x′ = −x: the first coordinate of the release is at least %.4g; P(event|x) − e^ε·P(event|x′) is δ", threshold/float64(m.radius)),
			LogP: math.Log(normalTail((threshold - c) / noise.GaussianScale)),
			LogQ: math.Log(normalTail((threshold + c) / noise.GaussianScale)),
		},
		Facts: []dp.Fact{{Name: "mse", Value: m.MSE()}},
	}
}
