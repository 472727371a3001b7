package mech

import (
	"fmt"
	"math"
	"math/rand/v2"

	"sotto/promise/dp"
	"sotto/promise/noise"
)

// PrivUnit releases a random direction that lies, with a probability chosen
// for ε, in the cap around the input's direction, scaled so that its
// expectation is the input's unit vector. Its mean squared error, 1/γ²−1, is
// the least of all unbiased ε-DP releases of a unit vector, up to constants.
//
// Domain: finite vectors whose norm does not overflow; only the direction
// counts. The zero vector is given the direction of the first axis. Neighbours: any two.
//
// Theorem. Drawing the coordinate along the input from its law on the unit
// sphere, conditioned on [γ, 1] with probability p = e^ετ/(1+(e^ε−1)τ) and on
// [−1, γ) otherwise, τ the measure of the cap, is (ε, 0)-DP.
//
// Numerics: p is a 64-bit integer rounded down; the direction is drawn in
// floats, and the release is rounded to multiples of 2⁻³⁰, which hides which
// floats were reachable but is not a proof. The guarantee says so; [Codebook]
// needs no such assumption.
//
// Proof: privunit.md. Audit: TestAuditPrivUnit. Reference: Bhowmick, Duchi,
// Freudiger, Kapoor and Rogers, Protection Against Reconstruction, 2018; Asi,
// Feldman and Talwar, Optimal Algorithms for Mean Estimation under Local
// Differential Privacy, ICML 2022.
type PrivUnit struct {
	square
	gamma   float64
	tail    float64 // τ(γ)
	inside  noise.Prob
	buffers *scratch
}

var _ dp.Distinguisher = (*PrivUnit)(nil)

// NewPrivUnit takes dim and epsilon.
func NewPrivUnit(p Params) (*PrivUnit, error) {
	p, _, err := prepare[none](p, "privunit", 3)
	if err != nil {
		return nil, err
	}
	gamma := bestCap(p.Dim, p.Epsilon)
	tail := capTail(p.Dim, gamma)
	// 1−p = e^{−ε}(1−τ)/(e^{−ε}(1−τ)+τ), rounded up with a margin for the
	// error of τ, so that p is rounded down.
	odds := math.Exp(-p.Epsilon) * (1 - tail) / tail
	outside := odds / (1 + odds)
	if !(tail > 0) || !(outside > 0x1p-40) {
		return nil, fmt.Errorf("mech: epsilon of privunit is %v at dim %d, too large to compute its cap; use laplace-l2", p.Epsilon, p.Dim)
	}
	if p.Dim > maxCapDim {
		return nil, fmt.Errorf("mech: dim of privunit is %d, must be at most %d: the error of its cap is known up to there", p.Dim, maxCapDim)
	}
	return &PrivUnit{square: square{p}, gamma: gamma, tail: tail, inside: noise.ProbAbove(outside * (1 + 0x1p-30)).Not(), buffers: new(scratch)}, nil
}

// loss is ln of the density inside the cap over that outside.
func (m *PrivUnit) loss() float64 {
	return m.inside.Log() - m.inside.Not().Log() + math.Log1p(-m.tail) - math.Log(m.tail)
}

// Guarantee implements [dp.Mechanism].
func (m *PrivUnit) Guarantee() dp.Guarantee {
	// The margin covers the relative error of the incomplete beta function,
	// below 10⁻¹¹ up to maxCapDim.
	return dp.Guarantee{Unit: dp.Text, Epsilon: dp.Epsilon(math.Abs(m.loss()) + 1e-10), Assumptions: []string{assumeReals}}
}

// MSE returns the mean squared error of a release, 1/γ²−1.
func (m *PrivUnit) MSE() float64 { return 1/(m.gamma*m.gamma) - 1 }

// Privatize implements [dp.Mechanism].
func (m *PrivUnit) Privatize(x []float64, src rand.Source) ([]float64, error) {
	return privatize(m, x, src)
}

// PrivatizeTo implements [dp.Vector].
func (m *PrivUnit) PrivatizeTo(dst, x []float64, src rand.Source) error {
	checkShape(m, dst, x)
	norm := norm2(x)
	if !finite(norm) {
		return refuse(dst, notFinite)
	}
	s := noise.From(src)
	buffer := m.buffers.get(len(x))
	defer m.buffers.put(buffer)
	u := *buffer // the input's direction
	if norm < tiny {
		clear(u) // the zero vector is given the first axis
		u[0] = 1
	} else {
		for i, v := range x {
			u[i] = v / norm
		}
	}
	t := m.coordinate(s)
	// A uniform direction orthogonal to u: normals with their part along u
	// taken out.
	s.Normals(dst)
	along := dot(u, dst)
	for i := range dst {
		dst[i] -= float64(along * u[i])
	}
	side := math.Sqrt(1-float64(t*t)) / norm2(dst)
	for i := range dst {
		dst[i] = snap((float64(t*u[i]) + float64(side*dst[i])) / m.gamma)
	}
	return nil
}

