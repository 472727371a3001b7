package records

import "math"

// quantise makes a vector one of whole numbers up to 127, which has the same direction
// but for rounding.
func quantise(x []float32) []int8 {
	largest := float32(0)
	for _, v := range x {
		largest = max(largest, max(v, -v))
	}
	out := make([]int8, len(x))
	if largest == 0 {
		return out
	}
	for k, v := range x {
		out[k] = int8(math.Round(float64(v) / float64(largest) * 127))
	}
	return out
}

// packed is a vector as it is stored.
func packed(v []int8) string {
	b := make([]byte, len(v))
	for k, x := range v {
		b[k] = byte(x)
	}
	return string(b)
}

// cosine is that of two stored vectors, 0 where it is below.
func cosine(a, b string) float64 {
	var ab, aa, bb int64
	for k := range len(a) {
		x, y := int64(int8(a[k])), int64(int8(b[k]))
		ab += x * y
		aa += x * x
		bb += y * y
	}
	if ab <= 0 {
		return 0
	}
	return min(1, float64(ab)/math.Sqrt(float64(aa)*float64(bb)))
}
