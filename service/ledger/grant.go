package ledger

import (
	"fmt"
)

// Grant is more than the budget, for one subject and one window. It weakens what
// that subject was promised, so that the log names who gave it, and why.
type Grant struct {
	Subject string
	Epsilon float64 // to add; 0 for none
	Delta   float64 // to add; 0 for none
	Who     string  // gives it: at most 256 bytes of UTF-8, without control characters
	Reason  string  // likewise, of at most 1,024 bytes
}

// Validate reports the first thing that is missing or out of range.
func (g Grant) Validate() error {
	for _, text := range []struct {
		what, is string
		most     int
	}{{"subject", g.Subject, maxSubject}, {"name of who grants", g.Who, 256}, {"reason", g.Reason, 1024}} {
		if err := checkText(text.what, text.is, text.most); err != nil {
			return err
		}
	}
	if !(g.Epsilon >= 0) || !(g.Delta >= 0) || !(g.Delta < 1) || !(g.Epsilon*epsilonUnits <= maxCost) || (floor(g.Epsilon, g.Delta) == Cost{}) {
		return fmt.Errorf("ledger: the grant is ε = %v and δ = %v, must be positive and finite", g.Epsilon, g.Delta)
	}
	return nil
}
