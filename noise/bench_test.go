package noise_test

import (
	"math"
	weakrand "math/rand/v2"
	"testing"

	"sotto/noise"
)

const width = 768

// BenchmarkNaiveLaplace is the peer: the logarithm of a float, as most
// libraries sample it, from the fastest ordinary generator.
func BenchmarkNaiveLaplace(b *testing.B) {
	rng := weakrand.New(weakrand.NewPCG(1, 2))
	dst := make([]float64, width)
	for b.Loop() {
		for i := range dst {
			u := rng.Float64() - 0.5
			dst[i] = math.Copysign(math.Log(1-2*math.Abs(u)), u)
		}
	}
	perItem(b, width)
}

func BenchmarkLaplace(b *testing.B) {
	s := noise.Crypto()
	dst := make([]int64, width)
	for b.Loop() {
		s.Laplace(dst)
	}
	perItem(b, width)
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
