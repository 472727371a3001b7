package ledger

import (
	"crypto/rand"
	"time"
)

// A process has a monotonic clock of its own, by which time is counted where
// the machine's cannot be had.
var (
	process = "process " + rand.Text()
	started = time.Now()
)
