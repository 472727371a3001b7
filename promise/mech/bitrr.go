package mech

import (
	"fmt"
	"math"
	"math/rand/v2"

	"sotto/promise/dp"
	"sotto/promise/noise"
)

// BitRR is randomised response on bits with the ε that it states. The variant
// [Weighted] gives bit i of each coordinate, counted from the sign, a share of
// the budget proportional to 2^{−2i/3}, which minimises the error of the
// decoded number; [Uniform] gives every bit the same.
//
// Domain: finite vectors, z-scored with public statistics and clipped.
// Neighbours: any two.
//
// Theorem. Keeping bit i with probability e^{εᵢ}/(1+e^{εᵢ}) costs εᵢ; the sum
// over all bits is ε.
//
// Numerics: thresholds are 64-bit integers and ε is computed from them.
//
// Proof: bitrr.md. Audit: TestAuditBitRR. Reference: Warner, Randomized
// Response, JASA 1965; the weights minimise Σ 4^{−i}/εᵢ².
type BitRR struct{ *bitChannel }

var _ dp.Distinguisher = BitRR{}

// NewBitRR takes dim, bits and epsilon, and the variants [Weighted], [Uniform]
// and [OneBit]; the last makes a [RoundedBit].
func NewBitRR(p Params) (Mechanism, error) {
	if p.Variant == OneBit {
		if bits, _ := p.Value("bits").(int); bits > 1 {
			return nil, fmt.Errorf("mech: bits of bitrr onebit is %d, must be 1 or absent", bits)
		}
		p = p.With(Given{"bits": 1})
	}
	p, _, code, err := prepareBits[BitParams](p, "bitrr")
	if err != nil {
		return nil, err
	}
	if p.Variant == OneBit {
		return &RoundedBit{square: square{p}, low: flipRate(p.Epsilon / float64(p.Dim))}, nil
	}
	share := make([]float64, code.bits)
	sum := 0.0
	for i := range share {
		share[i] = 1
		if p.Variant == Weighted {
			share[i] = math.Exp2(-2 * float64(i) / 3)
		}
		sum += share[i]
	}
	c := newBitChannel(p, code, func(_, bit int) rate {
		flip := flipRate(p.Epsilon / float64(p.Dim) * share[bit] / sum)
		return rate{one: flip.Not(), zero: flip}
	})
	c.reason = "the budgets of all bits, each of which can differ, sum to ε"
	return BitRR{c}, nil
}

// RoundedBit sends one bit a coordinate: v in [−4, 4], clipped, is rounded to
// −4 or 4 with expectation v, and the bit that says which is sent through
// randomised response of budget ε/D. The variant [OneBit] of bitrr.
//
// Domain: finite vectors, z-scored with public statistics and clipped.
// Neighbours: any two.
//
// Theorem. Each coordinate is 1 with a probability between 1/(1+e^{ε/D}) and
// e^{ε/D}/(1+e^{ε/D}); the release is ε-DP.
//
// Numerics: the two steps are one comparison with a 64-bit integer that is
// clamped between the two extremes, from which ε is computed.
//
// Proof: bitrr.md. Audit: TestAuditRoundedBit. Reference: Duchi, Jordan and
// Wainwright, Minimax Optimal Procedures for Locally Private Estimation, JASA
// 2018 (the one-dimensional case).
type RoundedBit struct {
	square
	low noise.Prob // the least probability of releasing 1
}

var _ dp.Distinguisher = (*RoundedBit)(nil)

// Guarantee implements [dp.Mechanism].
func (m *RoundedBit) Guarantee() dp.Guarantee {
	return dp.Guarantee{Unit: dp.Text, Epsilon: dp.RoundUp(dp.Epsilon(float64(m.params.Dim) * noise.LogRatio(m.low.Not(), 1, m.low, 1)))}
}

// Privatize implements [dp.Mechanism].
func (m *RoundedBit) Privatize(x []float64, src rand.Source) ([]float64, error) {
	return privatize(m, x, src)
}

// PrivatizeTo implements [dp.Vector].
func (m *RoundedBit) PrivatizeTo(dst, x []float64, src rand.Source) error {
	checkShape(m, dst, x)
	if !finite(norm1(x)) {
		return refuse(dst, notFinite)
	}
	s := noise.From(src)
	for i, v := range x {
		dst[i] = 0
		if s.Bernoulli(m.chance(v)) {
			dst[i] = 1
		}
	}
	return nil
}

// chance returns the probability of releasing 1 for v.
func (m *RoundedBit) chance(v float64) noise.Prob {
	switch {
	case v >= oneHotRange:
		return m.low.Not()
	case v <= -oneHotRange:
		return m.low
	}
	up := (float64(v/oneHotRange) + 1) / 2
	low := m.low.Float64()
	return min(max(noise.ProbBelow(low+float64((1-float64(2*low))*up)), m.low), m.low.Not())
}

// LogRatio implements [dp.Distinguisher].
func (m *RoundedBit) LogRatio(y, x, x2 []float64) (float64, error) {
	if !finite(norm1(x)) || !finite(norm1(x2)) {
		return 0, fmt.Errorf("%w: %s", dp.ErrDomain, notFinite)
	}
	sum := 0.0
	for i, v := range y {
		a, b := m.chance(x[i]), m.chance(x2[i])
		switch v {
		case 1:
			sum += noise.LogRatio(a, 1, b, 1)
		case 0:
			sum += noise.LogRatio(a.Not(), 1, b.Not(), 1)
		default:
			return 0, errRelease
		}
	}
	return sum, nil
}

// Profile implements [dp.Profiled].
func (m *RoundedBit) Profile() dp.Profile {
	d := m.params.Dim
	w := dp.Witness{
		X: make([]float64, d), X2: make([]float64, d), Y: make([]float64, d),
		Event: "x = (4, …, 4), x′ = −x: all released bits are 1",
		LogP:  float64(d) * m.low.Not().Log(), LogQ: float64(d) * m.low.Log(),
	}
	for i := range d {
		w.X[i], w.X2[i], w.Y[i] = oneHotRange, -oneHotRange, 1
	}
	return dp.Profile{
		Mechanism: m.params.Mechanism, Variant: m.params.Variant, Claimed: dp.Epsilon(m.params.Epsilon),
		Reason: "each coordinate sends one bit by randomised response of budget ε/D", Witness: w, Independent: true,
	}
}
