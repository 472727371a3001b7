// Package format1 reads the files of ledgers as they were before their present
// form, so that "sotto budget migrate" can make new ones of them. It writes none.
package format1

import (
	"encoding/binary"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"sotto/internal/fault"
	"sotto/internal/regular"
)

// Errors that callers branch on.
var (
	// ErrLocked is returned by Open while another process has the file open.
	ErrLocked = errors.New("the file is open in another process")
	// ErrDamaged is returned where the file is not what was written.
	ErrDamaged = errors.New("the file is damaged")
)

// Is reports whether a file is of the older form.
func Is(path string) bool {
	f, _, err := regular.Open(path, regular.Most) // a pipe is not waited for
	if err != nil {
		return false
	}
	defer f.Close() //nolint:errcheck // it was only read
	var begin [20]byte
	_, err = f.ReadAt(begin[:], 0)
	return err == nil && binary.LittleEndian.Uint32(begin[16:]) == 0xED0CDAED
}

// File is an open ledger of the older form, which nobody else can write.
type File struct{ db *bbolt.DB }

// Open opens a file to read.
func Open(path string) (f *File, err error) {
	defer damage(&err)
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: time.Second, ReadOnly: true})
	switch {
	case errors.Is(err, bolterrors.ErrTimeout):
		return nil, ErrLocked
	case errors.Is(err, bolterrors.ErrInvalid), errors.Is(err, bolterrors.ErrVersionMismatch), errors.Is(err, bolterrors.ErrChecksum):
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	case err != nil:
		return nil, err
	}
	return &File{db}, nil
}

// Close closes the file.
func (f *File) Close() error { return f.db.Close() }

// Page is a file while it is read.
type Page struct{ log, keys, sums *bbolt.Bucket }

// Read calls use with the content. The library panics at a page of the file that
// makes no sense; that is ErrDamaged.
func (f *File) Read(use func(*Page) error) (err error) {
	defer damage(&err)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	return f.db.View(func(tx *bbolt.Tx) error {
		p := &Page{tx.Bucket([]byte("log")), tx.Bucket([]byte("keys")), tx.Bucket([]byte("sums"))}
		meta := tx.Bucket([]byte("meta"))
		if p.log == nil || p.keys == nil || p.sums == nil || meta == nil || string(meta.Get([]byte("format"))) != "sotto-ledger-1" {
			return fmt.Errorf("%w: it is no ledger", ErrDamaged)
		}
		return use(p)
	})
}

func damage(err *error) {
	fault.Catch(err)
	if errors.Is(*err, fault.ErrFault) {
		*err = fmt.Errorf("%w: its pages cannot be read: %w", ErrDamaged, *err)
	}
}

// Lines yields the lines of the log and the numbers under which they stand. A
// line is valid until the next.
func (p *Page) Lines(yield func(seq uint64, line []byte) error) error {
	c := p.log.Cursor()
	for k, line := c.First(); k != nil; k, line = c.Next() {
		if len(k) != 8 {
			return fmt.Errorf("%w: an entry has no number", ErrDamaged)
		}
		if err := yield(binary.BigEndian.Uint64(k), line); err != nil {
			return err
		}
	}
	return nil
}

// Paid returns which entry paid for a key, 0 if none did.
func (p *Page) Paid(subject string, key [32]byte) uint64 {
	name := append(binary.BigEndian.AppendUint16(nil, uint16(len(subject))), subject...)
	if seq := p.keys.Get(append(name, key[:]...)); len(seq) == 8 {
		return binary.BigEndian.Uint64(seq)
	}
	return 0
}

// Keys counts those that were paid for.
func (p *Page) Keys() (n uint64) {
	c := p.keys.Cursor()
	for k, _ := c.First(); k != nil; k, _ = c.Next() {
		n++
	}
	return n
}

// Sum is what a subject was granted and has spent in a window, ε in units of
// 10⁻⁹ and δ in units of 10⁻¹⁵.
type Sum struct {
	Subject                                                string
	Window                                                 int64
	GrantedEpsilon, GrantedDelta, SpentEpsilon, SpentDelta int64
}

// Sums yields all sums.
func (p *Page) Sums(yield func(Sum) error) error {
	c := p.sums.Cursor()
	for k, v := c.First(); k != nil; k, v = c.Next() {
		if len(k) < 10 || len(k) != 10+int(binary.BigEndian.Uint16(k)) || len(v) != 32 {
			return fmt.Errorf("%w: a sum cannot be read", ErrDamaged)
		}
		at := func(i int) int64 { return int64(binary.BigEndian.Uint64(v[8*i:])) }
		window := int64(binary.BigEndian.Uint64(k[len(k)-8:]))
		if err := yield(Sum{string(k[2 : len(k)-8]), window, at(0), at(1), at(2), at(3)}); err != nil {
			return err
		}
	}
	return nil
}
