// Package file keeps a ledger in one file, which one process writes and any
// number read meanwhile.
package file

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"math"
	"os"
	"sync"
	"time"

	"sotto/internal/fault"
	"sotto/ledger/book"
	"sotto/ledger/footing"
	"sotto/ledger/format1"
	"sotto/ledger/logfile"
	"sotto/ledger/record"
)

// Store is a ledger in one file that only grows. What the ledger counts with is
// made from it when it is opened, and kept in memory.
type Store struct {
	log      *logfile.File
	held     *footing.File
	readOnly bool

	mu     sync.RWMutex // guards the rest, which the writer alone changes
	chain  book.Chain
	of     map[book.Kind]*book.Entry // the last budget and secret
	coder  record.Coder
	paid   index
	life   []book.Cost // what each subject has spent in all windows, by its number
	window int64       // of the last entry that counts in one
	sums   map[string]book.Sums
	newest int64 // window that anything counts in
}

// Open opens the ledger in a file, which is made if it is not there. No other
// process can write it at the same time: the error wraps [book.ErrLocked] then.
// Any can read it.
func Open(path string, readOnly bool) (_ *Store, err error) {
	defer fault.Catch(&err)
	log, err := logfile.Open(path, readOnly)
	if errors.Is(err, fs.ErrNotExist) && !readOnly {
		if err = logfile.Create(path); err == nil || errors.Is(err, fs.ErrExist) {
			log, err = logfile.Open(path, readOnly)
		}
	}
	switch {
	case errors.Is(err, logfile.ErrFormat) && format1.Is(path):
		return nil, fmt.Errorf("%w: %s", book.ErrFormat1, path)
	case errors.Is(err, logfile.ErrLocked):
		return nil, fmt.Errorf("%w: %s: %w", book.ErrUnavailable, path, book.ErrLocked)
	case errors.Is(err, logfile.ErrFormat), errors.Is(err, logfile.ErrDamaged):
		return nil, book.Damaged("%s is no ledger: %w", path, err)
	case err != nil:
		return nil, book.Unavailable(err)
	}
	f := &Store{
		log: log, held: footing.Hold(path, log), readOnly: readOnly,
		of: map[book.Kind]*book.Entry{}, paid: index{seed: maphash.MakeSeed()}, sums: map[string]book.Sums{}, newest: math.MinInt64,
	}
	if err = f.load(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// load reads the whole file. A reader leaves out what only a writer needs: the
// hashes, which it checks when it verifies, and the keys.
func (f *Store) load() error {
	in := replay{known: book.Guarantees{}}
	if f.readOnly {
		in.unlinked = math.MaxUint64
	}
	back := false // to an older window, whose sums are gone
	_, err := f.log.Recover(f.readOnly, func(frame *logfile.Frame) error {
		return in.frame(frame, func(r linked) error {
			if r.Means == nil {
				return f.loadOther(&in, r, &back)
			}
			if !f.readOnly {
				f.paid.add(book.Payment{Subject: r.Subject, Key: r.Key}, place{r.offset, in.Seq})
			}
			f.enterLife(&in.coder, r.Subject, book.Cost{Epsilon: r.Means.Epsilon, Delta: r.Means.Delta})
			return f.count(r.Window, r.Subject, book.Sums{Spent: book.Cost{Epsilon: r.Means.Epsilon, Delta: r.Means.Delta}}, &back)
		})
	})
	if err != nil {
		return fileError(err)
	}
	f.chain, f.coder = in.Chain, in.coder
	f.chain.Line = nil
	if back {
		f.sums, err = f.scanSums(f.window)
	}
	return err
}

// loadOther reads an entry that is no spend.
func (f *Store) loadOther(in *replay, r linked, back *bool) error {
	if in.unlinked != 0 { // its line was not made
		in.Line = r.AppendLine(in.Line[:0], in.Seq, new([32]byte))
	}
	e, err := book.ParseBody(in.Line)
	if err != nil {
		return err
	}
	switch e.Kind {
	case book.KindBudget, book.KindSecret:
		f.of[e.Kind] = e
	case book.KindGrant:
		return f.count(e.Window, e.Subject, book.Sums{Granted: e.Cost()}, back)
	case book.KindSpend:
		return book.Damaged("entry %d is a spend in the wrong form", e.Seq)
	}
	return nil
}

func (f *Store) enterLife(c *record.Coder, subject string, cost book.Cost) {
	id := int(c.Subject(subject))
	for len(f.life) < id {
		f.life = append(f.life, book.Cost{})
	}
	f.life[id-1] = f.life[id-1].Plus(cost)
}

// count adds to the sums of the window that is at hand.
func (f *Store) count(window int64, subject string, more book.Sums, back *bool) error {
	if window != f.window || f.newest == math.MinInt64 {
		*back = *back || window <= f.newest
		f.window, f.newest = window, max(f.newest, window)
		f.sums = map[string]book.Sums{}
	}
	s := f.sums[subject]
	s.Granted, s.Spent = s.Granted.Plus(more.Granted), s.Spent.Plus(more.Spent)
	if _, err := s.Check(); err != nil && !*back {
		return err
	}
	f.sums[subject] = s
	return nil
}

// at returns the sums of a window. Those of the last one are at hand, and a later
// one has none. An older one is read again: windows that became longer can begin
// before the last.
func (f *Store) at(window int64) (map[string]book.Sums, error) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	switch {
	case window > f.newest:
		return map[string]book.Sums{}, nil
	case window == f.window:
		return f.sums, nil
	}
	return f.scanSums(window)
}

// scanSums counts a window from the log.
func (f *Store) scanSums(window int64) (map[string]book.Sums, error) {
	found := map[string]book.Sums{}
	err := f.entries(0, func(e *book.Entry) error {
		if e.Window != window || e.Kind != book.KindSpend && e.Kind != book.KindGrant {
			return nil
		}
		s := found[e.Subject]
		if e.Kind == book.KindGrant {
			s.Granted = s.Granted.Plus(e.Cost())
		} else {
			s.Spent = s.Spent.Plus(e.Cost())
		}
		s, err := s.Check()
		found[e.Subject] = s
		return err
	})
	return found, err
}

// entries yields the log as it is now.
func (f *Store) entries(from uint64, yield func(*book.Entry) error) error {
	in := replay{known: book.Guarantees{}, unlinked: from}
	return fileError(f.log.Scan(f.log.End(), func(frame *logfile.Frame) error {
		return in.frame(frame, func(r linked) error {
			if in.Seq < from {
				return nil
			}
			e, err := in.Entry(r.Record, r.prev, in.known)
			if err != nil {
				return err
			}
			return yield(e)
		})
	}))
}

// fileError says of an error of a log whether it is damage.
func fileError(err error) error {
	if errors.Is(err, logfile.ErrDamaged) {
		return book.Damaged("%w", err)
	}
	if pathError := new(os.PathError); errors.As(err, &pathError) {
		return book.Medium(err)
	}
	return err
}

// Update refuses to write a file that is no longer the one of its name, and does
// not call written what was written to it: no start would find that again.
func (f *Store) Update(_ context.Context, change func(book.Page) error) (err error) {
	defer fault.Catch(&err)
	if err = f.inPlace(); err != nil {
		return err
	}
	p := newPage(f)
	if err = change(p); err != nil {
		return err
	}
	if err = p.commit(); err != nil {
		return err
	}
	return f.inPlace()
}

// inPlace refuses a file that is no longer the one of its name.
func (f *Store) inPlace() error {
	err := f.held.InPlace()
	if err == nil {
		err = f.log.Intact()
	}
	if errors.Is(err, footing.ErrCut) || errors.Is(err, logfile.ErrDamaged) {
		return book.Damaged("%w", err)
	}
	return book.Unavailable(err)
}

// Room tries whether there is room on disk for what spends need.
func (f *Store) Room() error { return book.Unavailable(f.log.Room(64 << 10)) }

// View implements [book.Store].
func (f *Store) View(_ context.Context, read func(book.Page) error) (err error) {
	defer fault.Catch(&err)
	if err := f.inPlace(); err != nil {
		return err
	}
	f.mu.RLock()
	p := newPage(f)
	f.mu.RUnlock()
	return read(p)
}

// Close gives up after a second: a write that does not end must not keep a
// process alive.
func (f *Store) Close() error {
	return book.Unavailable(footing.Within(time.Second, func() error { return f.log.Close(f.readOnly) }))
}

// place is where a spend stands.
type place struct {
	offset int64
	seq    uint64
}

// index finds spends by their keys. It holds a digest of each that fits into a
// word, and leaves it to the file to tell apart those that are equal in it.
type index struct {
	seed  maphash.Seed
	first map[uint64]place
	more  map[uint64][]place
}

func (x *index) add(name book.Payment, at place) {
	if x.first == nil {
		x.first, x.more = map[uint64]place{}, map[uint64][]place{}
	}
	h := maphash.Comparable(x.seed, name)
	if _, ok := x.first[h]; ok {
		x.more[h] = append(x.more[h], at)
		return
	}
	x.first[h] = at
}

// find returns where a spend may stand.
func (x *index) find(name book.Payment) (first place, more []place, ok bool) {
	h := maphash.Comparable(x.seed, name)
	first, ok = x.first[h]
	return first, x.more[h], ok
}
