package measure_test

import (
	"math"
	weakrand "math/rand/v2"
	"testing"

	"sotto/compute/measure"
	"sotto/compute/nn"
)

// reference is a linear attacker on two classes in double precision, written
// for reading: one logit, weights last but for the bias.
type reference struct {
	w, grad, m, v []float64
	steps         int
}

func (r *reference) logit(x []float64) float64 {
	y := r.w[len(x)]
	for j, v := range x {
		y += v * r.w[j]
	}
	return y
}

// step takes a step of Adam on a batch and returns the loss before it.
func (r *reference) step(x [][]float64, z, rows []int, rate, alpha float64) float64 {
	b, d, loss := float64(len(rows)), len(r.w)-1, 0.0
	clear(r.grad)
	for _, i := range rows {
		p := 1 / (1 + math.Exp(-r.logit(x[i])))
		loss -= (float64(z[i])*math.Log(p) + float64(1-z[i])*math.Log(1-p)) / b
		for j, v := range x[i] {
			r.grad[j] += (p - float64(z[i])) * v / b
		}
		r.grad[d] += (p - float64(z[i])) / b
	}
	for j, w := range r.w[:d] {
		loss += alpha / (2 * b) * w * w
		r.grad[j] += alpha / b * w
	}
	r.steps++
	for j, g := range r.grad {
		r.m[j] = 0.9*r.m[j] + 0.1*g
		r.v[j] = 0.999*r.v[j] + 0.001*g*g
		mean, square := r.m[j]/(1-math.Pow(0.9, float64(r.steps))), r.v[j]/(1-math.Pow(0.999, float64(r.steps)))
		r.w[j] -= rate * mean / (math.Sqrt(square) + 1e-8)
	}
	return loss
}

// standardised returns the columns of x with mean 0 and deviation 1.
func standardised(x nn.Matrix) [][]float64 {
	rows := make([][]float64, x.Rows)
	for i := range rows {
		rows[i] = make([]float64, x.Cols)
	}
	for j := range x.Cols {
		mean, square := 0.0, 0.0
		for i := range rows {
			mean += float64(x.Row(i)[j]) / float64(x.Rows)
		}
		for i := range rows {
			square += math.Pow(float64(x.Row(i)[j])-mean, 2) / float64(x.Rows)
		}
		for i := range rows {
			rows[i][j] = (float64(x.Row(i)[j]) - mean) / math.Sqrt(square)
		}
	}
	return rows
}

// TestReference trains beside the reference, with the same random numbers, to
// the end: the order of rows, the penalty and the stop must be the same. Each of
// 75 steps rounds weights of the order of 1 to float32, by 6·10⁻⁸, and a logit
// sums five of them: 75·6·10⁻⁸·5 is below 10⁻⁴, which is far less than what
// another order of rows changes.
func TestReference(t *testing.T) {
	r := rng(17)
	const n, d = 130, 4
	data := measure.Labelled{X: normal(r, n, d), Z: make([]int, n)}
	for i := range n {
		if v := data.X.Row(i); float64(v[0])+0.5*float64(v[1])+r.NormFloat64() > 0 {
			data.Z[i] = 1
		}
	}
	h := measure.Probe{Hidden: []int{}, Rate: 0.01, Alpha: 2, Batch: 50, Patience: 3, Tolerance: 1e-3, Seed: 8}
	a := fit(t, 1, h, data, 2)

	draws := weakrand.New(weakrand.NewPCG(h.Seed, 0x6d656173757265))
	ref := reference{w: make([]float64, d+1), grad: make([]float64, d+1), m: make([]float64, d+1), v: make([]float64, d+1)}
	for j, w := range nn.NewDense(d, 1, draws).Params()[0].Value.Data {
		ref.w[j] = float64(w)
	}
	x, rows := standardised(data.X), draws.Perm(n)
	best, idle, epochs := math.Inf(1), 0, 0
	for ; idle <= h.Patience; epochs++ {
		draws.Shuffle(n, func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		loss := 0.0
		for lo := 0; lo < n; lo += h.Batch {
			part := rows[lo:min(lo+h.Batch, n)]
			loss += ref.step(x, data.Z, part, h.Rate, h.Alpha) * float64(len(part)) / n
		}
		idle++
		if loss <= best-h.Tolerance {
			idle = 0
		}
		best = min(best, loss)
	}
	if a.Epochs != epochs {
		t.Errorf("training took %d epochs, want %d", a.Epochs, epochs)
	}
	got := a.Probabilities(nn.NewPool(1), data.X)
	for i := range n {
		if want := 1 / (1 + math.Exp(-ref.logit(x[i]))); !near(float64(got.Row(i)[1]), want, 1e-4) {
			t.Fatalf("row %d: P(1) = %v, want %v", i, got.Row(i)[1], want)
		}
	}
}
