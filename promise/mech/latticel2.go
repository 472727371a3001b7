package mech

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"sync"

	"sotto/promise/dp"
	"sotto/promise/noise"
)

// LatticeL2 is the variant lattice of laplace-l2: the same release on integers.
// A vector is scaled to the unit L2 sphere, rounded toward zero to integers, and
// integer noise is added whose law depends on its L2 norm alone. The mean squared
// error is D+2, or D+3 for odd D, over D+1 times that of [LaplaceL2]: within 2 %
// of it from 50 coordinates on, or 99.
//
// Domain: finite vectors whose norm does not overflow. The zero vector stays
// zero. Neighbours: any two.
//
// Theorem. With R = ⌊ε/2s⌋ integers to a unit, s = [noise.SphericalStep], and the
// noise of [noise.Stream.Spherical], a release is (2R·s, 0)-DP.
//
// Numerics: input and noise are integers; the printed ε is computed from the
// integers that are sampled. Floats appear only before rounding to integers and
// after the noise. Words overflow with a probability below e^(−256) a coordinate,
// as promise/noise/spherical.md says.
//
// Proof: latticel2.md. Audit: TestAuditLatticeL2. Reference: Canonne, Kamath and
// Steinke, The Discrete Gaussian for Differential Privacy, NeurIPS 2020 (the
// sampler).
type LatticeL2 struct {
	square
	radius int64      // R: integers in a unit
	step   float64    // s
	noises *sync.Pool // of *[]int64, one for each coordinate
}

var _ dp.Distinguisher = (*LatticeL2)(nil)

// NewLatticeL2 takes dim and epsilon.
func NewLatticeL2(p Params) (*LatticeL2, error) {
	if p.Variant == "" {
		p.Variant = OnLattice
	}
	p, _, err := prepare[none](p, "laplace-l2", 1)
	if err != nil {
		return nil, err
	}
	if p.Variant != OnLattice {
		return nil, fmt.Errorf("mech: variant is %q, must be %q here", p.Variant, OnLattice)
	}
	m := &LatticeL2{square: square{p}, step: noise.SphericalStep(p.Dim), noises: new(sync.Pool)}
	m.radius = int64(p.Epsilon / (2 * m.step))
	// Rounding toward zero shortens a coordinate by half an integer on average;
	// with 8√D to a unit that is less than a twelfth of the vector's length.
	if least := math.Ceil(8 * math.Sqrt(float64(p.Dim))); !(float64(m.radius) >= least) {
		return nil, fmt.Errorf("mech: epsilon of laplace-l2 lattice is %v at dim %d, must be at least %.3g: its integers are too coarse for less", p.Epsilon, p.Dim, 2*m.step*(least+1))
	}
	return m, nil
}

// newL2 makes either variant of laplace-l2.
func newL2(p Params) (Mechanism, error) {
	if p.Variant == OnLattice {
		return build(NewLatticeL2)(p)
	}
	return build(NewLaplaceL2)(p)
}

// Guarantee implements [dp.Mechanism].
func (m *LatticeL2) Guarantee() dp.Guarantee {
	return dp.Guarantee{Unit: dp.Text, Epsilon: dp.RoundUp(dp.Epsilon(2 * float64(m.radius) * m.step))}
}

// MSE returns the mean squared error of a release, without that of rounding to
// integers, which adds less than D/R².
func (m *LatticeL2) MSE() float64 {
	r := float64(m.radius)
	return float64(m.params.Dim) * noise.SphericalVariance(m.params.Dim) / (r * r)
}

// Privatize implements [dp.Mechanism].
func (m *LatticeL2) Privatize(x []float64, src rand.Source) ([]float64, error) {
	return privatize(m, x, src)
}

// PrivatizeTo implements [dp.Vector].
func (m *LatticeL2) PrivatizeTo(dst, x []float64, src rand.Source) error {
	checkShape(m, dst, x)
	if err := m.cells(dst, x); err != nil {
		return err
	}
	buffer, ok := m.noises.Get().(*[]int64)
	if !ok {
		buffer = new([]int64)
		*buffer = make([]int64, len(dst))
	}
	k := *buffer
	noise.From(src).Spherical(k)
	inverse := 1 / float64(m.radius)
	for i, v := range k {
		// The sum is one of integers: what follows is a function of it alone.
		dst[i] = float64(int64(dst[i])+v) * inverse
	}
	clear(k)
	m.noises.Put(buffer)
	return nil
}

// cells writes the input as integers with Σcell² ≤ R².
func (m *LatticeL2) cells(dst, x []float64) error {
	if err := unit(dst, x); err != nil {
		return err
	}
	r := float64(m.radius)
	for i, v := range dst {
		dst[i] = math.Trunc(min(max(v, -1), 1) * r)
	}
	for !m.fits(dst) { // only where the rounding errors of a norm went the wrong way
		for i, v := range dst {
			dst[i] = math.Copysign(max(math.Abs(v)-1, 0), v)
		}
	}
	return nil
}

// fits reports, in integers, whether Σcell² ≤ R². No cell is above R < 2⁴⁰, so
// that 128 bits hold the sum.
func (m *LatticeL2) fits(cells []float64) bool {
	var hi, lo, carry uint64
	for _, v := range cells {
		c := uint64(int64(math.Abs(v)))
		h, l := bits.Mul64(c, c)
		lo, carry = bits.Add64(lo, l, 0)
		hi, _ = bits.Add64(hi, h, carry)
	}
	h, l := bits.Mul64(uint64(m.radius), uint64(m.radius))
	return hi < h || hi == h && lo <= l
}

// LogRatio implements [dp.Distinguisher], as near as [noise.SphericalLog] is.
func (m *LatticeL2) LogRatio(y, x, x2 []float64) (float64, error) {
	a, b, err := both(m.cells, len(x), x, x2)
	if err != nil {
		return 0, err
	}
	var da, db float64
	for i, v := range y {
		k := math.Round(float64(v * float64(m.radius)))
		if !(math.Abs(float64(v*float64(m.radius))-k) < 0.25) || math.Abs(k) > 1<<60 {
			return 0, errRelease
		}
		da += float64((k - a[i]) * (k - a[i]))
		db += float64((k - b[i]) * (k - b[i]))
	}
	d := m.params.Dim
	return noise.SphericalLog(d, math.Sqrt(da)) - noise.SphericalLog(d, math.Sqrt(db)), nil
}

// Profile implements [dp.Profiled].
func (m *LatticeL2) Profile() dp.Profile {
	d := m.params.Dim
	x, x2, y := make([]float64, d), make([]float64, d), make([]float64, d)
	x[0], x2[0] = 1, -1
	// The loss grows toward ε as the release moves away from both: at 2²⁰ times
	// the noise's scale it is reached to a millionth.
	y[0] = math.Round(float64(m.radius)+0x1p20/m.step) / float64(m.radius)
	ratio, err := m.LogRatio(y, x, x2)
	if err != nil {
		panic(err) // the vectors are finite and y is a release
	}
	return dp.Profile{
		Mechanism: m.params.Mechanism, Variant: m.params.Variant, Claimed: dp.Epsilon(m.params.Epsilon),
		Reason: "two integer vectors of L2 norm R are at most 2R apart, which is what the noise pays for",
		Witness: dp.Witness{
			X: x, X2: x2, Y: y, LogP: 0, LogQ: -ratio,
			Event: "x = (1, 0, …), x′ = −x: the release lies far out on the half-line from x away from x′, where the probabilities' ratio comes as near to e^ε as one likes",
		},
		Facts: []dp.Fact{{Name: "mse", Value: m.MSE()}},
	}
}
