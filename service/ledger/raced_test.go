//go:build race

package ledger_test

// raced says that goroutines are scheduled at random, as the race detector has them.
const raced = true
