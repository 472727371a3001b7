package mech_test

import (
	"fmt"
	"math"
	"strings"

	"sotto/promise/dp"
	"sotto/promise/mech"
	"sotto/promise/noise"
)

func Example() {
	m, err := mech.New(mech.Params{Mechanism: "laplace-l1", Dim: 300, Epsilon: 8})
	if err != nil {
		fmt.Println(err)
		return
	}
	y, err := m.Privatize(make([]float64, 300), noise.Crypto())
	fmt.Println(len(y), err, m.Guarantee())
	// Output: 300 <nil> ε = 8 (text-level)
}

// What a published system promises, what its code does, and what it should be.
func ExampleNew() {
	for _, variant := range []string{mech.Paper, mech.Released, mech.AsStated} {
		m, err := mech.New(mech.Params{Mechanism: "dpnr", Variant: variant, Dim: 768, Epsilon: 0.05})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s: claimed %v, true %.3v\n", variant, m.Profile().Claimed, float64(m.Guarantee().Epsilon))
	}
	// Output:
	// paper: claimed 0.05, true 38.4
	// released: claimed 0.05, true +Inf
	// true: claimed 0.05, true 0.0498
}

func ExampleParams() {
	_, err := mech.New(mech.Params{Mechanism: "privunit", Dim: 50, Epsilon: 8, Delta: 1e-6})
	fmt.Println(err)
	// Output: mech: privunit takes no parameter "delta"
}

func ExampleKinds() {
	for _, info := range mech.Kinds() {
		fmt.Println(info.Name+":", strings.Join(info.VariantNames(), " "))
	}
	// Output:
	// laplace-l1: paper released
	// dpnr: true paper released
	// sue: onehot paper
	// oue: onehot tight paper moue
	// ome: paper
	// bitrand: paper
	// bitrr: weighted uniform onebit
	// privemb: orthonormal spectral vocabulary paper m1
	// privunit: true
	// codebook: true
	// codes: true
	// cells: mean centroid index
	// laplace-l2: true lattice
	// gaussian: true
	// krr: true
	// subset: true
}

func ExampleUses() {
	fmt.Println(mech.Uses("ome", "lambda"), mech.Uses("ome", "delta"))
	// Output: true false
}

// FEDERATE's published code divides by the wrong norm.
func ExampleLaplaceL1() {
	for _, variant := range []string{mech.Paper, mech.Released} {
		m, err := mech.NewLaplaceL1(mech.Params{Variant: variant, Dim: 300, Epsilon: 14})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s: %.1f\n", variant, float64(m.Guarantee().Epsilon))
	}
	// Output:
	// paper: 14.0
	// released: 242.5
}

// DPNR's published code adds one number to all coordinates.
func ExampleDPNR() {
	m, err := mech.NewDPNR(mech.Params{Variant: mech.Released, Dim: 4, Epsilon: 0.05})
	if err != nil {
		fmt.Println(err)
		return
	}
	y, err := m.Privatize([]float64{10, 20, 12, 15}, noise.Crypto())
	fmt.Printf("%.6f %v\n", mech.Denoise(y), err)
	fmt.Println(m.Guarantee())
	// Output:
	// [0.000000 1.000000 0.200000 0.500000] <nil>
	// ε = infinite (text-level)
}

func ExampleDenoise() {
	fmt.Println(mech.Denoise([]float64{7, 7.5, 8}))
	// Output: [0 0.5 1]
}

func ExampleSUE() {
	for _, variant := range []string{mech.OneHot, mech.Paper} {
		m, err := mech.NewSUE(mech.Params{Variant: variant, Dim: 50, Epsilon: 1, Own: mech.BitParams{Bits: 10}})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(variant, m.Guarantee())
	}
	// Output:
	// onehot ε = 1 (text-level)
	// paper ε = 5 (text-level)
}

func ExampleOUE() {
	for _, variant := range []string{mech.OneHot, mech.Tight} {
		m, err := mech.NewOUE(mech.Params{Variant: variant, Dim: 50, Epsilon: 1, Own: mech.BitParams{Bits: 10}})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(variant, m.Guarantee())
	}
	// Output:
	// onehot ε = 0.5 (text-level)
	// tight ε = 1 (text-level)
}

