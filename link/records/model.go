package records

import (
	"errors"
	"math"
)

// model is a logistic regression on features of pairs.
type model struct {
	weight []float64 // the last is the constant
}

// ridge keeps weights finite where features tell classes apart completely.
const ridge = 1e-5

// fit finds the weights of least logistic loss by Newton's method, each pair counting
// alike, so that probabilities are those of candidate pairs.
func fit(x [][]float64, same []bool) (*model, error) {
	positive := 0
	for _, s := range same {
		if s {
			positive++
		}
	}
	if positive == 0 || positive == len(same) {
		return nil, errors.New("records: of the labelled pairs that were compared all are the same or none is, must have both: label more rows, or more of one entity")
	}
	n := len(x[0]) + 1
	m := &model{weight: make([]float64, n)}
	for range 50 {
		gradient, hessian := make([]float64, n), make([]float64, n*n)
		for k, row := range x {
			p := m.probability(row)
			d := p
			if same[k] {
				d--
			}
			at := func(i int) float64 {
				if i == n-1 {
					return 1
				}
				return row[i]
			}
			for i := range n {
				v := at(i)
				if v == 0 {
					continue
				}
				gradient[i] += d * v
				for j := range i + 1 {
					hessian[i*n+j] += p * (1 - p) * v * at(j)
				}
			}
		}
		size := float64(len(x))
		for i := range n {
			gradient[i] += ridge * size * m.weight[i]
			hessian[i*n+i] += ridge * size
		}
		step := solve(hessian, gradient, n)
		largest := 0.0
		for i := range n {
			m.weight[i] -= step[i]
			largest = max(largest, math.Abs(step[i]))
		}
		if !(largest < math.Inf(1)) {
			return nil, errors.New("records: the model has no finite weights, must have: are the columns numbers alone?")
		}
		if largest < 1e-8 {
			break
		}
	}
	return m, nil
}

// probability returns how likely a pair is the same.
func (m *model) probability(row []float64) float64 {
	sum := m.weight[len(m.weight)-1]
	for i, v := range row {
		sum += m.weight[i] * v
	}
	return 1 / (1 + math.Exp(-sum))
}

// solve solves a·x = b for a positive definite matrix, of which the lower half is
// given, by the decomposition of Cholesky.
func solve(a, b []float64, n int) []float64 {
	x := append([]float64(nil), b...)
	for j := range n {
		for i := j; i < n; i++ {
			for k := range j {
				a[i*n+j] -= a[i*n+k] * a[j*n+k]
			}
			if i == j {
				a[j*n+j] = math.Sqrt(a[j*n+j])
			} else {
				a[i*n+j] /= a[j*n+j]
			}
		}
	}
	for i := range n {
		for k := range i {
			x[i] -= a[i*n+k] * x[k]
		}
		x[i] /= a[i*n+i]
	}
	for i := n - 1; i >= 0; i-- {
		for k := i + 1; k < n; k++ {
			x[i] -= a[k*n+i] * x[k]
		}
		x[i] /= a[i*n+i]
	}
	return x
}
