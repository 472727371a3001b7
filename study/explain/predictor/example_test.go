package predictor_test

import (
	"context"
	"fmt"

	"sotto/study/explain"
	"sotto/study/explain/predictor"
)

// A program that reads texts and writes probabilities, explained.
func ExampleNewCommand() {
	ctx := context.Background()
	const theirs = `while read -r text; do case "$text" in *dull*) echo '[0.9,0.1]';; *) echo '[0.2,0.8]';; esac; done`
	c, err := predictor.NewCommand(ctx, theirs, []string{"bad", "good"})
	if err != nil {
		fmt.Println(err)
		return
	}
	e, err := explain.Occlusion{}.Explain(ctx, c, "a dull film", explain.Predicted)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, w := range e.Tokens {
		fmt.Printf("%s %+.1f for %s\n", w.Text, w.Weight, e.Class)
	}
	fmt.Println(c.Close())
	// Output:
	// a +0.0 for bad
	// dull +0.7 for bad
	// film +0.0 for bad
	// <nil>
}
