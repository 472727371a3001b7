package sequence_test

import (
	"math"
	weakrand "math/rand/v2"
	"slices"
	"testing"

	"sotto/compute/nn"
	"sotto/compute/nn/sequence"
)

func generator() *weakrand.Rand { return weakrand.New(weakrand.NewPCG(1, 2)) }

// random returns a matrix of numbers in ±1.
func random(rng *weakrand.Rand, rows, cols int) nn.Matrix {
	m := nn.NewMatrix(rows, cols)
	for i := range m.Data {
		m.Data[i] = float32(2*rng.Float64() - 1)
	}
	return m
}

// along returns Σ of the products of two matrices, number by number: a loss whose
// gradient with respect to one is the other.
func along(a, b nn.Matrix) float64 {
	sum := 0.0
	for i, v := range a.Data {
		sum += float64(v) * float64(b.Data[i])
	}
	return sum
}

// differ holds a gradient against differences of the loss. Single precision leaves some
// four digits of such a difference at a step of 0.01.
func differ(t *testing.T, name string, x, grad []float32, loss func() float64) {
	t.Helper()
	for i := range x {
		kept := x[i]
		x[i] = kept + 0.01
		up := loss()
		x[i] = kept - 0.01
		down := loss()
		x[i] = kept
		want, got := (up-down)/0.02, float64(grad[i])
		if math.Abs(want-got) > 2e-3+0.02*math.Abs(want) {
			t.Errorf("%s[%d]: gradient %v, by differences %v", name, i, got, want)
		}
	}
}

// check holds all gradients of parameters against differences.
func check(t *testing.T, params []nn.Param, loss func() float64) {
	t.Helper()
	for _, q := range params {
		if q.Touched == nil {
			differ(t, q.Name, q.Value.Data, slices.Clone(q.Grad.Data), loss)
			continue
		}
		rows, grad := slices.Clone(q.Touched.Rows), q.Touched.Grad.Clone()
		for k, row := range rows {
			differ(t, q.Name, q.Value.Row(row), grad.Row(k), loss)
		}
	}
}

func TestBothGradients(t *testing.T) {
	p, rng := nn.NewPool(1), generator()
	steps := sequence.NewSteps([]int{4, 2, 2, 1})
	b := sequence.NewBoth(3, 4, rng)
	x, w := random(rng, steps.Rows(), 3), random(rng, steps.Rows(), 8)
	loss := func() float64 { return along(b.Forward(p, x, steps), w) }
	loss()
	dx := b.Backward(p, w).Clone()
	differ(t, "x", x.Data, dx.Data, loss)
	check(t, b.Params(), loss)
}

// TestShared holds states that are computed once for sequences that are alike against those
// that are computed for each, bit for bit.
func TestShared(t *testing.T) {
	rng := generator()
	x := random(rng, 5, 6)
	words := [][]int{{0, 1, 2, 3, 4, 1}, {0, 1, 2, 3, 0, 1}, {0, 1, 2, 3, 4}, {4, 1, 2}, {2, 2, 2}, {1}}
	var lengths []int
	for _, w := range words {
		lengths = append(lengths, len(w))
	}
	steps := sequence.NewSteps(lengths)
	rows, each := make([]int, steps.Rows()), nn.NewMatrix(steps.Rows(), 6)
	for k, w := range words {
		for at, word := range w {
			rows[steps.Row(k, at)] = word
			copy(each.Row(steps.Row(k, at)), x.Row(word))
		}
	}
	for _, workers := range []int{1, 2} {
		b, p := sequence.NewBoth(6, 9, rng), nn.NewPool(workers)
		want := b.Forward(p, each, steps).Clone()
		if got := b.Shared(p, x, rows, steps); !slices.Equal(got.Data, want.Data) {
			t.Errorf("%d workers: states that are shared are others", workers)
		}
	}
}

