//go:build !race

package dptest

// raceEnabled tells that sync.Pool drops buffers on purpose, so that
// allocations say nothing.
const raceEnabled = false
