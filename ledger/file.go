package ledger

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// The buckets of a file.
var (
	logBucket  = []byte("log")  // sequence number → entry
	keyBucket  = []byte("keys") // subject and key → sequence number
	sumBucket  = []byte("sums") // subject and window → four integers
	metaBucket = []byte("meta") // format, and the sequence number of the last budget
)

const fileFormat = "sotto-ledger-1"

// file is a store in one file.
type file struct{ db *bbolt.DB }

// OpenFile opens the ledger in a file, which is made if it is not there, and
// which no other process can open at the same time.
func OpenFile(path string, o Options) (*Ledger, error) {
	if _, err := os.Stat(path); o.ReadOnly && err != nil {
		return nil, fmt.Errorf("ledger: %w", err)
	}
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: time.Second, ReadOnly: o.ReadOnly, FreelistType: bbolt.FreelistMapType})
	if errors.Is(err, bolterrors.ErrTimeout) {
		return nil, fmt.Errorf("%w: %s is open in another process", ErrUnavailable, path)
	} else if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	f := file{db}
	if err = f.prepare(o.ReadOnly); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	l, err := open(f, o)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return l, nil
}

// prepare makes the buckets of a new file and refuses one of another format.
func (f file) prepare(readOnly bool) error {
	check := func(tx *bbolt.Tx) error {
		meta := tx.Bucket(metaBucket)
		if meta == nil || string(meta.Get([]byte("format"))) != fileFormat {
			return fmt.Errorf("%w: the file is no ledger of this version", ErrDamaged)
		}
		return nil
	}
	if readOnly {
		return f.db.View(check)
	}
	return f.db.Update(func(tx *bbolt.Tx) error {
		if tx.Bucket(metaBucket) != nil {
			return check(tx)
		}
		for _, name := range [][]byte{logBucket, keyBucket, sumBucket, metaBucket} {
			if _, err := tx.CreateBucket(name); err != nil {
				return fmt.Errorf("%w: the file is no ledger of this version", ErrDamaged)
			}
		}
		return tx.Bucket(metaBucket).Put([]byte("format"), []byte(fileFormat))
	})
}

func (f file) update(_ context.Context, change func(page) error) error {
	return f.db.Update(func(tx *bbolt.Tx) error { return change(&filePage{tx: tx}) })
}

func (f file) view(_ context.Context, read func(page) error) error {
	return f.db.View(func(tx *bbolt.Tx) error { return read(&filePage{tx: tx}) })
}

func (f file) close() error { return f.db.Close() }

// filePage is a transaction on a file.
type filePage struct {
	tx   *bbolt.Tx
	last *Entry // that was appended in it
}

func number(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

// keyOf is a subject, its length before it, and something of it.
func keyOf(subject string, rest []byte) []byte {
	return append(append(binary.BigEndian.AppendUint16(nil, uint16(len(subject))), subject...), rest...)
}

func (p *filePage) head() (*Entry, error) {
	if p.last != nil {
		return p.last, nil
	}
	_, content := p.tx.Bucket(logBucket).Cursor().Last()
	if content == nil {
		return nil, nil
	}
	return decode(content)
}

func (p *filePage) append(e *Entry) error {
	content, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("%w: %w", errStore, err)
	}
	err = p.tx.Bucket(logBucket).Put(number(e.Seq), content)
	switch e.Kind {
	case KindSpend:
		err = errors.Join(err, p.tx.Bucket(keyBucket).Put(keyOf(e.Subject, e.Key[:]), number(e.Seq)))
	case KindBudget:
		err = errors.Join(err, p.tx.Bucket(metaBucket).Put([]byte("budget"), number(e.Seq)))
	case KindGrant: // the log says it all
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errStore, err)
	}
	p.last = e
	return nil
}

func (p *filePage) entries(from uint64, yield func(*Entry) error) error {
	c := p.tx.Bucket(logBucket).Cursor()
	for k, content := c.Seek(number(from)); k != nil; k, content = c.Next() {
		e, err := decode(content)
		if err != nil {
			return err
		}
		if err := yield(e); err != nil {
			return err
		}
	}
	return nil
}

// at returns the entry whose number a bucket holds under a key, nil if none.
func (p *filePage) at(bucket, key []byte) (*Entry, error) {
	seq := p.tx.Bucket(bucket).Get(key)
	if seq == nil {
		return nil, nil
	}
	content := p.tx.Bucket(logBucket).Get(seq)
	if content == nil {
		return nil, fmt.Errorf("%w: an entry that was counted is missing", ErrDamaged)
	}
	return decode(content)
}

func (p *filePage) paid(subject string, key Digest) (*Entry, error) {
	e, err := p.at(keyBucket, keyOf(subject, key[:]))
	if e != nil && (e.Subject != subject || e.Key != key) {
		return nil, fmt.Errorf("%w: a key leads to entry %d, which is not its own", ErrDamaged, e.Seq)
	}
	return e, err
}

func (p *filePage) budget() (*Budget, error) {
	e, err := p.at(metaBucket, []byte("budget"))
	if e == nil || err != nil {
		return nil, err
	}
	return e.Budget, nil
}

func (p *filePage) sums(subject string, window int64) (sums, error) {
	content := p.tx.Bucket(sumBucket).Get(keyOf(subject, number(uint64(window))))
	if content == nil {
		return sums{}, nil
	}
	if len(content) != 32 {
		return sums{}, fmt.Errorf("%w: a sum has %d bytes", ErrDamaged, len(content))
	}
	at := func(i int) int64 { return int64(binary.BigEndian.Uint64(content[8*i:])) }
	return sums{Cost{at(0), at(1)}, Cost{at(2), at(3)}}, nil
}

func (p *filePage) setSums(subject string, window int64, s sums) error {
	var content []byte
	for _, v := range []int64{s.granted.Epsilon, s.granted.Delta, s.spent.Epsilon, s.spent.Delta} {
		content = binary.BigEndian.AppendUint64(content, uint64(v))
	}
	if err := p.tx.Bucket(sumBucket).Put(keyOf(subject, number(uint64(window))), content); err != nil {
		return fmt.Errorf("%w: %w", errStore, err)
	}
	return nil
}

func (p *filePage) now(clock time.Time) (time.Time, error) {
	last, err := p.head()
	if err != nil || last == nil || clock.After(last.At) {
		return clock, err
	}
	return last.At, nil
}
