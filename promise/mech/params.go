package mech

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"sotto/internal/layout"
	"sotto/promise/dp"
)

// Params describes a mechanism: what a user types, a claim states and a file's
// metadata records. A parameter that the mechanism does not take must be absent,
// so that none is ever silently ignored.
type Params struct {
	Mechanism string  `json:"mechanism"`
	Variant   string  `json:"variant,omitempty"` // "" means the mechanism's default
	Epsilon   float64 `json:"epsilon,omitempty"` // as the publication or the user means it; from MinEpsilon to MaxEpsilon
	Delta     float64 `json:"delta,omitempty"`
	Dim       int     `json:"dim,omitempty"` // coordinates of the input; codes: K, the number of codes
	// Own holds the mechanism's own parameters, such as [OMEParams] or, for
	// those who do not know their type, [Given]; nil means their defaults. JSON
	// has them beside the others.
	Own any `json:"-"`
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
	if p, err = k.prepare(p); err != nil {
		return nil, err
	}
	return k.New(p)
}

// prepare begins a constructor: it checks what all mechanisms share, for the
// mechanism of that name and dimensions from least on, fills in the default
// variant, and returns its own parameters beside p.
func prepare[Own any](p Params, name string, least int) (Params, Own, error) {
	var own Own
	k, err := find(name)
	if err != nil {
		return p, own, err
	}
	if p.Mechanism == "" {
		p.Mechanism = name
	}
	if p.Mechanism != name {
		return p, own, fmt.Errorf("mech: mechanism is %q, must be %q here", p.Mechanism, name)
	}
	if p, err = k.prepare(p); err != nil {
		return p, own, err
	}
	if p.Dim < least {
		return p, own, fmt.Errorf("mech: dim of %s is %d, must be at least %d", name, p.Dim, least)
	}
	if k.Own != nil {
		own = p.Own.(Own)
	}
	return p, own, nil
}

// none is what mechanisms have that take no parameter of their own.
type none struct{}

func (k Kind) prepare(p Params) (Params, error) {
	if p.Variant == "" {
		p.Variant = k.Variants[0].Name
	}
	if names := k.VariantNames(); !slices.Contains(names, p.Variant) {
		return p, fmt.Errorf("mech: variant of %s is %q, must be one of %s%s", k.Name, p.Variant, strings.Join(names, ", "), layout.Hint(p.Variant, names))
	}
	if !(p.Epsilon >= MinEpsilon && p.Epsilon <= MaxEpsilon) {
		return p, fmt.Errorf("mech: epsilon is %v, must be at least %v and at most %v", p.Epsilon, MinEpsilon, MaxEpsilon)
	}
	given := valuesOf(p.Own)
	if p.Delta != 0 {
		given["delta"] = p.Delta
	}
	if p.Dim != 0 {
		given["dim"] = p.Dim
	}
	if err := k.refuse(given); err != nil {
		return p, err
	}
	for name, v := range given {
		if err := checkNumber(name, v); err != nil {
			return p, err
		}
	}
	var err error
	p.Own, err = typed(p.Own, k.Own)
	return p, err
}

// checkNumber refuses floats and sizes that no mechanism takes.
func checkNumber(name string, value any) error {
	switch v := value.(type) {
	case float64:
		if name == "delta" && !(v >= 0 && v < 1) {
			return fmt.Errorf("mech: delta is %v, must be in (0, 1)", v)
		}
		if !(v >= 0) || math.IsInf(v, 1) {
			return fmt.Errorf("mech: %s is %v, must be positive and finite", name, v)
		}
	case int:
		if strings.HasSuffix(name, "dim") && (v < 0 || v > MaxDim) {
			return fmt.Errorf("mech: %s is %d, must be at least 1 and at most %d", name, v, MaxDim)
		}
	}
	return nil
}
