package noise_test

import (
	"math"
	weakrand "math/rand/v2"
	"testing"
	"time"

	"sotto/promise/noise"
)

const width = 768

// naive fills dst as most libraries do: the logarithm of a float from the
// fastest ordinary generator.
func naive(dst []float64, rng *weakrand.Rand) {
	for i := range dst {
		u := rng.Float64() - 0.5
		dst[i] = math.Copysign(math.Log(1-2*math.Abs(u)), u)
	}
}

// naiveTime returns the nanoseconds of one call, the best of several runs.
func naiveTime() float64 {
	rng := weakrand.New(weakrand.NewPCG(1, 2))
	dst := make([]float64, width)
	least := math.Inf(1)
	for range 10 {
		start := time.Now()
		for range 100 {
			naive(dst, rng)
		}
		least = min(least, float64(time.Since(start).Nanoseconds())/100)
	}
	return least
}

// BenchmarkNaiveLaplace is the peer.
func BenchmarkNaiveLaplace(b *testing.B) {
	rng := weakrand.New(weakrand.NewPCG(1, 2))
	dst := make([]float64, width)
	for b.Loop() {
		naive(dst, rng)
	}
	perItem(b, width)
}

// BenchmarkLaplace also reports how many times faster than the naive way it
// is, measured in the same run.
func BenchmarkLaplace(b *testing.B) {
	peer := naiveTime()
	s := noise.Crypto()
	dst := make([]int64, width)
	for b.Loop() {
		s.Laplace(dst)
	}
	perItem(b, width)
	b.ReportMetric(peer/(float64(b.Elapsed().Nanoseconds())/float64(b.N)), "x-naive")
}

func BenchmarkGaussian(b *testing.B) {
	s := noise.Crypto()
	dst := make([]int64, width)
	for b.Loop() {
		s.Gaussian(dst)
	}
	perItem(b, width)
}

func BenchmarkNormals(b *testing.B) {
	s := noise.Crypto()
	dst := make([]float64, width)
	for b.Loop() {
		s.Normals(dst)
	}
	perItem(b, width)
}

func BenchmarkSend(b *testing.B) {
	s := noise.Crypto()
	x := make([]uint64, 120)
	c := uniform(noise.ProbBelow(0.6), noise.ProbBelow(0.4))
	for b.Loop() {
		s.Send(x, x, c)
	}
	perItem(b, 64*len(x))
}

func perItem(b *testing.B, items int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(items), "ns/item")
	b.ReportAllocs()
}
