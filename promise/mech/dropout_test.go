package mech_test

import (
	"errors"
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"slices"
	"testing"

	"sotto/promise/dp"
	"sotto/promise/dp/dptest"
	"sotto/promise/mech"
	"sotto/promise/noise"
)

// lengths is an encoder for tests: coordinate i is the length of word i, and 0
// where it is masked.
func lengths(words []string, masked []bool) ([]float64, error) {
	x := make([]float64, len(words))
	for i, w := range words {
		if !masked[i] {
			x[i] = float64(len(w))
		}
	}
	return x, nil
}

// dropout wraps a base of ε = 1.
func dropout(tb testing.TB, dim int, rate float64, masks mech.Masks, encode mech.Encoder) *mech.Dropout {
	tb.Helper()
	m, err := mech.NewDropout(must(tb, mech.Params{Mechanism: "laplace-l1", Dim: dim, Epsilon: 1}), rate, masks, encode)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// TestDrawMasksMarginal compares how often each word is masked with μ, in both
// modes and also where dμ is not whole.
func TestDrawMasksMarginal(t *testing.T) {
	heavy(t)
	const draws = 20000
	for _, mode := range []mech.Masks{mech.Bernoulli, mech.FixedCount} {
		for _, rate := range []float64{0.05, 0.3, 0.5, 0.77} {
			for _, words := range []int{1, 2, 3, 7, 20} {
				src := dptest.Source(t, uint64(words))
				masked := make([]bool, words)
				hits := make([]int, words)
				for range draws {
					mech.DrawMasks(masked, rate, mode, src)
					for i, m := range masked {
						if m {
							hits[i]++
						}
					}
				}
				for i, h := range hits {
					checkRate(t, fmt.Sprintf("%s masks of word %d of %d at μ = %v", mode, i, words, rate), h, draws, rate, words)
				}
			}
		}
	}
}

// TestDrawMasksJoint compares the law of whole masks with the product for
// independent ones, and with equal chances for each set of a fixed size.
func TestDrawMasksJoint(t *testing.T) {
	const words, draws, rate = 4, 40000, 0.4 // 1.6 words on average: one in 40 %, two in 60 %
	for _, mode := range []mech.Masks{mech.Bernoulli, mech.FixedCount} {
		var seen []int
		var law []float64
		counts := make([]int, 1<<words)
		src := dptest.Source(t, 3)
		masked := make([]bool, words)
		for range draws {
			mech.DrawMasks(masked, rate, mode, src)
			cell := 0
			for i, m := range masked {
				if m {
					cell |= 1 << i
				}
			}
			counts[cell]++
		}
		for cell, n := range counts {
			size := 0
			for i := range words {
				size += cell >> i & 1
			}
			p := math.Pow(rate, float64(size)) * math.Pow(1-rate, float64(words-size))
			if mode == mech.FixedCount {
				p = map[int]float64{1: 0.4 / 4, 2: 0.6 / 6}[size]
			}
			if p == 0 && n > 0 {
				t.Errorf("%s masked %d words of %d at μ = %v, want 1 or 2", mode, size, words, rate)
			}
			if p > 0 {
				seen, law = append(seen, n), append(law, p)
			}
		}
		checkCounts(t, string(mode)+" masks", seen, law)
	}
}

// TestDrawMasksFixedCount: as many words are masked as dμ rounded down or up,
// and exactly dμ where that is whole.
func TestDrawMasksFixedCount(t *testing.T) {
	src := dptest.Source(t, 4)
	for _, rate := range []float64{0, 0.1, 0.25, 0.5, 0.9, 1} {
		for words := range 30 {
			masked := make([]bool, words)
			for range 50 {
				mech.DrawMasks(masked, rate, mech.FixedCount, src)
				count := 0.0
				for _, m := range masked {
					if m {
						count++
					}
				}
				if product := rate * float64(words); count < math.Floor(product) || count > math.Ceil(product) {
					t.Fatalf("%v of %d words masked at μ = %v, want %v rounded down or up", count, words, rate, product)
				}
			}
		}
	}
}

func TestDrawMasksPanics(t *testing.T) {
	for _, mode := range []mech.Masks{mech.Bernoulli, mech.FixedCount, "", "all"} {
		for _, rate := range []float64{-0.1, 1.1, math.NaN(), 0.5} {
			if rate == 0.5 && (mode == mech.Bernoulli || mode == mech.FixedCount) {
				continue
			}
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("DrawMasks with rate %v and %s masks did not panic", rate, mode)
					}
				}()
				mech.DrawMasks(make([]bool, 3), rate, mode, dptest.Source(t, 1))
			}()
		}
	}
}

