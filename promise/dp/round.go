package dp

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// exactly is the relative difference below which a number is taken for a shorter
// one: more than rounding errors and [RoundUp] make, and less than anybody reads.
const exactly = 1e-9

// Above renders a non-negative number with so many significant digits, rounded
// up: what is shown of an upper bound is one too. A number that exceeds a shorter
// one by less than a part in 10⁹ is taken for it.
func Above(v float64, digits int) string { return rounded(v, digits, 1) }

// Below renders a non-negative number with so many significant digits, rounded
// down, for lower bounds.
func Below(v float64, digits int) string { return rounded(v, digits, -1) }

// AtMost renders a probability that nothing exceeds, such as an [AccuracyBound], in
// percent: rounded up to the fewest decimals, from one on, with which it stays below
// 100, so that what is possible is never said to be certain, nor a bound put too low.
// What is certain but for a part in 10⁹ is 100.
func AtMost(p float64) string {
	if !(p < 1-exactly) { // or NaN
		return strconv.FormatFloat(100*min(p, 1), 'f', 0, 64)
	}
	for decimals, unit := 1, 1000.0; ; decimals, unit = decimals+1, 10*unit {
		if v := math.Ceil(p * unit * (1 - exactly)); v < unit {
			return strconv.FormatFloat(100*v/unit, 'f', decimals, 64)
		}
	}
}

// rounded rounds away from zero for a direction of 1 and towards it for −1.
// Between 10⁵ and 10¹⁵ it keeps one digit behind the point, and no exponent.
func rounded(v float64, digits int, direction float64) string {
	if !(v > 0) || math.IsInf(v, 1) {
		return strconv.FormatFloat(v, 'g', digits, 64)
	}
	long := v >= 1e5 && v < 1e15
	if long {
		digits = max(digits, int(math.Log10(v))+2)
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(v, 'e', digits-1, 64), "e")
	whole, _ := strconv.ParseInt(strings.Replace(mantissa, ".", "", 1), 10, 64) // at most 17 digits
	power, _ := strconv.Atoi(exponent)
	power -= digits - 1
	value := func() float64 {
		x, _ := strconv.ParseFloat(fmt.Sprintf("%de%d", whole, power), 64) // it is near v, which is finite
		return x
	}
	if direction*(v-value()) > v*exactly {
		whole += int64(direction)
	}
	if long {
		return strconv.FormatFloat(value(), 'f', 1, 64)
	}
	return strconv.FormatFloat(value(), 'g', digits, 64)
}
