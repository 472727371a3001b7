package mech

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"sotto/dp"
)

// Params describes a mechanism: what a user types, a claim states and a file's
// metadata records. A field that the mechanism does not use must be zero, so
// that no parameter is ever silently ignored.
type Params struct {
	Mechanism string  `json:"mechanism"`
	Variant   string  `json:"variant,omitempty"`    // "" means the mechanism's default
	Epsilon   float64 `json:"epsilon,omitempty"`    // as the publication or the user means it; from MinEpsilon to MaxEpsilon
	Delta     float64 `json:"delta,omitempty"`      // gaussian, privemb
	Dim       int     `json:"dim,omitempty"`        // coordinates of the input; codes: K, the number of codes
	Bits      int     `json:"bits,omitempty"`       // bit protocols: bits a coordinate; 0 means 10
	Lambda    float64 `json:"lambda,omitempty"`     // ome: λ; 0 means 100
	Alpha     float64 `json:"alpha,omitempty"`      // bitrand, oue moue: α
	InputDim  int     `json:"input_dim,omitempty"`  // privemb: d
	OutputDim int     `json:"output_dim,omitempty"` // privemb: m
	Clip      float64 `json:"clip,omitempty"`       // privemb: radius of the ball inputs are clipped to; 0 means none
	Codewords int     `json:"codewords,omitempty"`  // codebook: N; 0 means 256
	Selected  int     `json:"selected,omitempty"`   // codebook: K, codes: j, how many are likely; 0 means the best for ε
	Classes   int     `json:"classes,omitempty"`    // krr: number of labels
	Seed      uint64  `json:"seed,omitempty"`       // codebook, privemb: of the public matrix
	// Weights holds, for codes, the least probability of each: dim positive
	// numbers with Σw ≤ 1 ≤ e^ε·Σw. Nil means equal ones, of which selected are
	// raised; selected must be 0 otherwise.
	Weights []float64 `json:"weights,omitempty"`
	// Vocabulary holds the public vectors of privemb's vocabulary variant.
	Vocabulary [][]float64 `json:"-"`
}

// Bounds of what is accepted. They keep integers exact in a float64.
const (
	MinEpsilon = 1e-6
	MaxEpsilon = 1e6
	MaxDim     = 1 << 20
)

// Mechanism is what [New] returns.
type Mechanism interface {
	dp.Vector
	dp.Profiled

	// Params returns what the mechanism was made from, with every default
	// filled in: enough to make it again.
	Params() Params
}

// kind is one entry of the catalogue.
type kind struct {
	name     string
	about    string
	variants []string // the first is the default
	uses     []string // JSON names of the fields it reads, beside mechanism, variant and epsilon
	build    func(Params) (Mechanism, error)
}

// catalogue lists every mechanism in the order in which help and tables show
// them. It is a function, not a variable, so that nobody can write to it.
func catalogue() []kind {
	return []kind{
		{"laplace-l1", "Laplace noise on the L1 sphere (FEDERATE)", []string{Paper, Released}, []string{"dim"}, build(NewLaplaceL1)},
		{"dpnr", "Laplace noise on min-max scaled vectors (DPNR)", []string{AsStated, Paper, Released}, []string{"dim"}, build(NewDPNR)},
		{"sue", "symmetric unary encoding of bits", []string{OneHot, Paper}, []string{"dim", "bits"}, build(NewSUE)},
		{"oue", "optimised unary encoding of bits", []string{OneHot, Tight, Paper, MOUE}, []string{"dim", "bits", "alpha"}, build(NewOUE)},
		{"ome", "optimised multiple encoding of bits (LDPNN)", []string{Paper}, []string{"dim", "bits", "lambda"}, build(NewOME)},
		{"bitrand", "bit-aware randomised response (BitRand)", []string{Paper}, []string{"dim", "bits", "alpha"}, build(NewBitRand)},
		{"bitrr", "randomised response on bits, weighted by significance", []string{Weighted, Uniform, OneBit}, []string{"dim", "bits"}, build(NewBitRR)},
		{"privemb", "random projection and metric noise (PRIVEMB)", []string{Orthonormal, Spectral, Vocabulary, Paper, M1}, []string{"input_dim", "output_dim", "delta", "clip", "seed", "vocabulary"}, build(NewPrivEmb)},
		{"privunit", "a random direction near the input's (PrivUnit)", []string{AsStated}, []string{"dim"}, build(NewPrivUnit)},
		{"codebook", "subset selection from public codewords", []string{AsStated}, []string{"dim", "codewords", "selected", "seed"}, build(NewCodebook)},
		{"codes", "one of K public codes, by rank (subset selection, extremal channels)", []string{AsStated}, []string{"dim", "selected", "weights"}, build(NewCodes)},
		{"laplace-l2", "noise with density exp(-||k||) on the L2 sphere", []string{AsStated}, []string{"dim"}, build(NewLaplaceL2)},
		{"gaussian", "analytic Gaussian noise on the L2 sphere", []string{AsStated}, []string{"dim", "delta"}, build(NewGaussian)},
		{"krr", "randomised response on labels", []string{AsStated}, []string{"classes"}, build(NewKRR)},
	}
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
)

