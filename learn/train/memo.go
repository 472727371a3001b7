package train

import (
	"context"
	"errors"
	"sync"
)

// This part of the package makes things once for all that ask for the same, also at the same time.
// It forgets nothing, and is not for what costs less to make than to keep.
//
//	var all Memo[string, *Model]
//	m, had, err := all.Do(ctx, "large", train)

// errUnfinished is of what a panic kept from being made.
var errUnfinished = errors.New("memo: it was not made to its end")

// Memo keeps what was made, by key. The zero value keeps nothing yet. It is safe for
// concurrent use.
type Memo[K comparable, V any] struct {
	mu  sync.Mutex // guards all
	all map[K]*entry[V]
}

// entry is something that was made, or is being.
type entry[V any] struct {
	done  chan struct{} // closed when it is
	value V
	err   error
}

// Do returns what was made for a key, and whether it had been asked for before. If not,
// it makes it. What another is making it waits for, until ctx is done. What could not
// be made is forgotten, and made by whoever waited for it.
func (m *Memo[K, V]) Do(ctx context.Context, key K, create func() (V, error)) (value V, had bool, err error) {
	e, had := m.enter(key)
	if !had {
		e.err = errUnfinished
		defer m.settle(key, e)
		e.value, e.err = create()
		return e.value, false, e.err
	}
	select {
	case <-e.done:
	case <-ctx.Done():
		return value, false, ctx.Err()
	}
	if e.err != nil {
		return m.Do(ctx, key, create)
	}
	return e.value, true, nil
}

// settle lets those go on who wait for an entry, which is forgotten if nothing was made.
func (m *Memo[K, V]) settle(key K, e *entry[V]) {
	if e.err != nil {
		m.mu.Lock()
		delete(m.all, key)
		m.mu.Unlock()
	}
	close(e.done)
}

// enter returns the entry of a key, and whether there was one.
func (m *Memo[K, V]) enter(key K) (*entry[V], bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e, had := m.all[key]; had {
		return e, true
	}
	if m.all == nil {
		m.all = map[K]*entry[V]{}
	}
	e := &entry[V]{done: make(chan struct{})}
	m.all[key] = e
	return e, false
}
