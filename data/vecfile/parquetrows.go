package vecfile

import (
	"errors"
	"io"
	"math"

	"sotto/data/rowfile"
)

// unfit returns why v cannot be a coordinate, or "".
func unfit(v float64) (reason string) {
	switch {
	case v-v == 0:
		return ""
	case math.IsNaN(v):
		return "NaN"
	}
	return "infinite"
}

// flatRows reads a vector from one row of several columns.
type flatRows struct {
	r       *Reader
	t       *rowfile.Table
	columns []*rowfile.Column[float64]
	vec     []float64
}

// ready implements [rowReader]: a file never keeps anybody waiting.
func (*flatRows) ready() bool { return true }

// next implements [rowReader].
func (f *flatRows) next() ([]float64, int64, error) {
	if err := f.t.Next(); err != nil {
		return nil, 0, f.r.wrap(err)
	}
	f.vec = f.vec[:0]
	var bad error
	for i, c := range f.columns {
		v, there, err := c.Take()
		if err != nil {
			return nil, 0, f.r.wrap(err)
		}
		reason := missing
		if there {
			reason = unfit(v)
		}
		if reason != "" && bad == nil {
			bad = f.r.rowError(f.t.Row, i+1, reason)
		}
		f.vec = append(f.vec, v)
	}
	return f.vec, f.t.Row, bad
}

// listRows reads a vector from the list in one column.
type listRows struct {
	r   *Reader
	t   *rowfile.Table
	c   *rowfile.Column[float64]
	vec []float64
}

// ready implements [rowReader].
func (*listRows) ready() bool { return true }

// next implements [rowReader]. A row goes on until a value does not repeat it,
// possibly on the next page.
func (l *listRows) next() ([]float64, int64, error) {
	if err := l.t.Next(); err != nil {
		return nil, 0, l.r.wrap(err)
	}
	c := l.c
	l.vec = l.vec[:0]
	var bad *RowError
	for first := true; ; first = false {
		if !first {
			l.run()
		}
		err := c.More()
		if errors.Is(err, io.EOF) && !first {
			break
		}
		if err != nil {
			return nil, 0, l.r.wrap(c.Errorf(err))
		}
		if starts := c.Rep[c.K] == 0; starts && !first {
			break
		} else if starts != first {
			return nil, 0, l.r.wrap(c.Errorf(rowfile.ErrPage))
		}
		if reason := l.append(); reason != "" && bad == nil {
			bad = l.r.rowError(l.t.Row, len(l.vec)+1, reason)
			if reason == emptyVector || len(l.vec) == maxWidth {
				bad.Column = 0
			}
		}
	}
	if bad != nil {
		return nil, 0, bad
	}
	return l.vec, l.t.Row, nil
}

// run adds the next values of the page for as long as they repeat the row and
// are fit. It is the fast way through a page, and leaves everything else to
// append.
func (l *listRows) run() {
	c, vec := l.c, l.vec
	rep, def, vals := c.Rep[c.K:], c.Def[c.K:], c.Vals[c.V:]
	n := 0
	for n < len(rep) && n < len(def) && n < len(vals) && rep[n] != 0 && def[n] == c.MaxDef && len(vec) < maxWidth {
		v := vals[n]
		if v-v != 0 {
			break
		}
		vec = append(vec, v)
		n++
	}
	l.vec = vec
	c.K, c.V = c.K+n, c.V+n
}

// append adds the value at hand to the vector, unless it is unfit, and moves
// on.
func (l *listRows) append() (reason string) {
	c := l.c
	def := c.Def[c.K]
	c.K++
	if def != c.MaxDef {
		// The level below the highest is a missing value if values may be
		// missing, and those below are an empty list, or none at all.
		if c.Optional() && def == c.MaxDef-1 {
			return missing
		}
		return emptyVector
	}
	v := c.Vals[c.V]
	c.V++
	if reason = unfit(v); reason != "" {
		return reason
	}
	if len(l.vec) == maxWidth {
		return tooWide()
	}
	l.vec = append(l.vec, v)
	return ""
}
