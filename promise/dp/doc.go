// Package dp says what a privacy promise is: a [Guarantee] with its [Unit],
// the [Mechanism] that keeps it, what a publication claimed of it ([Profile]),
// and what no mechanism under it can do ([AccuracyBound]).
//
// It draws no randomness and holds no budget: package noise samples, package
// mech releases, package ledger spends. The smallest use is
//
//	g := m.Guarantee()
//	fmt.Println(g) // ε = 1 (text-level)
package dp
