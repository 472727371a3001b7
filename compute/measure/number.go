package measure

import (
	"encoding/json"
	"fmt"
	"math"
)

// Number is a result that may be undefined, such as the deviation of a single
// value. Undefined is NaN in Go and null in JSON; it is never written as 0.
type Number float64

// undefined is the result that there is none.
var undefined = math.NaN()

// Undefined is the number of what was not measured, or is not defined.
var Undefined = Number(undefined)

// MarshalJSON implements [json.Marshaler]. What is not finite becomes null.
func (n Number) MarshalJSON() ([]byte, error) {
	if v := float64(n); math.IsNaN(v) || math.IsInf(v, 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// UnmarshalJSON implements [json.Unmarshaler]. Null becomes NaN.
func (n *Number) UnmarshalJSON(b []byte) error {
	v := math.NaN()
	if string(b) != "null" {
		if err := json.Unmarshal(b, &v); err != nil {
			return err
		}
	}
	*n = Number(v)
	return nil
}

// Text renders n by a format of package fmt, and a dash where it is undefined.
func (n Number) Text(format string) string {
	if math.IsNaN(float64(n)) {
		return "-"
	}
	return fmt.Sprintf(format, float64(n))
}

// PlusMinus is Text with the deviation behind, unless that is undefined.
func (n Number) PlusMinus(deviation Number, format string) string {
	if math.IsNaN(float64(n)) || math.IsNaN(float64(deviation)) {
		return n.Text(format)
	}
	return n.Text(format) + " ± " + deviation.Text(format)
}

// Holding returns the ends of an interval, moved outwards where that takes to
// hold the value that it is of. Percentiles of resamples need not: a difference
// between the best and the worst group is at least 0, so that resamples of one
// that is near 0 lie above it. A wider interval covers the truth at least as
// often. What is undefined stays so.
func Holding(value, low, high Number) (Number, Number) {
	if math.IsNaN(float64(value)) || math.IsNaN(float64(low)) || math.IsNaN(float64(high)) {
		return low, high
	}
	return min(low, value), max(high, value)
}