func TestGraphGradients(t *testing.T) {
	p, rng := nn.NewPool(1), generator()
	g := sequence.NewGraph(3, 4, rng)
	x := random(rng, 5, 3)
	neighbours := [][]int{{1, 2}, {0}, {0, 3}, {2}, nil}
	sets := [][]int{{0, 1, 2}, {3}, {4, 2}}
	var largest sequence.Largest
	w := random(rng, 3, 4)
	loss := func() float64 {
		return along(largest.Forward(p, g.Forward(p, x, neighbours), sets), w)
	}
	loss()
	dh := nn.NewMatrix(5, 4)
	largest.Backward(w, dh)
	dx := g.Backward(p, dh).Clone()
	differ(t, "x", x.Data, dx.Data, loss)
	check(t, g.Params(), loss)
}

// sources are two sentences, the second of which is attended to by the longer sequence.
func sources(rng *weakrand.Rand, memory, hidden int) sequence.Sources {
	return sequence.Sources{
		X: random(rng, 5, memory), Rows: [][]int{{3, 4}, {0, 2, 1}},
		Start: [2]nn.Matrix{random(rng, 2, hidden), random(rng, 2, hidden)},
	}
}

func TestDecoderGradients(t *testing.T) {
	p, rng := nn.NewPool(1), generator()
	d, err := sequence.NewDecoder(sequence.Shape{Words: 5, Embedding: 3, Memory: 4, Hidden: 3}, 0, 1, rng)
	if err != nil {
		t.Fatal(err)
	}
	from, steps, ids := sources(rng, 4, 3), sequence.NewSteps([]int{3, 2}), []int{0, 0, 1, 2, 3}
	w := random(rng, 5, 5)
	loss := func() float64 { return along(d.Forward(p, nn.Train, from, steps, ids), w) }
	loss()
	dX, dStart := d.Backward(p, w)
	dx, d1, d2 := dX.Clone(), dStart[0].Clone(), dStart[1].Clone()
	differ(t, "memory", from.X.Data, dx.Data, loss)
	differ(t, "first start", from.Start[0].Data, d1.Data, loss)
	differ(t, "second start", from.Start[1].Data, d2.Data, loss)
	check(t, d.Params(), loss)
}

// A decoder that has learnt to copy the order of its sources writes it, on any number of
// workers to the same bits.
func TestGreedy(t *testing.T) {
	const first, last = 0, 1
	train := func(workers int) ([][]int, float32) {
		p, rng := nn.NewPool(workers), generator()
		d, err := sequence.NewDecoder(sequence.Shape{Words: 6, Embedding: 8, Memory: 16, Hidden: 16}, 0.1, 1, rng)
		if err != nil {
			t.Fatal(err)
		}
		from := sources(rng, 16, 16)
		steps := sequence.NewSteps([]int{4, 3}) // 2 3 4 and 5 2, each behind the first word
		ids, next := []int{first, first, 2, 5, 3, 2, 4}, []int{2, 5, 3, 2, 4, last, last}
		adam, err := nn.Adam{Rate: 0.02}.New(d.Params())
		if err != nil {
			t.Fatal(err)
		}
		var loss nn.SoftmaxCrossEntropy
		for range 60 {
			_, grad := loss.Loss(p, d.Forward(p, nn.Train, from, steps, ids), next)
			d.Backward(p, grad)
			adam.Step(p)
		}
		return d.Greedy(p, from, first, last, 9), d.Params()[2].Value.Data[7]
	}
	got, one := train(1)
	if want := [][]int{{2, 3, 4}, {5, 2}}; !slices.EqualFunc(got, want, slices.Equal[[]int]) {
		t.Errorf("Greedy = %v, want %v", got, want)
	}
	if _, three := train(3); three != one {
		t.Errorf("a weight is %v with three workers and %v with one", three, one)
	}
}

func TestSteps(t *testing.T) {
	s := sequence.NewSteps([]int{3, 1})
	if s.Rows() != 4 || s.Count() != 3 || s.Row(1, 0) != 1 || s.Row(0, 2) != 3 || s.Length(1) != 1 || s.Sequences() != 2 {
		t.Errorf("NewSteps(3, 1) = %+v", s)
	}
	for _, bad := range [][]int{{1, 2}, {2, 0}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("NewSteps(%v) did not panic", bad)
				}
			}()
			sequence.NewSteps(bad)
		}()
	}
}
