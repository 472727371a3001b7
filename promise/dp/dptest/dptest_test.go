package dptest_test

import (
	"fmt"
	weakrand "math/rand/v2"
	"testing"

	"sotto/promise/dp"
	"sotto/promise/dp/dptest"
)

func TestVector(t *testing.T) {
	for _, dim := range []int{1, 2, 7} {
		t.Run(fmt.Sprint(dim), func(t *testing.T) {
			dptest.Vector(t, newToy(dim, ""), dptest.Options{Impossible: [][]float64{make([]float64, dim)}})
		})
	}
}

// TestVectorFinds breaks the toy in one way at a time, and sees the check fail
// that is meant for it.
func TestVectorFinds(t *testing.T) {
	for _, tt := range []struct {
		fault string
		check string
	}{
		{"no unit", "guarantee"},
		{"writes x", "untouched"},
		{"retains", "untouched"},
		{"any length", "length"},
		{"no panic", "length"},
		{"accepts NaN", "refused"},
		{"leaves dst", "refused"},
		{"partial", "refused"},
		{"quotes", "refused"},
		{"overflows", "extreme"},
		{"overflows", "released"},
		{"counts", "same"},
		{"global source", "same"},
		{"writes dst first", "inplace"},
		{"own source", "fresh"},
		{"allocates", "allocations"},
		{"global source", "concurrent"},
		{"claims half", "ratio"},
		{"lopsided", "ratio"},
		{"too large", "ratio"},
		{"any release", "impossible"},
		{"any input", "impossible"},
		{"claims half", "witness"},
		{"claims twice", "witness"},
		{"weak witness", "witness"},
		{"strong witness", "witness"},
		{"witness elsewhere", "witness"},
		{"witness outside", "witness"},
	} {
		t.Run(tt.fault+"/"+tt.check, func(t *testing.T) {
			if tt.check == "allocations" && dptest.RaceEnabled {
				t.Skip("allocations are not counted under the race detector")
			}
			found := dptest.Faults(newToy(2, tt.fault), dptest.Options{}, tt.check)
			if len(found[tt.check]) == 0 {
				t.Errorf("Vector on a mechanism that %s found %v, want the check %q to fail", tt.fault, found, tt.check)
			}
		})
	}
}

// TestVectorOptions sees that a domain of its own is respected, and that what
// the options list is tried.
func TestVectorOptions(t *testing.T) {
	one := []float64{1}
	found := dptest.Faults(newToy(1, ""), dptest.Options{
		Input:      func(*weakrand.Rand) []float64 { return []float64{0.25} },
		Bad:        [][]float64{one},
		Impossible: [][]float64{{0.5 / radius}},
		Shortfall:  1e-9,
	})
	for _, check := range []string{"refused", "impossible", "witness"} {
		if len(found[check]) == 0 {
			t.Errorf("Vector with wrong options found %v, want the check %q to fail", found, check)
		}
	}
	quiet := dptest.Faults(newToy(1, "own source"), dptest.Options{Quiet: true})
	if len(quiet["fresh"]) != 0 {
		t.Errorf("Vector with Quiet found %v, want no complaint about equal releases", quiet["fresh"])
	}
	bare := dptest.Faults(struct{ dp.Vector }{newToy(1, "strong witness")}, dptest.Options{})
	if len(bare) != 0 {
		t.Errorf("Vector on a mechanism without ratio and account found %v, want nothing", bare)
	}
}

func TestSource(t *testing.T) {
	a, b, c := dptest.Source(t, 1), dptest.Source(t, 1), dptest.Source(t, 2)
	same, other := 0, 0
	for range 100 {
		v := a.Uint64()
		if v == b.Uint64() {
			same++
		}
		if v == c.Uint64() {
			other++
		}
	}
	if same != 100 || other != 0 {
		t.Errorf("of 100 words %d are those of the same seed and %d those of another, want 100 and 0", same, other)
	}
}
