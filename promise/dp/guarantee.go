package dp

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Errors that callers branch on.
var (
	// ErrDomain is wrapped by Privatize when an input lies outside the
	// mechanism's domain. The message never quotes the input.
	ErrDomain = errors.New("input outside the mechanism's domain")
	// ErrUnits is wrapped by [Compose] when guarantees speak of different neighbours.
	ErrUnits = errors.New("guarantees of different units cannot be combined")
	// ErrBudget is wrapped by whatever refuses a release for want of budget.
	ErrBudget = errors.New("privacy budget exhausted")
)

// Unit says which inputs a guarantee makes indistinguishable. Numbers of
// different units are never compared.
type Unit string

// The units in use.
const (
	Text   Unit = "text"   // any two texts are neighbours (local DP on the whole input)
	Word   Unit = "word"   // texts of equal length that differ in one word
	Metric Unit = "metric" // the loss is ε times the L2 distance between inputs
)

// Valid reports whether u is one of the declared units.
func (u Unit) Valid() bool { return u == Text || u == Word || u == Metric }

// Epsilon is a privacy loss bound. Infinity, the absence of any promise, is
// written as the JSON string "infinite".
type Epsilon float64

// Infinite is the ε that promises nothing and that no budget admits.
var Infinite = Epsilon(math.Inf(1))

// String renders e with up to six significant digits, rounded up.
func (e Epsilon) String() string {
	if math.IsInf(float64(e), 1) {
		return "infinite"
	}
	return Above(float64(e), 6)
}

// MarshalJSON implements [json.Marshaler].
func (e Epsilon) MarshalJSON() ([]byte, error) {
	if math.IsInf(float64(e), 1) {
		return []byte(`"infinite"`), nil
	}
	if math.IsNaN(float64(e)) || e < 0 {
		return nil, fmt.Errorf("dp: epsilon is %v, must be non-negative", float64(e))
	}
	return json.Marshal(float64(e))
}

// UnmarshalJSON implements [json.Unmarshaler].
func (e *Epsilon) UnmarshalJSON(b []byte) error {
	if string(b) == `"infinite"` {
		*e = Infinite
		return nil
	}
	var f *float64 // nil for null, which is no number
	if err := json.Unmarshal(b, &f); err != nil || f == nil || !(*f >= 0) {
		return errors.New(`dp: epsilon must be a non-negative number or "infinite"`)
	}
	*e = Epsilon(*f)
	return nil
}

// Guarantee is what one release promises: for neighbours x, x′ of the Unit and
// every event S, P(S|x) ≤ e^ε·P(S|x′) + δ.
type Guarantee struct {
	Unit        Unit     `json:"unit"`
	Epsilon     Epsilon  `json:"epsilon"`
	Delta       float64  `json:"delta"`
	Assumptions []string `json:"assumptions,omitempty"` // what must hold besides the proof; empty means nothing
}

// None is the guarantee of a mechanism that keeps no promise.
func None(u Unit) Guarantee { return Guarantee{Unit: u, Epsilon: Infinite} }

// Validate reports a guarantee that means nothing.
func (g Guarantee) Validate() error {
	if !g.Unit.Valid() {
		return fmt.Errorf("dp: unit is %q, must be text, word or metric", string(g.Unit))
	}
	if !(g.Epsilon >= 0) {
		return fmt.Errorf("dp: epsilon is %v, must be non-negative", float64(g.Epsilon))
	}
	if !(g.Delta >= 0 && g.Delta < 1) {
		return fmt.Errorf("dp: delta is %v, must be in [0, 1)", g.Delta)
	}
	return nil
}

// String renders the numbers and the unit, without the assumptions.
func (g Guarantee) String() string {
	if g.Unit == Metric {
		return g.numbers() + " per unit of L2 distance (metric)"
	}
	return fmt.Sprintf("%s (%s-level)", g.numbers(), g.Unit)
}

// numbers renders ε, and δ if there is one.
func (g Guarantee) numbers() string {
	text := fmt.Sprintf("ε = %v", g.Epsilon)
	if g.Delta > 0 {
		text += ", δ = " + Above(g.Delta, 3)
	}
	return text
}

// Compose returns the guarantee of releasing everything that gs promise, on
// the same input.
//
// Theorem (basic composition). ε and δ add, if all speak of the same
// neighbours. Assumptions are united.
func Compose(gs ...Guarantee) (Guarantee, error) {
	if len(gs) == 0 {
		return Guarantee{}, errors.New("dp: nothing to compose")
	}
	total := Guarantee{Unit: gs[0].Unit}
	for _, g := range gs {
		if err := g.Validate(); err != nil {
			return Guarantee{}, err
		}
		if g.Unit != total.Unit {
			return Guarantee{}, fmt.Errorf("%w: %s and %s", ErrUnits, total.Unit, g.Unit)
		}
		total.Epsilon += g.Epsilon
		total.Delta = min(1, (total.Delta+g.Delta)*(1+0x1p-52))
		for _, a := range g.Assumptions {
			if !slices.Contains(total.Assumptions, a) {
				total.Assumptions = append(total.Assumptions, a)
			}
		}
	}
	total.Epsilon *= 1 + Epsilon(len(gs))*0x1p-52
	return total, nil
}

// RoundUp returns a value a little above e: more than the rounding errors that
// the few float operations behind a printed ε can have summed up.
func RoundUp(e Epsilon) Epsilon { return e * (1 + 0x1p-44) }
