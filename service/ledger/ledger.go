package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"

	"sotto/promise/dp"
	"sotto/service/ledger/disk"
)

// Request asks to pay for one release.
type Request struct {
	Subject string // who pays: at most 256 bytes of UTF-8, without control characters
	// Key names the release among those of the subject. What was paid for under
	// a key is not paid for again.
	Key Digest
	// Check says what the key stands for. A request with the same key and
	// another check, mechanism or cost is refused with [ErrConflict].
	Check     Digest
	Guarantee dp.Guarantee
	Mechanism any // name and parameters, kept as JSON
}

// Receipt says that a release is paid for.
type Receipt struct {
	Seq      uint64  // the entry that paid
	Repeated bool    // it was paid for before, and cost nothing now
	Balance  Balance // where the subject stands after the call
}

// Options of a ledger.
type Options struct {
	// Budget of all subjects. One that differs from the recorded one is
	// recorded, and holds for everybody who has the ledger open; zero means the
	// recorded one. A new Window begins when the one that runs has ended.
	Budget Budget
	// Raise allows a Budget that gives everybody more than the recorded one. It
	// is refused with [ErrRaise] otherwise.
	Raise bool
	// Part is which part of a divided ledger this one is, which is recorded when it
	// is begun; nil if it is none. See [Divided].
	Part *part
	// New demands that there be no ledger yet, Existing that there be one, of
	// which a head was noted.
	New, Existing bool
	// Newcomers bounds how many subjects may begin to spend in a window while the
	// ledger is open, each of which takes about a kibibyte of memory: whoever can make
	// them up could take all of it. Another one is refused with [ErrCrowded]; 0 means no
	// bound.
	Newcomers int
	// Head names where the end of the log is noted: a file, a database, or
	// [NoHead]. Empty means a file beside the ledger's, with the ending .head, or
	// a schema of its own in the ledger's database. What does not go on from it
	// is refused with [ErrBehind], unless Accept says who takes it as it is, which
	// ReadOnly allows, too.
	Head   string
	Accept *HeadAcceptance
	// Log is told what happens to the ledger, and the head after each LogHead;
	// nil and 0 for nothing.
	Log     *slog.Logger
	LogHead time.Duration
	// Clocks bounds jumps of the clock. One that is further off is refused with
	// [ErrClock].
	Clocks ClockLimits
	// Moment reads the clocks; nil means the machine's, or Clock.
	Moment func() Moment
	// SecretID names, without betraying it, the secret that keys are made with.
	// It is recorded on first use. Another one is refused with [ErrSecret],
	// because nothing would be found that was paid for, unless Rotate is set.
	// Empty means that no keys are made.
	SecretID string
	Rotate   bool
	// ChainKey is what the MAC of the log's head is made with, which is written
	// with every entry and checked before the next. Whoever can write the ledger
	// but does not have the key cannot change what stands in it unnoticed. It
	// belongs to the secret of SecretID, and changes with it. A ledger that was
	// written with a key cannot be written without; it can be read, and Verify
	// says then that the MAC was not checked. Empty means none.
	ChainKey []byte
	// Clock tells the time, and is taken as right whatever it says; nil means the
	// machine's. Time that goes back stands still in the ledger until it is
	// reached again, so that nothing renews twice.
	Clock func() time.Time
	// Timeout bounds every wait for disk or database. A write that takes longer
	// is given up where that can be done; a spend is answered within twice that
	// time, with [ErrUnavailable] if nothing better is known. 0 means 10 s.
	Timeout time.Duration
	// Disk keeps a ledger and a head in files; nil means the machine's.
	Disk disk.Disk
	// Standbys is how many other servers must have a spend on disk before it
	// counts. A database whose commits wait for fewer is refused, at every write;
	// 0 leaves it to the database.
	Standbys int
	// ReadOnly opens for Balance, Balances, Entries and Verify alone, and may do
	// so while others write. A file is seen as it was when it was opened. The
	// other options but ChainKey and Clock have no meaning then.
	ReadOnly bool
}

// Ledger is a book of spends. It is safe for concurrent use.
type Ledger struct {
	store             Store
	watcher           *watcher
	timeout           time.Duration
	secret            string // that keys are made with; empty if none
	key               []byte // of the log's MAC; nil if none
	prices            prices
	began             atomic.Pointer[time.Time] // when the writer began what it is at; nil if it waits
	full              bool                      // the last spends could not be written; the writer's own
	behind            bool                      // what was written may not be answered yet; the writer's own
	tally             *Tally                    // what the log says of sums that the store keeps beside it; nil if it keeps none
	damage            atomic.Pointer[error]     // that was found while it was open
	newcomers, joined int                       // how many may begin to spend in a window, and did in the last one; the writer's own
	window            int64                     // in which they did
	turn              sync.Mutex                // who writes to disk: the writer, or who looks after the ledger meanwhile

	mu      sync.Mutex // guards budget, opened, closed, and sending on calls
	budget  Budget
	opened  bool // what the options say is recorded
	closed  bool
	calls   chan *call
	watched bool
	done    chan struct{} // closed when the writer has left
	end     func() error  // closes the store, once
}

