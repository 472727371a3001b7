package experiment

import (
	"fmt"
	"math"
	"strconv"
)

// noProtection is an ε that protects nobody in practice: odds of one to five
// hundred million.
const noProtection = 20

// remarks say of each ε that is legal and absurd what it means.
func remarks(epsilons []float64) []string {
	var all []string
	for _, e := range epsilons {
		if e <= noProtection {
			continue
		}
		digits := strconv.FormatFloat(e, 'f', -1, 64)
		factor := "e^" + digits
		if times := math.Exp(e); times <= math.MaxFloat64 {
			factor += fmt.Sprintf(", about %.1g", times)
		}
		all = append(all, fmt.Sprintf("ε = %s: one release may change the odds that an observer gives anything by a factor of %s; that is no protection, which ends long before ε = %d", digits, factor, noProtection))
	}
	return all
}
