package nn_test

import (
	"fmt"
	"testing"

	"sotto/compute/nn"
)

// private is a model of FEDERATE's shape: an encoder whose output is normalised
// and made noisy, a classifier, and an adversary behind a gradient reversal.
type private struct {
	encoder, classifier, adversary nn.Sequential
	reversal                       *nn.GradientReversal
	optimizer                      *nn.Optimizer
	task, attack                   nn.SoftmaxCrossEntropy
	random                         []*uint64 // passes of the layers that draw
}

type privateShape struct {
	in, hidden, code int
	dropout          float64
}

func newPrivate(tb testing.TB, s privateShape, seed uint64) *private {
	tb.Helper()
	r := rng(seed)
	noise, err := nn.NewNoise(laplace(tb, s.code, 8), seed)
	if err != nil {
		tb.Fatal(err)
	}
	first := nn.NewDense(s.in, s.hidden, r)
	first.NoInputGrad = true
	m := &private{reversal: &nn.GradientReversal{Lambda: 1}, random: []*uint64{&noise.Pass}}
	m.encoder = nn.Sequential{first, &nn.ReLU{}}
	if s.dropout > 0 {
		dropout, faulty := nn.NewDropout(s.dropout, seed)
		if faulty != nil {
			tb.Fatal(faulty)
		}
		m.encoder = append(m.encoder, dropout)
		m.random = append(m.random, &dropout.Pass)
	}
	m.encoder = append(m.encoder, nn.NewDense(s.hidden, s.code, r), &nn.L1Normalize{}, noise)
	m.classifier = nn.Sequential{nn.NewDense(s.code, 2, r)}
	m.adversary = nn.Sequential{
		m.reversal, nn.NewDense(s.code, s.hidden, r), &nn.ReLU{}, nn.NewDense(s.hidden, s.hidden, r), &nn.ReLU{}, nn.NewDense(s.hidden, 2, r),
	}
	if m.optimizer, err = (nn.Adam{}).New(m.params()); err != nil {
		tb.Fatal(err)
	}
	return m
}

func (m *private) params() []nn.Param {
	return nn.Sequential{m.encoder, m.classifier, m.adversary}.Params()
}

// step trains on one batch and returns the loss of the classifier.
func (m *private) step(p *nn.Pool, x nn.Matrix, labels, protected []int) float64 {
	z := m.encoder.Forward(p, nn.Train, x)
	loss, grad := m.task.Loss(p, m.classifier.Forward(p, nn.Train, z), labels)
	_, attack := m.attack.Loss(p, m.adversary.Forward(p, nn.Train, z), protected)
	sum := m.classifier.Backward(p, grad)
	p.AddScaled(sum, 1, m.adversary.Backward(p, attack))
	m.encoder.Backward(p, sum)
	m.optimizer.Step(p)
	return loss
}

// batch returns rows whose labels are the signs of their first two columns.
func batch(seed uint64, rows, cols int) (x nn.Matrix, labels, protected []int) {
	x = random(rng(seed), rows, cols)
	labels, protected = make([]int, rows), make([]int, rows)
	for i := range rows {
		if x.Row(i)[0] > 0 {
			labels[i] = 1
		}
		if x.Row(i)[1] > 0 {
			protected[i] = 1
		}
	}
	return x, labels, protected
}

var small = privateShape{in: 37, hidden: 19, code: 11, dropout: 0.1}

// train runs steps of the small model and returns it.
func train(tb testing.TB, p *nn.Pool, seed uint64, steps int) *private {
	tb.Helper()
	m := newPrivate(tb, small, seed)
	for i := range steps {
		x, labels, protected := batch(uint64(i), 300, small.in)
		m.step(p, x, labels, protected)
	}
	return m
}

// sameModel reports the first parameter in which two models differ.
func sameModel(a, b *private) error {
	other := b.params()
	for i, q := range a.params() {
		if !sameBits(q.Value, other[i].Value) {
			return fmt.Errorf("%s differs", q.Name)
		}
	}
	return nil
}

