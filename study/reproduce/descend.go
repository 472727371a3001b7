package reproduce

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// memory is how many steps L-BFGS remembers.
const memory = 8

// descend minimises a convex function by L-BFGS (Nocedal and Wright, Numerical
// Optimization, algorithm 7.4) with a backtracking line search, from start on,
// in at most the given number of steps. f writes the gradient at theta and
// returns the value. It ends early where the gradient is below 10⁻⁵ everywhere
// or a step lowers the value by less than a millionth: f is computed in
// float32, so smaller differences mean nothing.
func descend(ctx context.Context, start []float64, steps int, f func(theta, grad []float64) float64) ([]float64, error) {
	theta, grad := slices.Clone(start), make([]float64, len(start))
	next, nextGrad := make([]float64, len(start)), make([]float64, len(start))
	value := f(theta, grad)
	var h history
	for range steps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if floats.Norm(grad, math.Inf(1)) < 1e-5 {
			break
		}
		direction := h.direction(grad)
		slope := dot(direction, grad)
		if !(slope < 0) { // what is remembered is worn out
			h = history{}
			direction = h.direction(grad)
			slope = dot(direction, grad)
		}
		rate, lower := 1.0, math.NaN()
		if len(h.steps) == 0 {
			rate = min(1, 1/math.Sqrt(-slope)) // no idea of the scale yet
		}
		for range 30 {
			lower = f(floats.AddScaledTo(next, theta, rate, direction), nextGrad)
			if lower <= value+1e-4*rate*slope {
				break
			}
			rate /= 2
		}
		if !(lower < value) {
			break // within rounding of the minimum
		}
		h.add(next, theta, nextGrad, grad)
		done := value-lower < 1e-6*max(1, math.Abs(value))
		theta, next, grad, nextGrad, value = next, theta, nextGrad, grad, lower
		if done {
			break
		}
	}
	return theta, nil
}

// history holds the last differences of points and of gradients.
type history struct {
	steps, turns [][]float64
}

func (h *history) add(next, last, nextGrad, lastGrad []float64) {
	s := floats.SubTo(make([]float64, len(next)), next, last)
	y := floats.SubTo(make([]float64, len(next)), nextGrad, lastGrad)
	if !(dot(s, y) > 1e-12) {
		return // rounding made it bend the wrong way
	}
	if len(h.steps) == memory {
		h.steps, h.turns = h.steps[1:], h.turns[1:]
	}
	h.steps, h.turns = append(h.steps, s), append(h.turns, y)
}

// direction returns −H·grad, H being the remembered inverse of the curvature.
func (h *history) direction(grad []float64) []float64 {
	q := slices.Clone(grad)
	alpha := make([]float64, len(h.steps))
	for i := len(h.steps) - 1; i >= 0; i-- {
		alpha[i] = dot(h.steps[i], q) / dot(h.steps[i], h.turns[i])
		floats.AddScaled(q, -alpha[i], h.turns[i])
	}
	if n := len(h.steps); n > 0 {
		floats.Scale(dot(h.steps[n-1], h.turns[n-1])/dot(h.turns[n-1], h.turns[n-1]), q)
	}
	for i := range h.steps {
		beta := dot(h.turns[i], q) / dot(h.steps[i], h.turns[i])
		floats.AddScaled(q, alpha[i]-beta, h.steps[i])
	}
	floats.Scale(-1, q)
	return q
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}
