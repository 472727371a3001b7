package nn

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"time"
)

// Pool runs the loops of one model on a fixed number of workers and keeps the
// buffers that matrix products need. Its goroutines end by themselves a fraction
// of a millisecond after the last call, so there is nothing to close. Every
// result has the same bits for every number of workers: work is split by rows
// or columns of the result, never within a sum.
//
// A Pool is not safe for concurrent use: models that train side by side have
// one each.
type Pool struct {
	workers int
	kernels *kernels
	right   []float32 // the right factor, packed; shared by the workers
	hands   []hand    // one a worker
	loop    atomic.Pointer[loop]
}

// hand is what belongs to one worker. What a product needs is kept, because
// what is given to a kernel would otherwise be allocated anew.
type hand struct {
	there       atomic.Bool // has a goroutine that waits for loops
	tile, whole tile
	left        []float32 // panels of the left factor, packed
	edge        []float32 // a tile of the result that is cut off by its border
}

// NewPool returns a Pool of the given number of workers, the calling goroutine
// included. It panics if there is not at least one.
func NewPool(workers int) *Pool {
	k := forced.Load()
	if k == nil {
		k = runnable()[0]
	}
	return newPool(workers, k)
}

// forced are the kernels of all new pools; nil for the fastest.
var forced atomic.Pointer[kernels]

// Force lets all pools that are made from now on run on the kernels of that name, as
// [Pool.Kernel] names them, so that one machine can show what another one computes. What
// it returns lets the fastest run again. Models keep what they have prepared for their
// kernels: open them behind it.
func Force(kernel string) (end func(), err error) {
	for _, k := range runnable() {
		if k.name == kernel {
			forced.Store(k)
			return func() { forced.Store(nil) }, nil
		}
	}
	return nil, fmt.Errorf("nn: kernel is %.20q, must be one that this machine can run, such as %s", kernel, portable.name)
}

func newPool(workers int, k *kernels) *Pool {
	if workers < 1 {
		panic(fmt.Sprintf("nn: NewPool of %d workers, want at least 1", workers))
	}
	return &Pool{workers: workers, kernels: k, hands: make([]hand, workers)}
}

// Alone returns a pool of one worker on the same kernels, for work that is too
// small to share, such as what one item of [Pool.Each] multiplies.
func (p *Pool) Alone() *Pool { return newPool(1, p.kernels) }

// Workers returns the number of workers.
func (p *Pool) Workers() int { return p.workers }

// Kernel names the code that the inner loops run on, by what the machine can
// do: "avx512", "avx2" or "portable". The first two give the same bits, the
// last one other roundings.
func (p *Pool) Kernel() string { return p.kernels.name }

// Rounding names the family of kernels that give the same bits as those of the pool:
// "fma" for avx512 and avx2, which round a product and its sum once, and "portable".
func (p *Pool) Rounding() string {
	if p.kernels.name == portable.name {
		return portable.name
	}
	return "fma"
}

// Each calls f once for each item below n, on the workers of the pool, which are
// numbered from 0. Which worker takes an item is decided at run time, so f must
// not let the result depend on it. f must not use the pool itself.
func (p *Pool) Each(n int, f func(worker, item int)) { p.each(n, f) }

// each calls f once for each item below n. Which worker takes an item is
// decided at run time, so f must not let the result depend on it.
func (p *Pool) each(n int, f func(worker, item int)) {
	if p.workers == 1 || n <= 1 {
		for i := range n {
			f(0, i)
		}
		return
	}
	l := &loop{n: int64(n), f: f}
	p.loop.Store(l)
	for w := 1; w < min(p.workers, n); w++ {
		if p.hands[w].there.CompareAndSwap(false, true) {
			go p.help(w)
		}
	}
	l.run(0)
	for spins := 0; l.done.Load() < l.n; spins++ {
		if spins > 20_000 { // about 0.1 ms: another worker has lost its processor
			time.Sleep(20 * time.Microsecond)
		}
	}
	p.loop.Store(nil)
}

// loop is a loop that workers share.
type loop struct {
	n          int64
	f          func(worker, item int)
	next, done atomic.Int64
}

// run takes items until there are no more.
func (l *loop) run(worker int) {
	for i := l.next.Add(1) - 1; i < l.n; i = l.next.Add(1) - 1 {
		l.f(worker, int(i))
		l.done.Add(1)
	}
}

// patience is how long a worker waits for the next loop. To wake a goroutine
// takes about as long as the shorter loops of a training.
const patience = 200 * time.Microsecond

// help takes part in loops until there has been none for a while.
func (p *Pool) help(worker int) {
	var last *loop
	start := time.Now()
	for spins := 1; ; spins++ {
		if l := p.loop.Load(); l != nil && l != last {
			l.run(worker)
			last, start = l, time.Now()
		}
		if spins%1000 == 0 {
			if time.Since(start) > patience {
				break
			}
			runtime.Gosched()
		}
	}
	p.hands[worker].there.Store(false)
}

// rowBlock is the number of rows that a worker takes at a time. Dropout and
// noise are seeded by block, so a change of it changes results.
const rowBlock = 64

// rows calls f for each block of rows of a matrix with n rows.
func (p *Pool) rows(n int, f func(block, lo, hi int)) {
	p.each((n+rowBlock-1)/rowBlock, func(_, b int) { f(b, b*rowBlock, min(n, (b+1)*rowBlock)) })
}

// chunk is the number of elements that a worker takes at a time from a vector,
// whatever the number of workers, so that the same code computes an element.
const chunk = 1 << 14

// chunks calls f for each chunk of a vector with n elements.
func (p *Pool) chunks(n int, f func(lo, hi int)) {
	p.each((n+chunk-1)/chunk, func(_, c int) { f(c*chunk, min(n, (c+1)*chunk)) })
}

// AddScaled adds alpha·src to dst. It panics if their sizes differ.
func (p *Pool) AddScaled(dst Matrix, alpha float32, src Matrix) {
	dst.sound("AddScaled's dst")
	src.want("AddScaled's src", dst.Rows, dst.Cols)
	p.chunks(len(dst.Data), func(lo, hi int) { p.kernels.axpy(dst.Data[lo:hi], src.Data[lo:hi], alpha) })
}
