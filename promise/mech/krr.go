package mech

import (
	"fmt"
	"math"
	"math/rand/v2"

	"sotto/promise/dp"
	"sotto/promise/noise"
)

// KRR is randomised response over the labels 0, …, K−1. As a vector mechanism
// it takes and releases one coordinate that holds a label.
//
// Domain: integers in [0, K). Neighbours: any two.
//
// Theorem. Keeping the label with probability p ≤ e^ε/(e^ε+K−1), and otherwise
// drawing one of the other K−1 uniformly, is (ln(p(K−1)/(1−p)), 0)-DP.
//
// Numerics: p is a 64-bit integer rounded down and ε is computed from it; the
// uniform draw rejects, so that it is exact.
//
// Proof: krr.md. Audit: TestAuditKRR. Reference: Kairouz, Oh and Viswanath,
// Extremal Mechanisms for Local Differential Privacy, JMLR 2016.
type KRR struct {
	params Params
	own    KRRParams
	keep   noise.Prob
}

// KRRParams are the own parameters of krr.
type KRRParams struct {
	Classes int `json:"classes,omitempty" help:"number of labels" assume:"2"`
}

// assumeClasses takes two labels.
func assumeClasses(p Params) Params {
	if p.Value("classes") == nil {
		return p.With(Given{"classes": 2})
	}
	return p
}

var _ dp.Distinguisher = (*KRR)(nil)

// maxClasses bounds K so that it is exact in a float64 and its use in memory
// stays small.
const maxClasses = 1 << 30

// NewKRR takes classes and epsilon.
func NewKRR(p Params) (*KRR, error) {
	p, own, err := prepare[KRRParams](p, "krr", 0)
	if err != nil {
		return nil, err
	}
	if own.Classes < 2 || own.Classes > maxClasses {
		return nil, fmt.Errorf("mech: classes of krr is %d, must be at least 2 and at most %d", own.Classes, maxClasses)
	}
	// 1−p = (K−1)/(e^ε+K−1), rounded up, is accurate where p is near 1.
	others := float64(own.Classes - 1)
	odds := float64(others * math.Exp(-p.Epsilon))
	keep := noise.ProbAbove(odds / (1 + odds)).Not()
	if odds > 1 {
		keep = noise.ProbBelow(1 / (1 + odds))
	}
	return &KRR{params: p, own: own, keep: keep}, nil
}

// Params implements [Mechanism].
func (m *KRR) Params() Params { return m.params }

// Shape implements [dp.Vector].
func (m *KRR) Shape() (in, out int) { return 1, 1 }

// Guarantee implements [dp.Mechanism].
func (m *KRR) Guarantee() dp.Guarantee {
	return dp.Guarantee{Unit: dp.Text, Epsilon: dp.RoundUp(dp.Epsilon(math.Abs(m.ratio())))}
}

// ratio returns ln of the kept label's probability over another's.
func (m *KRR) ratio() float64 {
	return noise.LogRatio(m.keep, uint64(m.own.Classes-1), m.keep.Not(), 1)
}

// Respond releases one label.
func (m *KRR) Respond(label int, src rand.Source) (int, error) {
	if label < 0 || label >= m.own.Classes {
		return 0, fmt.Errorf("%w: want a label from 0 to %d", dp.ErrDomain, m.own.Classes-1)
	}
	s := noise.From(src)
	// Both are drawn always, so that the time taken does not tell which was used.
	kept := s.Bernoulli(m.keep)
	step := 1 + int(s.IntN(uint64(m.own.Classes-1)))
	if kept {
		step = 0
	}
	return (label + step) % m.own.Classes, nil
}

// Privatize implements [dp.Mechanism].
func (m *KRR) Privatize(x []float64, src rand.Source) ([]float64, error) {
	return privatize(m, x, src)
}

// PrivatizeTo implements [dp.Vector].
func (m *KRR) PrivatizeTo(dst, x []float64, src rand.Source) error {
	checkShape(m, dst, x)
	label, err := m.label(x[0])
	if err != nil {
		clear(dst)
		return err
	}
	y, err := m.Respond(label, src)
	dst[0] = float64(y)
	return err
}

func (m *KRR) label(v float64) (int, error) { return wholeLabel(v, m.own.Classes) }

// wholeLabel returns v as one of the labels from 0 below k.
func wholeLabel(v float64, k int) (int, error) {
	if !(v >= 0 && v < float64(k)) || v != math.Trunc(v) {
		return 0, fmt.Errorf("%w: want a whole label from 0 to %d", dp.ErrDomain, k-1)
	}
	return int(v), nil
}

// LogRatio implements [dp.Distinguisher].
func (m *KRR) LogRatio(y, x, x2 []float64) (float64, error) {
	var labels [3]int
	for i, v := range []float64{y[0], x[0], x2[0]} {
		var err error
		if labels[i], err = m.label(v); err != nil {
			return 0, err
		}
	}
	ratio := 0.0
	if labels[0] == labels[1] {
		ratio += m.ratio()
	}
	if labels[0] == labels[2] {
		ratio -= m.ratio()
	}
	return ratio, nil
}

// Profile implements [dp.Profiled].
func (m *KRR) Profile() dp.Profile {
	return dp.Profile{
		Mechanism: m.params.Mechanism, Variant: m.params.Variant, Claimed: dp.Epsilon(m.params.Epsilon),
		Reason: "the true label is e^ε times as likely as any other",
		Witness: dp.Witness{
			X: []float64{0}, X2: []float64{1}, Y: []float64{0}, Event: "x = 0, x′ = 1: the label 0 is released",
			LogP: m.keep.Log(), LogQ: m.keep.Not().Log() - math.Log(float64(m.own.Classes-1)),
		},
	}
}
