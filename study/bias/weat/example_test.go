package weat_test

import (
	"context"
	"fmt"

	"sotto/promise/mech"
	"sotto/study/bias"
	"sotto/study/bias/weat"
)

// A study makes tests on raw vectors, and on what a mechanism leaves of them.
func ExampleStudy() {
	private := func(dim int) (*bias.Release, error) {
		p := mech.Params{Mechanism: "laplace-l1", Dim: dim, Epsilon: 1e6}
		m, err := mech.New(p)
		if err != nil {
			return nil, err
		}
		s, err := mech.Describe(p, 0)
		return &bias.Release{Mechanism: m, Statement: &s, Draws: 20}, err
	}
	table, err := bias.NewTable(2, []string{"rose", "lily", "wasp", "gnat", "love", "joy", "hate", "pain"}, []float64{
		5, 1, 4, 2, 1, 5, 2, 4, 6, 1, 5, 2, 1, 6, 1, 4,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	test := weat.Test{Name: "garden", X: []string{"rose", "lily"}, Y: []string{"wasp", "gnat"}, A: []string{"love", "joy"}, B: []string{"hate", "pain"}}
	study := weat.Study{Tests: []weat.Test{test}, Release: private}
	r, err := study.Run(context.Background(), []bias.Source{{Name: "garden.txt", Table: table}})
	if err != nil {
		fmt.Println(err)
		return
	}
	row := r.Tests[0]
	fmt.Printf("%s: effect %.1f raw and %s private, p %s\n", row.Name, row.Effect, row.Private.Effect.Text("%.1f"), row.ChanceText())
	// Output: garden: effect 1.7 raw and 1.7 [1.7, 1.7] private, p 0 (0 of 6)
}
