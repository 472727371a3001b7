package mech

import (
	"fmt"
	"math"
	"math/rand/v2"

	"sotto/promise/dp"
	"sotto/promise/noise"
)

// LaplaceL1 scales a vector to the unit L1 sphere and adds independent Laplace
// noise of scale 2/ε to each coordinate, as FEDERATE describes it. Its variant
// [Released] divides by the L2 norm instead and keeps the noise, as FEDERATE's
// published code does.
//
// Domain: finite vectors whose norm does not overflow. The zero vector stays
// zero. Neighbours: any two.
//
// Theorem. With R integers to a unit, inputs rounded toward zero and the noise
// of [noise.Stream.Laplace], a release is (2R·s, 0)-DP, s = [noise.LaplaceStep];
// R = ⌊ε/2s⌋. As released it is (2⌊R√D⌋·s, 0)-DP, that is √D·ε.
//
// Numerics: input and noise are integers; the printed ε is computed from the
// weights that are sampled. Floats appear only before rounding to integers and
// after the noise.
//
// Proof: laplacel1.md. Audit: TestAuditLaplaceL1. Reference: Maheshwari, Denis,
// Keller and Bellet, Fair NLP Models with Differentially Private Text Encoders,
// Findings of EMNLP 2022.
type LaplaceL1 struct {
	square
	radius int64 // R: integers in a unit
	limit  int64 // the most that Σ|cell| can be
}

// NewLaplaceL1 takes dim and epsilon, and the variants [Paper] and [Released].
func NewLaplaceL1(p Params) (*LaplaceL1, error) {
	p, _, err := prepare[none](p, "laplace-l1", 1)
	if err != nil {
		return nil, err
	}
	radius := cellsFor(p.Epsilon / 2)
	if radius < 1 {
		return nil, fmt.Errorf("mech: epsilon of laplace-l1 is %v, must be at least %.3g", p.Epsilon, 2*noise.LaplaceStep())
	}
	m := &LaplaceL1{square: square{p}, radius: radius, limit: radius}
	if p.Variant == Released {
		// Of vectors with Σcell² ≤ R² none has Σ|cell| above R√D, nor above R².
		m.limit = int64(min(float64(radius)*math.Sqrt(float64(p.Dim))*(1+0x1p-50), float64(radius)*float64(radius)))
	}
	return m, nil
}

// Guarantee implements [dp.Mechanism].
func (m *LaplaceL1) Guarantee() dp.Guarantee {
	return dp.Guarantee{Unit: dp.Text, Epsilon: lossOf(2 * m.limit)}
}

// Privatize implements [dp.Mechanism].
func (m *LaplaceL1) Privatize(x []float64, src rand.Source) ([]float64, error) {
	return privatize(m, x, src)
}

// PrivatizeTo implements [dp.Vector].
func (m *LaplaceL1) PrivatizeTo(dst, x []float64, src rand.Source) error {
	checkShape(m, dst, x)
	scale, err := m.scale(dst, x)
	if err != nil {
		return err
	}
	// Almost always rounding leaves Σ|cell| within the limit, and the cells need
	// not be written down.
	if total(x, scale) <= m.limit {
		addLaplaceTo(dst, x, scale, m.radius, noise.From(src))
		return nil
	}
	if err := m.cells(dst, x); err != nil {
		return err
	}
	addLaplaceTo(dst, dst, 1, m.radius, noise.From(src))
	return nil
}

// scale returns what coordinates are multiplied by to become cells, 0 for a
// vector that counts as zero.
func (m *LaplaceL1) scale(dst, x []float64) (float64, error) {
	norm := norm1(x)
	if m.params.Variant == Released {
		norm = norm2(x)
	}
	switch {
	case !finite(norm):
		return 0, refuse(dst, notFinite)
	case norm < tiny:
		return 0, nil
	}
	return float64(m.radius) / norm, nil
}

// total returns Σ|cell|.
func total(x []float64, scale float64) int64 {
	var a, b int64
	for ; len(x) >= 2; x = x[2:] {
		c, d := int64(x[0]*scale), int64(x[1]*scale)
		a += max(c, -c)
		b += max(d, -d)
	}
	for _, v := range x {
		c := int64(v * scale)
		a += max(c, -c)
	}
	return a + b
}

// cells writes the normalised input as integers with Σ|cell| ≤ limit.
func (m *LaplaceL1) cells(dst, x []float64) error {
	scale, err := m.scale(dst, x)
	if err != nil {
		return err
	}
	sum := total(x, scale)
	for i, v := range x {
		dst[i] = float64(int64(v * scale)) // the conversion rounds toward zero
	}
	if sum > m.limit {
		shrink(dst, sum-m.limit)
	}
	return nil
}

// LogRatio implements [dp.Distinguisher].
func (m *LaplaceL1) LogRatio(y, x, x2 []float64) (float64, error) {
	return latticeLogRatio(m.cells, y, x, x2, m.radius)
}

// latticeLogRatio is the log-likelihood ratio of a mechanism that adds Laplace
// noise to the integers that cells makes of an input.
func latticeLogRatio(cells func(dst, x []float64) error, y, x, x2 []float64, radius int64) (float64, error) {
	a, b, err := both(cells, len(x), x, x2)
	if err != nil {
		return 0, err
	}
	return laplaceLogRatio(y, a, b, radius)
}

// Profile implements [dp.Profiled].
func (m *LaplaceL1) Profile() dp.Profile {
	a := dp.Profile{Mechanism: m.params.Mechanism, Variant: m.params.Variant, Claimed: dp.Epsilon(m.params.Epsilon), Independent: true}
	d := m.params.Dim
	x, x2, y := make([]float64, d), make([]float64, d), make([]float64, d)
	half := 0.5 / float64(m.radius)
	for i := range y {
		y[i] = half
	}
	a.Claim.Place = "FEDERATE, Theorem 1 and Appendix B"
	if m.params.Variant == Paper {
		a.Reason = "two vectors of L1 norm 1 are at most 2 apart in L1, which is what the noise scale 2/ε pays for"
		x[0], x2[0], y[0] = 1, -1, 1+half
		a.Witness = dp.Witness{
			X: x, X2: x2, Y: y, Event: "x = (1, 0, …), x′ = (−1, 0, …): the first coordinate of the release is at least 1",
			LogP: noise.LaplaceTail(0), LogQ: noise.LaplaceTail(2 * m.radius),
		}
		return a
	}
	a.Claim.Place = "FEDERATE, the released code beside Theorem 1"
	a.Reason = fmt.Sprintf("the code divides by the L2 norm, and two vectors of L2 norm 1 are up to 2√D = %.4g apart in L1 while the noise pays for 2", 2*math.Sqrt(float64(d)))
	side := 1 / math.Sqrt(float64(d))
	for i := range x {
		x[i], x2[i] = side, -side
	}
	cells := make([]float64, d)
	if err := m.cells(cells, x); err != nil {
		panic(err) // the vector is finite
	}
	logP, logQ := 0.0, 0.0
	for i, c := range cells {
		y[i] = c/float64(m.radius) + half
		logP += noise.LaplaceTail(0)
		logQ += noise.LaplaceTail(int64(2 * c))
	}
	a.Witness = dp.Witness{
		X: x, X2: x2, Y: y, LogP: logP, LogQ: logQ,
		Event: "x = (1, …, 1)/√D, x′ = −x: every coordinate of the release is at least 1/√D",
	}
	return a
}
