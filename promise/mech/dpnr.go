package mech

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"sotto/promise/dp"
	"sotto/promise/noise"
)

// DPNR maps a vector affinely to [0,1], its least coordinate to 0 and its
// largest to 1, and adds Laplace noise to each coordinate: of scale 1/ε in the
// variant [Paper], of scale D/ε in the variant [AsStated]. The variant [Released]
// draws one number of scale 1/ε and adds it to all coordinates, as the
// published code does.
//
// Domain: finite vectors whose range does not overflow. A constant vector
// becomes zero. Neighbours: any two.
//
// Theorem. With R integers to a unit and the noise of [noise.Stream.Laplace],
// a release is (D·R·s, 0)-DP, s = [noise.LaplaceStep]: R = ⌊ε/s⌋ gives D·ε
// (Paper), R = ⌊ε/(D·s)⌋ gives ε (AsStated). No ε holds for Released: subtracting
// the least coordinate of a release from all of them gives the input back.
//
// Numerics: input and noise are integers, except in the variant Released,
// which promises nothing.
//
// Proof: dpnr.md. Audit: TestAuditDPNR. Reference: Lyu, He and Li,
// Differentially Private Representation for NLP, Findings of EMNLP 2020.
type DPNR struct {
	square
	radius int64 // R: integers in a unit
}

// NewDPNR takes dim and epsilon, and the variants [AsStated], [Paper] and [Released].
func NewDPNR(p Params) (*DPNR, error) {
	p, _, err := prepare[none](p, "dpnr", 2)
	if err != nil {
		return nil, err
	}
	perCoordinate := p.Epsilon
	if p.Variant == AsStated {
		perCoordinate /= float64(p.Dim)
	}
	radius := cellsFor(perCoordinate)
	if radius < 1 {
		return nil, fmt.Errorf("mech: epsilon of dpnr is %v at dim %d, must be at least %.3g", p.Epsilon, p.Dim, p.Epsilon/perCoordinate*noise.LaplaceStep())
	}
	return &DPNR{square: square{p}, radius: radius}, nil
}

// Guarantee implements [dp.Mechanism].
func (m *DPNR) Guarantee() dp.Guarantee {
	if m.params.Variant == Released {
		return dp.None(dp.Text)
	}
	return dp.Guarantee{Unit: dp.Text, Epsilon: lossOf(int64(m.params.Dim) * m.radius)}
}

// Privatize implements [dp.Mechanism].
func (m *DPNR) Privatize(x []float64, src rand.Source) ([]float64, error) {
	return privatize(m, x, src)
}

// PrivatizeTo implements [dp.Vector].
func (m *DPNR) PrivatizeTo(dst, x []float64, src rand.Source) error {
	checkShape(m, dst, x)
	if err := normalizeMinMax(dst, x); err != nil {
		return err
	}
	s := noise.From(src)
	if m.params.Variant == Released {
		var k [1]int64
		s.Laplace(k[:])
		shared := (float64(k[0]) + 0.5) / float64(m.radius)
		for i := range dst {
			dst[i] += shared
		}
		return nil
	}
	addLaplaceTo(dst, dst, float64(m.radius), m.radius, s)
	return nil
}

// normalizeMinMax writes x scaled to [0,1].
func normalizeMinMax(dst, x []float64) error {
	lo, hi := x[0], x[0]
	for _, v := range x {
		if !finite(v) {
			return refuse(dst, notFinite)
		}
		lo, hi = min(lo, v), max(hi, v)
	}
	width := hi - lo
	if !finite(width) {
		return refuse(dst, notFinite)
	}
	if width == 0 {
		clear(dst)
		return nil
	}
	for i, v := range x {
		dst[i] = (v - lo) / width // in [0,1]: rounding is monotone
	}
	return nil
}

