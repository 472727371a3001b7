package ledger

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"sync"
	"time"

	"sotto/internal/regular"

	"sotto/internal/fault"
	"sotto/service/ledger/disk"
)

// This part of the package keeps a ledger in one file, which one process writes and any
// number read meanwhile.

// fileStore is a ledger in one file that only grows. What the ledger counts with is
// made from it when it is opened, and kept in memory.
type fileStore struct {
	FileOptions
	log  *LogFile
	held *heldFile
	// Bytes were found behind the last whole write, where an entry would have begun.
	rest   int64
	unread uint64

	mu     sync.RWMutex // guards the rest, which the writer alone changes
	chain  Chain
	of     map[Kind]*Entry // the last budget and secret
	coder  Coder
	paid   index
	life   []Cost // what each subject has spent in all windows, by its number
	window int64  // of the last entry that counts in one
	sums   map[string]Sums
	newest int64 // window that anything counts in
	sealed bool
	cut    *cutRecord // where the archive ends; nil if nothing was archived
}

// errAnswered is returned by Open, with [ErrDamaged], where something is damaged
// that was answered.
var errAnswered = errors.New("what was answered is missing")

// FileOptions say how a file is opened.
type FileOptions struct {
	ReadOnly bool
	Disk     disk.Disk // nil means the machine's
	// Answered is up to which entry all was answered, by what was noted outside. What
	// is not whole there is damage. Doubtful says that something later was noted,
	// which cannot be read: what is not whole behind it cannot be told from damage.
	Answered uint64
	Doubtful bool
}

// OpenFileStore opens the ledger in a file, which is made if it is not there. No other
// process can write it at the same time: the error wraps [ErrLocked] then.
// Any can read it.
func OpenFileStore(path string, o FileOptions) (*fileStore, error) { return openStore(path, o, true) }

// openNewFileStore opens a file to write that [Store.Archive] has made, in which the entry
// is missing that says what was kept.
func openNewFileStore(path string) (*fileStore, error) { return openStore(path, FileOptions{}, false) }

// isFormat1 reports whether a file begins as ledgers did before version 0.1.0: by the
// magic number of the library that wrote them.
func isFormat1(path string) bool {
	f, _, err := regular.Open(path, regular.Most) // a pipe is not waited for
	if err != nil {
		return false
	}
	defer f.Close() //nolint:errcheck // it was only read
	var begin [20]byte
	_, err = f.ReadAt(begin[:], 0)
	return err == nil && binary.LittleEndian.Uint32(begin[16:]) == 0xED0CDAED
}

