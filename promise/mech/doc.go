// Package mech holds the mechanisms: published ones as claimed, as released
// and as they should be, and the best known ones beside them. Each stands in a
// file of its own with its proof beside it (laplacel1.go, laplacel1.md).
//
// A mechanism is made once from [Params] by [New], or by its own constructor,
// and is then immutable and safe for concurrent use:
//
//	m, err := mech.New(mech.Params{Mechanism: "laplace-l1", Dim: 300, Epsilon: 8})
//	y, err := m.Privatize(x, noise.Crypto())
//	fmt.Println(m.Guarantee()) // ε = 8 (text-level)
//
// The package does not learn representations, mask words in real text or keep
// budgets; see the packages that import it.
package mech
