package mech_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"sotto/promise/mech"
)

// valid returns the parameters of a small instance of each mechanism.
func valid(mechanism string) mech.Params {
	p := mech.Params{Mechanism: mechanism, Epsilon: 1, Dim: 4}
	switch mechanism {
	case "privemb":
		p.Dim, p.Own = 0, mech.PrivEmbParams{InputDim: 4, OutputDim: 2}
	case "krr":
		p.Dim, p.Own = 0, mech.KRRParams{Classes: 3}
	case "subset":
		p.Dim, p.Own = 0, mech.SubsetParams{Classes: 3}
	case "bitrand":
		p.Own = mech.AlphaParams{Alpha: 1}
	case "codebook":
		p.Own = mech.CodebookParams{Codewords: 8}
	case "cells":
		p.Own = mech.CellsParams{Centres: vocabulary(4)}
	}
	return p
}

// fields lists how each optional parameter is set.
func fields() map[string]func(*mech.Params) {
	set := func(name string, value any) func(*mech.Params) {
		return func(p *mech.Params) { *p = p.With(mech.Given{name: value}) }
	}
	return map[string]func(*mech.Params){
		"delta":      func(p *mech.Params) { p.Delta = 1e-6 },
		"dim":        func(p *mech.Params) { p.Dim = 4 },
		"bits":       set("bits", 3),
		"lambda":     set("lambda", 2.0),
		"alpha":      set("alpha", 2.0),
		"input_dim":  set("input_dim", 4),
		"output_dim": set("output_dim", 2),
		"clip":       set("clip", 1.0),
		"codewords":  set("codewords", 8),
		"selected":   set("selected", 2),
		"classes":    set("classes", 3),
		"seed":       set("seed", uint64(1)),
		"vocabulary": set("vocabulary", vocabulary(4)),
		"weights":    set("weights", uneven(4, 1, 0.5)),

		"cells":        set("cells", vocabulary(4)),
		"cells_sha256": set("cells_sha256", mech.CellsParams{Centres: vocabulary(4)}.Digest()),
		"cell_shares":  set("cell_shares", slices.Repeat([]float64{2, 1, 3}, 4)),

		"cell_direction": set("cell_direction", []float64{1, 0, 0, 2}),
	}
}

// TestParamsUnused: a parameter that a mechanism does not read is refused by
// name, and those that it reads are those that it lists.
func TestParamsUnused(t *testing.T) {
	for _, info := range mech.Kinds() {
		if _, err := mech.New(valid(info.Name)); err != nil {
			t.Fatalf("New(%+v) error = %v, want none", valid(info.Name), err)
		}
		for name, set := range fields() {
			p := valid(info.Name)
			set(&p)
			_, err := mech.New(p)
			listed := mech.Uses(info.Name, name)
			if !listed && (err == nil || !strings.Contains(err.Error(), `"`+name+`"`) || !strings.Contains(err.Error(), info.Name)) {
				t.Errorf("New(%s) with %s: error = %v, want one that names both", info.Name, name, err)
			}
			if listed && err != nil && strings.Contains(err.Error(), "takes no parameter") {
				t.Errorf("New(%s) with %s: error = %v, but Uses says that it takes it", info.Name, name, err)
			}
		}
		for _, unknown := range []string{"epsilon", "variant", "", "sigma"} {
			if mech.Uses(info.Name, unknown) {
				t.Errorf("Uses(%q, %q) = true, want false: it is not optional", info.Name, unknown)
			}
		}
	}
	if mech.Uses("nothing", "dim") {
		t.Error(`Uses("nothing", "dim") = true, want false`)
	}
}

// TestParamsFields: every own parameter is in the table above.
func TestParamsFields(t *testing.T) {
	known := fields()
	for _, info := range mech.Kinds() {
		if len(info.Variants) == 0 || info.About == "" {
			t.Errorf("Kinds lists %+v, want variants and a description", info)
		}
	}
	for _, p := range mech.Parameters() {
		if known[p.Name] == nil {
			t.Errorf("there is a parameter %q, which this test does not set", p.Name)
		}
	}
}

