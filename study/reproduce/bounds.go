package reproduce

import "math"

// Bounds are the utility theorems of PRIVEMB (propositions 7 and 8) for the
// release w = Φx + κ of n vectors x of norm at most Tau, where the length of κ
// follows Gamma(m, Sensitivity/ε). With probability 1−δ a length is at most
//
//	k = Sensitivity·m·ln(2nm/δ)/ε,
//
// so a distance is off by at most 2·Beta·τ + 2k, and an inner product by at
// most Gram·τ² + 2·Stretch·τ·k + k². The paper takes 2 for Sensitivity and for
// Stretch, and β for the other two.
type Bounds struct {
	Beta        float64 // Φ changes no length by more than this share
	Gram        float64 // nor an inner product by more than this share of the product of norms
	Stretch     float64 // nor makes any length larger than so many times itself
	Sensitivity float64 // that the noise pays for, after scaling
	M           int     // coordinates of a release
	N           int     // vectors
	Epsilon     float64
	Delta       float64
	Tau         float64
}

// PaperBounds are those that the paper states for a projection from d to m
// coordinates.
func PaperBounds(d, m int, delta float64) Bounds {
	beta := Beta(d, m, delta)
	return Bounds{Beta: beta, Gram: beta, Stretch: 2, Sensitivity: 2, M: m, Delta: delta}
}

// noise is the k of the theorem.
func (b Bounds) noise() float64 {
	return b.Sensitivity * float64(b.M) * math.Log(2*float64(b.N)*float64(b.M)/b.Delta) / b.Epsilon
}

// Distance bounds |‖wᵢ−wⱼ‖−‖xᵢ−xⱼ‖| for all pairs at once.
func (b Bounds) Distance() float64 { return 2*b.Beta*b.Tau + 2*b.noise() }

// Inner bounds |⟨wᵢ,wⱼ⟩−⟨xᵢ,xⱼ⟩| for all pairs at once.
func (b Bounds) Inner() float64 {
	k := b.noise()
	return b.Gram*b.Tau*b.Tau + 2*b.Stretch*b.Tau*k + k*k
}

// Beta is the distortion that the paper pays for with a projection from d to m
// coordinates: (√log₂ d + √ln(1/δ))/√m.
func Beta(d, m int, delta float64) float64 { return width(d, delta) / math.Sqrt(float64(m)) }

// ProjectedDim is the least m whose [Beta] is not above beta.
func ProjectedDim(d int, beta, delta float64) int {
	w := width(d, delta)
	return int(math.Ceil(w * w / (beta * beta)))
}

func width(d int, delta float64) float64 {
	return math.Sqrt(math.Log2(float64(d))) + math.Sqrt(-math.Log(delta))
}
