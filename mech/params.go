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

// New makes the mechanism that p describes.
func New(p Params) (Mechanism, error) {
	k, err := find(p.Mechanism)
	if err != nil {
		return nil, err
	}
	return k.New(p)
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
		p.Variant = k.Variants[0].Name
	}
	if names := k.VariantNames(); !slices.Contains(names, p.Variant) {
		return p, fmt.Errorf("mech: variant of %s is %q, must be one of %s", name, p.Variant, strings.Join(names, ", "))
	}
	if !(p.Epsilon >= MinEpsilon && p.Epsilon <= MaxEpsilon) {
		return p, fmt.Errorf("mech: epsilon is %v, must be at least %v and at most %v", p.Epsilon, MinEpsilon, MaxEpsilon)
	}
	for field, set := range p.set() {
		if set && !slices.Contains(k.Uses, field) {
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