// maxCapDim is the dimension up to which the error of capTail was measured.
const maxCapDim = 8192

// snap rounds to a multiple of 2⁻³⁰.
func snap(v float64) float64 { return math.Round(v*0x1p30) * 0x1p-30 }

// coordinate draws the release's coordinate along the input. Both parts are
// drawn always, so that the time taken does not tell which was used.
func (m *PrivUnit) coordinate(s *noise.Stream) float64 {
	inside := s.Bernoulli(m.inside)
	in, out := m.drawInside(s), m.drawOutside(s)
	if inside {
		return in
	}
	return out
}

// drawOutside draws from the sphere's law on [−1, γ).
func (m *PrivUnit) drawOutside(s *noise.Stream) float64 {
	for {
		if t := m.sphereCoordinate(s); t < m.gamma {
			return t
		}
	}
}

// drawInside draws from the sphere's law on [γ, 1].
func (m *PrivUnit) drawInside(s *noise.Stream) float64 {
	if m.tail > 0.05 {
		for {
			if t := m.sphereCoordinate(s); t >= m.gamma {
				return t
			}
		}
	}
	// With v = (1−t²)/(1−γ²) in [0,1] the density is v^{(D−3)/2}/t up to a
	// constant: propose from the power law and accept with probability γ/t ≤ 1.
	room := 1 - float64(m.gamma*m.gamma)
	for {
		v := math.Pow(s.Uniform(), 2/float64(m.params.Dim-1))
		t := math.Sqrt(1 - float64(v*room))
		if s.Uniform()*t <= m.gamma {
			return max(t, m.gamma)
		}
	}
}

// sphereCoordinate draws a coordinate of a uniform unit vector.
func (m *PrivUnit) sphereCoordinate(s *noise.Stream) float64 {
	g := s.Normal()
	rest := 2 * s.Gamma(float64(m.params.Dim-1)/2) // χ² with D−1 degrees of freedom
	return g / math.Sqrt(float64(g*g)+rest)
}

// LogRatio implements [dp.Distinguisher].
func (m *PrivUnit) LogRatio(y, x, x2 []float64) (float64, error) {
	a, err := m.capped(y, x)
	if err != nil {
		return 0, err
	}
	b, err := m.capped(y, x2)
	if err != nil {
		return 0, err
	}
	switch {
	case a && !b:
		return m.loss(), nil
	case b && !a:
		return -m.loss(), nil
	}
	return 0, nil
}

// capped reports whether the release y lies in the cap around x.
func (m *PrivUnit) capped(y, x []float64) (bool, error) {
	nx, ny := norm2(x), norm2(y)
	if !finite(nx) {
		return false, fmt.Errorf("%w: %s", dp.ErrDomain, notFinite)
	}
	if !(math.Abs(float64(ny*m.gamma)-1) < 1e-6) {
		return false, errRelease
	}
	if nx < tiny {
		return y[0]/ny >= m.gamma, nil
	}
	return dot(y, x)/(nx*ny) >= m.gamma, nil
}

// Profile implements [dp.Profiled].
func (m *PrivUnit) Profile() dp.Profile {
	d := m.params.Dim
	x, x2, y := make([]float64, d), make([]float64, d), make([]float64, d)
	x[0], x2[0], y[0] = 1, -1, 1/m.gamma
	return dp.Profile{
		Mechanism: m.params.Mechanism, Variant: m.params.Variant, Claimed: dp.Epsilon(m.params.Epsilon),
		Reason: "the density inside the cap around the input is e^ε times that outside, whatever the input",
		Witness: dp.Witness{
			X: x, X2: x2, Y: y, Event: fmt.Sprintf("x = (1, 0, …), x′ = −x: the release is the unit vector (1, 0, …) divided by γ = %.4g, or near it", m.gamma),
			LogP: m.inside.Log(), LogQ: m.inside.Not().Log() + math.Log(m.tail) - math.Log1p(-m.tail),
		},
		Facts: []dp.Fact{{Name: "mse", Value: m.MSE()}},
	}
}
