package mech_test

import (
	"math"
	"testing"

	"sotto/compute/measure"
	"sotto/promise/dp/dptest"
	"sotto/promise/mech"
	"sotto/promise/noise"
)

func TestNewCounts(t *testing.T) {
	for _, bad := range []struct {
		change  int
		epsilon float64
	}{{0, 1}, {-1, 1}, {1 << 21, 1}, {1, 0}, {1, -1}, {1, math.NaN()}, {1, math.Inf(1)}, {1, 101}, {1 << 20, 1e-3}} {
		if _, err := mech.NewCounts(bad.change, bad.epsilon); err == nil {
			t.Errorf("NewCounts(%d, %v) was not refused", bad.change, bad.epsilon)
		}
	}
	m, err := mech.NewCounts(3, 1.5)
	if err != nil {
		t.Fatal(err)
	}
	// R is rounded down, by one integer of some 750,000 at most.
	if e := float64(m.Epsilon()); !(e <= 1.5*(1+1e-6)) || !(e > 1.5*(1-1e-5)) {
		t.Errorf("ε is %v, want nearly 1.5", e)
	}
	if s := m.Scale(); math.Abs(s-2) > 1e-4 {
		t.Errorf("scale is %v, want Change/ε = 2", s)
	}
	for _, bad := range []int64{-1, 1<<31 + 1} {
		if _, err := m.Release([]int64{bad}, dptest.Source(t, 1)); err == nil {
			t.Errorf("the count %d was not refused", bad)
		}
	}
}

// TestAuditCounts samples neighbours and fails if what is certified of ε exceeds what
// is printed. Each end of an interval misses with probability 5·10⁻⁶, so that a true ε
// fails once in 10⁵ runs. With half of the noise the same bound is above ε.
func TestAuditCounts(t *testing.T) {
	const draws = 20_000
	m, err := mech.NewCounts(4, 4)
	if err != nil {
		t.Fatal(err)
	}
	certified := func(more int64) float64 {
		hits := [2]int{}
		for side, c := range []int64{more, 0} {
			src := dptest.Source(t, uint64(side)+7)
			for range draws {
				y, err := m.Release([]int64{c}, src)
				if err != nil {
					t.Fatal(err)
				}
				if y[0] >= more {
					hits[side]++
				}
			}
		}
		low, _ := measure.ClopperPearson(hits[0], draws, 1-1e-5)
		_, high := measure.ClopperPearson(hits[1], draws, 1-1e-5)
		return math.Log(low / high)
	}
	got, epsilon := certified(4), float64(m.Epsilon())
	if !(got <= epsilon) {
		t.Errorf("certified ε ≥ %v, printed is %v", got, epsilon)
	}
	if !(got > 0.8*epsilon) {
		t.Errorf("certified ε ≥ %v, want near %v: the audit sees nothing", got, epsilon)
	}
	if twice := certified(8); !(twice > epsilon) { // as if the noise were half
		t.Errorf("of counts that differ by twice the change ε ≥ %v is certified, want above %v", twice, epsilon)
	}
}

// TestCountsExact: the law of a release is that of the integers, whose steps cost no
// more than is printed.
func TestCountsExact(t *testing.T) {
	m, err := mech.NewCounts(1, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	radius := int64(math.Round(noise.LaplaceScale / m.Scale()))
	for _, k := range []int64{-5 * radius, -radius, -1, 0, radius / 2, radius, 3 * radius} {
		if loss := math.Abs(noise.LaplaceLog(k) - noise.LaplaceLog(k-radius)); loss > float64(m.Epsilon()) {
			t.Errorf("loss at %d is %v, above %v", k, loss, m.Epsilon())
		}
	}
}
