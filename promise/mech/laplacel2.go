package mech

import (
	"fmt"
	"math"
	"math/rand/v2"

	"sotto/promise/dp"
	"sotto/promise/noise"
)

// LaplaceL2 scales a vector to the unit L2 sphere and adds noise with density
// proportional to exp(−ε‖κ‖₂/2): a uniform direction and a length with the
// law Gamma(D, 2/ε).
//
// Domain: finite vectors whose norm does not overflow. The zero vector stays
// zero. Neighbours: any two.
//
// Theorem. A release is (ε, 0)-DP: two unit vectors are at most 2 apart.
//
// Numerics: the noise is drawn in floats, and the release is rounded to a grid
// 2⁻²⁰ of the noise, which hides which floats were reachable but is not a
// proof. The guarantee says so; [LatticeL2] needs no such assumption.
//
// Proof: laplacel2.md. Audit: TestAuditLaplaceL2. Reference: Chaudhuri,
// Monteleoni and Sarwate, Differentially Private Empirical Risk Minimization,
// JMLR 2011.
type LaplaceL2 struct {
	square
	noise   sphericalNoise
	buffers *scratch
}

var _ dp.Distinguisher = (*LaplaceL2)(nil)

// NewLaplaceL2 takes dim and epsilon. The variant [OnLattice] has a type of its
// own, [LatticeL2].
func NewLaplaceL2(p Params) (*LaplaceL2, error) {
	p, _, err := prepare[none](p, "laplace-l2", 1)
	if err != nil {
		return nil, err
	}
	if p.Variant == OnLattice {
		return nil, fmt.Errorf("mech: variant is %q, must be %q here", p.Variant, AsStated)
	}
	return &LaplaceL2{square: square{p}, noise: newSphericalNoise(2 / p.Epsilon), buffers: new(scratch)}, nil
}

// Guarantee implements [dp.Mechanism].
func (m *LaplaceL2) Guarantee() dp.Guarantee {
	return dp.Guarantee{Unit: dp.Text, Epsilon: dp.RoundUp(dp.Epsilon(m.params.Epsilon)), Assumptions: []string{assumeReals}}
}

// MSE returns the mean squared error of a release, 4D(D+1)/ε².
func (m *LaplaceL2) MSE() float64 {
	d := float64(m.params.Dim)
	return 4 * d * (d + 1) / (m.params.Epsilon * m.params.Epsilon)
}

// Privatize implements [dp.Mechanism].
func (m *LaplaceL2) Privatize(x []float64, src rand.Source) ([]float64, error) {
	return privatize(m, x, src)
}

// PrivatizeTo implements [dp.Vector].
func (m *LaplaceL2) PrivatizeTo(dst, x []float64, src rand.Source) error {
	checkShape(m, dst, x)
	if err := unit(dst, x); err != nil {
		return err
	}
	buffer := m.buffers.get(len(x))
	defer m.buffers.put(buffer)
	m.noise.add(dst, *buffer, noise.From(src))
	return nil
}

// unit writes x/‖x‖₂, or zero for zero.
func unit(dst, x []float64) error {
	norm := norm2(x)
	if !finite(norm) {
		return refuse(dst, notFinite)
	}
	if norm < tiny {
		clear(dst)
		return nil
	}
	norm *= 1 + float64(float64(len(x))*0x1p-52) // so that rounding never leaves the ball
	for i, v := range x {
		dst[i] = v / norm
	}
	return nil
}

// LogRatio implements [dp.Distinguisher].
func (m *LaplaceL2) LogRatio(y, x, x2 []float64) (float64, error) {
	if !finite(norm1(y)) {
		return 0, errRelease
	}
	a, b, err := both(unit, len(x), x, x2)
	if err != nil {
		return 0, err
	}
	return m.noise.logRatio(y, a, b), nil
}

// Profile implements [dp.Profiled].
func (m *LaplaceL2) Profile() dp.Profile {
	d := m.params.Dim
	x, x2, y := make([]float64, d), make([]float64, d), make([]float64, d)
	x[0], x2[0], y[0] = 1, -1, 1
	return dp.Profile{
		Mechanism: m.params.Mechanism, Variant: m.params.Variant, Claimed: dp.Epsilon(m.params.Epsilon),
		Reason: "two vectors of L2 norm 1 are at most 2 apart, which is what the noise pays for",
		Witness: dp.Witness{
			X: x, X2: x2, Y: y, LogP: 0, LogQ: -m.params.Epsilon,
			Event: "x = (1, 0, …), x′ = −x: the release lies on, or near, the half-line from x away from x′, where the densities' ratio is e^ε",
		},
		Facts: []dp.Fact{{Name: "mse", Value: m.MSE()}},
	}
}

// sphericalNoise has density proportional to exp(−‖κ‖₂/scale).
type sphericalNoise struct {
	scale float64
	grid  float64 // a power of two
}

func newSphericalNoise(scale float64) sphericalNoise {
	return sphericalNoise{scale: scale, grid: math.Ldexp(1, math.Ilogb(scale)-20)}
}

// add adds noise to x and rounds to the grid. direction is scratch space.
func (n sphericalNoise) add(x, direction []float64, s *noise.Stream) {
	s.Normals(direction)
	length := n.scale * s.Gamma(float64(len(x))) / norm2(direction)
	for i, v := range direction {
		x[i] = math.Round((x[i]+float64(length*v))/n.grid) * n.grid
	}
}

// logRatio returns ln of the density at y around a over that around b.
func (n sphericalNoise) logRatio(y, a, b []float64) float64 {
	var da, db float64
	for i, v := range y {
		da += float64((v - a[i]) * (v - a[i]))
		db += float64((v - b[i]) * (v - b[i]))
	}
	return (math.Sqrt(db) - math.Sqrt(da)) / n.scale
}