// Info describes a mechanism for help texts.
type Info struct {
	Name     string
	About    string
	Variants []string // the first is the default
	Uses     []string // JSON names of the parameters it takes beside epsilon
}

// Infos lists the mechanisms that [New] makes.
func Infos() []Info {
	var infos []Info
	for _, k := range catalogue() {
		infos = append(infos, Info{k.name, k.about, k.variants, k.uses})
	}
	return infos
}

// New makes the mechanism that p describes.
func New(p Params) (Mechanism, error) {
	k, err := find(p.Mechanism)
	if err != nil {
		return nil, err
	}
	return k.build(p)
}

func find(name string) (kind, error) {
	var names []string
	for _, k := range catalogue() {
		if k.name == name {
			return k, nil
		}
		names = append(names, k.name)
	}
	return kind{}, fmt.Errorf("mech: mechanism is %q, must be one of %s", name, strings.Join(names, ", "))
}

// Uses reports whether the mechanism of that name takes the parameter with
// that JSON name.
func Uses(mechanism, parameter string) bool {
	k, err := find(mechanism)
	return err == nil && slices.Contains(k.uses, parameter)
}

// prepare checks what all mechanisms share, for the mechanism of that name,
// and returns p with the default variant filled in.
func (p Params) prepare(name string) (Params, error) {
	k, err := find(name)
	if err != nil {
		return p, err
	}
	if p.Mechanism == "" {
		p.Mechanism = name
	}
	if p.Mechanism != name {
		return p, fmt.Errorf("mech: mechanism is %q, must be %q here", p.Mechanism, name)
	}
	if p.Variant == "" {
		p.Variant = k.variants[0]
	}
	if !slices.Contains(k.variants, p.Variant) {
		return p, fmt.Errorf("mech: variant of %s is %q, must be one of %s", name, p.Variant, strings.Join(k.variants, ", "))
	}
	if !(p.Epsilon >= MinEpsilon && p.Epsilon <= MaxEpsilon) {
		return p, fmt.Errorf("mech: epsilon is %v, must be at least %v and at most %v", p.Epsilon, MinEpsilon, MaxEpsilon)
	}
	for field, set := range p.set() {
		if set && !slices.Contains(k.uses, field) {
			return p, fmt.Errorf("mech: %s takes no parameter %q", name, field)
		}
	}
	return p, p.checkNumbers()
}

// set tells which optional fields hold something.
func (p Params) set() map[string]bool {
	return map[string]bool{
		"delta": p.Delta != 0, "dim": p.Dim != 0, "bits": p.Bits != 0, "lambda": p.Lambda != 0,
		"alpha": p.Alpha != 0, "input_dim": p.InputDim != 0, "output_dim": p.OutputDim != 0,
		"clip": p.Clip != 0, "codewords": p.Codewords != 0, "selected": p.Selected != 0,
		"classes": p.Classes != 0, "seed": p.Seed != 0, "vocabulary": p.Vocabulary != nil,
		"weights": p.Weights != nil,
	}
}

// checkNumbers refuses floats and counts that no mechanism takes.
func (p Params) checkNumbers() error {
	if !(p.Delta >= 0 && p.Delta < 1) {
		return fmt.Errorf("mech: delta is %v, must be in (0, 1)", p.Delta)
	}
	for name, v := range map[string]float64{"lambda": p.Lambda, "alpha": p.Alpha, "clip": p.Clip} {
		if !(v >= 0) || math.IsInf(v, 1) {
			return fmt.Errorf("mech: %s is %v, must be positive and finite", name, v)
		}
	}
	for name, v := range map[string]int{"dim": p.Dim, "input_dim": p.InputDim, "output_dim": p.OutputDim} {
		if v < 0 || v > MaxDim {
			return fmt.Errorf("mech: %s is %d, must be at least 1 and at most %d", name, v, MaxDim)
		}
	}
	return nil
}

// needDim refuses a missing or too small dimension.
func (p Params) needDim(least int) error {
	if p.Dim < least {
		return fmt.Errorf("mech: dim of %s is %d, must be at least %d", p.Mechanism, p.Dim, least)
	}
	return nil
}
