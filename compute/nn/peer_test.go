package nn_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sotto/compute/nn"
)

// BenchmarkPeer is what peer/run compares with PyTorch and OpenBLAS. It reports
// the best of a few seconds and is left out unless the script asks for it,
// because other benchmarks measure the same.
func BenchmarkPeer(b *testing.B) {
	if os.Getenv("SOTTO_PEER") == "" {
		b.Skip("run by peer/run alone")
	}
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("step-%d", workers), func(b *testing.B) {
			x, labels, protected := batch(1, 2000, 2304)
			m := newPrivate(b, privateShape{in: 2304, hidden: 300, code: 300}, 1)
			p := nn.NewPool(workers)
			report(b, 1000*bestOf(func() { m.step(p, x, labels, protected) }))
		})
		b.Run(fmt.Sprintf("product-%d", workers), func(b *testing.B) {
			x, w, y := random(rng(1), 2000, 2304), random(rng(2), 2304, 300), nn.NewMatrix(2000, 300)
			p := nn.NewPool(workers)
			report(b, 2*2000*2304*300/bestOf(func() { p.Mul(y, x, w) })/1e9)
		})
		b.Run(fmt.Sprintf("attack-%d", workers), func(b *testing.B) { report(b, attackers(b, workers)) })
	}
	b.Run("memory", func(b *testing.B) { report(b, memory(b)) })
}

func report(b *testing.B, value float64) {
	for b.Loop() { // what there is to measure has been measured
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(value, "best")
}

// bestOf returns the shortest time that f took, in seconds.
func bestOf(f func()) float64 {
	best := math.Inf(1)
	f()
	f()
	for range 30 {
		start := time.Now()
		f()
		best = min(best, time.Since(start).Seconds())
	}
	return best
}

// attackers trains attack models side by side, each on one worker, and returns
// the most steps a second that they took together in a window of 0.2 s.
func attackers(b *testing.B, number int) float64 {
	var steps atomic.Int64
	var stop atomic.Bool
	var all sync.WaitGroup
	for range number {
		train := newAttack(b, nn.NewPool)
		all.Go(func() {
			for !stop.Load() {
				train()
				steps.Add(1)
			}
		})
	}
	best := 0.0
	for window := range 9 {
		start, before := time.Now(), steps.Load()
		time.Sleep(200 * time.Millisecond)
		if rate := float64(steps.Load()-before) / time.Since(start).Seconds(); window > 0 {
			best = max(best, rate)
		}
	}
	stop.Store(true)
	all.Wait()
	return best
}

// memory trains for an epoch on 100 000 rows and returns the peak of the
// process's memory less the data, in units of 10⁶ bytes.
func memory(b *testing.B) float64 {
	const rows, cols, size = 100_000, 2304, 2000
	data, order := nn.NewMatrix(rows, cols), rng(1).Perm(rows)
	for i := range data.Data {
		data.Data[i] = float32(i%7) - 3
	}
	m := newPrivate(b, privateShape{in: cols, hidden: 300, code: 300}, 1)
	x, labels, protected := nn.NewMatrix(size, cols), make([]int, size), make([]int, size)
	p := nn.NewPool(2)
	for at := 0; at < rows; at += size {
		for i, row := range order[at : at+size] {
			copy(x.Row(i), data.Row(row))
			labels[i], protected[i] = row%2, row/2%2
		}
		m.step(p, x, labels, protected)
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		b.Skip("this system does not tell the peak of memory")
	}
	var kilobytes float64
	_, rest, _ := bytes.Cut(status, []byte("VmHWM:"))
	if _, err = fmt.Fscan(bytes.NewReader(rest), &kilobytes); err != nil {
		b.Fatal(err)
	}
	return (kilobytes*1024 - 4*float64(len(data.Data))) / 1e6
}
