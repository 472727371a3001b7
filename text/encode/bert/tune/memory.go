package tune

import "runtime/debug"

// garbage is how much of it may lie about while a training runs, in percent of what
// is in use. A training holds weights, gradients and moments of the whole
// transformer, and buffers that grow with the longest texts so far: with the usual
// 100 percent, those that were outgrown would double it.
const garbage = 40

// sparing lets less garbage lie about until what it returns is called, unless whoever
// started the process asked for less still, or for none to be collected.
func sparing() (undo func()) {
	before := debug.SetGCPercent(garbage)
	if before < garbage {
		debug.SetGCPercent(before)
		return func() {}
	}
	return func() { debug.SetGCPercent(before) }
}
