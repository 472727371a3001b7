//go:build linux

package transformer_test

import (
	"os"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"sotto/compute/nn"
	"sotto/compute/nn/transformer"
	"sotto/compute/nn/transformer/tiny"
)

// step is one step of a training: 32 sequences of 64 tokens through an encoder
// of MiniLM's shape, whose mean vectors are told apart by a linear layer.
type step struct {
	pool    *nn.Pool
	encoder *transformer.Encoder
	head    *nn.Dense
	adam    []*nn.Optimizer
	params  []nn.Param
	batch   transformer.Batch
	labels  []int
	loss    nn.SoftmaxCrossEntropy
	means   transformer.Pooling
}

const sequences, tokens = 32, 64

func newStep(tb testing.TB, workers int) *step {
	tb.Helper()
	rng := tiny.Generator()
	c := transformer.Config{
		Hidden: 384, Layers: 6, Heads: 12, Intermediate: 1536, Vocabulary: 30522, Positions: 512, Types: 2,
		Epsilon: 1e-12, Dropout: 0.1, Frozen: transformer.Nothing,
	}
	s := &step{pool: nn.NewPool(workers), head: nn.NewDense(384, 4, rng)}
	var err error
	s.encoder, err = transformer.New(c, s.pool.Kernel(), func(_ string, shape ...int) []float32 {
		n := 1
		for _, d := range shape {
			n *= d
		}
		return tiny.Normal(rng, n, 0.02)
	})
	if err != nil {
		tb.Fatal(err)
	}
	s.params = slices.Concat(s.encoder.Params(), s.head.Params())
	adam, err := nn.AdamW{Adam: nn.Adam{Rate: 1e-4}, Decay: 0.01}.New(s.params)
	if err != nil {
		tb.Fatal(err)
	}
	s.adam = append(s.adam, adam)
	for i := range sequences {
		ids, types := make([]int32, tokens), make([]int32, tokens)
		for j := range ids {
			ids[j] = int32(1000 + 97*i + 31*j)
		}
		s.batch.Add(ids, types)
		s.labels = append(s.labels, i%4)
	}
	return s
}

func (s *step) run() {
	x := s.means.Forward(s.pool, s.encoder.Forward(s.pool, nn.Train, &s.batch), &s.batch)
	_, grad := s.loss.Loss(s.pool, s.head.Forward(s.pool, nn.Train, x), s.labels)
	s.encoder.Backward(s.pool, s.means.Backward(s.pool, s.head.Backward(s.pool, grad)), false)
	s.pool.ClipNorm(s.params, 1)
	for _, a := range s.adam {
		a.Step(s.pool)
	}
}

// BenchmarkStep measures a step. For peer/run, which compares it with PyTorch, it
// reports the best time and the least processor time within SOTTO_PEER seconds, and
// the most memory that the process had.
func BenchmarkStep(b *testing.B) {
	s := newStep(b, runtime.GOMAXPROCS(0))
	s.run() // which allocates
	seconds, err := strconv.ParseFloat(os.Getenv("SOTTO_PEER"), 64)
	if err != nil {
		for b.Loop() {
			s.run()
		}
		return
	}
	best, least := time.Hour, time.Hour
	for start := time.Now(); time.Since(start).Seconds() < seconds || best == time.Hour; {
		before, spent := time.Now(), processor(b)
		s.run()
		best, least = min(best, time.Since(before)), min(least, processor(b)-spent)
	}
	for b.Loop() { // what there is to measure has been measured
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(best.Seconds()*1000, "step")
	b.ReportMetric(least.Seconds()*1000, "cpu")
	b.ReportMetric(memory(b), "memory")
}

// processor returns the processor time that this process has had.
func processor(tb testing.TB) time.Duration {
	r := usage(tb)
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// memory returns the most memory that this process has had, in MB.
func memory(tb testing.TB) float64 { return float64(usage(tb).Maxrss) * 1024 / 1e6 }

func usage(tb testing.TB) syscall.Rusage {
	tb.Helper()
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		tb.Fatal(err)
	}
	return r
}