// Open opens the ledger at a place: in a database if that begins with
// postgres:// or postgresql://, in the file of that name otherwise.
func Open(ctx context.Context, place string, o Options) (*Ledger, error) {
	if InDatabase(place) {
		return OpenPostgres(ctx, place, o)
	}
	return OpenFile(place, o)
}

// OpenFile opens the ledger in a file, which is made if it is not there. No
// other process can write it at the same time: the error wraps [ErrLocked] then.
// Any can read it.
func OpenFile(path string, o Options) (*Ledger, error) {
	info, err := disk.Or(o.Disk).Stat(path)
	if o.ReadOnly && o.Accept == nil && err != nil {
		return nil, unavailable(err)
	}
	if err = apart(path, o.Head, disk.Or(o.Disk)); err != nil {
		return nil, err
	}
	w, err := newWatcher(context.Background(), o, beside(path), filepath.Base(path))
	if err != nil {
		return nil, err
	}
	if err = w.admit(info != nil && info.Size() > 0, o); err == nil {
		how := FileOptions{ReadOnly: o.ReadOnly, Disk: o.Disk}
		how.Answered, how.Doubtful = w.Known()
		var s *fileStore
		if s, err = OpenFileStore(path, how); err == nil {
			return open(s, o, w)
		}
		if errors.Is(err, errAnswered) {
			err = fmt.Errorf("%w: %w", ErrBehind, err)
		}
	}
	w.Close()
	return nil, err
}

// OpenPostgres opens the ledger in a PostgreSQL database, named by a URL like
// postgres://user@host/database, which any number of gateways may share. Its
// tables are made on first use in the first schema of the search path. The
// server must not run with fsync off; commits are synchronous whatever its
// settings say.
func OpenPostgres(ctx context.Context, url string, o Options) (*Ledger, error) {
	s, err := connectDatabase(ctx, url, databaseSettings{Timeout: cmp.Or(o.Timeout, defaultTimeout), Standbys: o.Standbys})
	if err != nil {
		return nil, err
	}
	w, err := newWatcher(ctx, o, url, s.Name())
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	w.inside = o.Head == ""
	there, err := s.Look(ctx) // only now that the head was read
	if err == nil {
		err = w.admit(there, o)
	}
	if err == nil {
		if err = s.Prepare(ctx, o.ReadOnly); err == nil {
			return open(s, o, w)
		}
	}
	w.Close()
	return nil, errors.Join(err, s.Close())
}

// open starts a ledger on a store, and closes both that and the watcher if it
// cannot.
func open(s Store, o Options, w *watcher) (*Ledger, error) {
	l, err := start(s, o, w)
	if err != nil {
		w.Close()
		return nil, errors.Join(err, s.Close())
	}
	return l, nil
}

