package ledger

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync/atomic"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"sotto/internal/atomicfile"
	"sotto/internal/fault"
	"sotto/ledger/footing"
)

// The buckets of a file.
var (
	logBucket  = []byte("log")  // sequence number → entry
	keyBucket  = []byte("keys") // subject and key → sequence number
	sumBucket  = []byte("sums") // subject and window → four integers
	metaBucket = []byte("meta") // format, and the sequence numbers of the last budget and secret
)

const fileFormat = "sotto-ledger-1"

// file is a store in one file.
type file struct {
	db   *bbolt.DB
	held *footing.File
	// broken is set when a fault has left a lock of the library's behind, at
	// which the next transaction would wait for ever.
	broken atomic.Pointer[error]
}

// OpenFile opens the ledger in a file, which is made if it is not there. No
// other process can open it at the same time, not even to read: the error wraps
// [ErrLocked] then.
func OpenFile(path string, o Options) (l *Ledger, err error) {
	defer asDamage(&err)
	defer fault.Catch(&err)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	info, err := os.Stat(path)
	if o.ReadOnly && err != nil {
		return nil, unavailable(err)
	}
	w, err := newWatcher(context.Background(), o, beside(path), filepath.Base(path))
	if err != nil {
		return nil, err
	}
	defer func() {
		if l == nil {
			w.Close()
		}
	}()
	if err = w.admit(info != nil && info.Size() > 0, o); err != nil {
		return nil, err
	}
	h := new(footing.File)
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{
		Timeout: time.Second, ReadOnly: o.ReadOnly, FreelistType: bbolt.FreelistMapType, OpenFile: h.Open,
	})
	switch {
	case errors.Is(err, bolterrors.ErrTimeout):
		return nil, fmt.Errorf("%w: %s: %w", ErrUnavailable, path, ErrLocked)
	case errors.Is(err, bolterrors.ErrInvalid), errors.Is(err, bolterrors.ErrVersionMismatch), errors.Is(err, bolterrors.ErrChecksum):
		return nil, damaged("%s is no ledger: %w", path, err)
	case err != nil:
		return nil, unavailable(err)
	}
	f := &file{db: db, held: h}
	if err = f.prepare(o.ReadOnly); err == nil {
		if l, err = open(f, o, w); err == nil {
			return l, nil
		}
	}
	return nil, errors.Join(err, f.close())
}

// prepare makes the buckets of a new file and refuses one of another format.
func (f *file) prepare(readOnly bool) error {
	if readOnly {
		return f.db.View(checkFormat)
	}
	err := f.db.Update(func(tx *bbolt.Tx) error {
		if name, _ := tx.Cursor().First(); name != nil {
			return checkFormat(tx)
		}
		for _, name := range [][]byte{logBucket, keyBucket, sumBucket, metaBucket} {
			if _, err := tx.CreateBucket(name); err != nil {
				return unavailable(err)
			}
		}
		return tx.Bucket(metaBucket).Put([]byte("format"), []byte(fileFormat))
	})
	if err != nil {
		return medium(err)
	}
	// The content is synced by itself, but a name that is lost takes every spend
	// with it.
	return unavailable(atomicfile.SyncDir(filepath.Dir(f.db.Path())))
}

func checkFormat(tx *bbolt.Tx) error {
	for _, name := range [][]byte{logBucket, keyBucket, sumBucket, metaBucket} {
		if tx.Bucket(name) == nil {
			return damaged("the file is no ledger")
		}
	}
	if string(tx.Bucket(metaBucket).Get([]byte("format"))) != fileFormat {
		return damaged("the file is no ledger of this version")
	}
	return nil
}

// update refuses to write a file that is no longer the one of its name, and does
// not call written what was written to it: no start would find that again.
func (f *file) update(_ context.Context, change func(page) error) error {
	if err := f.inPlace(); err != nil {
		return err
	}
	if err := f.transact(f.db.Update, change); err != nil {
		return err
	}
	return f.inPlace()
}

func (f *file) view(_ context.Context, read func(page) error) error {
	if err := f.inPlace(); err != nil {
		return err
	}
	return f.transact(f.db.View, read)
}

// room writes as much as spends need, and takes it out again, so that they find
// free pages.
func (f *file) room() error {
	name := []byte("room")
	for _, change := range []func(*bbolt.Tx) error{
		func(tx *bbolt.Tx) error {
			b, err := tx.CreateBucketIfNotExists(name)
			if err != nil {
				return err
			}
			return b.Put(name, make([]byte, 64<<10))
		},
		func(tx *bbolt.Tx) error { return tx.DeleteBucket(name) },
	} {
		if err := f.transact(f.db.Update, func(p page) error { return unavailable(change(p.(*filePage).tx)) }); err != nil {
			return err
		}
	}
	return nil
}

// inPlace refuses a file that is no longer the one of its name.
func (f *file) inPlace() error {
	err := f.held.InPlace()
	if errors.Is(err, footing.ErrCut) {
		return damaged("%w", err)
	}
	return unavailable(err)
}

// transact uses a page in a transaction. The error is that of use, if it has one.
func (f *file) transact(run func(func(*bbolt.Tx) error) error, use func(page) error) (err error) {
	if broken := f.broken.Load(); broken != nil {
		return *broken
	}
	var open *bbolt.Tx
	defer func() {
		// A transaction that was ended has let go of the database.
		if errors.Is(err, fault.ErrFault) && (open == nil || open.DB() != nil) {
			broken := fmt.Errorf("%w; it must be opened anew", err)
			f.broken.Store(&broken)
		}
	}()
	defer asDamage(&err)
	defer fault.Catch(&err)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	var failed error
	err = run(func(tx *bbolt.Tx) error {
		open = tx
		failed = use(&filePage{tx: tx})
		return failed
	})
	if failed != nil {
		return failed
	}
	return unavailable(err)
}

// close gives up after a second: a lock that a fault has left behind, or a write
// that does not end, must not keep a process alive.
func (f *file) close() error {
	return unavailable(footing.Within(time.Second, f.db.Close))
}

// asDamage calls damage what made the library panic: it does so at a page that
// makes no sense, and where a mapped file has become shorter. It is deferred
// before [fault.Catch], so that it runs after it.
func asDamage(err *error) {
	if errors.Is(*err, fault.ErrFault) {
		*err = damaged("the file's pages cannot be read: %w", *err)
	}
}
