package mech

import "slices"

// Variants of published systems and of our own.
const (
	Paper       = "paper"       // as the publication describes it
	Released    = "released"    // as its authors' code does it
	AsStated    = "true"        // with the ε that it states
	OneHot      = "onehot"      // unary encodings: one bit of each coordinate is set
	Tight       = "tight"       // oue: noise for the loss it really has
	MOUE        = "moue"        // oue: LATENT's modification
	Weighted    = "weighted"    // bitrr: more budget for significant bits
	Uniform     = "uniform"     // bitrr: the same budget for each bit
	OneBit      = "onebit"      // bitrr: one stochastically rounded bit a coordinate
	Orthonormal = "orthonormal" // privemb: a projection that stretches nothing
	Spectral    = "spectral"    // privemb: noise for the projection's proven norm
	Vocabulary  = "vocabulary"  // privemb: noise for the worst pair of a public list
	M1          = "m1"          // privemb: no projection
	Mean        = "mean"        // cells: what a receiver expects of the vector
	Centroid    = "centroid"    // cells: the centre of the cell
	Index       = "index"       // cells: the number of the cell
	OnLattice   = "lattice"     // laplace-l2: the same on integers
)

// The built-in mechanisms, in the order in which help and tables show them.
func init() {
	l2 := []Variant{{AsStated, FormVector, NormaliseL2}}
	for _, k := range []Kind{
		{
			Name: "laplace-l1", About: "Laplace noise on the L1 sphere (FEDERATE)",
			Variants: []Variant{{Paper, FormVector, NormaliseL1}, {Released, FormVector, NormaliseL2}},
			Takes:    []string{"dim"}, New: build(NewLaplaceL1),
		},
		{
			Name: "dpnr", About: "Laplace noise on min-max scaled vectors (DPNR)",
			Variants: []Variant{{AsStated, FormVector, NormaliseMinMax}, {Paper, FormVector, NormaliseMinMax}, {Released, FormVector, NormaliseMinMax}},
			Takes:    []string{"dim"}, New: build(NewDPNR),
		},
		{
			Name: "sue", About: "symmetric unary encoding of bits",
			Variants: slices.Concat(forms(FormMarks, OneHot), forms(FormBits, Paper)),
			Takes:    []string{"dim"}, Own: BitParams{}, New: build(NewSUE),
		},
		{
			Name: "oue", About: "optimised unary encoding of bits",
			Variants: slices.Concat(forms(FormMarks, OneHot, Tight), forms(FormBits, Paper, MOUE)),
			Takes:    []string{"dim"}, Own: AlphaParams{}, New: build(NewOUE),
			Honest: Params{Variant: Tight}, // the default spends half of the claim
		},
		{
			Name: "ome", About: "optimised multiple encoding of bits (LDPNN)", Variants: forms(FormBits, Paper),
			Takes: []string{"dim"}, Own: OMEParams{}, New: build(NewOME), Honest: Params{Mechanism: "bitrr"},
		},
		{
			Name: "bitrand", About: "bit-aware randomised response (BitRand)", Variants: forms(FormBits, Paper),
			Takes: []string{"dim"}, Own: AlphaParams{}, New: build(NewBitRand), Honest: Params{Mechanism: "bitrr"},
			Grid: Given{"alpha": 1.0},
		},
		{
			Name: "bitrr", About: "randomised response on bits, weighted by significance",
			Variants: append(forms(FormBits, Weighted, Uniform), Variant{OneBit, FormMarks, NormaliseRange}),
			Takes:    []string{"dim"}, Own: BitParams{}, New: build(NewBitRR),
		},
		{
			Name: "privemb", About: "random projection and metric noise (PRIVEMB)",
			Variants: forms(FormProjection, Orthonormal, Spectral, Vocabulary, Paper, M1),
			Takes:    []string{"delta"}, Own: PrivEmbParams{}, New: build(NewPrivEmb),
			Fit: fitPrivEmb, Assume: assumePrivEmb,
		},
		{Name: "privunit", About: "a random direction near the input's (PrivUnit)", Variants: l2, Takes: []string{"dim"}, New: build(NewPrivUnit)},
		{
			Name: "codebook", About: "subset selection from public codewords", Variants: l2,
			Takes: []string{"dim"}, Own: CodebookParams{}, New: build(NewCodebook),
		},
		{
			Name: "codes", About: "one of K public codes, by rank (subset selection, extremal channels)", Variants: forms(FormCode, AsStated),
			Takes: []string{"dim"}, Own: CodesParams{}, New: build(NewCodes), Fit: fitCodes,
		},
		{
			Name: "cells", About: "one of N public cells, such as those of public texts", Variants: slices.Concat(forms(FormCell, Mean, Centroid), forms(FormLabel, Index)),
			Takes: []string{"dim"}, Own: CellsParams{}, New: build(NewCells), Fit: fitCells,
		},
		{
			Name: "laplace-l2", About: "noise with density exp(-||k||) on the L2 sphere",
			Variants: append(l2[:1:1], Variant{OnLattice, FormVector, NormaliseL2}), Takes: []string{"dim"}, New: newL2,
		},
		{Name: "gaussian", About: "analytic Gaussian noise on the L2 sphere", Variants: l2, Takes: []string{"dim", "delta"}, New: build(NewGaussian)},
		{
			Name: "krr", About: "randomised response on labels", Variants: forms(FormLabel, AsStated),
			Own: KRRParams{}, New: build(NewKRR), Fit: asIs, Assume: assumeClasses,
		},
		{
			Name: "subset", About: "a set of labels that holds the true one more often (subset selection)", Variants: forms(FormSubset, AsStated),
			Own: SubsetParams{}, New: build(NewSubset), Fit: asIs, Assume: assumeClasses,
		},
	} {
		Register(k)
	}
}

// asIs leaves parameters as they are: labels have no width.
func asIs(p Params, _ int) Params { return p }

// forms lists variants that release the same and stand in no network.
func forms(f Form, names ...string) []Variant {
	var all []Variant
	for _, n := range names {
		all = append(all, Variant{Name: n, Form: f})
	}
	return all
}

// build turns a constructor of a concrete type into one of the interface, so
// that an error never carries a non-nil interface around a nil pointer.
func build[M Mechanism](f func(Params) (M, error)) func(Params) (Mechanism, error) {
	return func(p Params) (Mechanism, error) {
		m, err := f(p)
		if err != nil {
			return nil, err
		}
		return m, nil
	}
}