// start starts a ledger on a store.
func start(s Store, o Options, w *watcher) (*Ledger, error) {
	l := &Ledger{
		store: s, watcher: w, timeout: cmp.Or(o.Timeout, defaultTimeout), secret: o.SecretID, key: slices.Clone(o.ChainKey), newcomers: o.Newcomers,
		calls: make(chan *call, maxWaiting), done: make(chan struct{}),
	}
	l.end = sync.OnceValue(func() error { l.leave(); return s.Close() })
	if o.ReadOnly {
		l.closed = true
		close(l.done)
		if o.Accept != nil {
			if err := l.accept(context.Background()); err != nil {
				return nil, err
			}
		}
		return l, l.view(context.Background(), func(s *sheet) error { l.see(s); return w.continues(s) })
	}
	if err := checkOptions(o); err != nil {
		return nil, err
	}
	if err := l.count(); err != nil {
		return nil, err
	}
	go l.write()
	err := l.begin(o)
	if errors.Is(err, ErrClock) && l.confirmed() {
		err = l.begin(o)
	}
	if err != nil {
		return nil, errors.Join(err, l.stop())
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.opened = true
	l.tell()
	w.Report()
	l.watched = true
	go l.watch()
	go l.scrub()
	return l, nil
}

// begin records what a ledger is opened with, and notes its head.
func (l *Ledger) begin(o Options) error {
	ctx, stop := context.WithTimeout(context.Background(), l.timeout)
	defer stop()
	if err := l.watcher.compare(ctx, l.store); err != nil {
		return err
	}
	if err := l.do(context.Background(), nil, func(s *sheet) error {
		if last, err := s.Head(); o.New && (err != nil || last.Seq != 0) {
			return cmp.Or(err, errors.New("ledger: there is a ledger already, with entries"))
		}
		if err := recordPart(s, o.Part); err != nil {
			return err
		}
		if err := recordBudget(s, o.Budget, o.Raise); err != nil {
			return err
		}
		return recordSecret(s, o.SecretID, o.Rotate)
	}); err != nil {
		return err
	}
	return l.noteFirst()
}

func checkOptions(o Options) error {
	if o.Timeout < 0 || o.Standbys < 0 {
		return fmt.Errorf("ledger: the time-out is %v and the standbys are %d, must be positive, or 0 for %v and for none", o.Timeout, o.Standbys, defaultTimeout)
	}
	if o.SecretID != "" {
		if err := checkText("secret's name", o.SecretID, 64); err != nil {
			return err
		}
	}
	if len(o.ChainKey) > 0 && (len(o.ChainKey) < 16 || o.SecretID == "") {
		return fmt.Errorf("ledger: the chain's key has %d bytes, must have at least 16, and a SecretID", len(o.ChainKey))
	}
	if (o.Budget == Budget{}) {
		return nil
	}
	return o.Budget.Validate()
}

// Spend pays for releases, for all or for none, and returns when that is on
// disk. Only then may the noise be drawn. The error is an [*OverBudget] if the
// budget does not allow it. A context that is done before the spend is written
// spends nothing; one that is done later changes nothing.
func (l *Ledger) Spend(ctx context.Context, requests ...Request) ([]Receipt, error) {
	unit := l.Budget().Unit
	prepared := make([]spend, len(requests))
	for i, r := range requests {
		var err error
		if prepared[i], err = l.prices.prepare(r, unit); err != nil {
			return nil, err
		}
	}
	var receipts []Receipt
	err := l.do(ctx, prepared, func(s *sheet) (err error) {
		receipts, err = pay(s, prepared)
		return err
	})
	if err != nil {
		return nil, err
	}
	return receipts, nil
}

// Grant gives a subject more, in the current window alone.
func (l *Ledger) Grant(ctx context.Context, g Grant) error {
	if err := g.Validate(); err != nil {
		return err
	}
	return l.do(ctx, nil, func(s *sheet) error { return grant(s, g) })
}

// Balance says where a subject stands. One that never spent has all of it left.
func (l *Ledger) Balance(ctx context.Context, subject string) (Balance, error) {
	if err := checkText("subject", subject, maxSubject); err != nil {
		return Balance{}, err
	}
	var b Balance
	ctx, stop := context.WithTimeout(ctx, l.timeout)
	defer stop()
	err := l.view(ctx, func(s *sheet) error {
		sum, err := s.Sums(account{Subject: subject, Window: s.window})
		b = s.balance(sum)
		if err == nil {
			b.Lifetime, err = s.lifetime(subject)
		}
		return err
	})
	return b, err
}

// Balances calls yield with every subject that has spent or was granted
// something in the current window, in no particular order, until it returns an
// error.
func (l *Ledger) Balances(ctx context.Context, yield func(subject string, b Balance) error) error {
	return l.view(ctx, func(s *sheet) error {
		return s.Balances(s.window, func(at Standing) error {
			b := s.balance(at.Sums)
			b.Lifetime = at.Lifetime
			return yield(at.Subject, b)
		})
	})
}

// Budget returns the budget of all subjects, as it was last seen.
func (l *Ledger) Budget() Budget {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.budget
}

// Entries calls yield with each entry of the log from a sequence number on, in
// order, until it returns an error. It holds the log as it was at the beginning:
// a slow yield can make those who write wait.
func (l *Ledger) Entries(ctx context.Context, from uint64, yield func(*Entry) error) error {
	return l.store.View(ctx, func(p Page) error { return p.Entries(max(from, 1), yield) })
}

// view reads a page with what is in force now.
func (l *Ledger) view(ctx context.Context, read func(*sheet) error) error {
	return l.store.View(ctx, func(p Page) error {
		s, err := newSheet(p, l.watcher.Read().Wall)
		if err != nil {
			return err
		}
		if (s.terms.Budget == Budget{}) {
			return errors.New("ledger: the ledger has no budget yet")
		}
		return read(s)
	})
}

// see remembers the budget in force.
func (l *Ledger) see(s *sheet) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.budget = s.terms.Budget
}

const (
	defaultTimeout = 10 * time.Second

	maxSubject   = 256
	maxMechanism = 4096
)

// checkText refuses what would not come back from the log as it went in.
func checkText(what, s string, most int) error {
	if s == "" || len(s) > most {
		return fmt.Errorf("ledger: the %s has %d bytes, must have 1 to %d", what, len(s), most)
	}
	if !utf8.ValidString(s) {
		return fmt.Errorf("ledger: the %s is not UTF-8", what)
	}
	if strings.ContainsFunc(s, unicode.IsControl) {
		return fmt.Errorf("ledger: the %s has a control character", what)
	}
	return nil
}
