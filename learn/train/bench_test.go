package train_test

import (
	weakrand "math/rand/v2"
	"runtime"
	"testing"

	"sotto/compute/nn"
	"sotto/learn/train"
	"sotto/promise/mech"
)

// BenchmarkFederateEpoch measures one epoch on 20,000 rows of 512 numbers with
// the published layers, beside the same without noise and adversary.
func BenchmarkFederateEpoch(b *testing.B) {
	const rows, cols = 20_000, 512
	rng := weakrand.New(weakrand.NewPCG(1, 1))
	d := train.Data{X: nn.NewMatrix(rows, cols), Classes: 2, Groups: 2}
	for i := range d.X.Data {
		d.X.Data[i] = float32(rng.NormFloat64())
	}
	for i := range rows {
		d.Y, d.Z, d.Train = append(d.Y, rng.IntN(2)), append(d.Z, rng.IntN(2)), append(d.Train, i)
	}
	d.Validation = d.Train[:100]
	s := train.Training{Shape: train.Twitter(), Epochs: 1}
	for name, h := range map[string]train.Method{
		"federate":      train.Federate{Training: s, Release: mech.Params{Mechanism: "laplace-l1", Epsilon: 8}},
		"unconstrained": train.Unprotected{Training: s},
	} {
		b.Run(name, func(b *testing.B) {
			pool := nn.NewPool(runtime.GOMAXPROCS(0))
			for b.Loop() {
				if _, err := train.Fit(b.Context(), h, d, train.Options{Seed: 1, Pool: pool}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkTwitter is an epoch of FEDERATE at the size of Twitter Sentiment,
// 100,000 rows of 2304 numbers, on all cores; a run has 45. It needs 1 GB.
func BenchmarkTwitter(b *testing.B) {
	const rows, cols = 100_000, 2304
	d := train.Data{X: nn.NewMatrix(rows, cols), Classes: 2, Groups: 2}
	state := uint32(1)
	for i := range d.X.Data { // noise that costs no time to make
		state = state*1664525 + 1013904223
		d.X.Data[i] = float32(int32(state)) / (1 << 31)
	}
	for i := range rows {
		d.Y, d.Z, d.Train = append(d.Y, i%2), append(d.Z, i/2%2), append(d.Train, i)
	}
	d.Validation = d.Train[:8000]
	h := train.Federate{
		Training: train.Training{Shape: train.Twitter(), Epochs: 1},
		Release:  mech.Params{Mechanism: "laplace-l1", Epsilon: 8},
	}
	pool := nn.NewPool(runtime.GOMAXPROCS(0))
	for b.Loop() {
		if _, err := train.Fit(b.Context(), h, d, train.Options{Seed: 1, Pool: pool}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(45*b.Elapsed().Seconds()/float64(b.N), "s/run")
}