// A claimed ε of 1 that is 3451.
func ExampleOME() {
	m, err := mech.NewOME(mech.Params{Dim: 50, Epsilon: 1, Own: mech.OMEParams{Bits: 10, Lambda: 100}})
	if err != nil {
		fmt.Println(err)
		return
	}
	a := m.Profile()
	fmt.Println("claimed", a.Claimed, "true", m.Guarantee())
	fmt.Println(a.Reason)
	fmt.Println(a.Witness.Event)
	// Output:
	// claimed 1 true ε = 3451.4 (text-level)
	// the published proof lets λ cancel between even and odd bits, but a reader takes the worse direction on each bit
	// the single release 11111111… from inputs encoded as 10101010… and 01010101…
}

func ExampleBitRand() {
	m, err := mech.NewBitRand(mech.Params{Dim: 6, Epsilon: 4, Own: mech.AlphaParams{Bits: 4, Alpha: 1 / math.E}})
	fmt.Println(m.Guarantee(), err)
	// Output: ε = 24 (text-level) <nil>
}

func ExampleBitRR() {
	m, err := mech.NewBitRR(mech.Params{Dim: 768, Epsilon: 5, Own: mech.BitParams{Bits: 10}})
	if err != nil {
		fmt.Println(err)
		return
	}
	in, out := m.Shape()
	fmt.Println(in, "numbers in,", out, "bits out,", m.Guarantee())
	// Output: 768 numbers in, 7680 bits out, ε = 5 (text-level)
}

func ExampleRoundedBit() {
	m, err := mech.NewBitRR(mech.Params{Variant: mech.OneBit, Dim: 8, Epsilon: 4})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, out := m.Shape()
	fmt.Println(out, "bits,", m.Guarantee())
	// Output: 8 bits, ε = 4 (text-level)
}

func ExamplePrivEmb() {
	for _, clip := range []float64{0, 2} {
		m, err := mech.NewPrivEmb(mech.Params{Epsilon: 8, Own: mech.PrivEmbParams{InputDim: 300, OutputDim: 50, Clip: clip}})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(m.Guarantee())
	}
	// Output:
	// ε = 8 per unit of L2 distance (metric)
	// ε = 32 (text-level)
}

func ExamplePrivUnit() {
	m, err := mech.NewPrivUnit(mech.Params{Dim: 50, Epsilon: 8})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%v, mean squared error %.1f\n", m.Guarantee(), m.MSE())
	// Output: ε = 8 (text-level), mean squared error 6.1
}

// What travels is the index of a public codeword.
func ExampleCodebook() {
	m, err := mech.NewCodebook(mech.Params{Dim: 50, Epsilon: 4, Own: mech.CodebookParams{Codewords: 256, Selected: 16}})
	if err != nil {
		fmt.Println(err)
		return
	}
	i, err := m.Choose(make([]float64, 50), noise.Crypto())
	fmt.Println(i >= 0 && i < 256, err, m.Guarantee())
	// Output: true <nil> ε = 4 (text-level)
}

// The trusted side scores four codes; two of them are likely.
func ExampleCodes() {
	m, err := mech.NewCodes(mech.Params{Dim: 4, Epsilon: 3, Own: mech.CodesParams{Selected: 2}})
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := m.Pick([]float64{0.1, -2, 5, 0.7}, noise.Crypto())
	fmt.Println(c >= 0 && c < 4, err, m.Guarantee())
	// Output: true <nil> ε = 3 (text-level)
}

func ExampleLaplaceL2() {
	m, err := mech.NewLaplaceL2(mech.Params{Dim: 50, Epsilon: 8})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%v, mean squared error %.0f\n", m.Guarantee(), m.MSE())
	// Output: ε = 8 (text-level), mean squared error 159
}

func ExampleLatticeL2() {
	m, err := mech.NewLatticeL2(mech.Params{Dim: 50, Epsilon: 8})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%v, mean squared error %.0f\n", m.Guarantee(), m.MSE())
	// Output: ε = 8 (text-level), mean squared error 163
}

func ExampleGaussian() {
	m, err := mech.NewGaussian(mech.Params{Dim: 50, Epsilon: 8, Delta: 1e-6})
	if err != nil {
		fmt.Println(err)
		return
	}
	g := m.Guarantee()
	fmt.Printf("ε = %v, δ below 1e-6: %v, mean squared error %.0f\n", g.Epsilon, g.Delta <= 1e-6, m.MSE())
	// Output: ε = 8, δ below 1e-6: true, mean squared error 85
}

