package pipeline

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"sotto/batch/shard"
	"sotto/service/ledger"
)

// books are the ledgers that are open in this process, by their place.
var books = struct {
	sync.Mutex
	open map[string]*ledger.Divided
}{open: map[string]*ledger.Divided{}}

// openBook opens the ledger of a job, or finds it open.
func (p *process) openBook(ctx context.Context) (*ledger.Divided, error) {
	books.Lock()
	defer books.Unlock()
	place := p.job.Ledger
	if place == "" {
		return nil, errLedger
	}
	if l := books.open[place]; l != nil {
		return l, nil
	}
	secret := p.worker.Secret()
	l, err := ledger.OpenAny(ctx, place, ledger.Options{SecretID: secret.ID(), ChainKey: secret.ChainKey(), Head: p.job.Head})
	if err == nil {
		books.open[place] = l
	}
	return l, err
}

// CloseBooks ends the ledgers that this process has open.
func CloseBooks() error {
	books.Lock()
	defer books.Unlock()
	var err error
	for place, l := range books.open {
		if e := l.Close(); e != nil && err == nil {
			err = e
		}
		delete(books.open, place)
	}
	return err
}

// most is how many users are in one shard, and in the calls in which all of them pay or
// nobody does; a call is one write. Tests have fewer.
var most = struct{ shard, call int }{1 << 14, ledger.MaxDemands}

// reserve pays for the releases of the users of a partition, some thousands at a time
// in the order of their names, so that a job that runs again asks for the same shards.
// It returns who cannot pay. If that is to refuse the job, all budgets are looked at before
// anybody pays, and as many as one call takes pay together or not at all. What the job is
// is written in the same call, so that nobody has paid for a job of which that is unknown.
func (p *process) reserve(ctx context.Context, at int, spends map[string]shard.Spend) ([]string, shard.Paid, error) {
	var sums shard.Paid
	var broke []string
	book, err := p.openBook(ctx)
	if err != nil {
		return nil, sums, err
	}
	if err = p.meet(ctx, book); err != nil {
		return nil, sums, err
	}
	var shards []ledger.Shard
	for users := range slices.Chunk(slices.Sorted(maps.Keys(spends)), most.shard) {
		s := p.shard(p.job.Name, fmt.Sprintf("%s: users %d/%d", shard.Scheme, at, len(shards)))
		for _, u := range users {
			s.Demands = append(s.Demands, ledger.Demand{Subject: u, Releases: spends[u].Releases, Check: spends[u].Check})
		}
		shards = append(shards, s)
	}
	pay, calls := book.Reserve, 1
	if p.job.OnExhausted == Refuse {
		pay, calls = book.ReserveAll, most.call/most.shard
		for some := range slices.Chunk(shards, calls) {
			if err = book.Affords(ctx, some...); err != nil {
				return nil, sums, err
			}
		}
	}
	marks := p.marks()
	for some := range slices.Chunk(shards, calls) {
		answers, err := pay(ctx, append(slices.Clone(marks), some...)...)
		if err != nil {
			return nil, sums, err
		}
		for _, a := range answers[len(marks):] {
			broke = append(broke, a.LeftOut...)
			sums.Add(shard.Paid{Users: int64(a.Paid), Releases: a.Releases, Exhausted: int64(len(a.LeftOut))})
		}
	}
	return broke, sums, nil
}
