package dp_test

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sotto/promise/dp"
)

func TestUnitValid(t *testing.T) {
	for _, u := range []dp.Unit{dp.Text, dp.Word, dp.Metric} {
		if !u.Valid() {
			t.Errorf("Unit(%q).Valid() = false, want true", u)
		}
	}
	for _, u := range []dp.Unit{"", "Text", "texts", "user"} {
		if u.Valid() {
			t.Errorf("Unit(%q).Valid() = true, want false", u)
		}
	}
}

func TestGuaranteeValidate(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, tt := range []struct {
		g    dp.Guarantee
		want string // in the error; empty for none
	}{
		{dp.Guarantee{Unit: dp.Text, Epsilon: 1}, ""},
		{dp.Guarantee{Unit: dp.Word, Epsilon: 0}, ""},
		{dp.Guarantee{Unit: dp.Metric, Epsilon: 1, Delta: 0.999}, ""},
		{dp.None(dp.Text), ""},
		{dp.Guarantee{}, "unit"},
		{dp.Guarantee{Unit: "user", Epsilon: 1}, `"user"`},
		{dp.Guarantee{Unit: dp.Text, Epsilon: -1}, "epsilon is -1"},
		{dp.Guarantee{Unit: dp.Text, Epsilon: dp.Epsilon(nan)}, "epsilon is NaN"},
		{dp.Guarantee{Unit: dp.Text, Epsilon: 1, Delta: 1}, "delta is 1"},
		{dp.Guarantee{Unit: dp.Text, Epsilon: 1, Delta: -1e-9}, "delta is -1e-09"},
		{dp.Guarantee{Unit: dp.Text, Epsilon: 1, Delta: nan}, "delta is NaN"},
		{dp.Guarantee{Unit: dp.Text, Epsilon: 1, Delta: inf}, "delta is +Inf"},
	} {
		err := tt.g.Validate()
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v.Validate() = %v, want an error with %q, or none for none", tt.g, err, tt.want)
		}
	}
}

func TestGuaranteeString(t *testing.T) {
	for _, tt := range []struct {
		g    dp.Guarantee
		want string
	}{
		{dp.Guarantee{Unit: dp.Text, Epsilon: 1}, "ε = 1 (text-level)"},
		{dp.Guarantee{Unit: dp.Word, Epsilon: 0.62011}, "ε = 0.62011 (word-level)"},
		{dp.Guarantee{Unit: dp.Text, Epsilon: 8, Delta: 9.99e-7, Assumptions: []string{"a"}}, "ε = 8, δ = 9.99e-07 (text-level)"},
		{dp.Guarantee{Unit: dp.Metric, Epsilon: 2}, "ε = 2 per unit of L2 distance (metric)"},
		{dp.None(dp.Text), "ε = infinite (text-level)"},
	} {
		if got := tt.g.String(); got != tt.want {
			t.Errorf("%+v.String() = %q, want %q", tt.g, got, tt.want)
		}
	}
}

func TestGuaranteeJSON(t *testing.T) {
	for _, tt := range []struct {
		g    dp.Guarantee
		want string
	}{
		{dp.Guarantee{Unit: dp.Text, Epsilon: 1}, `{"unit":"text","epsilon":1,"delta":0}`},
		{dp.None(dp.Word), `{"unit":"word","epsilon":"infinite","delta":0}`},
		{
			dp.Guarantee{Unit: dp.Metric, Epsilon: 3451.39, Delta: 1e-6, Assumptions: []string{"real noise"}},
			`{"unit":"metric","epsilon":3451.39,"delta":0.000001,"assumptions":["real noise"]}`,
		},
	} {
		got, err := json.Marshal(tt.g)
		if err != nil || string(got) != tt.want {
			t.Errorf("Marshal(%+v) = %s, %v, want %s", tt.g, got, err, tt.want)
		}
		var back dp.Guarantee
		if err := json.Unmarshal(got, &back); err != nil || !reflect.DeepEqual(back, tt.g) {
			t.Errorf("Unmarshal(%s) = %+v, %v, want %+v", got, back, err, tt.g)
		}
	}
}

