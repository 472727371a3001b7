package wordfile

import (
	"math"
	"strconv"
)

// powers of ten that a float32 holds exactly.
var powers = [...]float32{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10}

// number parses a decimal number within MaxNumber to the nearest float32. Most have few
// digits: with digits below 2²⁴ and at most ten places, both are exact, so the
// quotient is rounded once, and right.
func number(b []byte) (float32, bool) {
	digits, negative := b, false
	if len(b) > 0 && b[0] == '-' {
		digits, negative = b[1:], true
	}
	mantissa, point := uint32(0), -1
	for i, c := range digits {
		switch {
		case c-'0' <= 9 && mantissa < 1<<24/10:
			mantissa = 10*mantissa + uint32(c-'0')
		case c == '.' && point < 0:
			point = i
		default:
			return slowNumber(b)
		}
	}
	places := 0
	if point >= 0 {
		places = len(digits) - 1 - point
	}
	if places >= len(powers) || len(digits) == 0 || point == 0 || places == 0 && point >= 0 {
		return slowNumber(b)
	}
	v := float32(mantissa) / powers[places]
	if negative {
		v = -v
	}
	return v, true
}

// slowNumber parses what number does not. ParseFloat also knows hexadecimals,
// underscores, NaN and Inf, which are refused.
func slowNumber(b []byte) (float32, bool) {
	for _, c := range b {
		if c-'0' > 9 && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E' {
			return 0, false
		}
	}
	v, err := strconv.ParseFloat(string(b), 32)
	return float32(v), err == nil && math.Abs(v) <= MaxNumber
}
