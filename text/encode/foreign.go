package encode

import (
	"context"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"sotto/internal/lineproc"
)

// What is accepted from outside.
const (
	maxForeignDim = 1 << 20
	maxAnswer     = lineproc.MaxLine // bytes
	probeText     = "a"              // asks for the length of vectors; it is nobody's text
)

// take copies a vector that came from outside, or says what is wrong with it. A
// dst of length 0 takes any length.
func take(dst []float32, v []float64) (reason string) {
	if len(v) < 1 || len(v) > maxForeignDim {
		return fmt.Sprintf("has %d numbers, must have 1 to %d", len(v), maxForeignDim)
	}
	if len(dst) > 0 && len(v) != len(dst) {
		return fmt.Sprintf("has %d numbers, must have %d", len(v), len(dst))
	}
	for i, x := range v {
		if !(math.Abs(x) <= maxSize) { // NaN is refused
			return fmt.Sprintf("has a number %d that is not from −10¹⁸ to 10¹⁸", i+1)
		}
		if len(dst) > 0 {
			dst[i] = float32(x)
		}
	}
	return ""
}

// inChunks calls do for each run of at most size numbers below n, on several
// workers. After the first error it starts no other, ends those under way by
// their context, and returns it.
func inChunks(ctx context.Context, n, size, workers int, do func(ctx context.Context, lo, hi int) error) error {
	outer := ctx
	ctx, cancel := context.WithCancelCause(outer)
	defer cancel(nil)
	var next atomic.Int64
	run := func() {
		for ctx.Err() == nil {
			lo := int(next.Add(int64(size))) - size
			if lo >= n {
				return
			}
			if err := do(ctx, lo, min(n, lo+size)); err != nil {
				cancel(err) // the first one stays
			}
		}
	}
	var others sync.WaitGroup
	for range min(workers, (n+size-1)/size) - 1 {
		others.Go(run)
	}
	run()
	others.Wait()
	if err := outer.Err(); err != nil {
		return err
	}
	return context.Cause(ctx) // nil unless one failed
}