// TestWordLevel compares the amplified ε with ln(1+(1−μ)(e^ε−1)).
func TestWordLevel(t *testing.T) {
	for _, tt := range []struct{ eps, rate, want float64 }{
		{1, 0.5, 0.6201},
		{1, 0.1, math.Log1p(0.9 * (math.E - 1))},
		{0.05, 0.5, math.Log1p(0.5 * math.Expm1(0.05))},
		{38.4, 0.5, 38.4 + math.Log(0.5)},
		{1e-9, 0.25, 0.75e-9},
		{1e6, 0.9, 1e6 + math.Log(0.1)},
	} {
		got, err := mech.WordLevel(dp.Guarantee{Unit: dp.Text, Epsilon: dp.Epsilon(tt.eps)}, tt.rate)
		if err != nil || !within(float64(got.Epsilon), tt.want, 1e-4) || got.Unit != dp.Word {
			t.Errorf("WordLevel(ε = %v, %v) = %v, %v, want ε = %v", tt.eps, tt.rate, got, err, tt.want)
		}
	}
}

// TestWordLevelBounds: amplification never raises ε, never takes it below
// (1−μ)·ε, grows with ε, falls with μ, and never overflows.
func TestWordLevelBounds(t *testing.T) {
	rates := []float64{1e-9, 0.01, 0.3, 0.5, 0.99, 1 - 1e-9}
	last := make([]float64, len(rates))
	for eps := 1e-8; eps <= 1e6; eps *= 1.5 {
		above := math.Inf(1)
		for i, rate := range rates {
			g, err := mech.WordLevel(dp.Guarantee{Unit: dp.Text, Epsilon: dp.Epsilon(eps)}, rate)
			got := float64(g.Epsilon)
			if err != nil || math.IsNaN(got) || math.IsInf(got, 0) {
				t.Fatalf("WordLevel(ε = %v, %v) = %v, %v, want a number", eps, rate, g, err)
			}
			if !(got <= eps*(1+1e-12)) || !(got >= (1-rate)*eps*(1-1e-12)) {
				t.Errorf("WordLevel(ε = %v, %v) = %v, want it from (1−μ)ε to ε", eps, rate, got)
			}
			if !(got > last[i]) || !(got <= above) {
				t.Errorf("WordLevel(ε = %v, %v) = %v, want it above %v and at most %v", eps, rate, got, last[i], above)
			}
			last[i], above = got, got
		}
	}
}

// TestWordLevelRoundedUp: for μ = ½ and e^ε = 3, ε′ is ln 2, and not less.
func TestWordLevelRoundedUp(t *testing.T) {
	for _, tt := range []struct{ eps, rate, exact float64 }{
		{math.Log(3), 0.5, math.Ln2},
		{math.Log(2), 0.5, math.Log(1.5)},
		{math.Log(5), 0.75, math.Ln2},
	} {
		got, err := mech.WordLevel(dp.Guarantee{Unit: dp.Text, Epsilon: dp.Epsilon(tt.eps)}, tt.rate)
		if err != nil || !(float64(got.Epsilon) >= tt.exact) || !within(float64(got.Epsilon), tt.exact, 1e-11) {
			t.Errorf("WordLevel(%v, %v) = %.17v, %v, want %.17v or a little more", tt.eps, tt.rate, float64(got.Epsilon), err, tt.exact)
		}
	}
}

func TestWordLevelRefuses(t *testing.T) {
	text := dp.Guarantee{Unit: dp.Text, Epsilon: 1}
	for _, rate := range []float64{0, 1, -0.5, 2, math.NaN(), math.Inf(1)} {
		if g, err := mech.WordLevel(text, rate); err == nil {
			t.Errorf("WordLevel with rate %v = %v, want an error", rate, g)
		}
	}
	for _, unit := range []dp.Unit{dp.Metric, dp.Word, ""} {
		if g, err := mech.WordLevel(dp.Guarantee{Unit: unit, Epsilon: 1}, 0.5); err == nil {
			t.Errorf("WordLevel of a guarantee of unit %q = %v, want an error", unit, g)
		}
	}
}

// TestWordLevelRest: infinite stays infinite, δ shrinks with ε, and assumptions
// are added to, in a slice of its own.
func TestWordLevelRest(t *testing.T) {
	none, err := mech.WordLevel(dp.None(dp.Text), 0.9)
	if err != nil || none.Epsilon != dp.Infinite {
		t.Errorf("WordLevel of no guarantee = %v, %v, want an infinite ε", none, err)
	}
	base := dp.Guarantee{Unit: dp.Text, Epsilon: 1, Delta: 1e-6, Assumptions: make([]string, 1, 8)}
	base.Assumptions[0] = "one"
	g, err := mech.WordLevel(base, 0.75)
	if err != nil || !within(g.Delta, 0.25e-6, 1e-9) || !(g.Delta >= 0.25e-6) {
		t.Errorf("WordLevel of δ = 1e-6 at μ = 0.75 has δ = %v, %v, want 0.25e-6 or a little more", g.Delta, err)
	}
	if len(g.Assumptions) != 2 || g.Assumptions[0] != "one" || base.Assumptions[:2][1] != "" {
		t.Errorf("WordLevel has assumptions %q and wrote %q to the base's, want one more than the base and nothing written", g.Assumptions, base.Assumptions[:2][1])
	}
	if g.Validate() != nil {
		t.Errorf("WordLevel gave a guarantee that is not valid: %v", g.Validate())
	}
}

