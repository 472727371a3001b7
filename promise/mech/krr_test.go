package mech_test

import (
	"errors"
	"fmt"
	"math/big"
	"testing"

	"sotto/promise/dp"
	"sotto/promise/dp/dptest"
	"sotto/promise/mech"
)

func krr(tb testing.TB, classes int, eps float64) *mech.KRR {
	tb.Helper()
	m, err := mech.NewKRR(mech.Params{Epsilon: eps, Own: mech.KRRParams{Classes: classes}})
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// krrLoss returns the exact loss: the label is kept with probability k/2⁶⁴, and
// each other one has (2⁶⁴−k)/2⁶⁴/(K−1). Either can be the likelier.
func krrLoss(m *mech.KRR, classes int) *big.Float {
	keep := integer(m.Keep())
	keep.Mul(keep, big.NewInt(int64(classes-1)))
	loss := logRatio(keep, integer(m.Keep().Not()))
	return loss.Abs(loss)
}

func TestKRRLoss(t *testing.T) {
	// The last but one is a number for which 1−p, rounded to a float, exceeded
	// its value by more than 10⁻⁹ once.
	for _, classes := range []int{2, 3, 8, 1000, 1 << 20, 128030368, 1 << 30} {
		for _, eps := range []float64{mech.MinEpsilon, 1e-3, 0.05, 1, 5, 30, 100} {
			m := krr(t, classes, eps)
			checkLoss(t, fmt.Sprintf("krr classes=%d ε=%v", classes, eps), m.Guarantee(), krrLoss(m, classes), 1e-9)
		}
	}
}

// TestKRREnumerated compares LogRatio with the ratio of two entries of the
// channel's matrix, for all labels and releases.
func TestKRREnumerated(t *testing.T) {
	const classes = 5
	for _, eps := range []float64{0.05, 1, 8} {
		m := krr(t, classes, eps)
		chance := func(y, x int) *big.Int { // times 4·2⁶⁴
			if y == x {
				return new(big.Int).Mul(integer(m.Keep()), big.NewInt(classes-1))
			}
			return integer(m.Keep().Not())
		}
		worst := float()
		for y := range classes {
			for x := range classes {
				for x2 := range classes {
					exact := logRatio(chance(y, x), chance(y, x2))
					want, _ := exact.Float64()
					got, err := m.LogRatio([]float64{float64(y)}, []float64{float64(x)}, []float64{float64(x2)})
					if d := got - want; err != nil || d > 1e-12 || d < -1e-12 {
						t.Errorf("LogRatio(%d, %d, %d) = %v, %v, want %v", y, x, x2, got, err, want)
					}
					if exact.Cmp(worst) > 0 {
						worst = exact
					}
				}
			}
		}
		checkLoss(t, fmt.Sprintf("krr ε=%v", eps), m.Guarantee(), worst, 1e-12)
	}
}

func TestKRRLaw(t *testing.T) {
	const draws = 40000
	for _, classes := range []int{2, 3, 7} {
		for _, label := range []int{0, classes - 1} {
			m := krr(t, classes, 1.5)
			src := dptest.Source(t, uint64(classes))
			seen, law := make([]int, classes), make([]float64, classes)
			for range draws {
				y, err := m.Respond(label, src)
				if err != nil {
					t.Fatal(err)
				}
				seen[y]++
			}
			for y := range law {
				law[y] = m.Keep().Not().Float64() / float64(classes-1)
			}
			law[label] = m.Keep().Float64()
			checkCounts(t, fmt.Sprintf("krr of %d among %d", label, classes), seen, law)
		}
	}
}

func TestKRRRespondRefuses(t *testing.T) {
	m := krr(t, 3, 1)
	for _, label := range []int{-1, 3, 1 << 40} {
		if y, err := m.Respond(label, dptest.Source(t, 1)); !errors.Is(err, dp.ErrDomain) || y != 0 {
			t.Errorf("Respond(%d) = %d, %v, want 0 and dp.ErrDomain", label, y, err)
		}
	}
}
