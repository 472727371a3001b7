package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"sotto/internal/atomicfile"
)

// sink is where releases go: a file that appears when it is committed, or a
// temporary file that is copied to standard output then, so that neither ever
// holds a part.
type sink struct {
	file   io.WriteSeeker
	atomic *atomicfile.File
	spool  *os.File
}

// newSink makes the sink for a path, - for standard output.
func newSink(out string) (*sink, error) {
	if out != "-" {
		f, err := atomicfile.Create(out)
		if err != nil {
			return nil, err
		}
		return &sink{file: f, atomic: f}, nil
	}
	f, err := os.CreateTemp("", "sotto-")
	if err != nil {
		return nil, fmt.Errorf("no temporary file can be made: %w", err)
	}
	// Without a name it is gone when the program is, even if killed. Where an
	// open file cannot lose its name, abort removes it.
	os.Remove(f.Name()) //nolint:errcheck // see above
	return &sink{file: f, spool: f}, nil
}

// commit makes the releases appear.
func (s *sink) commit(stdout io.Writer) error {
	if s.atomic != nil {
		return s.atomic.Commit()
	}
	if _, err := s.spool.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err := io.Copy(stdout, s.spool)
	return err
}

// abort removes what was not committed.
func (s *sink) abort() {
	if s.atomic != nil {
		s.atomic.Abort()
		return
	}
	s.spool.Close()           //nolint:errcheck // it is removed
	os.Remove(s.spool.Name()) //nolint:errcheck // nothing can be done about it
}

// appear moves the vectors to their place and then what is said of them to the
// path side, "" for nowhere, written beforehand. An old side file goes first:
// vectors may lack a record for a moment, but never stand beside that of others.
func (s *sink) appear(side string, record []byte, stdout io.Writer) error {
	if side == "" {
		return s.commit(stdout)
	}
	f, err := atomicfile.Create(side)
	if err != nil {
		return err
	}
	defer f.Abort()
	if _, err := f.Write(record); err != nil {
		return err
	}
	if err := os.Remove(side); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the old record cannot be removed: %w", err)
	}
	if err := s.commit(stdout); err != nil {
		return err
	}
	return f.Commit()
}

// namedPath is a path that a flag gave.
type namedPath struct{ flag, path string }

// refuseSame refuses flags that name one file twice: one would overwrite the
// other.
func refuseSame(paths ...namedPath) error {
	for i, a := range paths {
		for _, b := range paths[:i] {
			if a.path != "" && a.path != "-" && sameFile(a.path, b.path) {
				return fmt.Errorf("%s and %s are the same file, %s, must differ", b.flag, a.flag, a.path)
			}
		}
	}
	return nil
}

func sameFile(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return filepath.Clean(a) == filepath.Clean(b) || errX == nil && errY == nil && os.SameFile(x, y)
}
