package measure_test

import (
	"math"
	weakrand "math/rand/v2"
	"strings"
	"testing"

	"sotto/compute/measure"
	"sotto/compute/nn"
	"sotto/promise/mech"
)

func mechanism(t *testing.T, p mech.Params) mech.Mechanism {
	t.Helper()
	m, err := mech.New(p)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestCosine(t *testing.T) {
	last := -1.0
	for _, epsilon := range []float64{1, 8, 64, 512} {
		m := mechanism(t, mech.Params{Mechanism: "privunit", Epsilon: epsilon, Dim: 128})
		c := float64(measure.KeptCosine(m))
		if !(c > last && c < 1) || float64(measure.KeptCosine(m)) != c {
			t.Errorf("at ε = %v the cosine is %v after %v, want more with more ε and the same each time", epsilon, c, last)
		}
		last = c
	}
	if last < 0.9 {
		t.Errorf("at ε = 512 the cosine is %v, want nearly 1", last)
	}
	// What a person who tried it measured on texts: 0.25.
	if c := float64(measure.KeptCosine(mechanism(t, mech.Params{Mechanism: "codebook", Epsilon: 8, Dim: 128}))); math.Abs(c-0.25) > 0.05 {
		t.Errorf("the cosine of codebook at ε = 8 is %v, want some 0.25", c)
	}
	codes := mechanism(t, mech.Params{Mechanism: "codes", Epsilon: 8, Dim: 4, Own: mech.CodesParams{Selected: 1}})
	if !math.IsNaN(float64(measure.KeptCosine(codes))) || measure.KeptHint(codes, "sotto encode") != "" {
		t.Error("codes, which are no copy of a vector, have a cosine or a hint")
	}
}

func TestHint(t *testing.T) {
	hint := measure.KeptHint(mechanism(t, mech.Params{Mechanism: "codebook", Epsilon: 8, Dim: 128}), "sotto gateway")
	for _, want := range []string{"ε = 8 ", "128 numbers", "mostly noise", "sotto gateway --model", "--method auto --epsilon 8"} {
		if !strings.Contains(hint, want) {
			t.Errorf("hint is %q, want %q in it", hint, want)
		}
	}
	if hint := measure.KeptHint(mechanism(t, mech.Params{Mechanism: "privunit", Epsilon: 512, Dim: 128}), "sotto encode"); hint != "" {
		t.Errorf("hint is %q where most is kept, want none", hint)
	}
}

// sample draws rows whose first number tells the label as far as told says.
func sample(rows int, told float64) *measure.KeptSample {
	rng := weakrand.New(weakrand.NewPCG(4, 4))
	s := measure.NewKeptSample()
	for range rows {
		label, sign := "no", -1.0
		if rng.Float64() < 0.3 {
			label, sign = "yes", 1
		}
		s.Add(label, []float64{told*sign + rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()})
		s.Add("", []float64{9, 9, 9}) // of no known label
	}
	return s
}

func TestUse(t *testing.T) {
	u, err := sample(9000, 3).Use(t.Context(), nn.NewPool(2), "bought")
	if err != nil {
		t.Fatal(err)
	}
	if u.Rows != 2000 || u.Classes != 2 || u.Accuracy < 0.98 || u.Balanced < 0.97 || math.Abs(float64(u.Majority)-0.7) > 0.06 || !(u.Low < u.Accuracy && u.Accuracy < u.High) {
		t.Errorf("use is %+v, want nearly all of 2,000 rows", u)
	}
	if text := u.Text(); !strings.Contains(text, "reads bought") || strings.Contains(text, "chance") || !strings.Contains(text, "no record") {
		t.Errorf("text is %q", text)
	}
	nothing, err := sample(9000, 0).Use(t.Context(), nn.NewPool(1), "bought")
	if err != nil {
		t.Fatal(err)
	}
	// A constant answer has 0.7 of 2,000 rows, which deviates by 0.0102.
	if nothing.Accuracy > 0.7+4.5*0.0102 || !strings.Contains(nothing.Text(), "no more than chance") {
		t.Errorf("use is %+v of nothing: %s", nothing, nothing.Text())
	}
}

func TestUseRefuses(t *testing.T) {
	one, many := measure.NewKeptSample(), measure.NewKeptSample()
	for i := range 500 {
		one.Add("same", []float64{1, float64(i)})
		many.Add(strings.Repeat("x", i+1), []float64{1, float64(i)})
	}
	for name, s := range map[string]*measure.KeptSample{"nothing": measure.NewKeptSample(), "few": sample(20, 1), "one class": one, "an id": many} {
		if u, err := s.Use(t.Context(), nn.NewPool(1), "c"); err == nil {
			t.Errorf("%s: %+v, want an error", name, u)
		}
	}
}

// TestUseOfCodes gives classes codes in an order that no linear model of a number
// follows.
func TestUseOfCodes(t *testing.T) {
	s := measure.NewKeptSample()
	codes := map[string]float64{"a": 2, "b": 0, "c": 4, "d": 1, "e": 3}
	for i := range 400 {
		class := string(rune('a' + i%5))
		s.Add(class, []float64{codes[class]})
	}
	use, err := s.Use(t.Context(), nn.NewPool(1), "class")
	if err != nil || use.Accuracy != 1 {
		t.Errorf("codes that tell the class are read as %+v, error %v; want all right", use, err)
	}
}
