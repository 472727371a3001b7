package errors

import "math"

// logistic is a logistic regression on a few scores, each scaled to mean 0 and
// deviation 1.
type logistic struct {
	mean, deviation []float64
	weights         []float64 // the last is the constant
}

// fitLogistic fits the weights by Newton's method with a little ridge, so that they
// stay finite where a score tells right from wrong without fault. scores[k][i] is
// score k of row i.
func fitLogistic(scores [][]float64, wrong []bool) *logistic {
	l := &logistic{weights: make([]float64, len(scores)+1)}
	n := float64(len(wrong))
	for _, s := range scores {
		mean, square := 0.0, 0.0
		for _, v := range s {
			mean += v
		}
		mean /= n
		for _, v := range s {
			square += float64((v - mean) * (v - mean))
		}
		deviation := math.Sqrt(square / n)
		if deviation == 0 {
			deviation = 1
		}
		l.mean, l.deviation = append(l.mean, mean), append(l.deviation, deviation)
	}
	const steps, ridge = 25, 1e-3
	d := len(l.weights)
	x := make([]float64, d)
	for range steps {
		gradient, hessian := make([]float64, d), make([][]float64, d)
		for j := range hessian {
			hessian[j] = make([]float64, d)
			gradient[j] = -float64(ridge * l.weights[j])
			hessian[j][j] = ridge
		}
		for i, w := range wrong {
			l.scale(x, scores, i)
			p := sigmoid(dot(l.weights, x))
			left := -p
			if w {
				left = 1 - p
			}
			curve := p * (1 - p)
			for j := range d {
				gradient[j] += float64(left * x[j])
				for k := range d {
					hessian[j][k] += float64(float64(curve*x[j]) * x[k])
				}
			}
		}
		for j, s := range solve(hessian, gradient) {
			l.weights[j] += s
		}
	}
	return l
}

// scale writes the scores of a row as the regression takes them.
func (l *logistic) scale(x []float64, scores [][]float64, i int) {
	for k, s := range scores {
		x[k] = (s[i] - l.mean[k]) / l.deviation[k]
	}
	x[len(scores)] = 1
}

// apply returns the answers to rows, in the order of their chance of an error.
func (l *logistic) apply(scores [][]float64, rows int) []float64 {
	x, out := make([]float64, len(l.weights)), make([]float64, rows)
	for i := range out {
		l.scale(x, scores, i)
		out[i] = sigmoid(dot(l.weights, x))
	}
	return out
}

func sigmoid(z float64) float64 { return 1 / (1 + math.Exp(-z)) }

func dot(a, b []float64) float64 {
	sum := 0.0
	for i, v := range a {
		sum += float64(v * b[i])
	}
	return sum
}

// solve returns x with a·x = b, a being positive definite, by Gauss' elimination. It
// changes both.
func solve(a [][]float64, b []float64) []float64 {
	n := len(b)
	for i := range n {
		for j := i + 1; j < n; j++ {
			factor := a[j][i] / a[i][i]
			for k := i; k < n; k++ {
				a[j][k] -= float64(factor * a[i][k])
			}
			b[j] -= float64(factor * b[i])
		}
	}
	for i := n - 1; i >= 0; i-- {
		for k := i + 1; k < n; k++ {
			b[i] -= float64(a[i][k] * b[k])
		}
		b[i] /= a[i][i]
	}
	return b
}
