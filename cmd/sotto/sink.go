package main

import (
	"fmt"
	"io"
	"os"

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

func (o *privatizeOptions) create() (*sink, error) {
	if o.out != "-" {
		f, err := atomicfile.Create(o.out)
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
