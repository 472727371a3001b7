// Package files audits whole commands: it runs one on two inputs that differ in
// one row, again and again, looks at everything that the command writes, and
// certifies how large the ε of all of it must be at least.
//
// A mechanism may be true and the file that carries it not: a digest of the data
// in a record, a size, a name, an exit code or an encoding that was guessed from
// all rows tells one input from another as a release does, and without noise.
//
//	r, err := files.Run(ctx, files.Config{A: "a.csv", B: "b.csv", Claim: 4, Command: []string{"sotto", "encode", …}})
//	if r.Refuted { … }
//
// Which of the two inputs a run gets, a fair coin decides. On half of the runs the
// package learns to tell them apart; on the others it guesses, and the share of
// right guesses bounds ε. A bound above the claim refutes the claim; a bound below
// it proves nothing.
package files
