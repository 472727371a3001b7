package ledger

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"

	"sotto/internal/atomicfile"
	"sotto/internal/regular"
	"sotto/service/ledger/disk"
)

// This part of the package keeps the end of a ledger outside of it: in a second file,
// perhaps on another disk, or in a table of a database that is none of the
// ledger's. A ledger that was deleted, cut off, or replaced by an older copy of
// itself looks whole; held against its witness, it does not.
//
// It is no copy of the ledger and brings nothing back. Whoever can write both
// can make them agree.

const format = "sotto-head-1"

// NotedEntry is what is known of an entry of a log.
type NotedEntry struct {
	Seq  uint64    `json:"seq"`
	Hash string    `json:"hash"` // in hexadecimal
	At   time.Time `json:"at"`
}

// NotedHead is the end of a ledger as it was last seen.
type NotedHead struct {
	Format     string `json:"format"`
	NotedEntry        // the last one

	Seen time.Time `json:"seen"` // when this was written
	// Right is when the clock was last taken to be right, on this start of the
	// machine.
	Right Moment `json:"clock"`
	// Until is up to when the ledger may be ahead of the clock, since somebody
	// has said so.
	Until time.Time `json:"until,omitzero"`
	// Accepted says that somebody has taken a ledger that did not go on from the
	// head before.
	Accepted *AcceptedHead `json:"accepted,omitempty"`

	// Doubtful says that something was noted after this which cannot be read: it was
	// being written when the machine stopped, or it was damaged since.
	Doubtful bool `json:"-"`
}

// AcceptedHead says who took a ledger as it is, when and why, and what the head was
// before that.
type AcceptedHead struct {
	Who    string    `json:"who"`
	Reason string    `json:"reason"`
	When   time.Time `json:"when"`
	Seq    uint64    `json:"was_seq"`
	Hash   string    `json:"was_hash"`
}

// NotedClock says who called the clock right, when and why.
type NotedClock struct {
	Format string    `json:"format"`
	Right  Moment    `json:"clock"`
	Until  time.Time `json:"until,omitzero"` // up to when the ledger may be ahead of it
	Who    string    `json:"who"`
	Reason string    `json:"reason"`
}

// HeadPlace is where a head is kept. It is safe for concurrent use.
type HeadPlace interface {
	// Head returns the head, nil if there is none.
	Head(ctx context.Context) (*NotedHead, error)
	SetHead(ctx context.Context, h NotedHead) error
	// Clock returns what was last said of the clock, nil if nothing was.
	Clock(ctx context.Context) (*NotedClock, error)
	SetClock(ctx context.Context, c NotedClock) error
	// String says where it is, without a password.
	String() string
	Close() error
}

// OpenHead returns the place of a name: a database if it begins with postgres:// or
// postgresql://, in which it stands under the name of the ledger, and otherwise a
// file on a disk, nil for that of the machine.
func OpenHead(name, ledger string, on disk.Disk) (HeadPlace, error) {
	if InDatabase(name) {
		return newPostgres(name, ledger)
	}
	return &slots{path: name, on: disk.Or(on)}, nil
}

// InDatabase reports whether a place is named like a database.
func InDatabase(name string) bool {
	return strings.HasPrefix(name, "postgres://") || strings.HasPrefix(name, "postgresql://")
}

// HeadFile is a place in two files of the machine: the head in the one of that name, and
// what was said of the clock beside it.
func HeadFile(path string) HeadPlace { return &slots{path: path, on: disk.Machine} }

// most bounds what is read of a file.
const most = 1 << 16

func load[T any](path string, parse func([]byte) (*T, error)) (*T, error) {
	content, err := regular.Read(path, most)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("witness: %w", err)
	}
	v, err := parse(content)
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, path)
	}
	return v, nil
}

func store(path string, content []byte) error {
	f, err := atomicfile.Create(path)
	if err != nil {
		return err
	}
	defer f.Abort()
	// Who accepts something as root must not take the file away from the gateway.
	if err = f.Leave(); err != nil {
		return err
	}
	if _, err = f.Write(content); err != nil {
		return err
	}
	return f.Commit()
}

func (h NotedHead) line(format string) []byte {
	h.Format = format
	return line(h)
}

func (c NotedClock) line() []byte {
	c.Format = format
	return line(c)
}

func line(v any) []byte {
	content, err := json.Marshal(v)
	if err != nil {
		panic(err) // it holds numbers, texts and times within the years of four digits
	}
	return append(content, '\n')
}

var errFormat = errors.New("witness: this is no head of a ledger, or one of another version")

// parseHead reads a head, and nothing else.
func parseHead(content []byte) (*NotedHead, error) {
	return parseHeadOf(content, format)
}

func parseHeadOf(content []byte, format string) (*NotedHead, error) {
	h := new(NotedHead)
	if err := strictly(content, h); err != nil || h.Format != format || len(h.Hash) != 64 || h.Seq == 0 {
		return nil, errFormat
	}
	return h, nil
}

func parseClock(content []byte) (*NotedClock, error) {
	c := new(NotedClock)
	if err := strictly(content, c); err != nil || c.Format != format || c.Right.Wall.IsZero() {
		return nil, errFormat
	}
	return c, nil
}

func strictly(content []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(content))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errFormat
	}
	return nil
}
