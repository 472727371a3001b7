package estimate

import (
	"errors"
	"io"
	"path/filepath"

	"sotto/data/vecfile"
	"sotto/evidence"
	"sotto/learn/estimate"
)

// rows is where releases are read from: a file, or those of a set.
type rows interface {
	Width() int
	Rows() int64 // negative if that is not known
	ReadRows(dst []float64) (int, error)
	Dropped() []string // names of what stands beside the vectors, as far as it was read
	Close() error
}

// openSet reads the record of a set, holds it against its parts, and returns what it
// says and those of them that hold anything.
func openSet(path, metadata string) (*evidence.Stated, []string, error) {
	if metadata != "" {
		return nil, nil, errors.New("--in is the record of a set, must be without --metadata")
	}
	s, err := evidence.ReadSet(path)
	if err != nil {
		return nil, nil, err
	}
	if err = s.Bind(path, false); err != nil {
		return nil, nil, err
	}
	parts := []string{}
	for _, p := range s.Parts {
		if p.Rows > 0 {
			parts = append(parts, filepath.Join(filepath.Dir(path), p.File))
		}
	}
	return stated(s), parts, nil
}

func stated(s *evidence.Set) *evidence.Stated {
	return &evidence.Stated{Guarantee: &s.Release.Guarantee, Claimed: s.Release.Claimed, Mechanism: s.Release.Mechanism, Kept: s.Kept, Paid: s.Paid}
}

// chain reads files one after the other.
type chain struct {
	left    []string
	now     *vecfile.Reader
	width   int
	dropped []string
}

// Dropped implements rows.
func (c *chain) Dropped() []string { return c.dropped }

// Width opens the first file, if none is open.
func (c *chain) Width() int {
	if c.now == nil && c.next() != nil {
		return 0
	}
	return c.width
}

// Rows implements rows: nobody has counted them.
func (*chain) Rows() int64 { return -1 }

// next opens the next file.
func (c *chain) next() error {
	if err := c.Close(); err != nil {
		return err
	}
	if len(c.left) == 0 {
		return io.EOF
	}
	v, err := vecfile.Open(c.left[0], vecfile.Options{})
	if err != nil {
		return err
	}
	if c.width != 0 && v.Width() != c.width {
		return errors.Join(errors.New("the parts of the set have releases of different widths, must have the same"), v.Close())
	}
	c.left, c.now, c.width = c.left[1:], v, v.Width()
	return nil
}

// ReadRows reads as many rows as a file still has, and at most what dst takes.
func (c *chain) ReadRows(dst []float64) (int, error) {
	for {
		if c.now == nil {
			if err := c.next(); err != nil {
				return 0, err
			}
		}
		n, err := c.now.ReadRows(dst)
		if !errors.Is(err, io.EOF) {
			return n, err
		}
		if err = c.next(); err != nil {
			return 0, err
		}
	}
}

// Close closes the file that is open.
func (c *chain) Close() error {
	if c.now == nil {
		return nil
	}
	v := c.now
	c.now, c.dropped = nil, append(c.dropped, v.Dropped()...)
	return v.Close()
}

// Told returns what "sotto estimate --in set.privacy.json" prints of a set whose
// releases were counted when they were made, without reading them.
func Told(s *evidence.Set, cells string) (*estimate.Result, error) {
	r := &releases{name: evidence.SetFile, said: stated(s)}
	if err := r.settle(cells); err != nil {
		return nil, err
	}
	t, err := estimate.NewTally(r.mechanism)
	if err != nil {
		return nil, err
	}
	if err = t.Merge(s.Counts, int(s.Released)); err != nil {
		return nil, err
	}
	o := options{in: evidence.SetFile, confidence: defaultConfidence, delta: defaultDelta}
	told, err := o.result(r, &tallied{all: t}, nil)
	if err != nil {
		return nil, err
	}
	told.Hold(o.unfit(r))
	return told, nil
}
