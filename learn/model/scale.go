package model

import (
	"errors"
	"fmt"
	"math"
)

// Texts refuses a record of rows that have no texts, for whoever has texts to give
// to a model.
func (r DataRecord) Texts() error {
	if r.Encoder == "" {
		return errors.New("model: it was trained on a table, must be on texts")
	}
	_, _, err := r.Numbers()
	return err
}

// Numbers returns the columns of numbers that a row has behind those of the
// encoder, and how each becomes what the model takes.
func (r DataRecord) Numbers() ([]string, []Scale, error) {
	if r.File == nil {
		return nil, nil, nil
	}
	names, scales := r.File.Numbers, r.File.Scales
	if len(names) != len(scales) {
		return nil, nil, fmt.Errorf("model: it has %d columns of numbers and %d scales, must have as many", len(names), len(scales))
	}
	return names, scales, nil
}

// Scale says how the numbers of a column become comparable with those of others:
// their distance from the mean in deviations, both of the rows that were trained
// on, and 0 where there is no number.
type Scale struct {
	Mean      float64 `json:"mean"`
	Deviation float64 `json:"deviation"` // 0 if all are equal
}

// farthest is how many deviations from the mean a number counts at most, so that
// one wrong digit does not drown a column.
const farthest = 10

// ScaleOf returns the scale of numbers; those that are NaN do not count.
func ScaleOf(numbers []float32) Scale {
	sum, n := 0.0, 0.0
	for _, x := range numbers {
		if x == x { //nolint:gocritic // NaN stands for no number
			sum, n = sum+float64(x), n+1
		}
	}
	if n == 0 {
		return Scale{}
	}
	s, squares := Scale{Mean: sum / n}, 0.0
	for _, x := range numbers {
		if x == x { //nolint:gocritic // see above
			off := float64(x) - s.Mean
			squares += float64(off * off) // which no processor may fuse with the sum
		}
	}
	s.Deviation = math.Sqrt(squares / n)
	return s
}

// Apply scales one number.
func (s Scale) Apply(x float32) float32 {
	if x != x || !(s.Deviation > 0) { //nolint:gocritic // NaN stands for no number
		return 0
	}
	return float32(min(max((float64(x)-s.Mean)/s.Deviation, -farthest), farthest))
}
