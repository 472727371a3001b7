package sotto_test

import (
	"context"
	"fmt"
	"log"

	"sotto"
	"sotto/promise/mech"
)

// From nothing to a private vector: the built-in encoder, public cells that come with
// sotto, and noise such that ε is 4 between any two texts.
func Example() {
	ctx := context.Background()
	m, err := sotto.OpenMechanism(ctx, "default", mech.Params{Mechanism: "cells", Epsilon: 4})
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	r, err := m.Release(ctx, "I feel unwell today")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(r.Vector), "numbers with", r.Guarantee)
	// Output: 128 numbers with ε = 4 (text-level)
}
