package measure

import (
	"fmt"
	"math"
)

// Hoeffding returns an interval of the expected mean of independent numbers in
// [0, 1], of which the mean was seen in the given number of draws. It covers
// that expectation with at least the given confidence, whatever the numbers'
// laws are, and even if these differ. Each end leaves out (1−confidence)/2. It
// panics unless mean is in [0, 1], draws is positive and confidence in (0, 1).
//
// Theorem (Hoeffding, JASA 1963, Theorem 1). If the expected mean is μ, the mean
// of n draws is at least m > μ with probability at most e^{−n·KL(m‖μ)}, KL being
// the divergence between coins with these biases, and so for m < μ. The ends are
// where the bound is (1−confidence)/2.
func Hoeffding(mean float64, draws int, confidence float64) (low, high float64) {
	if !(mean >= 0 && mean <= 1) || draws < 1 || !(confidence > 0 && confidence < 1) {
		panic(fmt.Sprintf("measure: mean of %d draws or confidence %v out of range", draws, confidence))
	}
	room := math.Log(2/(1-confidence)) / float64(draws)
	return bisect(mean, 0, room), bisect(mean, 1, room)
}

// bisect returns the number between mean and end whose divergence from mean is
// room, on the side of end where rounding leaves a choice.
func bisect(mean, end, room float64) float64 {
	near, far := mean, end
	for range 200 {
		if mid := (near + far) / 2; divergence(mean, mid) > room {
			far = mid
		} else {
			near = mid
		}
	}
	return far
}

// divergence is KL(p‖q) of two coins.
func divergence(p, q float64) float64 {
	term := func(a, b float64) float64 {
		if a == 0 {
			return 0
		}
		return a * math.Log(a/b)
	}
	return term(p, q) + term(1-p, 1-q)
}
