package mech_test

import (
	"math"
	"testing"

	"sotto/promise/dp"
	"sotto/promise/mech"
)

// TestNumbers compares guarantees with the numbers that the claims checker must
// print, which were computed by hand from the publications' formulas.
func TestNumbers(t *testing.T) {
	ome := func(dim int, lambda float64) mech.Params {
		return mech.Params{Mechanism: "ome", Dim: dim, Epsilon: 1, Own: mech.OMEParams{Bits: 10, Lambda: lambda}}
	}
	for _, tt := range []struct {
		mech.Params
		want, error float64
	}{
		{ome(50, 100), 3451.39, 0.005},
		{ome(50, 1), 0.50, 0.005},
		{ome(768, 100), 53013.4, 0.05},
		{ome(50, 10), 1703, 0.5},
		{ome(50, 50), 2929, 0.5},
		{ome(768, 1), 0.50, 0.005},
		{ome(768, 10), 26164, 0.5},
		{ome(768, 50), 44990, 0.5},
		{mech.Params{Mechanism: "laplace-l1", Dim: 300, Epsilon: 14}, 14, 1e-3},
		{mech.Params{Mechanism: "laplace-l1", Variant: mech.Released, Dim: 300, Epsilon: 14}, 242.5, 0.05},
		{mech.Params{Mechanism: "laplace-l1", Variant: mech.Released, Dim: 50, Epsilon: 1}, 7.07, 0.005},
		{mech.Params{Mechanism: "dpnr", Variant: mech.Paper, Dim: 768, Epsilon: 0.05}, 38.4, 0.005},
		{mech.Params{Mechanism: "dpnr", Variant: mech.AsStated, Dim: 768, Epsilon: 0.05}, 0.05, 5e-4},
		// One-hot codes differ in two bits of each coordinate.
		{mech.Params{Mechanism: "sue", Variant: mech.OneHot, Dim: 50, Epsilon: 3, Own: mech.BitParams{Bits: 10}}, 3, 1e-9},
		{mech.Params{Mechanism: "sue", Variant: mech.Paper, Dim: 50, Epsilon: 3, Own: mech.BitParams{Bits: 10}}, 10 * 3.0 / 2, 1e-9},
		{mech.Params{Mechanism: "sue", Variant: mech.Paper, Dim: 768, Epsilon: 1, Own: mech.BitParams{Bits: 7}}, 7.0 / 2, 1e-9},
		{mech.Params{Mechanism: "oue", Variant: mech.OneHot, Dim: 50, Epsilon: 3, Own: mech.AlphaParams{Bits: 10}}, 1.5, 1e-9},
		{mech.Params{Mechanism: "oue", Variant: mech.Tight, Dim: 50, Epsilon: 3, Own: mech.AlphaParams{Bits: 10}}, 3, 1e-9},
		{mech.Params{Mechanism: "oue", Variant: mech.Paper, Dim: 50, Epsilon: 300, Own: mech.AlphaParams{Bits: 10}}, 500 * math.Log((1+math.E*math.E*math.E)/2), 1e-6},
		{mech.Params{Mechanism: "bitrr", Dim: 768, Epsilon: 5, Own: mech.BitParams{Bits: 10}}, 5, 1e-9},
		{mech.Params{Mechanism: "bitrr", Variant: mech.Uniform, Dim: 768, Epsilon: 5, Own: mech.BitParams{Bits: 10}}, 5, 1e-9},
		{mech.Params{Mechanism: "bitrr", Variant: mech.OneBit, Dim: 768, Epsilon: 5}, 5, 1e-9},
		{mech.Params{Mechanism: "codes", Dim: 16, Epsilon: 4, Own: mech.CodesParams{Selected: 2}}, 4, 1e-9},
		// The one code weighs 0.6 and the other 0.2 of 1: 0.8/0.6 and 0.4/0.2.
		{mech.Params{Mechanism: "codes", Dim: 2, Epsilon: 1, Own: mech.CodesParams{Weights: []float64{0.6, 0.2}}}, math.Ln2, 1e-9},
		// r·Σ|ln α + iε/l| with α = e^−1, ε = 4 and l = 4: r·(1+0+1+2).
		{mech.Params{Mechanism: "bitrand", Dim: 6, Epsilon: 4, Own: mech.AlphaParams{Bits: 4, Alpha: 1 / math.E}}, 24, 1e-9},
	} {
		m := must(t, tt.Params)
		g := m.Guarantee()
		if !(math.Abs(float64(g.Epsilon)-tt.want) <= tt.error) || g.Unit != dp.Text || g.Delta != 0 {
			t.Errorf("%s: Guarantee() = %v, want ε = %v at text level", describe(tt.Params), g, tt.want)
		}
		if claimed := m.Profile().Claimed; float64(claimed) != tt.Epsilon {
			t.Errorf("%s: claimed %v, want %v", describe(tt.Params), claimed, tt.Epsilon)
		}
	}
}

