package pipeline

import (
	"context"
	"testing"

	"sotto/batch/shard"
	"sotto/service/ledger"
)

// Fewer lets so many users be in one shard, and pay together, for as long as a test runs.
func Fewer(t *testing.T, shard, call int) {
	t.Helper()
	before := most
	t.Cleanup(func() { most = before })
	most.shard, most.call = shard, call
}

// Reserve pays for releases of a job from a ledger that is open, as its first partition does.
// The worker is that of every process of the job.
func Reserve(ctx context.Context, j *Job, w *shard.Worker, book *ledger.Divided, spends map[string]shard.Spend) ([]string, shard.Paid, error) {
	books.Lock()
	books.open[j.Ledger] = book
	books.Unlock()
	defer func() {
		books.Lock()
		defer books.Unlock()
		delete(books.open, j.Ledger)
	}()
	p := &process{job: *j, worker: w}
	return p.reserve(ctx, 0, spends)
}
