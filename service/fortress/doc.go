// Package fortress attacks the command from outside, as real processes on real
// files, and says of each attack what must hold and what was measured. It holds
// nothing but tests.
//
// Plain "go test" runs every attack with small numbers, and judges only what does
// not depend on how quick a machine is; a few that wait for long run with
// SOTTO_LONG=1. The whole list with large numbers, and the
// table, are
//
//	make attack
//
// What whole commands write is audited by make files-audit.
package fortress