func openStore(path string, o FileOptions, complete bool) (_ *fileStore, err error) {
	defer fault.Catch(&err)
	how := LogOptions{ReadOnly: o.ReadOnly, Disk: o.Disk}
	log, err := OpenLog(path, how)
	if errors.Is(err, fs.ErrNotExist) && !o.ReadOnly {
		if err = CreateLog(path, o.Disk); err == nil || errors.Is(err, fs.ErrExist) {
			log, err = OpenLog(path, how)
		}
	}
	switch {
	case errors.Is(err, ErrLogFormat) && isFormat1(path):
		return nil, fmt.Errorf("%w: %s", ErrFormat1, path)
	case errors.Is(err, ErrLogLocked):
		return nil, fmt.Errorf("%w: %s: %w", ErrUnavailable, path, ErrLocked)
	case errors.Is(err, ErrLogFormat), errors.Is(err, ErrLogDamaged):
		return nil, damaged("%s is no ledger: %w", path, err)
	case err != nil:
		return nil, unavailable(err)
	}
	f := &fileStore{
		log: log, held: HoldFile(path, o.Disk, log), FileOptions: o,
		of: map[Kind]*Entry{}, sums: map[string]Sums{}, newest: math.MinInt64,
	}
	if err = f.load(complete); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// load reads the whole file. A reader leaves out what only a writer needs: the
// hashes, which it checks when it verifies, and the keys.
func (f *fileStore) load(complete bool) error {
	back := false // to an older window, whose sums are gone
	in := replay{known: guarantees{}}
	in.kept = func(c kept) error { return f.loadKept(&in, c, &back) }
	if f.ReadOnly {
		in.unlinked = math.MaxUint64
	}
	rest, err := f.log.Recover(func(frame *Frame) error {
		return in.frame(frame, func(r linked) error {
			if r.Means == nil {
				return f.loadOther(&in, r, &back)
			}
			if !f.ReadOnly {
				f.paid.add(payment{Subject: r.Subject, Key: r.Key}.Name(), place{r.offset, in.Seq})
			}
			cost := Cost{Epsilon: r.Means.Epsilon, Delta: r.Means.Delta}
			f.enterLife(&in.coder, r.Subject, cost)
			return f.count(r.Window, r.Subject, Sums{Spent: cost}, &back)
		})
	})
	f.rest, f.unread = rest, in.Seq+1
	switch {
	case err != nil:
		return fileError(err)
	case in.sealed && !f.ReadOnly:
		return fmt.Errorf("%w: the file is an archive, which can only be read", ErrUnavailable)
	case rest > 0 && (in.Seq < f.Answered || f.Doubtful && in.Seq == f.Answered):
		return damaged("%w: entries from %d on are not what was written, %d bytes, and the head was at %d", errAnswered, in.Seq+1, rest, f.Answered)
	}
	if complete {
		if err = f.checkCarried(&in); err != nil {
			return err
		}
	}
	f.chain, f.coder, f.cut, f.sealed = in.Chain, in.coder, in.cut, in.sealed
	f.chain.Line = nil
	if back {
		f.sums, err = f.scanSums(f.window)
	}
	return err
}

// Unfinished returns how many bytes were found behind the last whole write, which
// was being followed by another when the machine stopped, and the entry that they
// would have begun with.
func (f *fileStore) Unfinished() (bytes int64, entry uint64) { return f.rest, f.unread }

// Confirm puts on disk, in the file itself, that all of it was answered. It is for
// a ledger of which nothing is noted outside.
func (f *fileStore) Confirm() error { return medium(fileError(f.log.Confirm())) }

// Scrub reads all of the file once more, and refuses what is not what was written.
func (f *fileStore) Scrub(on func(bytes int) bool) (err error) {
	defer fault.Catch(&err)
	return medium(fileError(f.log.Scrub(on)))
}

// checkCarried refuses what is kept of archived entries unless the last entry
// that archived any says so. An archive ends before that entry, of itself.
func (f *fileStore) checkCarried(in *replay) error {
	switch e := f.of[KindArchive]; {
	case in.carried == nil:
		return nil
	case in.cut == nil:
		return damaged("what was kept of archived entries has no end")
	case in.sealed && (e == nil || e.Through < in.cut.Seq): // the next file knows of it
		return nil
	case e == nil || e.Through != in.cut.Seq || e.Carried != Digest(in.carried.Sum(nil)):
		return damaged("what was kept of the entries up to %d is not what an entry says", in.cut.Seq)
	}
	return nil
}

// loadKept reads what is kept of archived entries.
func (f *fileStore) loadKept(in *replay, c kept, back *bool) (err error) {
	switch {
	case c.Paid != nil && !f.ReadOnly:
		f.paid.add(c.Paid.Name, place{c.offset, c.Paid.Seq})
	case c.Sum != nil:
		s := sumsOf(c.Sum)
		if s.Spent != (Cost{}) {
			if in.coder.Subject(c.Sum.Subject) == 0 {
				return damaged("somebody has spent in archived entries who is in none")
			}
			f.enterLife(&in.coder, c.Sum.Subject, s.Spent)
		}
		return f.count(c.Sum.Window, c.Sum.Subject, s, back)
	case c.Cut != nil:
		f.of[KindBudget], f.of[KindSecret], err = lastOf(c.Cut)
	}
	return err
}

// lastOf reads the budget and the secret in force at a cut, nil if there is none.
func lastOf(c *cutRecord) (budget, secret *Entry, err error) {
	if len(c.Budget) > 0 {
		if budget, err = parseBody(c.Budget); err != nil {
			return nil, nil, err
		}
	}
	if len(c.Secret) > 0 {
		secret, err = parseBody(c.Secret)
	}
	return budget, secret, err
}

func timeOf(nanoseconds int64) time.Time { return time.Unix(0, nanoseconds).UTC() }

// loadOther reads an entry that is no spend.
func (f *fileStore) loadOther(in *replay, r linked, back *bool) error {
	if in.unlinked != 0 { // its line was not made
		in.Line = r.AppendLine(in.Line[:0], in.Seq, new([32]byte))
	}
	e, err := parseBody(in.Line)
	if err != nil {
		return err
	}
	switch e.Kind {
	case KindBudget, KindSecret, KindArchive:
		f.of[e.Kind] = e
	case KindGrant:
		return f.count(e.Window, e.Subject, Sums{Granted: e.Cost()}, back)
	case KindPart: // which only who verifies needs
	case KindSpend:
		return damaged("entry %d is a spend in the wrong form", e.Seq)
	}
	return nil
}

func (f *fileStore) enterLife(c *Coder, subject string, cost Cost) {
	id := int(c.Subject(subject))
	for len(f.life) < id {
		f.life = append(f.life, Cost{})
	}
	f.life[id-1] = f.life[id-1].Plus(cost)
}

// count adds to the sums of the window that is at hand.
func (f *fileStore) count(window int64, subject string, more Sums, back *bool) error {
	if window != f.window || f.newest == math.MinInt64 {
		*back = *back || window <= f.newest
		f.window, f.newest = window, max(f.newest, window)
		f.sums = map[string]Sums{}
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
func (f *fileStore) at(window int64) (map[string]Sums, error) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	switch {
	case window > f.newest:
		return map[string]Sums{}, nil
	case window == f.window:
		return f.sums, nil
	}
	return f.scanSums(window)
}

// scanSums counts a window from the log.
func (f *fileStore) scanSums(window int64) (map[string]Sums, error) {
	found := map[string]Sums{}
	add := func(subject string, more Sums) error {
		s := found[subject]
		s.Granted, s.Spent = s.Granted.Plus(more.Granted), s.Spent.Plus(more.Spent)
		s, err := s.Check()
		found[subject] = s
		return err
	}
	err := f.scan(0, func(c kept) error {
		if c.Sum == nil || c.Sum.Window != window {
			return nil
		}
		return add(c.Sum.Subject, sumsOf(c.Sum))
	}, func(e *Entry) error {
		switch {
		case e.Window == window && e.Kind == KindSpend:
			return add(e.Subject, Sums{Spent: e.Cost()})
		case e.Window == window && e.Kind == KindGrant:
			return add(e.Subject, Sums{Granted: e.Cost()})
		}
		return nil
	})
	return found, err
}

// scan yields the log as it is now, and what is kept before it.
func (f *fileStore) scan(from uint64, keep func(kept) error, yield func(*Entry) error) error {
	in := replay{known: guarantees{}, unlinked: from, kept: keep}
	return fileError(f.log.Scan(f.log.End(), func(frame *Frame) error {
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
	if errors.Is(err, ErrLogDamaged) {
		return damaged("%w", err)
	}
	if pathError := new(os.PathError); errors.As(err, &pathError) {
		return medium(err)
	}
	return err
}

// Update refuses to write a file that is no longer the one of its name, and does
// not call written what was written to it: no start would find that again.
func (f *fileStore) Update(_ context.Context, change func(Page) error) (err error) {
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
func (f *fileStore) inPlace() error {
	err := f.held.InPlace()
	if err == nil {
		err = f.log.Intact()
	}
	if errors.Is(err, errCut) || errors.Is(err, ErrLogDamaged) {
		return damaged("%w", err)
	}
	return unavailable(err)
}

// Room tries whether there is room on disk for what spends need.
func (f *fileStore) Room() error { return unavailable(f.log.Room(64 << 10)) }

// View implements [Store].
func (f *fileStore) View(_ context.Context, read func(Page) error) (err error) {
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
func (f *fileStore) Close() error {
	return unavailable(Within(time.Second, func() error { return f.log.Close() }))
}

// place is where a spend stands.
type place struct {
	offset int64
	seq    uint64
}

// index finds spends by the beginnings of their names, and leaves it to the file
// to tell apart those that have the same.
type index struct {
	first map[uint64]place
	more  map[uint64][]place
}

func (x *index) add(name name, at place) {
	if x.first == nil {
		x.first, x.more = map[uint64]place{}, map[uint64][]place{}
	}
	h := binary.LittleEndian.Uint64(name[:])
	if _, ok := x.first[h]; ok {
		x.more[h] = append(x.more[h], at)
		return
	}
	x.first[h] = at
}

// find returns where a spend may stand.
func (x *index) find(name name) (first place, more []place, ok bool) {
	h := binary.LittleEndian.Uint64(name[:])
	first, ok = x.first[h]
	return first, x.more[h], ok
}
