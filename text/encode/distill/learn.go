package distill

import (
	"context"
	"errors"
	"fmt"
	"math"
	weakrand "math/rand/v2"

	"sotto/compute/nn"
)

// learner fits the table.
type learner struct {
	Settings
	table   nn.Matrix // tokens × dim
	squares []float32 // sums of squared gradients, for Adagrad
	goals   nn.Matrix // texts × dim
	tokens  [][]int32 // of each text
}

// learn trains until the held-out loss has not gained for a while, and leaves
// the best table.
func (l *learner) learn(ctx context.Context, tell func(Report)) error {
	rng := weakrand.New(weakrand.NewPCG(l.Seed, 0))
	order := rng.Perm(len(l.tokens))
	held := order[:min(max(1, int(l.HeldOut*float64(len(order)))), len(order)-1)]
	rows := order[len(held):]
	best, kept, idle := l.loss(held), l.table.Clone(), 0
	tell(Report{Stage: "epoch", Total: l.Epochs, Loss: best})
	for epoch := 1; epoch <= l.Epochs && idle < l.Patience; epoch++ {
		rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		for k, row := range rows {
			if k%1024 == 0 && ctx.Err() != nil {
				return fmt.Errorf("distill: %w", ctx.Err())
			}
			l.step(row)
		}
		loss := l.loss(held)
		if math.IsNaN(loss) {
			return errors.New("distill: the training diverged; lower the rate")
		}
		tell(Report{Stage: "epoch", Done: epoch, Total: l.Epochs, Loss: loss})
		if loss < best {
			best, idle = loss, 0
			copy(kept.Data, l.table.Data)
		} else {
			idle++
		}
	}
	l.table = kept
	return nil
}

// sum adds up the vectors of a text's tokens.
func (l *learner) sum(row int) []float64 {
	u := make([]float64, l.table.Cols)
	for _, id := range l.tokens[row] {
		for j, v := range l.table.Row(int(id)) {
			u[j] += float64(v)
		}
	}
	return u
}

// cosine returns the cosine of u and goal, and both lengths.
func cosine(u []float64, goal []float32) (cos, size, length float64) {
	dot := 0.0
	for j, v := range u {
		g := float64(goal[j])
		dot += v * g
		size += v * v
		length += g * g
	}
	size, length = math.Sqrt(size), math.Sqrt(length)
	if !(size*length > 0) {
		return 0, size, length
	}
	return dot / (size * length), size, length
}

// loss is the mean of 1 − cosine over some texts.
func (l *learner) loss(rows []int) float64 {
	total := 0.0
	for _, row := range rows {
		cos, _, _ := cosine(l.sum(row), l.goals.Row(row))
		total += 1 - cos
	}
	return total / float64(len(rows))
}

// step moves the vectors of one text's tokens along the gradient of 1 − cosine:
// with û and ĝ of length 1 it is (cos·û − ĝ)/|u| for the sum u, and so for each
// token in it.
func (l *learner) step(row int) {
	goal := l.goals.Row(row)
	u := l.sum(row)
	cos, size, length := cosine(u, goal)
	if !(size > 1e-9 && length > 1e-9) {
		return
	}
	gradient := u
	for j := range u {
		gradient[j] = (cos*u[j]/size - float64(goal[j])/length) / size
	}
	for _, id := range l.tokens[row] {
		weights := l.table.Row(int(id))
		squares := l.squares[int(id)*l.table.Cols:][:l.table.Cols]
		for j, g := range gradient {
			squares[j] += float32(g * g)
			weights[j] -= float32(l.Rate * g / (math.Sqrt(float64(squares[j])) + 1e-10))
		}
	}
}