func TestCompose(t *testing.T) {
	a := dp.Guarantee{Unit: dp.Text, Epsilon: 1, Delta: 1e-6, Assumptions: []string{"a", "b"}}
	b := dp.Guarantee{Unit: dp.Text, Epsilon: 2.5, Delta: 2e-6, Assumptions: []string{"b", "c"}}
	got, err := dp.Compose(a, b, a)
	if err != nil || got.Unit != dp.Text || got.Validate() != nil {
		t.Fatalf("Compose(1, 2.5, 1) = %v, %v, want a text-level guarantee", got, err)
	}
	if !(got.Epsilon >= 4.5 && got.Epsilon <= 4.5*(1+1e-12)) || math.Abs(got.Delta-4e-6) > 1e-18 {
		t.Errorf("Compose(1, 2.5, 1) = ε %v, δ %v, want 4.5, not less, and 4e-6", float64(got.Epsilon), got.Delta)
	}
	if !slices.Equal(got.Assumptions, []string{"a", "b", "c"}) {
		t.Errorf("Compose unites assumptions to %q, want a, b and c", got.Assumptions)
	}
	if !slices.Equal(a.Assumptions, []string{"a", "b"}) {
		t.Errorf("Compose changed its argument's assumptions to %q", a.Assumptions)
	}
}

// TestComposeMany: rounding up covers the rounding errors of a long sum.
func TestComposeMany(t *testing.T) {
	gs := make([]dp.Guarantee, 1000)
	for i := range gs {
		gs[i] = dp.Guarantee{Unit: dp.Word, Epsilon: 0.1}
	}
	got, err := dp.Compose(gs...)
	if err != nil || !(got.Epsilon >= 100) || !(got.Epsilon <= 100*(1+1e-10)) {
		t.Errorf("Compose of 1000 times 0.1 = %.17v, %v, want 100 or a little more", float64(got.Epsilon), err)
	}
}

func TestComposeInfinite(t *testing.T) {
	got, err := dp.Compose(dp.Guarantee{Unit: dp.Text, Epsilon: 1}, dp.None(dp.Text))
	if err != nil || got.Epsilon != dp.Infinite {
		t.Errorf("Compose with no guarantee = %v, %v, want infinite", got, err)
	}
}

// TestComposeDelta: δ is a probability, and never exceeds 1.
func TestComposeDelta(t *testing.T) {
	half := dp.Guarantee{Unit: dp.Text, Epsilon: 1, Delta: 0.6}
	got, err := dp.Compose(half, half, half)
	if err != nil || got.Delta != 1 {
		t.Errorf("Compose of three times δ = 0.6 has δ = %v, %v, want 1", got.Delta, err)
	}
}

func TestComposeRefuses(t *testing.T) {
	text := dp.Guarantee{Unit: dp.Text, Epsilon: 1}
	if got, err := dp.Compose(); err == nil {
		t.Errorf("Compose() = %v, want an error", got)
	}
	for _, unit := range []dp.Unit{dp.Word, dp.Metric} {
		other := dp.Guarantee{Unit: unit, Epsilon: 1}
		if got, err := dp.Compose(text, other); !errors.Is(err, dp.ErrUnits) || !reflect.DeepEqual(got, dp.Guarantee{}) {
			t.Errorf("Compose(text, %s) = %v, %v, want nothing and dp.ErrUnits", unit, got, err)
		}
	}
	for _, bad := range []dp.Guarantee{{}, {Unit: dp.Text, Epsilon: -1}, {Unit: dp.Text, Epsilon: 1, Delta: 2}} {
		if got, err := dp.Compose(text, bad); err == nil || !reflect.DeepEqual(got, dp.Guarantee{}) {
			t.Errorf("Compose with %+v = %v, %v, want nothing and an error", bad, got, err)
		}
	}
}
