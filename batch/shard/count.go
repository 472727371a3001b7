package shard

import "sotto/learn/estimate"

// counts counts the releases of a chunk, by what they answer. Nil counts nothing.
type counts struct {
	*estimate.Tally
	width int
	err   error // the first
}

// count begins to count, if that is wanted.
func (w *Worker) count() *counts {
	if w.tally == nil {
		return nil
	}
	_, width := w.mech.Shape()
	return &counts{Tally: w.tally.Another(), width: width}
}

// add takes one release.
func (c *counts) add(y []float64) {
	if err := c.Add(y); err != nil && c.err == nil {
		c.err = err
	}
}

// all returns what takes many releases, nil if nothing is counted.
func (c *counts) all() func(rows []float64) {
	if c == nil {
		return nil
	}
	return func(rows []float64) {
		for ; len(rows) > 0; rows = rows[c.width:] {
			c.add(rows[:c.width])
		}
	}
}

// into notes what was counted.
func (c *counts) into(p *Part) error {
	if c == nil {
		return nil
	}
	p.Counts = c.Counts()
	return c.err
}

// sum moves what was counted of each part to the set.
func (w *Worker) sum(s *Set) error {
	if w.tally == nil {
		return nil
	}
	all := w.tally.Another()
	for i := range s.Parts {
		p := &s.Parts[i]
		if err := all.Merge(p.Counts, int(p.Rows)); err != nil {
			return err
		}
		p.Counts = nil
	}
	s.Counts = all.Counts()
	return nil
}
