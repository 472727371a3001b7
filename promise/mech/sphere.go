package mech

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// capTail returns τ(γ), the probability that a coordinate of a uniform unit
// vector in D dimensions is at least γ ≥ 0.
func capTail(dim int, gamma float64) float64 {
	a := float64(dim-1) / 2
	return mathext.RegIncBeta(a, a, (1-gamma)/2)
}

// capMean returns the mean of that coordinate times the indicator of being at
// least γ: C·(1−γ²)^{(D−1)/2}/(D−1), C = Γ(D/2)/(√π·Γ((D−1)/2)).
func capMean(dim int, gamma float64) float64 {
	d := float64(dim)
	top, _ := math.Lgamma(d / 2)
	bottom, _ := math.Lgamma((d - 1) / 2)
	return math.Exp(top-bottom-float64(0.5*math.Log(math.Pi))+float64((d-1)/2*math.Log1p(-gamma*gamma))) / (d - 1)
}

// bestCap returns the γ that maximises PrivUnit's signal at ε, which solves
// γ = m(γ), by bisection: m(γ) − γ falls.
func bestCap(dim int, epsilon float64) float64 {
	lo, hi := 0.0, 1.0
	for range 200 {
		mid := (lo + hi) / 2
		if capSignal(dim, epsilon, mid) > mid {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// capSignal returns m(γ) = capMean·(e^ε−1)/(1+(e^ε−1)τ), written with e^{−ε}
// so that it does not overflow.
func capSignal(dim int, epsilon, gamma float64) float64 {
	gain := -math.Expm1(-epsilon) // (e^ε−1)/e^ε
	return capMean(dim, gamma) * gain / (math.Exp(-epsilon) + float64(gain*capTail(dim, gamma)))
}