// TestNumbersPrinted: the issue quotes some numbers as they are printed.
func TestNumbersPrinted(t *testing.T) {
	for _, tt := range []struct {
		mech.Params
		want string
	}{
		{mech.Params{Mechanism: "ome", Dim: 50, Epsilon: 1, Own: mech.OMEParams{Bits: 10, Lambda: 100}}, "ε = 3451.4 (text-level)"},
		{mech.Params{Mechanism: "ome", Dim: 768, Epsilon: 1, Own: mech.OMEParams{Bits: 10, Lambda: 100}}, "ε = 53013.4 (text-level)"},
		{mech.Params{Mechanism: "dpnr", Variant: mech.Released, Dim: 768, Epsilon: 0.05}, "ε = infinite (text-level)"},
		{mech.Params{Mechanism: "ome", Dim: 50, Epsilon: 1}, "ε = 3451.4 (text-level)"}, // the defaults are the paper's
	} {
		if got := must(t, tt.Params).Guarantee().String(); got != tt.want {
			t.Errorf("%s: Guarantee() = %q, want %q", describe(tt.Params), got, tt.want)
		}
	}
}

// TestOMEClosedForm: for an even number of bits and λ ≥ 2 the true loss is
// (rl/2)·ln(λ³−λ²+λ), whatever ε was claimed, up to ε/(rl) = ln λ. Far above
// that odd bits lose more the other way.
func TestOMEClosedForm(t *testing.T) {
	for _, dim := range []int{1, 3, 50} {
		for _, bits := range []int{2, 4, 10} {
			for _, lambda := range []float64{2, 3, 10, 50, 100, 1000} {
				n := float64(dim * bits)
				want := n / 2 * math.Log(lambda*lambda*lambda-lambda*lambda+lambda)
				for _, claimed := range []float64{1e-3, min(1, n*math.Log(lambda)), n * math.Log(lambda)} {
					p := mech.Params{Mechanism: "ome", Dim: dim, Epsilon: claimed, Own: mech.OMEParams{Bits: bits, Lambda: lambda}}
					if got := float64(must(t, p).Guarantee().Epsilon); !within(got, want, 1e-9) {
						t.Errorf("%s: ε = %v, want %v", describe(p), got, want)
					}
				}
			}
		}
	}
}

// TestOMEOddBits: with an odd number of bits the parities change places from
// one coordinate to the next. Each merged bit is taken by itself.
func TestOMEOddBits(t *testing.T) {
	for _, dim := range []int{1, 2, 3, 4, 7} {
		for _, bits := range []int{1, 3, 5} {
			for _, lambda := range []float64{0.5, 1, 2, 100} {
				const claimed = 2
				want := 0.0
				q := 1 / (1 + lambda*math.Exp(claimed/float64(dim*bits)))
				for i := range dim * bits {
					p := lambda / (1 + lambda)
					if i%2 == 1 {
						p = 1 / (1 + lambda*lambda*lambda)
					}
					want += max(math.Abs(math.Log(p/q)), math.Abs(math.Log((1-p)/(1-q))))
				}
				p := mech.Params{Mechanism: "ome", Dim: dim, Epsilon: claimed, Own: mech.OMEParams{Bits: bits, Lambda: lambda}}
				if got := float64(must(t, p).Guarantee().Epsilon); !within(got, want, 1e-9) {
					t.Errorf("%s: ε = %v, want %v", describe(p), got, want)
				}
			}
		}
	}
}

