package nn_test

import (
	"fmt"
	"testing"

	"sotto/compute/nn"
)

// BenchmarkStep is one training step of FEDERATE at Twitter's size: encoder
// 2304→300→300, L1 and Laplace noise, classifier 300→2, adversary
// 300→300→300→2, Adam, 2000 rows. Its matrix products are 8.78·10⁹ operations.
func BenchmarkStep(b *testing.B) { benchmarkStep(b, nn.NewPool) }

func benchmarkStep(b *testing.B, newPool func(workers int) *nn.Pool) {
	const rows, operations = 2000, 8.78e9
	x, labels, protected := batch(1, rows, 2304)
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			m := newPrivate(b, privateShape{in: 2304, hidden: 300, code: 300}, 1)
			compare(b, newPool, workers, operations, func(p *nn.Pool) { m.step(p, x, labels, protected) })
			b.ReportMetric(1000*b.Elapsed().Seconds()/float64(b.N), "ms/step")
		})
	}
}

// BenchmarkAttack is one training step of an attack model, 300→512→2 on 256
// rows, on one worker.
func BenchmarkAttack(b *testing.B) { benchmarkAttack(b, nn.NewPool) }

func benchmarkAttack(b *testing.B, newPool func(workers int) *nn.Pool) {
	step := newAttack(b, newPool)
	for b.Loop() {
		step()
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "steps/s")
}

// newAttack returns what trains an attack model by one step.
func newAttack(b *testing.B, newPool func(workers int) *nn.Pool) func() {
	b.Helper()
	x, labels, _ := batch(1, 256, 300)
	r := rng(1)
	first := nn.NewDense(300, 512, r)
	first.NoInputGrad = true
	model := nn.Sequential{first, &nn.ReLU{}, nn.NewDense(512, 2, r)}
	adam, err := nn.Adam{}.New(model.Params())
	if err != nil {
		b.Fatal(err)
	}
	p := newPool(1)
	var loss nn.SoftmaxCrossEntropy
	return func() {
		_, grad := loss.Loss(p, model.Forward(p, nn.Train, x), labels)
		model.Backward(p, grad)
		adam.Step(p)
	}
}

// BenchmarkLayers measures what is not a matrix product, on 2000 rows of 300.
func BenchmarkLayers(b *testing.B) {
	dropout, err := nn.NewDropout(0.1, 1)
	if err != nil {
		b.Fatal(err)
	}
	noise, err := nn.NewNoise(laplace(b, 300, 8), 1)
	if err != nil {
		b.Fatal(err)
	}
	x := random(rng(1), 2000, 300)
	p := nn.NewPool(1)
	for _, l := range []struct {
		name  string
		layer nn.Layer
	}{
		{"ReLU", &nn.ReLU{}},
		{"Tanh", &nn.Tanh{}},
		{"Dropout", dropout},
		{"L1Normalize", &nn.L1Normalize{}},
		{"L2Normalize", &nn.L2Normalize{}},
		{"MinMaxNormalize", &nn.MinMaxNormalize{}},
		{"GradientReversal", &nn.GradientReversal{Lambda: 1}},
		{"Noise", noise},
	} {
		b.Run(l.name+"/forward", func(b *testing.B) {
			for b.Loop() {
				l.layer.Forward(p, nn.Train, x)
			}
		})
		b.Run(l.name+"/backward", func(b *testing.B) {
			l.layer.Forward(p, nn.Train, x)
			for b.Loop() {
				l.layer.Backward(p, x)
			}
		})
	}
}

func BenchmarkAdam(b *testing.B) {
	const n = 2304 * 300
	for _, p := range []*nn.Pool{nn.NewPool(1), nn.NewPortablePool(1)} {
		b.Run(p.Kernel(), func(b *testing.B) {
			ps := params(n)
			o, err := nn.Adam{}.New(ps)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				o.Step(p)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/weight")
		})
	}
}
