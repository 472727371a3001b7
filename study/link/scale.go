package link

import (
	"errors"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// never is the cost of a pair that may not share a cluster, in units. All other
// costs together stay below most, so that none of them outweighs it and sums of a
// few of either kind do not overflow.
const (
	never = int64(1) << 60
	most  = int64(1) << 58
)

// units turns weights into whole numbers of units, in which all of the search is
// done: it adds and takes away without rounding, so that a bound is a proof, and
// gives the same result on every machine.
type units struct {
	digits int  // a unit is 10^-digits
	exact  bool // every weight is a whole number of units
}

// newUnits chooses the largest unit of which all weights are multiples, or, if
// there is none that keeps their sum below most, the smallest that does.
func newUnits(weights []float64, sum float64) (units, error) {
	room := 0
	for room < 18 && sum*math.Pow10(room+1) < float64(most) {
		room++
	}
	if !(sum < float64(most)) {
		return units{}, errors.New("link: the weights add up to more than 2.8e17, must be smaller: they are usually between -1 and 1")
	}
	need := 0
	for _, w := range weights {
		_, frac, _ := strings.Cut(strconv.FormatFloat(w, 'f', -1, 64), ".")
		need = max(need, len(frac))
		if need > room {
			return units{digits: room}, nil
		}
	}
	return units{digits: need, exact: true}, nil
}

// of returns the weight in units.
func (u units) of(w float64) int64 {
	whole, frac, _ := strings.Cut(strconv.FormatFloat(w, 'f', -1, 64), ".")
	if len(frac) <= u.digits {
		if n, err := strconv.ParseInt(whole+frac+strings.Repeat("0", u.digits-len(frac)), 10, 64); err == nil {
			return n
		}
	}
	return int64(math.Round(w * math.Pow10(u.digits)))
}

// float returns the weight of so many units, correctly rounded.
func (u units) float(n int64) float64 {
	den := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(u.digits)), nil)
	f, _ := new(big.Rat).SetFrac(big.NewInt(n), den).Float64()
	return f
}
