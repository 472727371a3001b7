package ledger

import (
	"fmt"
	"math"
	"strconv"

	"sotto/promise/dp"
)

// Cost is an amount of privacy, in integers, so that sums are exact: a spend is
// rounded up and a budget down. What is within a part in 2⁴⁰ of an integer is
// taken for it, so that ten times 0.1 is 1 and [dp.RoundUp] costs nothing; the
// sums are true to that part.
type Cost struct {
	Epsilon int64 `json:"nano_epsilon"` // in units of 10⁻⁹
	Delta   int64 `json:"femto_delta"`  // in units of 10⁻¹⁵
}

// epsilonUnits make an ε of 1.
const epsilonUnits = 1e9

const (
	deltaUnits = 1e15
	// MaxCost keeps every sum of a budget, its grants and a spend within int64.
	maxCost = math.MaxInt64 / 4
)

// CostOf returns what one release under a guarantee costs. It refuses a
// guarantee that promises nothing: no budget pays for that.
func CostOf(g dp.Guarantee) (Cost, error) {
	if err := g.Validate(); err != nil {
		return Cost{}, err
	}
	e, d := units(float64(g.Epsilon), epsilonUnits, math.Ceil), units(g.Delta, deltaUnits, math.Ceil)
	if !(e <= maxCost) || !(d <= maxCost) {
		return Cost{}, fmt.Errorf("ledger: ε is %v, must be finite and at most %.4g", g.Epsilon, maxCost/epsilonUnits)
	}
	return Cost{int64(e), int64(d)}, nil
}

// floor is the largest cost that is at most epsilon and delta.
func floor(epsilon, delta float64) Cost {
	return Cost{int64(units(epsilon, epsilonUnits, math.Floor)), int64(units(delta, deltaUnits, math.Floor))}
}

// units counts x in units of which scale make one.
func units(x, scale float64, round func(float64) float64) float64 {
	product := x * scale
	if whole := math.Round(product); math.Abs(product-whole) <= product*0x1p-40 {
		return whole
	}
	return round(product)
}

// EpsilonValue returns ε as a number.
func (c Cost) EpsilonValue() float64 { return float64(c.Epsilon) / epsilonUnits }

// DeltaValue returns δ as a number.
func (c Cost) DeltaValue() float64 { return float64(c.Delta) / deltaUnits }

// Plus returns the sum of two costs.
func (c Cost) Plus(d Cost) Cost { return Cost{c.Epsilon + d.Epsilon, c.Delta + d.Delta} }

// Minus returns the difference of two costs.
func (c Cost) Minus(d Cost) Cost { return Cost{c.Epsilon - d.Epsilon, c.Delta - d.Delta} }

// Within reports whether c is at most d, in both parts.
func (c Cost) Within(d Cost) bool { return c.Epsilon <= d.Epsilon && c.Delta <= d.Delta }

// Countable reports whether c can be added to others.
func (c Cost) Countable() bool {
	return c.Epsilon >= 0 && c.Delta >= 0 && c.Within(Cost{maxCost, maxCost})
}

// String renders ε, and δ where there is one.
func (c Cost) String() string {
	text := "ε = " + strconv.FormatFloat(c.EpsilonValue(), 'g', -1, 64)
	if c.Delta != 0 {
		text += ", δ = " + strconv.FormatFloat(c.DeltaValue(), 'g', -1, 64)
	}
	return text
}
