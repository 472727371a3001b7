package audit_test

import (
	"context"
	"fmt"

	"sotto/promise/audit"
	"sotto/promise/mech"
)

// Two variants of one mechanism claim the same ε. Without a look at the code,
// the audit refutes the one whose claim is false. What it certifies is a lower
// bound: that it does not refute the other proves nothing.
func ExampleRun() {
	for _, variant := range []string{mech.Released, mech.Paper} {
		m, err := mech.New(mech.Params{Mechanism: "laplace-l1", Variant: variant, Dim: 4, Epsilon: 4})
		if err != nil {
			fmt.Println(err)
			return
		}
		found, err := audit.Run(context.Background(), audit.Builtin(m), audit.Config{
			Claim: 4, Draws: 20_000, Confidence: 1 - 1e-6, // the claim that is true is refuted once in a million runs
		})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s: proved ε = %v, refuted %v, certified above 4: %v\n", variant, m.Guarantee().Epsilon, found.Refuted, found.LowerBound > 4)
	}
	// Output:
	// released: proved ε = 8, refuted true, certified above 4: true
	// paper: proved ε = 4, refuted false, certified above 4: false
}
