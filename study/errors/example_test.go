package errors_test

import (
	"fmt"

	"sotto/study/errors"
)

func ExampleCohorts() {
	// Answers to messages from one town are wrong, and to those from the other right.
	var towns []string
	var wrong []bool
	for i := range 200 {
		towns = append(towns, []string{"Bonn", "Kiel"}[i%2])
		wrong = append(wrong, i%2 == 0)
	}
	x, err := errors.FromColumn("town", towns)
	if err != nil {
		fmt.Println(err)
		return
	}
	all, err := errors.Cohorts(x, wrong, errors.TreeOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range all {
		fmt.Printf("%s: %d of %d wrong\n", c.Rule, c.Errors, c.Size)
	}
	// Output:
	// town = Bonn: 100 of 100 wrong
	// town ≠ Bonn: 0 of 100 wrong
}