// TestMOUEIsValid: LATENT's modification keeps its promise as coded.
func TestMOUEIsValid(t *testing.T) {
	for _, alpha := range []float64{0.1, 1, 3, 100} {
		for _, eps := range []float64{0.1, 1, 50} {
			p := mech.Params{Mechanism: "oue", Variant: mech.MOUE, Dim: 3, Epsilon: eps, Own: mech.AlphaParams{Alpha: alpha, Bits: 5}}
			if got := float64(must(t, p).Guarantee().Epsilon); !(got <= eps) {
				t.Errorf("%s: ε = %v, want at most what was asked for", describe(p), got)
			}
		}
	}
}

// TestMSE compares stated mean squared errors with the table of published and
// computed ones, as it is rounded there.
func TestMSE(t *testing.T) {
	type stated interface{ MSE() float64 }
	for _, tt := range []struct {
		mechanism   string
		dim         int
		want, error float64
	}{
		{"privunit", 50, 6.1, 0.05},
		{"privunit", 300, 39, 0.5},
		{"privunit", 768, 101, 0.6},
		{"laplace-l2", 50, 159, 0.5},
		{"laplace-l2", 300, 5.6e3, 50},
		{"laplace-l2", 768, 37e3, 500},
		{"gaussian", 50, 85, 0.5},
		{"gaussian", 300, 512, 1},
		{"gaussian", 768, 1.3e3, 50},
	} {
		m := must(t, mech.Params{Mechanism: tt.mechanism, Dim: tt.dim, Epsilon: 8}).(stated)
		if got := m.MSE(); !(math.Abs(got-tt.want) <= tt.error) {
			t.Errorf("%s dim=%d ε=8: MSE() = %v, want %v", tt.mechanism, tt.dim, got, tt.want)
		}
		if got := fact(t, m.(dp.Profiled), "mse"); got != m.MSE() {
			t.Errorf("%s dim=%d: the fact mse is %v, want %v", tt.mechanism, tt.dim, got, m.MSE())
		}
	}
	for _, tt := range []struct {
		codewords, selected int
		eps, want           float64
	}{{256, 16, 4, 21.5}, {8192, 32, 8, 6.17}} {
		m := must(t, mech.Params{Mechanism: "codebook", Dim: 50, Epsilon: tt.eps, Own: mech.CodebookParams{Codewords: tt.codewords, Selected: tt.selected}}).(stated)
		if got := m.MSE(); !within(got, tt.want, 0.02) {
			t.Errorf("codebook N=%d K=%d ε=%v: MSE() = %v, want %v up to 2 %%", tt.codewords, tt.selected, tt.eps, got, tt.want)
		}
	}
}

// TestBestSelected: the default K is that of the published comparison, or near.
func TestBestSelected(t *testing.T) {
	for _, tt := range []struct {
		codewords int
		eps       float64
		lo, hi    float64
	}{{256, 4, 12, 20}, {8192, 8, 24, 42}} {
		m := must(t, mech.Params{Mechanism: "codebook", Dim: 50, Epsilon: tt.eps, Own: mech.CodebookParams{Codewords: tt.codewords}})
		if got := fact(t, m, "selected"); !(got >= tt.lo && got <= tt.hi) {
			t.Errorf("codebook N=%d ε=%v selects %v by default, want between %v and %v", tt.codewords, tt.eps, got, tt.lo, tt.hi)
		}
	}
}