func ExampleKRR() {
	m, err := mech.NewKRR(mech.Params{Epsilon: 2, Own: mech.KRRParams{Classes: 3}})
	if err != nil {
		fmt.Println(err)
		return
	}
	y, err := m.Respond(1, noise.Crypto())
	fmt.Println(y >= 0 && y < 3, m.Guarantee(), err)
	// Output: true ε = 2 (text-level) <nil>
}

// Masking words helps against somebody who knows all but one of them, and not
// against somebody who compares whole texts.
func ExampleDropout() {
	base, err := mech.New(mech.Params{Mechanism: "laplace-l1", Dim: 2, Epsilon: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	encode := func(words []string, masked []bool) ([]float64, error) {
		x := make([]float64, 2)
		for i, w := range words {
			if !masked[i] {
				x[len(w)%2]++
			}
		}
		return x, nil
	}
	m, err := mech.NewDropout(base, 0.5, mech.Bernoulli, encode)
	if err != nil {
		fmt.Println(err)
		return
	}
	y, err := m.Privatize([]string{"a", "private", "text"}, noise.Crypto())
	fmt.Println(len(y), err)
	fmt.Printf("%.4f (%s), %.4f (%s)\n", float64(m.Guarantee().Epsilon), m.Guarantee().Unit, float64(m.TextGuarantee().Epsilon), m.TextGuarantee().Unit)
	// Output:
	// 2 <nil>
	// 0.6201 (word), 1.0000 (text)
}

func ExampleWordLevel() {
	g, err := mech.WordLevel(dp.Guarantee{Unit: dp.Text, Epsilon: 1}, 0.5)
	fmt.Printf("%.4f %s %v\n", float64(g.Epsilon), g.Unit, err)
	_, err = mech.WordLevel(dp.Guarantee{Unit: dp.Metric, Epsilon: 1}, 0.5)
	fmt.Println(err)
	// Output:
	// 0.6201 word <nil>
	// mech: the base of dropout has unit metric, must be text: the theorem needs a bound between any two texts
}

func ExampleDrawMasks() {
	masked := make([]bool, 10)
	mech.DrawMasks(masked, 0.3, mech.FixedCount, noise.Crypto())
	count := 0
	for _, m := range masked {
		if m {
			count++
		}
	}
	fmt.Println(count)
	// Output: 3
}

func ExamplePrivatizeRows() {
	m, err := mech.New(mech.Params{Mechanism: "laplace-l1", Dim: 2, Epsilon: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	x := []float64{1, 2, 3, math.NaN(), 5, 6}
	y := make([]float64, len(x))
	row, err := mech.PrivatizeRows(m, y, x, noise.Crypto())
	fmt.Println(row, err)
	fmt.Println(y)
	// Output:
	// 1 input outside the mechanism's domain: a coordinate is NaN or infinite, or the norm overflows
	// [0 0 0 0 0 0]
}

// What the claims checker prints.
func ExampleDescribe() {
	s, err := mech.Describe(mech.Params{Mechanism: "ome", Dim: 50, Epsilon: 1, Own: mech.OMEParams{Bits: 10, Lambda: 100}}, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("claimed", s.Claimed, "true", s.True, "honest", s.Honest())
	// Output: claimed 1 true 3451.4 honest false
}

func ExampleStatement() {
	s, err := mech.Describe(mech.Params{Mechanism: "laplace-l1", Dim: 300, Epsilon: 1}, 0.5)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.4f at %s level, %.4f between any two texts\n", float64(s.True), s.Unit, float64(*s.TextLevel))
	// Output: 0.6201 at word level, 1.0000 between any two texts
}

// The receiver learns a cell of public texts, here of two numbers each.
func ExampleCells() {
	m, err := mech.NewCells(mech.Params{Dim: 2, Epsilon: 8, Own: mech.CellsParams{Centres: [][]float64{{1, 0}, {0, 1}, {-1, 0}}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	cell, err := m.Cell([]float64{0.2, 0.9})
	fmt.Println(cell, err, m.Guarantee())
	// Output: 1 <nil> ε = 8 (text-level)
}
