// Package release sends a file of vectors through a mechanism, in constant
// memory and on all cores.
//
// It is the inside of "sotto privatize". It does not open files and does not
// decide whether a guarantee is good enough.
//
// Commands and the module batch share it.
package release

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"sync"
	"time"

	"sotto/data/vecfile"
	"sotto/internal/fault"
	"sotto/promise/dp"
	"sotto/promise/noise"
)

// Options of [Run].
type Options struct {
	Workers  int // goroutines that draw noise, at least 1
	SkipBad  bool
	Progress func(rows int64) // may be nil
	// Noise, if not nil, returns what the noise of a row is drawn from, by its place
	// among the rows that were read and its raw vector, which it may not keep. It is
	// called by several goroutines. Else noise is fresh, of the operating system's.
	Noise func(place int64, vector []float64) rand.Source
	// Written, if not nil, is called with whole rows that are written, in order. It may
	// not keep them.
	Written func(rows []float64)
}

// Summary counts what was done.
type Summary struct {
	Rows    int64 `json:"rows"`    // released
	Skipped int64 `json:"skipped"` // bad rows left out
}

// blockNumbers is how many numbers a block holds: little enough for the
// second-level cache, much enough to hide the hand-over.
const blockNumbers = 1 << 16

// Run reads all rows of r, releases each through m and writes them to w, in
// order. At the first row outside the mechanism's domain it returns an error
// that says where the row stands; the caller then discards what was written.
//
// Reading, drawing noise and writing go on side by side, each block of rows
// passing from one to the next.
func Run(ctx context.Context, r *vecfile.Reader, w *vecfile.Writer, m dp.Vector, o Options) (Summary, error) {
	if !r.Declared() {
		return Summary{}, errors.New("release: the form of the file was found by looking at its rows, must be declared: one row would change how others are read")
	}
	ctx, cancel := context.WithCancel(ctx)
	p := newPipe(m, o)
	var workers sync.WaitGroup
	readerLeft := make(chan struct{})
	defer func() {
		cancel()
		workers.Wait()
		select {
		case <-readerLeft:
		case <-time.After(time.Second): // it waits for a pipe, maybe for ever
		}
	}()
	go func() {
		defer close(readerLeft)
		p.read(ctx, r)
	}()
	for range o.Workers {
		workers.Go(func() { p.work(ctx, m, o.Noise) })
	}
	sum, err := p.write(ctx, w, o)
	if err != nil {
		return sum, err
	}
	sum.Skipped += r.Skipped()
	return sum, nil
}

// block is a number of rows on their way.
type block struct {
	x, y   []float64
	errs   []error // of each row
	n      int     // rows
	first  int64   // place of the first
	places vecfile.Places
	end    error         // why there are no more rows: set instead of rows
	fault  error         // why there are no releases
	done   chan struct{} // receives when the rows have been released
}

// pipe connects reader, workers and writer. A block is sent to the workers and,
// in order, to the writer, who waits for it.
type pipe struct {
	in, out             int
	free, todo, inOrder chan *block
}

func newPipe(m dp.Vector, o Options) *pipe {
	in, out := m.Shape()
	blocks := 2*o.Workers + 2 // one each in reading and writing, and some to wait
	p := &pipe{in: in, out: out, free: make(chan *block, blocks), todo: make(chan *block, blocks), inOrder: make(chan *block, blocks)}
	rows := max(1, blockNumbers/max(in, out))
	for range blocks {
		p.free <- &block{
			x: make([]float64, rows*in), y: make([]float64, rows*out), errs: make([]error, rows), done: make(chan struct{}, 1),
		}
	}
	return p
}

// read fills blocks until the input ends; the last block says how it ended.
func (p *pipe) read(ctx context.Context, r *vecfile.Reader) {
	for first := int64(0); ; {
		select {
		case <-ctx.Done():
			return
		case b := <-p.free:
			b.n, b.end = readRows(r, b.x)
			b.first = first
			first += int64(b.n)
			if b.end != nil {
				p.inOrder <- b
				return
			}
			r.Mark(&b.places)
			p.todo <- b
			p.inOrder <- b
		}
	}
}

// readRows is r.ReadRows; a panic in a parser becomes an error.
func readRows(r *vecfile.Reader, x []float64) (n int, err error) {
	defer fault.Catch(&err)
	return r.ReadRows(x)
}

// work releases the rows of blocks, with noise of its own unless it is told another.
func (p *pipe) work(ctx context.Context, m dp.Vector, of func(int64, []float64) rand.Source) {
	if of == nil {
		src := noise.Crypto()
		of = func(int64, []float64) rand.Source { return src }
	}
	for {
		select {
		case <-ctx.Done():
			return
		case b := <-p.todo:
			b.fault = b.privatize(p, m, of)
			clear(b.x[:b.n*p.in]) // raw vectors stay no longer than they are needed
			b.done <- struct{}{}
		}
	}
}

// privatize releases the rows; a panic in the mechanism becomes an error.
func (b *block) privatize(p *pipe, m dp.Vector, of func(int64, []float64) rand.Source) (err error) {
	defer fault.Catch(&err)
	for i := range b.n {
		x := b.x[i*p.in : (i+1)*p.in]
		b.errs[i] = m.PrivatizeTo(b.y[i*p.out:(i+1)*p.out], x, of(b.first+int64(i), x))
	}
	return nil
}

// write writes the released blocks in order.
func (p *pipe) write(ctx context.Context, w *vecfile.Writer, o Options) (Summary, error) {
	var sum Summary
	for {
		var b *block
		select {
		case <-ctx.Done():
			return sum, ctx.Err()
		case b = <-p.inOrder:
		}
		if errors.Is(b.end, io.EOF) {
			return sum, nil
		}
		if b.end != nil {
			return sum, b.end
		}
		select {
		case <-ctx.Done():
			return sum, ctx.Err()
		case <-b.done:
		}
		if b.fault != nil {
			return sum, b.fault
		}
		kept, err := b.sift(p.out, o.SkipBad)
		if err != nil {
			return sum, err
		}
		if err := w.WriteRows(b.y[:kept*p.out]); err != nil {
			return sum, err
		}
		if o.Written != nil {
			o.Written(b.y[:kept*p.out])
		}
		sum.Rows += int64(kept)
		sum.Skipped += int64(b.n - kept)
		if o.Progress != nil {
			o.Progress(sum.Rows)
		}
		p.free <- b
	}
}

// sift moves the good releases together. A bad row is an error with its place
// unless bad rows are skipped.
func (b *block) sift(width int, skip bool) (kept int, err error) {
	for i := range b.n {
		if e := b.errs[i]; e != nil {
			if !skip || !errors.Is(e, dp.ErrDomain) {
				return 0, b.places.Refuse(i, e.Error())
			}
			continue
		}
		if kept != i {
			copy(b.y[kept*width:(kept+1)*width], b.y[i*width:(i+1)*width])
		}
		kept++
	}
	return kept, nil
}
