package vector

// Sigmoid returns 1/(1 + e^−x), to about the rounding of float32 and with the same bits on
// every machine.
func Sigmoid(x float32) float32 {
	if x >= 0 {
		return 1 / (1 + exp(-x))
	}
	e := exp(x)
	return e / (1 + e)
}

// Tanh returns the hyperbolic tangent within 2e-7, with the same bits on every machine.
func Tanh(x float32) float32 {
	if x >= 0 {
		e := exp(-2 * x)
		return (1 - e) / (1 + e)
	}
	e := exp(2 * x)
	return (e - 1) / (1 + e)
}

// each sets dst to what a function makes of x.
func each(dst, x []float32, one func(float32) float32) {
	for k, v := range x {
		dst[k] = one(v)
	}
}

func sigmoidGo(dst, x []float32) { each(dst, x, Sigmoid) }

func tanhGo(dst, x []float32) { each(dst, x, Tanh) }
