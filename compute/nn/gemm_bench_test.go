package nn_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"sotto/compute/nn"
)

// burst runs the kernel of products on panels in the first-level cache, on all
// workers at the same time, for about a millisecond, and returns operations a
// second: the peak that the products below are compared with.
func burst(newPool func(workers int) *nn.Pool, workers int) float64 {
	const k, times = 256, 2000
	var all sync.WaitGroup
	operations := make([]float64, workers)
	start := time.Now()
	for w := range workers {
		all.Go(func() {
			p := newPool(1)
			mr, nr := p.TileSize()
			// Large allocations begin on a page.
			a, b, c := make([]float32, 1<<14), make([]float32, 1<<14), make([]float32, 1<<14)
			operations[w] = p.Tile(k, times, a[:k*mr], b[:k*nr], c[:mr*nr])
		})
	}
	all.Wait()
	seconds := time.Since(start).Seconds()
	sum := 0.0
	for _, n := range operations {
		sum += n
	}
	return sum / seconds
}

// compare runs f beside bursts of the kernel and reports its rate, and what
// part of the peak that is. Both are the best seen in this run, because other
// work on the machine only ever slows one of them.
func compare(b *testing.B, newPool func(workers int) *nn.Pool, workers int, operations float64, f func(p *nn.Pool)) {
	p := newPool(workers)
	f(p)
	rate, peak := 0.0, 0.0
	for b.Loop() {
		b.StopTimer()
		peak = max(peak, burst(newPool, workers))
		b.StartTimer()
		start := time.Now()
		f(p)
		rate = max(rate, operations/time.Since(start).Seconds())
	}
	b.ReportMetric(rate/1e9, "GFLOP/s")
	b.ReportMetric(peak/1e9, "peak")
	b.ReportMetric(100*rate/peak, "%peak")
}

func BenchmarkProduct(b *testing.B) { benchmarkProducts(b, nn.NewPool) }

// benchmarkProducts measures the products of a dense layer: forward, gradient
// of the weights, gradient of the input.
func benchmarkProducts(b *testing.B, newPool func(workers int) *nn.Pool) {
	for _, s := range []struct{ m, k, n int }{{2000, 2304, 300}, {2000, 300, 300}, {256, 300, 512}} {
		r := rng(1)
		x, w, y := random(r, s.m, s.k), random(r, s.k, s.n), random(r, s.m, s.n)
		clear(w.Data) // so that products of products stay finite
		for _, f := range []struct {
			name string
			mul  func(p *nn.Pool)
		}{
			{"Mul", func(p *nn.Pool) { p.Mul(y, x, w) }},
			{"MulTN", func(p *nn.Pool) { p.MulTN(w, x, y) }},
			{"MulNT", func(p *nn.Pool) { p.MulNT(x, y, w) }},
		} {
			for _, workers := range []int{1, 2} {
				b.Run(fmt.Sprintf("%s/%dx%dx%d/workers=%d", f.name, s.m, s.k, s.n, workers), func(b *testing.B) {
					compare(b, newPool, workers, 2*float64(s.m)*float64(s.k)*float64(s.n), f.mul)
				})
			}
		}
	}
}
