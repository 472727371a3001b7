package ledger

import (
	"context"
	"time"
)

const maxCarried = 4096 // entries that are written at once

// transfer writes entries to a new file, some thousands at a time.
type transfer struct {
	to      *fileStore
	waiting []*Entry
}

// add takes an entry. The last ones wait for the write that signs them. Entries
// of different days are written apart, so that they can be archived apart.
func (t *transfer) add(ctx context.Context, e *Entry) error {
	const day = 24 * time.Hour
	if n := len(t.waiting); n == maxCarried || n > 0 && !t.waiting[n-1].At.Truncate(day).Equal(e.At.Truncate(day)) {
		if err := t.write(ctx, func(Page) error { return nil }); err != nil {
			return err
		}
	}
	t.waiting = append(t.waiting, e)
	return ctx.Err()
}

// write appends what waits. An entry must have the hash there that it had.
func (t *transfer) write(ctx context.Context, last func(Page) error) error {
	err := t.to.Update(ctx, func(p Page) error {
		for _, e := range t.waiting {
			if err := same(p, e); err != nil {
				return err
			}
		}
		return last(p)
	})
	t.waiting = t.waiting[:0]
	return err
}

// same appends an entry that must not change by it.
func same(to Page, e *Entry) error {
	again := *e
	if err := to.Append(&again); err != nil {
		return err
	}
	if again.Hash != e.Hash || again.Prev != e.Prev || again.Seq != e.Seq {
		return damaged("entry %d cannot be written as it was", e.Seq)
	}
	return nil
}