// toCells rounds numbers in [0,1] toward zero to integers in [0,R].
func (m *DPNR) toCells(v []float64) {
	for i := range v {
		v[i] = float64(int64(v[i] * float64(m.radius)))
	}
}

// cells writes the integers that stand for x.
func (m *DPNR) cells(dst, x []float64) error {
	if err := normalizeMinMax(dst, x); err != nil {
		return err
	}
	m.toCells(dst)
	return nil
}

// LogRatio implements [dp.Distinguisher]. In the variant Released it is
// infinite, with the sign of the input that the release belongs to.
func (m *DPNR) LogRatio(y, x, x2 []float64) (float64, error) {
	if m.params.Variant != Released {
		return latticeLogRatio(m.cells, y, x, x2, m.radius)
	}
	if !finite(norm1(y)) {
		return 0, errRelease
	}
	a, b, err := both(normalizeMinMax, len(x), x, x2)
	if err != nil {
		return 0, err
	}
	got := Denoise(y)
	da, db := distance(got, a), distance(got, b)
	switch {
	case da < db:
		return math.Inf(1), nil
	case db < da:
		return math.Inf(-1), nil
	}
	return 0, nil
}

func distance(a, b []float64) float64 {
	worst := 0.0
	for i := range a {
		worst = max(worst, math.Abs(a[i]-b[i]))
	}
	return worst
}

// Denoise undoes the variant [Released] of [DPNR]: the clean least coordinate
// is 0, so that of the release is the noise, and subtracting it from all
// coordinates leaves the clean vector.
func Denoise(y []float64) []float64 {
	if len(y) == 0 {
		return nil
	}
	lo, clean := slices.Min(y), make([]float64, len(y))
	for i, v := range y {
		clean[i] = v - lo
	}
	return clean
}

// Profile implements [dp.Profiled].
func (m *DPNR) Profile() dp.Profile {
	d := m.params.Dim
	a := dp.Profile{Mechanism: m.params.Mechanism, Variant: m.params.Variant, Claimed: dp.Epsilon(m.params.Epsilon), Independent: m.params.Variant != Released}
	x, x2, y := make([]float64, d), make([]float64, d), make([]float64, d)
	unit := 1 / float64(m.radius)
	x2[0], y[0] = 1, -0.5*unit
	for i := 1; i < d; i++ {
		x[i], y[i] = 1, 1+float64(0.5*unit)
	}
	a.Witness = dp.Witness{
		X: x, X2: x2, Y: y, Event: "x = (0, 1, …, 1), x′ = (1, 0, …, 0): the release is at most 0 in the first coordinate and at least 1 in the others",
		LogP: float64(d) * noise.LaplaceTail(0), LogQ: float64(d) * noise.LaplaceTail(m.radius),
	}
	switch m.params.Variant {
	case Released:
		a.Claim = dp.Claim{Unit: dp.Word, Place: "DPNR, the released code beside Theorem 1"}
		a.Reason = "one random number is added to all coordinates, and subtracting the smallest coordinate of a release removes it"
		a.Witness = dp.Witness{
			X: x, X2: x2, LogP: 0, LogQ: math.Inf(-1),
			Event: "x = (0, 1, …, 1), x′ = (1, 0, …, 0): the first coordinate of the release is the smallest",
		}
	case Paper:
		a.Claim = dp.Claim{
			Unit: dp.Word, Place: "DPNR, Section 2 and Theorem 1", Verdict: dp.ClaimNotProved,
			Condition: "one word may move an encoder anywhere, so that nothing below the bound between any two texts is proved for one word; the gap of factor D was first published in Appendix C of the FEDERATE paper",
		}
		a.Reason = fmt.Sprintf("two vectors scaled to [0,1] are up to D = %d apart in L1, while the noise scale 1/ε pays for 1", d)
	default:
		a.Reason = fmt.Sprintf("two vectors scaled to [0,1] are at most D = %d apart in L1, which is what the noise scale D/ε pays for", d)
	}
	return a
}