// TestParamsEpsilon: every mechanism refuses an ε that promises nothing or
// that it cannot compute with.
func TestParamsEpsilon(t *testing.T) {
	for _, info := range mech.Kinds() {
		for _, variant := range info.VariantNames() {
			for _, eps := range []float64{0, -1, math.NaN(), math.Inf(1), math.Inf(-1), 1.000001e6, 0.999999e-6, -math.SmallestNonzeroFloat64} {
				p := valid(info.Name)
				p.Variant, p.Epsilon = variant, eps
				_, err := mech.New(p)
				if err == nil || !strings.Contains(err.Error(), "epsilon is") || !strings.Contains(err.Error(), "must be") {
					t.Errorf("New(%s %s, ε = %v) error = %v, want one that names epsilon and what it must be", info.Name, variant, eps, err)
				}
			}
		}
		p := valid(info.Name)
		p.Variant = "best"
		if _, err := mech.New(p); err == nil || !strings.Contains(err.Error(), `"best"`) || !strings.Contains(err.Error(), info.Variants[0].Name) {
			t.Errorf("New(%s, variant best) error = %v, want one that names it and those there are", info.Name, err)
		}
	}
}

func TestParamsRefused(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	wide := vocabulary(4)
	for _, tt := range []struct {
		name string
		p    mech.Params
		want []string // all of them in the error
	}{
		{"no name", mech.Params{Epsilon: 1}, []string{`mechanism is ""`, "must be one of laplace-l1, dpnr"}},
		{"unknown name", mech.Params{Mechanism: "laplace", Epsilon: 1}, []string{`"laplace"`, "krr"}},

		{"laplace-l1 no dim", mech.Params{Mechanism: "laplace-l1", Epsilon: 1}, []string{"dim of laplace-l1 is 0", "at least 1"}},
		{"laplace-l1 negative dim", mech.Params{Mechanism: "laplace-l1", Dim: -3, Epsilon: 1}, []string{"dim is -3", "at least 1"}},
		{"laplace-l1 huge dim", mech.Params{Mechanism: "laplace-l1", Dim: mech.MaxDim + 1, Epsilon: 1}, []string{"dim is 1048577", "at most 1048576"}},
		{"laplace-l1 tiny ε", mech.Params{Mechanism: "laplace-l1", Dim: 1, Epsilon: 1.1e-6}, []string{"epsilon of laplace-l1 is 1.1e-06", "at least 1.32e-06"}},
		{"dpnr one dim", mech.Params{Mechanism: "dpnr", Dim: 1, Epsilon: 1}, []string{"dim of dpnr is 1", "at least 2"}},
		{"dpnr tiny ε", mech.Params{Mechanism: "dpnr", Dim: 1000, Epsilon: 1e-4}, []string{"epsilon of dpnr is 0.0001", "dim 1000", "at least 0.00066"}},

		{"sue bits", mech.Params{Mechanism: "sue", Dim: 1, Epsilon: 1, Own: mech.BitParams{Bits: 49}}, []string{"bits is 49", "at most 48"}},
		{"sue negative bits", mech.Params{Mechanism: "sue", Dim: 1, Epsilon: 1, Own: mech.BitParams{Bits: -1}}, []string{"bits is -1", "at least"}},
		{"sue one bit one-hot", mech.Params{Mechanism: "sue", Dim: 1, Epsilon: 1, Own: mech.BitParams{Bits: 1}}, []string{"bits is 1", "at least 2"}},
		{"sue no dim", mech.Params{Mechanism: "sue", Epsilon: 1}, []string{"dim of sue is 0"}},
		{"oue alpha", mech.Params{Mechanism: "oue", Dim: 1, Epsilon: 1, Own: mech.AlphaParams{Alpha: 2}}, []string{"alpha of oue onehot is 2", "absent"}},
		{"oue moue without alpha", mech.Params{Mechanism: "oue", Variant: mech.MOUE, Dim: 1, Epsilon: 1}, []string{"alpha of oue moue is 0", "positive for moue"}},
		{"oue moue negative alpha", mech.Params{Mechanism: "oue", Variant: mech.MOUE, Dim: 1, Epsilon: 1, Own: mech.AlphaParams{Alpha: -1}}, []string{"alpha is -1", "positive"}},
		{"ome negative λ", mech.Params{Mechanism: "ome", Dim: 1, Epsilon: 1, Own: mech.OMEParams{Lambda: -1}}, []string{"lambda is -1", "positive"}},
		{"ome λ NaN", mech.Params{Mechanism: "ome", Dim: 1, Epsilon: 1, Own: mech.OMEParams{Lambda: nan}}, []string{"lambda is NaN"}},
		{"ome λ infinite", mech.Params{Mechanism: "ome", Dim: 1, Epsilon: 1, Own: mech.OMEParams{Lambda: inf}}, []string{"lambda is +Inf"}},
		{"ome λ small", mech.Params{Mechanism: "ome", Dim: 1, Epsilon: 1, Own: mech.OMEParams{Lambda: 1e-4}}, []string{"lambda is 0.0001", "at least 0.001"}},
		{"ome λ large", mech.Params{Mechanism: "ome", Dim: 1, Epsilon: 1, Own: mech.OMEParams{Lambda: 1e6}}, []string{"lambda is 1e+06", "at most 100000"}},
		{"bitrand without α", mech.Params{Mechanism: "bitrand", Dim: 1, Epsilon: 1}, []string{"alpha of bitrand is 0", "positive"}},
		{"bitrand α NaN", mech.Params{Mechanism: "bitrand", Dim: 1, Epsilon: 1, Own: mech.AlphaParams{Alpha: nan}}, []string{"alpha is NaN", "positive"}},
		{"bitrr onebit bits", mech.Params{Mechanism: "bitrr", Variant: mech.OneBit, Dim: 1, Epsilon: 1, Own: mech.BitParams{Bits: 3}}, []string{"bits of bitrr onebit is 3", "must be 1"}},

		{"privemb no dims", mech.Params{Mechanism: "privemb", Epsilon: 1}, []string{"input_dim is 0", "output_dim 0", "at least 1"}},
		{"privemb widening", mech.Params{Mechanism: "privemb", Epsilon: 1, Own: mech.PrivEmbParams{InputDim: 2, OutputDim: 3}}, []string{"input_dim is 2", "output_dim 3"}},
		{"privemb negative", mech.Params{Mechanism: "privemb", Epsilon: 1, Own: mech.PrivEmbParams{InputDim: 2, OutputDim: -1}}, []string{"output_dim is -1"}},
		{"privemb too wide", mech.Params{Mechanism: "privemb", Epsilon: 1, Own: mech.PrivEmbParams{InputDim: 5000, OutputDim: 4097}}, []string{"output_dim of privemb is 4097", "at most 4096"}},
		{"privemb too large", mech.Params{Mechanism: "privemb", Epsilon: 1, Own: mech.PrivEmbParams{InputDim: 1 << 18, OutputDim: 1 << 11}}, []string{"input_dim 262144", "product"}},
		{"privemb m1 narrower", mech.Params{Mechanism: "privemb", Variant: mech.M1, Epsilon: 1, Own: mech.PrivEmbParams{InputDim: 3, OutputDim: 2}}, []string{"output_dim of privemb m1 is 2", "equal input_dim, 3"}},
		{"privemb delta", mech.Params{Mechanism: "privemb", Delta: 1e-6, Epsilon: 1, Own: mech.PrivEmbParams{InputDim: 3, OutputDim: 2}}, []string{"delta of privemb orthonormal", "paper"}},
		{"privemb delta 1", mech.Params{Mechanism: "privemb", Variant: mech.Paper, Delta: 1, Epsilon: 1, Own: mech.PrivEmbParams{InputDim: 3, OutputDim: 2}}, []string{"delta is 1", "(0, 1)"}},
		{"privemb clip", mech.Params{Mechanism: "privemb", Epsilon: 1, Own: mech.PrivEmbParams{InputDim: 3, OutputDim: 2, Clip: -1}}, []string{"clip is -1", "positive"}},
		{"privemb clip tiny", mech.Params{Mechanism: "privemb", Epsilon: 1, Own: mech.PrivEmbParams{InputDim: 3, OutputDim: 2, Clip: 1e-200}}, []string{"clip is 1e-200", "at least"}},
		{"privemb clip NaN", mech.Params{Mechanism: "privemb", Epsilon: 1, Own: mech.PrivEmbParams{InputDim: 3, OutputDim: 2, Clip: nan}}, []string{"clip is NaN", "positive"}},
		{"privemb no vocabulary", mech.Params{Mechanism: "privemb", Variant: mech.Vocabulary, Epsilon: 1, Own: mech.PrivEmbParams{InputDim: 3, OutputDim: 2}}, []string{"vocabulary", "0 vectors"}},
		{"privemb vocabulary elsewhere", mech.Params{Mechanism: "privemb", Epsilon: 1, Own: mech.PrivEmbParams{InputDim: 4, OutputDim: 2, Vocabulary: wide}}, []string{"vocabulary of privemb orthonormal", "no other"}},
		{"privemb vocabulary of one", mech.Params{Mechanism: "privemb", Variant: mech.Vocabulary, Epsilon: 1, Own: mech.PrivEmbParams{InputDim: 4, OutputDim: 2, Vocabulary: wide[:1]}}, []string{"vocabulary has 1 vector", "at least 2"}},
		{"privemb vocabulary width", mech.Params{Mechanism: "privemb", Variant: mech.Vocabulary, Epsilon: 1, Own: mech.PrivEmbParams{InputDim: 3, OutputDim: 2, Vocabulary: wide}}, []string{"vocabulary vector has 4", "must have 3"}},
		{"privemb vocabulary equal", mech.Params{Mechanism: "privemb", Variant: mech.Vocabulary, Epsilon: 1, Own: mech.PrivEmbParams{InputDim: 4, OutputDim: 2, Vocabulary: [][]float64{wide[0], wide[0]}}}, []string{"vocabulary are equal"}},
		{"privemb vocabulary NaN", mech.Params{Mechanism: "privemb", Variant: mech.Vocabulary, Epsilon: 1, Own: mech.PrivEmbParams{InputDim: 1, OutputDim: 1, Vocabulary: [][]float64{{nan}, {1}}}}, []string{"vocabulary", "not finite"}},

		{"privunit two dims", mech.Params{Mechanism: "privunit", Dim: 2, Epsilon: 1}, []string{"dim of privunit is 2", "at least 3"}},
		{"privunit wide", mech.Params{Mechanism: "privunit", Dim: 8193, Epsilon: 1}, []string{"dim of privunit is 8193", "at most 8192"}},
		{"privunit large ε", mech.Params{Mechanism: "privunit", Dim: 3, Epsilon: 100}, []string{"epsilon of privunit is 100", "too large"}},
		{"codebook one dim", mech.Params{Mechanism: "codebook", Dim: 1, Epsilon: 1}, []string{"dim of codebook is 1", "at least 2"}},
		{"codebook one word", mech.Params{Mechanism: "codebook", Dim: 2, Epsilon: 1, Own: mech.CodebookParams{Codewords: 1}}, []string{"codewords is 1", "from 2"}},
		{"codebook negative", mech.Params{Mechanism: "codebook", Dim: 2, Epsilon: 1, Own: mech.CodebookParams{Codewords: -5}}, []string{"codewords is -5"}},
		{"codebook too many", mech.Params{Mechanism: "codebook", Dim: 2, Epsilon: 1, Own: mech.CodebookParams{Codewords: 1<<20 + 1}}, []string{"codewords is 1048577"}},
		{"codebook too large", mech.Params{Mechanism: "codebook", Dim: 1 << 15, Epsilon: 1, Own: mech.CodebookParams{Codewords: 1 << 14}}, []string{"codewords is 16384 at dim 32768"}},
		{"codebook all selected", mech.Params{Mechanism: "codebook", Dim: 2, Epsilon: 1, Own: mech.CodebookParams{Codewords: 4, Selected: 4}}, []string{"selected is 4", "below codewords, 4"}},
		{"codebook negative selected", mech.Params{Mechanism: "codebook", Dim: 2, Epsilon: 1, Own: mech.CodebookParams{Codewords: 4, Selected: -1}}, []string{"selected is -1", "at least 1"}},
		{"codes one", mech.Params{Mechanism: "codes", Dim: 1, Epsilon: 1}, []string{"dim of codes is 1", "at least 2"}},
		{"codes too many", mech.Params{Mechanism: "codes", Dim: 1<<16 + 1, Epsilon: 1}, []string{"dim of codes is 65537", "at most 65536"}},
		{"codes all selected", mech.Params{Mechanism: "codes", Dim: 4, Epsilon: 1, Own: mech.CodesParams{Selected: 4}}, []string{"selected is 4", "below dim, 4"}},
		{"codes negative selected", mech.Params{Mechanism: "codes", Dim: 4, Epsilon: 1, Own: mech.CodesParams{Selected: -1}}, []string{"selected is -1", "at least 1"}},
		{"codes both", mech.Params{Mechanism: "codes", Dim: 2, Epsilon: 1, Own: mech.CodesParams{Selected: 1, Weights: []float64{0.3, 0.3}}}, []string{"selected is 1", "must be absent"}},
		{"codes no weights", mech.Params{Mechanism: "codes", Dim: 2, Epsilon: 1, Own: mech.CodesParams{Weights: []float64{}}}, []string{"0 weights", "dim, 2"}},
		{"codes three weights", mech.Params{Mechanism: "codes", Dim: 2, Epsilon: 1, Own: mech.CodesParams{Weights: []float64{0.3, 0.3, 0.3}}}, []string{"3 weights", "dim, 2"}},
		{"codes zero weight", mech.Params{Mechanism: "codes", Dim: 2, Epsilon: 1, Own: mech.CodesParams{Weights: []float64{0.5, 0}}}, []string{"weight 1 of codes is 0", "above 0"}},
		{"codes negative weight", mech.Params{Mechanism: "codes", Dim: 2, Epsilon: 1, Own: mech.CodesParams{Weights: []float64{-0.5, 0.5}}}, []string{"weight 0 of codes is -0.5", "above 0"}},
		{"codes weight NaN", mech.Params{Mechanism: "codes", Dim: 2, Epsilon: 1, Own: mech.CodesParams{Weights: []float64{0.5, nan}}}, []string{"weight 1 of codes is NaN"}},
		{"codes weight infinite", mech.Params{Mechanism: "codes", Dim: 2, Epsilon: 1, Own: mech.CodesParams{Weights: []float64{inf, 0.5}}}, []string{"weight 0 of codes is +Inf", "at most 1"}},
		{"codes heavy", mech.Params{Mechanism: "codes", Dim: 2, Epsilon: 1, Own: mech.CodesParams{Weights: []float64{0.6, 0.5}}}, []string{"sum to 1.1", "and 1"}},
		{"codes light", mech.Params{Mechanism: "codes", Dim: 2, Epsilon: 1, Own: mech.CodesParams{Weights: []float64{0.1, 0.1}}}, []string{"sum to 0.2", "0.367"}},
		{"gaussian delta", mech.Params{Mechanism: "gaussian", Dim: 2, Delta: 1, Epsilon: 1}, []string{"delta is 1", "(0, 1)"}},
		{"gaussian negative delta", mech.Params{Mechanism: "gaussian", Dim: 2, Delta: -1e-9, Epsilon: 1}, []string{"delta is -1e-09", "(0, 1)"}},
		{"gaussian delta NaN", mech.Params{Mechanism: "gaussian", Dim: 2, Delta: nan, Epsilon: 1}, []string{"delta is NaN", "(0, 1)"}},
		{"gaussian large ε", mech.Params{Mechanism: "gaussian", Dim: 2, Epsilon: 100}, []string{"epsilon 100", "delta 1e-06", "gaussian"}},
		{"subset no classes", mech.Params{Mechanism: "subset", Epsilon: 1}, []string{"classes of subset is 0", "at least 2"}},
		{"subset many classes", mech.Params{Mechanism: "subset", Epsilon: 1, Own: mech.SubsetParams{Classes: 1<<16 + 1}}, []string{"classes of subset is 65537", "at most 65536"}},
		{"subset of all", mech.Params{Mechanism: "subset", Epsilon: 1, Own: mech.SubsetParams{Classes: 3, Selected: 3}}, []string{"selected of subset is 3", "below classes, 3"}},
		{"krr no classes", mech.Params{Mechanism: "krr", Epsilon: 1}, []string{"classes of krr is 0", "at least 2"}},
		{"krr one class", mech.Params{Mechanism: "krr", Epsilon: 1, Own: mech.KRRParams{Classes: 1}}, []string{"classes of krr is 1", "at least 2"}},
		{"krr many classes", mech.Params{Mechanism: "krr", Epsilon: 1, Own: mech.KRRParams{Classes: 1<<30 + 1}}, []string{"classes of krr is 1073741825", "at most 1073741824"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, err := mech.New(tt.p)
			if err == nil {
				t.Fatalf("New(%+v) = %v, want an error", tt.p, m.Guarantee())
			}
			if m != nil {
				t.Errorf("New(%+v) returned a mechanism beside its error", tt.p)
			}
			for _, want := range append(tt.want, "mech: ") {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("New(%+v) error = %q, want it to contain %q", tt.p, err, want)
				}
			}
		})
	}
}

