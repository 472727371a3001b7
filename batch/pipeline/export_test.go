package pipeline

import "testing"

// Fewer lets so many users be in one shard, and pay together, for as long as a test runs.
func Fewer(t *testing.T, shard, call int) {
	t.Helper()
	before := most
	t.Cleanup(func() { most = before })
	most.shard, most.call = shard, call
}
