package explain_test

import (
	"context"
	"fmt"

	"sotto/study/explain"
)

// Which words speak for the answer, and how much each of them is worth.
func ExampleSHAP() {
	e, err := explain.SHAP{}.Explain(context.Background(), film, "never dull", explain.Predicted)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s, %.2f\n", e.Prediction, e.Probability)
	for _, w := range e.Tokens {
		fmt.Printf("%-6s %+.2f\n", w.Text, w.Weight)
	}
	fmt.Println("adds up:", e.Check < explain.AdditiveTo)
	// Output:
	// good, 0.52
	// never  +0.10
	// dull   -0.03
	// adds up: true
}

// A local model, with what it explains and how stable it is.
func ExampleLIME() {
	e, err := explain.LIME{Seed: 1}.Explain(context.Background(), film, review, explain.Predicted)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(e.Tokens[1].Text, e.Tokens[1].Weight > 0.2)
	fmt.Println(e.Local.Samples, "samples,", e.Local.R2 > 0.5, e.Local.Runs)
	// Output:
	// wonderful true
	// 5000 samples, true 5
}