// TestConstructors: each takes its own name or none, and refuses another's.
func TestConstructors(t *testing.T) {
	for name, build := range map[string]func(mech.Params) error{
		"laplace-l1": func(p mech.Params) error { _, err := mech.NewLaplaceL1(p); return err },
		"dpnr":       func(p mech.Params) error { _, err := mech.NewDPNR(p); return err },
		"sue":        func(p mech.Params) error { _, err := mech.NewSUE(p); return err },
		"oue":        func(p mech.Params) error { _, err := mech.NewOUE(p); return err },
		"ome":        func(p mech.Params) error { _, err := mech.NewOME(p); return err },
		"bitrand":    func(p mech.Params) error { _, err := mech.NewBitRand(p); return err },
		"bitrr":      func(p mech.Params) error { _, err := mech.NewBitRR(p); return err },
		"privemb":    func(p mech.Params) error { _, err := mech.NewPrivEmb(p); return err },
		"privunit":   func(p mech.Params) error { _, err := mech.NewPrivUnit(p); return err },
		"codebook":   func(p mech.Params) error { _, err := mech.NewCodebook(p); return err },
		"codes":      func(p mech.Params) error { _, err := mech.NewCodes(p); return err },
		"cells":      func(p mech.Params) error { _, err := mech.NewCells(p); return err },
		"laplace-l2": func(p mech.Params) error { _, err := mech.NewLaplaceL2(p); return err },
		"gaussian":   func(p mech.Params) error { _, err := mech.NewGaussian(p); return err },
		"krr":        func(p mech.Params) error { _, err := mech.NewKRR(p); return err },
		"subset":     func(p mech.Params) error { _, err := mech.NewSubset(p); return err },
	} {
		p := valid(name)
		if err := build(p); err != nil {
			t.Errorf("constructor of %s error = %v, want none", name, err)
		}
		p.Mechanism = ""
		if err := build(p); err != nil {
			t.Errorf("constructor of %s without a name: error = %v, want none", name, err)
		}
		p.Mechanism = "other"
		if err := build(p); err == nil || !strings.Contains(err.Error(), `"other"`) || !strings.Contains(err.Error(), name) {
			t.Errorf("constructor of %s with another's name: error = %v, want one that names both", name, err)
		}
	}
	if n := len(mech.Kinds()); n != 16 {
		t.Errorf("Kinds lists %d mechanisms, this test tries 16", n)
	}
}

