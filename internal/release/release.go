// Package release sends a file of vectors through a mechanism, in constant
// memory and on all cores, and keeps the record of what was promised with it.
//
// It is the inside of "sotto privatize". It does not open files and does not
// decide whether a guarantee is good enough.
package release

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"sotto/dp"
	"sotto/internal/vecfile"
	"sotto/mech"
	"sotto/noise"
)

// Record is the metadata of a file of releases.
type Record struct {
	Tool      string       `json:"tool"`
	Mechanism mech.Params  `json:"mechanism"`
	Claimed   dp.Epsilon   `json:"claimed"`
	Guarantee dp.Guarantee `json:"guarantee"`
	Reason    string       `json:"reason"`
	Noise     string       `json:"noise"`
	Scope     string       `json:"scope"`
}

// NewRecord describes what one row of releases of m promises.
func NewRecord(m mech.Mechanism, p mech.Params, tool string) Record {
	a := m.Account()
	p.Mechanism, p.Variant = a.Mechanism, a.Variant
	return Record{
		Tool: tool, Mechanism: p, Claimed: a.Claimed, Guarantee: m.Guarantee(), Reason: a.Reason,
		Noise: "fresh for each row",
		Scope: "each row is one release; for a person with k rows, or a row released k times, ε and δ are k times as large",
	}
}

// JSON renders the record.
func (r Record) JSON() ([]byte, error) {
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("release: the record cannot be written: %w", err)
	}
	return append(b, '\n'), nil
}

// Options of [Run].
type Options struct {
	Workers  int // goroutines that draw noise, at least 1
	SkipBad  bool
	Progress func(rows int64) // may be nil
}

// Summary counts what was done.
type Summary struct {
	Rows    int64 `json:"rows"`    // released
	Skipped int64 `json:"skipped"` // bad rows left out
}

// blockNumbers is how many numbers a worker takes at a time: little enough for
// the second-level cache, much enough to hide the hand-over.
const blockNumbers = 1 << 16

// Run reads all rows of r, releases each through m and writes them to w, in
// order. At the first row outside the mechanism's domain it returns an error
// that says where the row stands; the caller then discards what was written.
func Run(ctx context.Context, r *vecfile.Reader, w *vecfile.Writer, m dp.Vector, o Options) (Summary, error) {
	in, out := m.Shape()
	rows := max(1, blockNumbers/max(in, out)) * o.Workers
	j := &job{m: m, in: in, out: out, rows: rows, x: make([]float64, rows*in), y: make([]float64, rows*out), errs: make([]error, rows), skip: o.SkipBad}
	for range o.Workers {
		j.streams = append(j.streams, noise.Crypto())
	}
	var sum Summary
	for {
		if err := ctx.Err(); err != nil {
			return sum, err
		}
		n, err := r.ReadRows(j.x)
		if errors.Is(err, io.EOF) {
			sum.Skipped += r.Skipped()
			return sum, nil
		}
		if err != nil {
			return sum, err
		}
		j.privatize(n)
		kept, bad, err := j.sift(n)
		if err != nil {
			return sum, r.Refuse(bad, err.Error())
		}
		if err := w.WriteRows(j.y[:kept*out]); err != nil {
			return sum, err
		}
		sum.Rows += int64(kept)
		sum.Skipped += int64(n - kept)
		if o.Progress != nil {
			o.Progress(sum.Rows)
		}
	}
}

// job holds the buffers of one run.
type job struct {
	m       dp.Vector
	in, out int
	rows    int
	x, y    []float64
	errs    []error
	skip    bool
	streams []*noise.Stream
}

// privatize releases the first n rows of x into y, each worker its share.
func (j *job) privatize(n int) {
	var wg sync.WaitGroup
	share := (n + len(j.streams) - 1) / len(j.streams)
	for k, src := range j.streams {
		first, last := min(n, k*share), min(n, (k+1)*share)
		wg.Go(func() {
			for i := first; i < last; i++ {
				j.errs[i] = j.m.PrivatizeTo(j.y[i*j.out:(i+1)*j.out], j.x[i*j.in:(i+1)*j.in], src)
			}
		})
	}
	wg.Wait()
	clear(j.x[:n*j.in]) // raw vectors stay no longer than they are needed
}

// sift moves the good releases together. A bad row is an error with its place
// unless bad rows are skipped.
func (j *job) sift(n int) (kept, bad int, err error) {
	for i := range n {
		if e := j.errs[i]; e != nil {
			if !j.skip || !errors.Is(e, dp.ErrDomain) {
				return 0, i, e
			}
			continue
		}
		if kept != i {
			copy(j.y[kept*j.out:(kept+1)*j.out], j.y[i*j.out:(i+1)*j.out])
		}
		kept++
	}
	return kept, 0, nil
}
