package measure

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// Summary describes values that independent runs gave, one for each seed.
type Summary struct {
	Mean      Number `json:"mean"`
	Deviation Number `json:"deviation"` // of the sample, with n−1; undefined for one value
	Low       Number `json:"low"`       // 95 % interval of the mean, after Student; undefined for one value
	High      Number `json:"high"`
	N         int    `json:"n"`
}

// Summarise returns the mean of values, their sample standard deviation s and
// the interval mean ± t·s/√n, t being the 97.5 % quantile of Student's law with
// n−1 degrees of freedom. The interval covers the mean over all seeds in 95 % of
// cases if the values are independent and normal; it says nothing of other data.
// What is not defined is NaN: everything for no values, all but the mean for one.
func Summarise(values []float64) Summary {
	n := float64(len(values))
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	mean := sum / n
	s := Summary{Mean: Number(mean), Deviation: Number(undefined), Low: Number(undefined), High: Number(undefined), N: len(values)}
	if len(values) < 2 {
		return s
	}
	squares := 0.0
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	deviation := math.Sqrt(squares / (n - 1))
	half := distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(0.975) * deviation / math.Sqrt(n)
	s.Deviation, s.Low, s.High = Number(deviation), Number(mean-half), Number(mean+half)
	return s
}

// ClopperPearson returns the exact interval of a probability of which hits were
// seen in draws independent draws: it covers the probability with at least the
// given confidence, whatever it is. Each end leaves out (1−confidence)/2. It
// panics unless 0 ≤ hits ≤ draws and confidence is in (0, 1).
func ClopperPearson(hits, draws int, confidence float64) (low, high float64) {
	if hits < 0 || hits > draws || !(confidence > 0 && confidence < 1) {
		panic(fmt.Sprintf("measure: %d hits in %d draws with confidence %v, must be 0 ≤ hits ≤ draws and in (0, 1)",
			hits, draws, confidence))
	}
	alpha := (1 - confidence) / 2
	return clopperPearsonLow(hits, draws, alpha), 1 - clopperPearsonLow(draws-hits, draws, alpha)
}

// clopperPearsonLow returns the p at which hits or more are as rare as alpha:
// P(Binomial(draws, p) ≥ hits) = I_p(hits, draws−hits+1) grows with p.
func clopperPearsonLow(hits, draws int, alpha float64) float64 {
	if hits == 0 {
		return 0
	}
	low, high := 0.0, 1.0
	for range 60 { // halves down to the rounding of numbers near 1
		mid := (low + high) / 2
		if mathext.RegIncBeta(float64(hits), float64(draws-hits+1), mid) > alpha {
			high = mid
		} else {
			low = mid
		}
	}
	return low
}
