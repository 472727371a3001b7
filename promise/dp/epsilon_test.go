package dp_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"sotto/promise/dp"
)

func TestEpsilonString(t *testing.T) {
	for _, tt := range []struct {
		e    float64
		want string
	}{
		{0, "0"},
		{0.05, "0.05"},
		{1, "1"},
		{1 + 1e-12, "1"},
		{0.620114, "0.620114"},
		{38.4, "38.4"},
		{3451.3903, "3451.4"},
		{53013.35, "53013.4"},
		{99999.96, "100000"},
		{1e5, "100000.0"},
		{1234567.89, "1234567.9"},
		{1e15, "1e+15"},
		{1e-9, "1e-09"},
		{math.Inf(1), "infinite"},
	} {
		if got := dp.Epsilon(tt.e).String(); got != tt.want {
			t.Errorf("Epsilon(%v).String() = %q, want %q", tt.e, got, tt.want)
		}
	}
}

func TestEpsilonJSON(t *testing.T) {
	for _, tt := range []struct {
		e    dp.Epsilon
		want string
	}{
		{0, "0"}, {1, "1"}, {0.1, "0.1"}, {3451.390307, "3451.390307"}, {1e-30, "1e-30"}, {dp.Infinite, `"infinite"`},
	} {
		got, err := json.Marshal(tt.e)
		if err != nil || string(got) != tt.want {
			t.Errorf("Marshal(%v) = %s, %v, want %s", tt.e, got, err, tt.want)
		}
		var back dp.Epsilon
		if err := json.Unmarshal(got, &back); err != nil || back != tt.e {
			t.Errorf("Unmarshal(%s) = %v, %v, want %v", got, back, err, tt.e)
		}
	}
	for _, e := range []float64{math.NaN(), -1, math.Inf(-1)} {
		if got, err := json.Marshal(dp.Epsilon(e)); err == nil {
			t.Errorf("Marshal(%v) = %s, want an error", e, got)
		}
	}
}

// TestEpsilonUnmarshalRefuses: what is no ε must not become one; least of all
// 0, the strongest promise there is.
func TestEpsilonUnmarshalRefuses(t *testing.T) {
	for _, text := range []string{
		"", "null", "-1", "-1e-300", "NaN", "Infinity", `"Infinite"`, `"1"`, `"inf"`, `""`, "true", "{}", "[1]", "1e999", "1 2", "0x1",
	} {
		e := dp.Epsilon(7)
		if err := e.UnmarshalJSON([]byte(text)); err == nil {
			t.Errorf("UnmarshalJSON(%q) = %v, want an error", text, float64(e))
		} else if !strings.Contains(err.Error(), "epsilon must be") {
			t.Errorf("UnmarshalJSON(%q) error = %v, want one that says what epsilon must be", text, err)
		}
		if e != 7 {
			t.Errorf("UnmarshalJSON(%q) changed its receiver to %v", text, float64(e))
		}
	}
	var g dp.Guarantee
	if err := json.Unmarshal([]byte(`{"unit":"text","epsilon":null}`), &g); err == nil {
		t.Errorf("a guarantee with epsilon null was read as %v, want an error", g)
	}
}

// FuzzEpsilonUnmarshal: no text panics, and what is accepted is a promise that
// survives being written and read again.
func FuzzEpsilonUnmarshal(f *testing.F) {
	for _, seed := range []string{"0", "1", "-0", "1e308", `"infinite"`, "null", "-1", " 2 ", "1E-400", `"`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var e dp.Epsilon
		if e.UnmarshalJSON(text) != nil {
			return
		}
		if !(e >= 0) {
			t.Fatalf("UnmarshalJSON(%q) = %v, want a non-negative number", text, float64(e))
		}
		if math.IsInf(float64(e), 1) != (string(text) == `"infinite"`) {
			t.Fatalf("UnmarshalJSON(%q) = %v, want infinity from its name alone", text, e)
		}
		written, err := e.MarshalJSON()
		if err != nil {
			t.Fatalf("MarshalJSON of %v, read from %q: %v", float64(e), text, err)
		}
		var back dp.Epsilon
		if err := back.UnmarshalJSON(written); err != nil || back != e {
			t.Fatalf("UnmarshalJSON(%q) = %v, %v, want %v", written, back, err, e)
		}
	})
}

func TestRoundUp(t *testing.T) {
	for _, e := range []dp.Epsilon{1e-300, 1e-9, 1, 3451.39, 1e6} {
		if up := dp.RoundUp(e); !(up > e && up < e*(1+1e-12)) {
			t.Errorf("RoundUp(%v) = %v, want a little more", float64(e), float64(up))
		}
	}
	if up := dp.RoundUp(0); up != 0 {
		t.Errorf("RoundUp(0) = %v, want 0", float64(up))
	}
	if up := dp.RoundUp(dp.Infinite); up != dp.Infinite {
		t.Errorf("RoundUp(infinite) = %v, want infinite", up)
	}
}
