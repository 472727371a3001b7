package channel_test

import (
	"context"
	"fmt"
	"math"

	"sotto/compute/channel"
	"sotto/compute/nn"
)

// Two labels of two classes: the best release of both at once, for texts that a
// model is sure of.
func ExampleSolve() {
	classes := []int{2, 2}
	answers, err := channel.Answers(classes, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	posteriors := nn.Matrix{Rows: 4, Cols: 4, Data: []float32{
		1, 0, 1, 0,
		1, 0, 0, 1,
		0, 1, 1, 0,
		0, 1, 0, 1,
	}}
	scores := channel.Scores(posteriors, classes, nil, answers)
	s, err := channel.Solve(context.Background(), scores, 2, channel.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	// Randomised response over the four answers, (e²+1)/(e²+3), is the best here.
	fmt.Printf("right: %.2f, at most %.2f\n", s.Value, s.Bound)

	split := math.E / (1 + math.E) // two randomised responses of ε = 1
	fmt.Printf("each by itself: %.2f\n", split)
	// Output:
	// right: 0.81, at most 0.81
	// each by itself: 0.73
}

func ExampleAnswers() {
	answers, err := channel.Answers([]int{2, 3}, 0)
	fmt.Println(answers, err)
	// Output: [[0 0] [1 0] [0 1] [1 1] [0 2] [1 2]] <nil>
}
