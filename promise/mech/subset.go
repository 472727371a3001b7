package mech

import (
	"fmt"
	"math"
	"math/rand/v2"

	"sotto/promise/dp"
	"sotto/promise/noise"
)

// Subset releases a set of d of the labels 0, …, K−1 that holds the true one more
// often than another: K numbers, 1 for the labels of the set and 0 for all others.
// Where K is above e^ε+1, many such sets tell how common each label is far better
// than as many single labels of [KRR] do, and as well as any release can.
//
// Domain: integers in [0, K). Neighbours: any two.
//
// Theorem. Holding the label with probability p ≤ de^ε/(de^ε+K−d), and drawing the
// rest of the set uniformly from the other labels, is (ln(p(K−d)/((1−p)d)), 0)-DP.
//
// Numerics: p is a 64-bit integer rounded down and ε is computed from it; the sets
// are drawn with integers that reject, so that they are exact.
//
// Proof: subset.md. Audit: TestAuditSubset. Reference: Ye and Barg, Optimal Schemes
// for Discrete Distribution Estimation under Locally Differential Privacy, 2018; Wang,
// Huang, Wang, Nie, Xu, Yang, Li and Qiao, Mutual Information Optimally Local Private
// Discrete Distribution Estimation, 2016.
type Subset struct {
	params Params
	own    SubsetParams
	hold   noise.Prob
}

// SubsetParams are the own parameters of subset.
type SubsetParams struct {
	Classes  int `json:"classes,omitempty" help:"number of labels" assume:"2"`
	Selected int `json:"selected,omitempty" help:"number of labels in a set" default:": the best for ε"`
}

var _ dp.Distinguisher = (*Subset)(nil)

// maxSubsetClasses bounds K, which is the length of a release.
const maxSubsetClasses = 1 << 16

// NewSubset takes classes, selected and epsilon.
func NewSubset(p Params) (*Subset, error) {
	p, own, err := prepare[SubsetParams](p, "subset", 0)
	if err != nil {
		return nil, err
	}
	if own.Classes < 2 || own.Classes > maxSubsetClasses {
		return nil, fmt.Errorf("mech: classes of subset is %d, must be at least 2 and at most %d", own.Classes, maxSubsetClasses)
	}
	if own.Selected == 0 {
		own.Selected = bestSubset(own.Classes, p.Epsilon)
	}
	if own.Selected < 1 || own.Selected >= own.Classes {
		return nil, fmt.Errorf("mech: selected of subset is %d, must be at least 1 and below classes, %d", own.Selected, own.Classes)
	}
	p.Own = own
	// 1−p = (K−d)e^(−ε)/(d+(K−d)e^(−ε)), rounded up, is accurate where p is near 1.
	odds := float64(float64(own.Classes-own.Selected) / float64(own.Selected) * math.Exp(-p.Epsilon))
	hold := noise.ProbAbove(odds / (1 + odds)).Not()
	if odds > 1 {
		hold = noise.ProbBelow(1 / (1 + odds))
	}
	return &Subset{params: p, own: own, hold: hold}, nil
}

// bestSubset returns how many of k labels are best raised together to estimate how
// common each is: k/(e^ε+1), after Ye and Barg.
func bestSubset(k int, epsilon float64) int {
	share := 1 / (1 + math.Exp(epsilon))
	return min(max(int(math.Round(share*float64(k))), 1), k-1)
}

// Params implements [Mechanism].
func (m *Subset) Params() Params { return m.params }

// Shape implements [dp.Vector].
func (m *Subset) Shape() (in, out int) { return 1, m.own.Classes }

// Guarantee implements [dp.Mechanism].
func (m *Subset) Guarantee() dp.Guarantee {
	return dp.Guarantee{Unit: dp.Text, Epsilon: dp.RoundUp(dp.Epsilon(math.Abs(m.ratio())))}
}

// ratio returns ln of the probability of a set with the label over that of one
// without it.
func (m *Subset) ratio() float64 {
	d := uint64(m.own.Selected)
	return noise.LogRatio(m.hold, uint64(m.own.Classes)-d, m.hold.Not(), d)
}

// Privatize implements [dp.Mechanism].
func (m *Subset) Privatize(x []float64, src rand.Source) ([]float64, error) {
	return privatize(m, x, src)
}

// PrivatizeTo implements [dp.Vector]: it takes a label and releases K zeros and ones.
func (m *Subset) PrivatizeTo(dst, x []float64, src rand.Source) error {
	checkShape(m, dst, x)
	label, err := wholeLabel(x[0], m.own.Classes)
	clear(dst)
	if err != nil {
		return err
	}
	s := noise.From(src)
	held, want := s.Bernoulli(m.hold), uint64(m.own.Selected)
	if held {
		dst[label] = 1
		want--
	}
	// Selection sampling (Knuth's algorithm S) over the other labels: each is taken
	// with probability want/left. A number is drawn for each, taken or not, so that
	// how many are drawn does not tell the label.
	left := uint64(m.own.Classes - 1)
	for i := range dst {
		if i == label {
			continue
		}
		if s.IntN(left) < want {
			dst[i] = 1
			want--
		}
		left--
	}
	return nil
}

// check refuses what is not a set of the right size.
func (m *Subset) check(y []float64) error {
	if len(y) != m.own.Classes {
		return errRelease
	}
	ones := 0
	for _, v := range y {
		if v == 1 {
			ones++
		} else if v != 0 {
			return errRelease
		}
	}
	if ones != m.own.Selected {
		return errRelease
	}
	return nil
}

// LogRatio implements [dp.Distinguisher].
func (m *Subset) LogRatio(y, x, x2 []float64) (float64, error) {
	if err := m.check(y); err != nil {
		return 0, err
	}
	a, err := wholeLabel(x[0], m.own.Classes)
	if err != nil {
		return 0, err
	}
	b, err := wholeLabel(x2[0], m.own.Classes)
	if err != nil {
		return 0, err
	}
	return (y[a] - y[b]) * m.ratio(), nil
}

// Profile implements [dp.Profiled].
func (m *Subset) Profile() dp.Profile {
	k, d := m.own.Classes, m.own.Selected
	w := dp.Witness{
		X: []float64{0}, X2: []float64{1}, Y: make([]float64, k),
		Event: "x = 0, x′ = 1: the set holds 0 and not 1",
		LogP:  m.hold.Log() + math.Log(float64(k-d)) - math.Log(float64(k-1)),
		LogQ:  m.hold.Not().Log() + math.Log(float64(d)) - math.Log(float64(k-1)),
	}
	w.Y[0] = 1
	for i := range d - 1 {
		w.Y[2+i] = 1
	}
	return dp.Profile{
		Mechanism: m.params.Mechanism, Variant: m.params.Variant, Claimed: dp.Epsilon(m.params.Epsilon),
		Reason:  "a set with the true label is e^ε times as likely as one without it",
		Witness: w, Facts: []dp.Fact{{Name: "selected", Value: float64(d)}, {Name: "held", Value: m.hold.Float64()}},
	}
}
