package dptest

import (
	"os"
	"testing"
)

// Long reports whether there is time for long statistics: the environment
// variable SOTTO_LONG is 1, and tests run without -short.
func Long() bool { return os.Getenv("SOTTO_LONG") == "1" && !testing.Short() }

// Count returns how many draws a statistical test makes, or how many seeds it
// tries: long where [Long] says so, otherwise short. A test derives its tolerance
// from the number that it gets, so that either is a test of its own.
func Count(tb testing.TB, short, long int) int {
	tb.Helper()
	if Long() {
		tb.Logf("dptest.Count: %d, the long run", long)
		return long
	}
	tb.Logf("dptest.Count: %d, and %d with SOTTO_LONG=1", short, long)
	return short
}