func TestDeterminism(t *testing.T) {
	const steps = 15
	for name, newPool := range map[string]func(workers int) *nn.Pool{"best": nn.NewPool, "portable": nn.NewPortablePool} {
		want := train(t, newPool(1), 1, steps)
		for _, workers := range []int{1, 2, 7} {
			if err := sameModel(want, train(t, newPool(workers), 1, steps)); err != nil {
				t.Errorf("%s, %d workers: %v", name, workers, err)
			}
		}
		if sameModel(want, train(t, newPool(1), 2, steps)) == nil {
			t.Errorf("%s: another seed gives the same model", name)
		}
	}
}

// TestResume stops in the middle and carries everything that can be saved over
// to a new model.
func TestResume(t *testing.T) {
	const steps = 10
	p := nn.NewPool(2)
	want := train(t, p, 1, steps)
	saved := train(t, p, 1, steps/2)
	m := newPrivate(t, small, 1)
	for i, q := range saved.params() {
		copy(m.params()[i].Value.Data, q.Value.Data)
	}
	for i, s := range saved.optimizer.State() {
		copy(m.optimizer.State()[i].Value.Data, s.Value.Data)
	}
	m.optimizer.Steps = saved.optimizer.Steps
	for i, pass := range saved.random {
		*m.random[i] = *pass
	}
	for i := steps / 2; i < steps; i++ {
		x, labels, protected := batch(uint64(i), 300, small.in)
		m.step(p, x, labels, protected)
	}
	if err := sameModel(want, m); err != nil {
		t.Error(err)
	}
}

// TestKernelsTrainAlike compares a training on both kernels, without noise
// that would hide a difference. They round differently, by about 10⁻⁷ a step,
// which Adam carries to the weights in proportion to its rate of 10⁻³; a wrong
// gradient moves them by 10⁻³ a step.
func TestKernelsTrainAlike(t *testing.T) {
	run := func(p *nn.Pool) nn.Sequential {
		r := rng(1)
		model := nn.Sequential{nn.NewDense(20, 33, r), &nn.Tanh{}, nn.NewDense(33, 2, r)}
		o, err := nn.Adam{}.New(model.Params())
		if err != nil {
			t.Fatal(err)
		}
		var loss nn.SoftmaxCrossEntropy
		for i := range 20 {
			x, labels, _ := batch(uint64(i), 100, 20)
			_, grad := loss.Loss(p, model.Forward(p, nn.Train, x), labels)
			model.Backward(p, grad)
			o.Step(p)
		}
		return model
	}
	a, b := run(nn.NewPool(1)).Params(), run(nn.NewPortablePool(1)).Params()
	for i, q := range a {
		if err := near(q.Value, b[i].Value, 1e-4); err != nil {
			t.Errorf("%s: %v", q.Name, err)
		}
	}
}

// Example trains a small network on the exclusive or of two inputs.
func Example() {
	p := nn.NewPool(1)
	r := rng(1) // weights are drawn from a seed
	model := nn.Sequential{nn.NewDense(2, 8, r), &nn.Tanh{}, nn.NewDense(8, 2, r)}
	adam, err := nn.Adam{Rate: 0.05}.New(model.Params())
	if err != nil {
		fmt.Println(err)
		return
	}
	x := nn.Matrix{Rows: 4, Cols: 2, Data: []float32{0, 0, 0, 1, 1, 0, 1, 1}}
	labels := []int{0, 1, 1, 0}
	var criterion nn.SoftmaxCrossEntropy
	for range 200 {
		_, grad := criterion.Loss(p, model.Forward(p, nn.Train, x), labels)
		model.Backward(p, grad)
		adam.Step(p)
	}
	y := model.Forward(p, nn.Infer, x)
	for i := range y.Rows {
		fmt.Println(x.Row(i), y.Row(i)[1] > y.Row(i)[0])
	}
	// Output:
	// [0 0] false
	// [0 1] true
	// [1 0] true
	// [1 1] false
}
