package link_test

import (
	"context"
	"fmt"

	"sotto/study/link"
)

func ExampleSolve() {
	g := link.Graph{Nodes: 3, Edges: []link.Edge{{I: 0, J: 1, Weight: -0.8}, {I: 1, J: 2, Weight: -0.4}, {I: 0, J: 2, Weight: 0.6}}}
	s, err := link.Solve(context.Background(), g, link.Options{})
	fmt.Println(link.Clusters(s.Labels), s.Objective, s.Optimal, err)
	// Output: [[0 1] [2]] -0.8 true <nil>
}
