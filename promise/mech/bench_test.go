package mech_test

import (
	"math"
	weakrand "math/rand/v2"
	"strconv"
	"testing"
	"time"

	"sotto/promise/mech"
	"sotto/promise/noise"
)

const width = 768

// benchmark releases one vector again and again; items is what the time is
// divided by, coordinates or bits.
func benchmark(b *testing.B, p mech.Params, items int, unit string) {
	m := must(b, p)
	in, out := m.Shape()
	x, dst, src := normals(in, 1), make([]float64, out), noise.Crypto()
	peer := naiveTime()
	b.ReportAllocs()
	for b.Loop() {
		if err := m.PrivatizeTo(dst, x, src); err != nil {
			b.Fatal(err)
		}
	}
	own := float64(b.Elapsed().Nanoseconds()) / float64(b.N) / float64(items)
	b.ReportMetric(own, "ns/"+unit)
	b.ReportMetric(own/peer, "of-naive") // a naive coordinate's time is 1
}

// BenchmarkLaplaceL1 should take at most 8 µs.
func BenchmarkLaplaceL1(b *testing.B) {
	benchmark(b, mech.Params{Mechanism: "laplace-l1", Dim: width, Epsilon: 8}, width, "coordinate")
}

// naive is the peer: L1 normalisation, and noise by the logarithm of a float from
// a fast ordinary generator.
func naive(dst, x []float64, rng *weakrand.Rand) {
	norm := 0.0
	for _, v := range x {
		norm += math.Abs(v)
	}
	for i, v := range x {
		u := rng.Float64() - 0.5
		dst[i] = v/norm + math.Copysign(math.Log(1-2*math.Abs(u)), u)/4
	}
}

// naiveTime returns the nanoseconds a coordinate of the peer, the best of
// several runs.
func naiveTime() float64 {
	rng := weakrand.New(weakrand.NewPCG(1, 2))
	x, dst := normals(width, 1), make([]float64, width)
	least := math.Inf(1)
	for range 10 {
		start := time.Now()
		for range 100 {
			naive(dst, x, rng)
		}
		least = min(least, float64(time.Since(start).Nanoseconds())/100/width)
	}
	return least
}

func BenchmarkNaive(b *testing.B) {
	rng := weakrand.New(weakrand.NewPCG(1, 2))
	x, dst := normals(width, 1), make([]float64, width)
	b.ReportAllocs()
	for b.Loop() {
		naive(dst, x, rng)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/width, "ns/coordinate")
}

func BenchmarkDPNR(b *testing.B) {
	benchmark(b, mech.Params{Mechanism: "dpnr", Dim: width, Epsilon: 8}, width, "coordinate")
}

// BenchmarkBitRR should take at most 1 ns a bit.
func BenchmarkBitRR(b *testing.B) {
	benchmark(b, mech.Params{Mechanism: "bitrr", Dim: width, Epsilon: 768, Own: mech.BitParams{Bits: 10}}, 10*width, "bit")
}

// BenchmarkBitRRPacked releases the same bits in words: at most 1 ns a bit.
func BenchmarkBitRRPacked(b *testing.B) {
	m, ok := must(b, mech.Params{Mechanism: "bitrr", Dim: width, Epsilon: 768, Own: mech.BitParams{Bits: 10}}).(mech.BitRR)
	if !ok {
		b.Fatal("bitrr is no mech.BitRR")
	}
	x, dst, src := normals(width, 1), make([]uint64, m.Words()), noise.Crypto()
	b.ReportAllocs()
	for b.Loop() {
		if err := m.PrivatizeBits(dst, x, src); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(10*width), "ns/bit")
}

func BenchmarkOME(b *testing.B) {
	benchmark(b, mech.Params{Mechanism: "ome", Dim: width, Epsilon: 1, Own: mech.OMEParams{Bits: 10, Lambda: 100}}, 10*width, "bit")
}

// BenchmarkCodebook should take at most 10 µs.
func BenchmarkCodebook(b *testing.B) {
	benchmark(b, mech.Params{Mechanism: "codebook", Dim: 50, Epsilon: 4, Own: mech.CodebookParams{Codewords: 256}}, 256*50, "product")
}

func BenchmarkCodes(b *testing.B) {
	for _, k := range []int{16, 256, 1024} {
		b.Run(strconv.Itoa(k), func(b *testing.B) {
			benchmark(b, mech.Params{Mechanism: "codes", Dim: k, Epsilon: 4}, k, "code")
		})
	}
}

func BenchmarkPrivUnit(b *testing.B) {
	benchmark(b, mech.Params{Mechanism: "privunit", Dim: width, Epsilon: 8}, width, "coordinate")
}

func BenchmarkGaussian(b *testing.B) {
	benchmark(b, mech.Params{Mechanism: "gaussian", Dim: width, Epsilon: 8}, width, "coordinate")
}

func BenchmarkLaplaceL2(b *testing.B) {
	benchmark(b, mech.Params{Mechanism: "laplace-l2", Dim: width, Epsilon: 8}, width, "coordinate")
}

func BenchmarkPrivEmb(b *testing.B) {
	benchmark(b, mech.Params{Mechanism: "privemb", Epsilon: 8, Own: mech.PrivEmbParams{InputDim: 300, OutputDim: 50}}, 300*50, "product")
}

func BenchmarkKRR(b *testing.B) {
	m := must(b, mech.Params{Mechanism: "krr", Epsilon: 1, Own: mech.KRRParams{Classes: 10}}).(*mech.KRR)
	src := noise.Crypto()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := m.Respond(3, src); err != nil {
			b.Fatal(err)
		}
	}
}
