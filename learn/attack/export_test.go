package attack

import (
	"context"
	"testing"

	"sotto/compute/measure"
)

// What the tests of this package look at.
var (
	Entity = entity
	Halves = halves
)

// Add registers a kind for the time of a test, which finds a share of 1,000 rows
// against a limit.
func Add(t *testing.T, k Kind, value, limit measure.Number) {
	t.Helper()
	before := kinds
	t.Cleanup(func() { kinds = before })
	kinds = append(Kinds(), Info{Kind: k, About: "Guess", Title: "What it guesses", Needs: Needs{Least: 8}, attack: func(a *attempt, _ context.Context) error {
		a.find(share(Finding{Attacker: "one", Target: "it", Metric: "accuracy", Limit: limit}, int(1000*value), 1000))
		return nil
	}})
}
