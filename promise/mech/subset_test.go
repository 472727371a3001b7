package mech_test

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"sotto/promise/dp/dptest"
	"sotto/promise/mech"
)

func newSubset(tb testing.TB, classes, selected int, eps float64) *mech.Subset {
	tb.Helper()
	m, err := mech.NewSubset(mech.Params{Epsilon: eps, Own: mech.SubsetParams{Classes: classes, Selected: selected}})
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// TestSubsetLoss holds the guarantee against the ratio of the integers that are
// sampled.
func TestSubsetLoss(t *testing.T) {
	for _, k := range []int{2, 3, 150, 1 << 16} {
		for _, eps := range []float64{mech.MinEpsilon, 1e-3, 1, 5, 30, 100} {
			m := newSubset(t, k, 0, eps)
			d := mech.OwnOf[mech.SubsetParams](m.Params()).Selected
			in := new(big.Int).Mul(integer(m.Hold()), big.NewInt(int64(k-d)))
			out := new(big.Int).Mul(integer(m.Hold().Not()), big.NewInt(int64(d)))
			loss := logRatio(in, out)
			checkLoss(t, fmt.Sprintf("subset of %d from %d, ε=%v", d, k, eps), m.Guarantee(), loss.Abs(loss), 1e-9)
		}
	}
}

// TestSubsetIsUniform draws sets of one label and counts all that there are: by
// Pearson's statistic they come as often as the proof says. It exceeds its mean by
// more than here with probability 10⁻⁵ (Laurent and Massart, 2000).
func TestSubsetIsUniform(t *testing.T) {
	const k, d, label = 6, 3, 2
	m := newSubset(t, k, d, 1)
	n := dptest.Count(t, 20_000, 400_000)
	src, seen := dptest.Source(t, 5), map[int]int{}
	y := make([]float64, k)
	for range n {
		if err := m.PrivatizeTo(y, []float64{label}, src); err != nil {
			t.Fatal(err)
		}
		set := 0
		for c, v := range y {
			set |= int(v) << c
		}
		seen[set]++
	}
	held := m.Hold().Float64()
	chi, cells := 0.0, 0
	for set := range 1 << k {
		size := 0
		for c := range k {
			size += set >> c & 1
		}
		if size != d {
			if seen[set] > 0 {
				t.Fatalf("a set of %d labels was released, want %d", size, d)
			}
			continue
		}
		p := held / 10 // of C(5, 2)
		if set>>label&1 == 0 {
			p = (1 - held) / 10 // of C(5, 3)
		}
		want := p * float64(n)
		chi += (float64(seen[set]) - want) * (float64(seen[set]) - want) / want
		cells++
	}
	x := math.Log(1e5)
	free := float64(cells - 1)
	if most := free + 2*math.Sqrt(free*x) + 2*x; cells != 20 || chi > most {
		t.Errorf("χ² of %d sets is %v, want at most %v for 20", cells, chi, most)
	}
}

// TestSubsetIsBetter: at ε = 1 the standard error of one of 150 shares from 10,000
// people is below two points, and that of randomised response is not.
func TestSubsetIsBetter(t *testing.T) {
	errorOf := func(m mech.Answering) float64 {
		l, err := m.Law()
		if err != nil {
			t.Fatal(err)
		}
		f := l.Least[0] + l.Rise/150 // the mean share
		return math.Sqrt(f*(1-f)/10_000) / l.Rise
	}
	if got := errorOf(newSubset(t, 150, 0, 1)); !(got < 0.0192) {
		t.Errorf("standard error by sets is %v, want below 0.0192", got)
	}
	if got := errorOf(krr(t, 150, 1)); !(got > 0.07) {
		t.Errorf("standard error by single labels is %v, want above 0.07", got)
	}
}

func ExampleSubset() {
	m, err := mech.NewSubset(mech.Params{Epsilon: 1, Own: mech.SubsetParams{Classes: 150}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Guarantee(), "in sets of", mech.OwnOf[mech.SubsetParams](m.Params()).Selected)
	// Output: ε = 1 (text-level) in sets of 40
}
