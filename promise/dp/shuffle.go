package dp

import (
	"fmt"
	"math"
	"slices"
)

// assumeShuffler is printed with every guarantee that rests on a shuffle.
const assumeShuffler = "somebody who is trusted mixes the releases of all users and removes whose they are, before anybody else sees one; every user releases once, by the same mechanism"

// Shuffle returns what the releases of so many users promise together, once
// they are shuffled: against whoever sees only the shuffled releases, with
// neighbours that differ in the text of one user. It stands beside the local
// guarantee, which holds against everybody and without the assumption, and
// never takes its place.
//
// Theorem (Feldman, McMillan and Talwar, FOCS 2021, Theorem 3.1). Shuffled
// releases of n users, each pure ε₀-DP between any two texts, are (ε, δ)-DP if
// ε₀ ≤ ln(n/(16·ln(2/δ))), with
//
//	ε = ln(1 + (e^{ε₀}−1)/(e^{ε₀}+1)·(8·√(e^{ε₀}·ln(4/δ))/√n + 8·e^{ε₀}/n)).
//
// Why: between any two texts a release is ε₀-DP, so each of the other n−1 users
// releases with probability at least e^{−ε₀} as if from the law of either of the
// two texts in question. The one release hides among about n·e^{−ε₀} such clones,
// whose numbers differ by about their square root.
//
// Where the condition fails, or the formula gives no less, the result is the
// local ε with δ = 0: mixing harms nothing.
func Shuffle(local Guarantee, users int, delta float64) (Guarantee, error) {
	if err := local.Validate(); err != nil {
		return Guarantee{}, err
	}
	switch {
	case local.Unit != Text || local.Delta != 0:
		return Guarantee{}, fmt.Errorf("dp: local guarantee is %s-level with delta %v, must be text-level with delta 0", local.Unit, local.Delta)
	case users < 1:
		return Guarantee{}, fmt.Errorf("dp: users is %d, must be at least 1", users)
	case !(delta > 0 && delta < 1):
		return Guarantee{}, fmt.Errorf("dp: delta is %v, must be in (0, 1)", delta)
	}
	central := local
	central.Assumptions = append(slices.Clone(local.Assumptions), assumeShuffler)
	e, n := float64(local.Epsilon), float64(users)
	if e > math.Log(n/(16*math.Log(2/delta))) {
		return central, nil
	}
	odds := math.Exp(e)
	// tanh(ε₀/2) is (e^{ε₀}−1)/(e^{ε₀}+1).
	bound := RoundUp(Epsilon(math.Log1p(math.Tanh(e/2) * (8*math.Sqrt(odds*math.Log(4/delta)/n) + 8*odds/n))))
	if bound < local.Epsilon {
		central.Epsilon, central.Delta = bound, delta
	}
	return central, nil
}
