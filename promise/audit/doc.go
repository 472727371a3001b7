// Package audit attacks mechanisms and certifies, with confidence, how large
// their ε must be at least: built-in ones, and foreign ones that are a command
// or a web address.
//
// A bound comes from releases of two inputs that the auditor chooses. It looks
// for an event on some of them and counts it on fresh ones, so that looking
// costs no confidence. A bound above the claim refutes the claim; a bound
// below it proves nothing.
//
//	r, err := audit.Run(ctx, audit.Builtin(m), audit.Config{Draws: 100_000, Claim: 1})
//	if r.Refuted { … }
//
// The package does not compute a mechanism's true ε; that is its Guarantee.
package audit
