package mech_test

import (
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"testing"

	"sotto/promise/mech"
)

func bitCode(tb testing.TB, bits int, oneHot bool) mech.BitCode {
	tb.Helper()
	c, err := mech.NewBitCode(bits, oneHot)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// TestBitCodeRoundTrip: every code stands for a number that has it.
func TestBitCodeRoundTrip(t *testing.T) {
	for bits := 1; bits <= 12; bits++ {
		for _, oneHot := range []bool{false, true} {
			if oneHot && bits < 2 {
				continue
			}
			c := bitCode(t, bits, oneHot)
			for _, code := range codes(c) {
				if got := c.Encode(c.Decode(code)); got != code {
					t.Errorf("bits=%d one-hot=%v: encode(decode(%b)) = %b", bits, oneHot, code, got)
				}
			}
		}
	}
	rng := weakrand.New(weakrand.NewPCG(1, 2))
	wide := bitCode(t, mech.MaxBits, false)
	for range 1000 {
		code := rng.Uint64() >> (64 - mech.MaxBits)
		if got := wide.Encode(wide.Decode(code)); got != code {
			t.Errorf("bits=%d: encode(decode(%b)) = %b", mech.MaxBits, code, got)
		}
	}
}

// TestBitCodeEncode: the paper's ten bits are a sign, four bits before the
// point and five after it, the most significant first.
func TestBitCodeEncode(t *testing.T) {
	for _, tt := range []struct {
		bits   int
		oneHot bool
		v      float64
		want   string // as sent, the first bit first
	}{
		{0, false, 0, "0000000000"},
		{0, false, 1, "0000100000"},
		{0, false, -1, "1000100000"},
		{0, false, 9.5, "0100110000"},
		{0, false, 1.0 / 32, "0000000001"},
		{0, false, 1.0 / 33, "0000000000"},
		{0, false, -15.97, "1111111111"},
		{0, false, 1e308, "0111111111"},
		{0, false, -math.MaxFloat64, "1111111111"},
		{1, false, -0.1, "1"},
		{1, false, 5, "0"},
		{4, true, -4, "1000"},
		{4, true, -1e308, "1000"},
		{4, true, -0.001, "0100"},
		{4, true, 0, "0010"},
		{4, true, 4, "0001"},
		{4, true, math.MaxFloat64, "0001"},
	} {
		c := bitCode(t, tt.bits, tt.oneHot)
		code, got := c.Encode(tt.v), ""
		for j := range c.Bits() {
			got += fmt.Sprint(code >> j & 1)
		}
		if got != tt.want {
			t.Errorf("encode(%v) in %d bits, one-hot %v = %s, want %s", tt.v, c.Bits(), tt.oneHot, got, tt.want)
		}
	}
}

// TestBitCodeDecode: the decoded number is within half a step of any number
// that has the code, up to the range.
func TestBitCodeDecode(t *testing.T) {
	rng := weakrand.New(weakrand.NewPCG(1, 2))
	for _, bits := range []int{2, 5, 10, 20} {
		for _, oneHot := range []bool{false, true} {
			c := bitCode(t, bits, oneHot)
			most, step := math.Exp2(float64(bits-1-bits/2)), math.Exp2(-float64(bits/2))
			if oneHot {
				most, step = mech.OneHotRange, 2*mech.OneHotRange/float64(bits)
			}
			for range 200 {
				v := (2*rng.Float64() - 1) * most
				if got := c.Decode(c.Encode(v)); !(math.Abs(got-v) <= step/2*(1+1e-12)) {
					t.Errorf("bits=%d one-hot=%v: decode(encode(%v)) = %v, want it within %v", bits, oneHot, v, got, step/2)
				}
			}
		}
	}
}

func TestBitCodeRefuses(t *testing.T) {
	for _, tt := range []struct {
		bits   int
		oneHot bool
	}{{-1, false}, {mech.MaxBits + 1, false}, {1, true}, {-3, true}} {
		if _, err := mech.NewBitCode(tt.bits, tt.oneHot); err == nil {
			t.Errorf("newBitCode(%d, %v): no error, want one", tt.bits, tt.oneHot)
		}
	}
}