func TestNewDropoutRefuses(t *testing.T) {
	text := must(t, mech.Params{Mechanism: "laplace-l1", Dim: 2, Epsilon: 1})
	metric := must(t, mech.Params{Mechanism: "privemb", Epsilon: 1, Own: mech.PrivEmbParams{InputDim: 2, OutputDim: 2}})
	for _, tt := range []struct {
		name   string
		base   dp.Vector
		rate   float64
		masks  mech.Masks
		encode mech.Encoder
	}{
		{"rate 0", text, 0, mech.Bernoulli, lengths},
		{"rate 1", text, 1, mech.Bernoulli, lengths},
		{"rate NaN", text, math.NaN(), mech.Bernoulli, lengths},
		{"unknown masks", text, 0.5, "every other", lengths},
		{"no masks", text, 0.5, "", lengths},
		{"no encoder", text, 0.5, mech.FixedCount, nil},
		{"metric base", metric, 0.5, mech.Bernoulli, lengths},
	} {
		if m, err := mech.NewDropout(tt.base, tt.rate, tt.masks, tt.encode); err == nil {
			t.Errorf("NewDropout with %s = %v, want an error", tt.name, m)
		}
	}
}

// TestDropoutGuarantee: word level is amplified, text level is what it was.
func TestDropoutGuarantee(t *testing.T) {
	m := dropout(t, 3, 0.5, mech.Bernoulli, lengths)
	if g := m.Guarantee(); g.Unit != dp.Word || math.Abs(float64(g.Epsilon)-0.6201) > 1e-4 || g.Validate() != nil {
		t.Errorf("Guarantee() = %v, want word-level ε = 0.6201", g)
	}
	if g := m.TextGuarantee(); g.Unit != dp.Text || !within(float64(g.Epsilon), 1, 1e-3) {
		t.Errorf("TextGuarantee() = %v, want text-level ε = 1", g)
	}
	released, err := mech.NewDropout(must(t, mech.Params{Mechanism: "dpnr", Variant: mech.Released, Dim: 2, Epsilon: 1}), 0.5, mech.Bernoulli, lengths)
	if err != nil || released.Guarantee().Epsilon != dp.Infinite {
		t.Errorf("dropout of a base without a promise: %v, want an infinite ε", err)
	}
}

// TestDropoutMaskedWordLeavesNoTrace: with the same source two texts that differ
// in one word give the same release whenever that word is masked, and differ
// otherwise; it is masked as often as promised.
func TestDropoutMaskedWordLeavesNoTrace(t *testing.T) {
	const draws, rate = 4000, 0.3
	for _, mode := range []mech.Masks{mech.Bernoulli, mech.FixedCount} {
		var lastMasks []bool
		encode := func(words []string, masked []bool) ([]float64, error) {
			lastMasks = slices.Clone(masked)
			x, err := lengths(words, masked)
			return append(x, 1), err // so that a single word is not all there is to scale
		}
		m := dropout(t, 6, rate, mode, encode)
		a := []string{"the", "patient", "has", "influenza", "again"}
		b := slices.Clone(a)
		b[3] = "a cold"
		hidden := 0
		for seed := range uint64(draws) {
			y, err := m.Privatize(a, noise.From(weakrand.NewPCG(seed, 0)))
			if err != nil {
				t.Fatal(err)
			}
			z, err := m.Privatize(b, noise.From(weakrand.NewPCG(seed, 0)))
			if err != nil {
				t.Fatal(err)
			}
			masked := lastMasks[3]
			if slices.Equal(y, z) != masked {
				t.Fatalf("%s: releases equal: %v, word masked: %v", mode, slices.Equal(y, z), masked)
			}
			if masked {
				hidden++
			}
		}
		checkRate(t, string(mode)+" masks of the fourth word", hidden, draws, rate, 1)
	}
}

// TestDropoutErrors: an encoder's error and its wrong vectors are passed on.
func TestDropoutErrors(t *testing.T) {
	fault := errors.New("no such language")
	broken := dropout(t, 2, 0.5, mech.Bernoulli, func([]string, []bool) ([]float64, error) { return nil, fault })
	if y, err := broken.Privatize([]string{"a"}, dptest.Source(t, 1)); !errors.Is(err, fault) || y != nil {
		t.Errorf("Privatize with a broken encoder = %v, %v, want its error", y, err)
	}
	short := dropout(t, 2, 0.5, mech.Bernoulli, lengths)
	if y, err := short.Privatize([]string{"a"}, dptest.Source(t, 1)); !errors.Is(err, dp.ErrDomain) || y != nil {
		t.Errorf("Privatize with a vector too short = %v, %v, want dp.ErrDomain", y, err)
	}
}

// TestDropoutWords: words are neither changed nor kept.
func TestDropoutWords(t *testing.T) {
	m := dropout(t, 2, 0.5, mech.FixedCount, lengths)
	words := []string{"a", "bc"}
	if _, err := m.Privatize(words, dptest.Source(t, 1)); err != nil || !slices.Equal(words, []string{"a", "bc"}) {
		t.Errorf("Privatize changed its words to %q; error %v", words, err)
	}
}
