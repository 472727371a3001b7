package term

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"sotto/internal/atomicfile"
	"sotto/internal/signed"
	"sotto/promise/mech"
)

// Sink is where releases go: a file that appears when it is committed, or a
// temporary file that is copied to standard output then, so that neither ever
// holds a part.
type Sink struct {
	File   io.ReadWriteSeeker
	out    string // its path, - for standard output
	atomic *atomicfile.File
	spool  *os.File
	shared bool

	// Signer signs the record into a file beside it; nil signs nothing.
	Signer *signed.SecretKey
}

// NewSink makes the sink for a path, - for standard output.
func NewSink(out string) (*Sink, error) {
	if out != "-" {
		f, err := atomicfile.Create(out)
		if err != nil {
			return nil, err
		}
		return &Sink{File: f, out: out, atomic: f}, nil
	}
	f, err := os.CreateTemp("", "sotto-")
	if err != nil {
		return nil, fmt.Errorf("no temporary file can be made: %w", err)
	}
	// Without a name it is gone when the program is, even if killed. Where an
	// open file cannot lose its name, abort removes it.
	os.Remove(f.Name()) //nolint:errcheck // see above
	return &Sink{File: f, out: out, spool: f}, nil
}

// Shared lets others read the file once it is there, and its record: what is private may
// leave. Without it a new file is its owner's alone.
func (s *Sink) Shared() {
	if s.shared = true; s.atomic != nil {
		s.atomic.Shared()
	}
}

// Commit makes the releases appear.
func (s *Sink) Commit(stdout io.Writer) error {
	if s.atomic != nil {
		return s.atomic.Commit()
	}
	if _, err := s.spool.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err := io.Copy(stdout, s.spool)
	return err
}

// Abort removes what was not committed.
func (s *Sink) Abort() {
	if s.atomic != nil {
		s.atomic.Abort()
		return
	}
	s.spool.Close()           //nolint:errcheck // it is removed
	os.Remove(s.spool.Name()) //nolint:errcheck // nothing can be done about it
}

// The names of records end in these.
const (
	PrivacyEnd = ".privacy.json" // what vectors promise
	RawEnd     = ".raw.json"     // that they promise nothing
)

// Appear moves the vectors to their place and then what is said of them, which
// belongs to that very file, to the path side, "" for nowhere. Old records of
// either kind go first: vectors may lack a record for a moment, but never stand
// beside that of others.
func (s *Sink) Appear(side string, record func(mech.Binding) ([]byte, error), stdout io.Writer) error {
	old := []string{side}
	if s.atomic != nil {
		old = append(old, s.out+PrivacyEnd, s.out+RawEnd, s.out+PrivacyEnd+signed.End)
	}
	var f *atomicfile.File
	var said []byte
	if side != "" {
		old = append(old, side+signed.End)
		var err error
		if said, err = s.bind(record); err != nil {
			return err
		}
		if f, err = atomicfile.Create(side); err != nil {
			return err
		}
		defer f.Abort()
		if s.shared {
			f.Shared()
		}
		if _, err := f.Write(said); err != nil {
			return err
		}
	}
	for _, path := range old {
		if err := os.Remove(path); path != "" && err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("the old record cannot be removed: %w", err)
		}
	}
	if err := s.Commit(stdout); err != nil || f == nil {
		return err
	}
	if err := f.Commit(); err != nil || s.Signer == nil {
		return err
	}
	return s.Signer.SignFile(side, said, RecordComment)
}

// RecordComment is the trusted comment of a record's signature: what was signed, and
// nothing of when, where and of which file.
const RecordComment = "sotto: record of releases"

// bind returns what is said of the file as it was written.
func (s *Sink) bind(record func(mech.Binding) ([]byte, error)) ([]byte, error) {
	if _, err := s.File.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	h := sha256.New()
	if _, err := io.Copy(h, s.File); err != nil {
		return nil, err
	}
	b := mech.Binding{SHA256: hex.EncodeToString(h.Sum(nil))}
	if s.atomic != nil {
		b.File = filepath.Base(s.out)
	}
	return record(b)
}

// WriteWhole writes a file that appears when it is complete, and is its owner's alone.
func WriteWhole(path string, stdout io.Writer, write func(w io.Writer) error) error {
	to, err := NewSink(path)
	if err != nil {
		return err
	}
	defer to.Abort()
	if err = write(to.File); err != nil {
		return err
	}
	return to.Commit(stdout)
}

// WriteJSON writes v to a file that appears whole or not at all.
func WriteJSON(path string, v any) error {
	return atomicfile.Write(path, func(w io.Writer) error { return PrintJSON(w, v) })
}

// NamedPath is a path that a flag gave.
type NamedPath struct{ Flag, Path string }

// Named is a path with the flag that gave it.
func Named(flag, path string) NamedPath { return NamedPath{flag, path} }

// CanWrite refuses files that could not be written at the end of long work,
// before it begins. An empty path and - are no files.
func CanWrite(files ...NamedPath) error {
	for _, f := range files {
		if f.Path == "" || f.Path == "-" {
			continue
		}
		if err := atomicfile.Probe(filepath.Dir(f.Path)); err != nil {
			return fmt.Errorf("%s: %w", f.Flag, err)
		}
	}
	return nil
}

// RefuseSame refuses flags that name one file twice: one would overwrite the
// other.
func RefuseSame(paths ...NamedPath) error {
	for i, a := range paths {
		for _, b := range paths[:i] {
			if a.Path != "" && a.Path != "-" && SameFile(a.Path, b.Path) {
				return fmt.Errorf("%s and %s are the same file, %s, must differ", b.Flag, a.Flag, a.Path)
			}
		}
	}
	return nil
}

// SameFile reports whether two paths lead to one file.
func SameFile(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return filepath.Clean(a) == filepath.Clean(b) || errX == nil && errY == nil && os.SameFile(x, y)
}
