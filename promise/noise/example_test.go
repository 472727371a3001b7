package noise_test

import (
	"fmt"

	"sotto/promise/noise"
)

// One integer more or less costs one step: if a person can change the counts by
// a million in all, the release costs a million steps.
func ExampleStream_Laplace() {
	s := noise.Crypto() // every real release draws from a fresh key
	counts := []int64{120_000, 340_000}
	k := make([]int64, len(counts))
	s.Laplace(k)
	for i := range counts {
		counts[i] += k[i]
	}
	fmt.Printf("%d counts released, epsilon = %.6f\n", len(counts), 1_000_000*noise.LaplaceStep())
	// Output: 2 counts released, epsilon = 0.661040
}

// The same text of the same subject gets the same noise, and nothing else does.
func ExampleDerive() {
	secret := []byte("at least sixteen bytes, kept safe")
	draw := func(parts ...string) (k [4]int64) {
		noise.Derive(secret, parts...).Laplace(k[:])
		return k
	}
	first := draw("alice", "hello", "laplace")
	fmt.Println("again:", draw("alice", "hello", "laplace") == first)
	fmt.Println("another subject:", draw("bob", "hello", "laplace") == first)
	fmt.Println("another cut:", draw("alicehello", "", "laplace") == first)
	// Output:
	// again: true
	// another subject: false
	// another cut: false
}

// A probability is an integer over 2⁶⁴, rounded to the side that one asks for;
// its complement and its logarithm are of what is really sampled.
func ExampleProbBelow() {
	p := noise.ProbBelow(0.75)
	fmt.Println(p.Float64(), p.Not().Float64())
	fmt.Printf("%.6f\n", p.Log()-p.Not().Log()) // the loss of keeping a bit: ln 3
	fmt.Println(noise.ProbBelow(0), noise.ProbAbove(1).Not())
	// Output:
	// 0.75 0.25
	// 1.098612
	// 1 1
}
