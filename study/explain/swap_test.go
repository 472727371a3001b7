package explain_test

import (
	"context"
	"fmt"
	"testing"

	"sotto/study/explain"
	"sotto/text"
)

// Other words in place of one, of which those are returned that change the answer.
func ExampleSwaps() {
	s := "A wonderful film"
	answer, flips, err := explain.Swaps(context.Background(), film, s, text.Span{Start: 2, End: 11}, []string{"fine", "dull", "never"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(answer)
	for _, f := range flips {
		fmt.Printf("%s: %s, %.2f\n", f.Word, f.Prediction, f.Probability)
	}
	// Output:
	// good
	// dull: bad, 0.17
	// never: bad, 0.31
	// fine: bad, 0.48
}

func TestSwapsRefused(t *testing.T) {
	if _, _, err := explain.Swaps(t.Context(), film, "abc", text.Span{Start: 2, End: 9}, nil); err == nil {
		t.Error("a word beyond the text is replaced")
	}
}
