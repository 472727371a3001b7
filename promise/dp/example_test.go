package dp_test

import (
	"encoding/json"
	"fmt"

	"sotto/promise/dp"
)

func ExampleGuarantee() {
	g := dp.Guarantee{Unit: dp.Text, Epsilon: 8, Delta: 1e-6}
	fmt.Println(g, g.Validate())
	// Output: ε = 8, δ = 1e-06 (text-level) <nil>
}

func ExampleEpsilon() {
	text, err := json.Marshal(map[string]dp.Epsilon{"claimed": 1, "true": dp.Infinite})
	fmt.Println(string(text), err)
	// Output: {"claimed":1,"true":"infinite"} <nil>
}

func ExampleUnit() {
	fmt.Println(dp.Word.Valid(), dp.Unit("user").Valid())
	// Output: true false
}

func ExampleNone() {
	fmt.Println(dp.None(dp.Text))
	// Output: ε = infinite (text-level)
}

func ExampleRoundUp() {
	e := dp.RoundUp(1)
	fmt.Println(e, e > 1)
	// Output: 1 true
}

func ExampleCompose() {
	day := dp.Guarantee{Unit: dp.Text, Epsilon: 0.5}
	week, err := dp.Compose(day, day, day, day, day, day, day)
	fmt.Println(week, err)
	_, err = dp.Compose(day, dp.Guarantee{Unit: dp.Word, Epsilon: 0.5})
	fmt.Println(err)
	// Output:
	// ε = 3.5 (text-level) <nil>
	// guarantees of different units cannot be combined: text and word
}

// A reported accuracy of 80.87 % refutes ε = 0.05 at text level, where 57.8 %
// belong to the commonest class.
func ExampleAccuracyBound() {
	most, err := dp.AccuracyBound(0.05, []float64{0.578, 0.2, 0.122, 0.1})
	fmt.Printf("%.3f %v\n", most, err)
	// Output: 0.578 <nil>
}
