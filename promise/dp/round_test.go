package dp_test

import (
	"math"
	weakrand "math/rand/v2"
	"strconv"
	"testing"

	"sotto/promise/dp"
)

func TestRounded(t *testing.T) {
	for _, tt := range []struct {
		v            float64
		digits       int
		above, below string
	}{
		{1.2345678, 6, "1.23457", "1.23456"},
		{1.2345671, 6, "1.23457", "1.23456"},
		{8, 6, "8", "8"},
		{8 * (1 + 0x1p-44), 6, "8", "8"}, // what RoundUp makes of it
		{8.0001, 4, "8.001", "8"},
		{0.9999999, 6, "1", "0.99999"},
		{9.99999e-7, 3, "1e-06", "9.9e-07"},
		{1e-6, 3, "1e-06", "1e-06"},
		{53013.385, 6, "53013.4", "53013.3"},
		{123456.78, 6, "123456.8", "123456.7"},
		{0, 6, "0", "0"},
		{math.Inf(1), 6, "+Inf", "+Inf"},
	} {
		if a, b := dp.Above(tt.v, tt.digits), dp.Below(tt.v, tt.digits); a != tt.above || b != tt.below {
			t.Errorf("Above, Below(%v, %d) = %s, %s, want %s, %s", tt.v, tt.digits, a, b, tt.above, tt.below)
		}
	}
}

// TestRoundedHolds: what is shown lies on the right side, and near.
func TestRoundedHolds(t *testing.T) {
	rng := weakrand.New(weakrand.NewPCG(9, 9))
	for range 20_000 {
		v := math.Exp(60*rng.Float64() - 30)
		digits := 2 + rng.IntN(6)
		above, errA := strconv.ParseFloat(dp.Above(v, digits), 64)
		below, errB := strconv.ParseFloat(dp.Below(v, digits), 64)
		unit := v * math.Pow10(1-digits) * 1.0001
		if errA != nil || errB != nil || !(above >= v*(1-1e-9) && above <= v+unit) || !(below <= v*(1+1e-9) && below >= v-unit) {
			t.Fatalf("%v with %d digits is shown as %v above and %v below", v, digits, above, below)
		}
	}
}

// The odds e^ε of whoever was undecided are one number wherever they are printed.
func TestAtMost(t *testing.T) {
	for epsilon, want := range map[float64]string{0: "50.0", 1: "73.2", 4: "98.3", 8: "99.97", 12: "99.9994", 40: "100", math.Inf(1): "100"} {
		p, err := dp.AccuracyBound(dp.Epsilon(epsilon), []float64{0.5, 0.5})
		if got := dp.AtMost(p); err != nil || got != want {
			t.Errorf("at ε = %v it is %s, %v, want %s", epsilon, got, err, want)
		}
	}
	for p, want := range map[float64]string{0: "0.0", 0.983: "98.3", 0.9830001: "98.4", 0.9995: "99.95", 0.999: "99.9", 1: "100", 1 - 1e-12: "100"} {
		if got := dp.AtMost(p); got != want {
			t.Errorf("%v is %s, want %s", p, got, want)
		}
	}
	rng := weakrand.New(weakrand.NewPCG(9, 10))
	for range 10_000 {
		p := 1 - math.Exp(-20*rng.Float64())
		if shown, err := strconv.ParseFloat(dp.AtMost(p), 64); err != nil || !(shown >= 100*p*(1-1e-9) && shown <= 100) {
			t.Fatalf("%v is %s, want no less", p, dp.AtMost(p))
		}
	}
}