// TestParamsBounds: what lies just inside the bounds is accepted.
func TestParamsBounds(t *testing.T) {
	for _, p := range []mech.Params{
		{Mechanism: "laplace-l1", Dim: mech.MaxDim, Epsilon: mech.MaxEpsilon},
		{Mechanism: "laplace-l1", Variant: mech.Released, Dim: mech.MaxDim, Epsilon: mech.MaxEpsilon},
		{Mechanism: "dpnr", Dim: mech.MaxDim, Epsilon: mech.MaxEpsilon},
		{Mechanism: "bitrr", Dim: mech.MaxDim, Epsilon: 1e-3, Own: mech.BitParams{Bits: mech.MaxBits}},
		{Mechanism: "ome", Dim: 2, Epsilon: mech.MaxEpsilon, Own: mech.OMEParams{Lambda: 1e5}},
		{Mechanism: "ome", Dim: 2, Epsilon: mech.MinEpsilon, Own: mech.OMEParams{Lambda: 1e-3}},
		{Mechanism: "bitrand", Dim: 2, Epsilon: mech.MaxEpsilon, Own: mech.AlphaParams{Alpha: math.SmallestNonzeroFloat64}},
		{Mechanism: "oue", Variant: mech.MOUE, Dim: 2, Epsilon: mech.MaxEpsilon, Own: mech.AlphaParams{Alpha: math.MaxFloat64}},
		{Mechanism: "laplace-l2", Dim: mech.MaxDim, Epsilon: mech.MinEpsilon},
		{Mechanism: "krr", Epsilon: mech.MaxEpsilon, Own: mech.KRRParams{Classes: 1 << 30}},
		{Mechanism: "krr", Epsilon: mech.MinEpsilon, Own: mech.KRRParams{Classes: 1 << 30}},
		{Mechanism: "privunit", Dim: 8192, Epsilon: mech.MinEpsilon},
		{Mechanism: "codebook", Dim: 2, Epsilon: mech.MaxEpsilon, Own: mech.CodebookParams{Codewords: 2, Selected: 1}},
		{Mechanism: "codes", Dim: 1 << 16, Epsilon: mech.MaxEpsilon},
		{Mechanism: "codes", Dim: 1 << 16, Epsilon: mech.MinEpsilon, Own: mech.CodesParams{Selected: 1}},
		{Mechanism: "codes", Dim: 1 << 16, Epsilon: mech.MaxEpsilon, Own: mech.CodesParams{Selected: 1<<16 - 1}},
		{Mechanism: "codes", Dim: 2, Epsilon: mech.MaxEpsilon, Own: mech.CodesParams{Weights: []float64{math.SmallestNonzeroFloat64, math.SmallestNonzeroFloat64}}},
	} {
		m, err := mech.New(p)
		if err != nil {
			t.Errorf("New(%+v) error = %v, want none", p, err)
			continue
		}
		if g := m.Guarantee(); g.Validate() != nil || math.IsInf(float64(g.Epsilon), 0) {
			t.Errorf("New(%+v) has guarantee %v, want a finite one", p, g)
		}
	}
}
