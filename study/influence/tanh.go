package influence

// tanh is the hyperbolic tangent to about 10⁻⁴, by a quotient of polynomials that
// takes a fraction of the time of the exact one: a continued fraction, cut off where
// the function no longer differs from ±1. The network that learns uses the exact one.
func tanh(x float32) float32 {
	const limit = 4.97
	switch {
	case x > limit:
		return 1
	case x < -limit:
		return -1
	}
	y := float64(x)
	s := float64(y * y)
	over := float64(y * (135135 + float64(s*(17325+float64(s*(378+s))))))
	under := 135135 + float64(s*(62370+float64(s*(3150+float64(28*s)))))
	return float32(over / under)
}
