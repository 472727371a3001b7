package attack_test

import (
	"context"
	"fmt"

	"sotto/compute/nn"
	"sotto/learn/attack"
	"sotto/promise/dp"
	"sotto/promise/mech"
)

// The published code of DPNR adds the same number to all coordinates, so whoever
// knows the texts knows which were released.
func ExampleRun() {
	corpus := &attack.Corpus{Source: "squares", X: nn.NewMatrix(64, 8)}
	for i := range corpus.X.Data {
		corpus.X.Data[i] = float32(i * i % 97)
	}
	m, err := mech.New(mech.Params{Mechanism: "dpnr", Variant: mech.Released, Dim: 8, Epsilon: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	a, err := attack.Run(context.Background(), attack.Membership, attack.Target{Corpus: corpus, Mechanism: m}, attack.Options{
		Claim: &dp.Guarantee{Unit: dp.Text, Epsilon: 1},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	f := a.Findings[0]
	fmt.Printf("%s: %.2f of pairs, limit %.2f, refuted: %v\n", f.Attacker, float64(f.Value), float64(f.Limit), a.Refuted)
	// Output: likelihood: 1.00 of pairs, limit 0.73, refuted: true
}
