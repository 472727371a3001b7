package records

import (
	"errors"
	"math"
)

// logit is what weights say, of which the last is the constant.
func logit(w, x []float64) float64 {
	sum := w[len(w)-1]
	for k, v := range x {
		if v != 0 {
			sum += float64(w[k] * v)
		}
	}
	return sum
}

// descend finds the weights of least logistic loss, held back towards prior, by
// Newton's method from start. It returns the factor of Cholesky of the curvature, too.
func descend(pairs []MatchPair, prior, start []float64) (w, factor []float64, err error) {
	n := len(start)
	ridge := ridgeWhole + float64(ridgePair*float64(len(pairs)))
	w = append([]float64(nil), start...)
	before := loss(pairs, w, prior, ridge)
	for range 60 {
		gradient, hessian := curvature(pairs, w, prior, ridge)
		if !cholesky(hessian, n) {
			return nil, nil, errFinite
		}
		factor = hessian
		step := substitute(hessian, gradient, n)
		largest := 0.0
		for _, s := range step {
			largest = max(largest, math.Abs(s))
		}
		if !(largest < math.Inf(1)) {
			return nil, nil, errFinite
		}
		next, after := make([]float64, n), 0.0
		for share := 1.0; ; share /= 2 {
			for k := range w {
				next[k] = w[k] - float64(share*step[k])
			}
			after = loss(pairs, next, prior, ridge)
			if after <= before || share < 1e-6 {
				break
			}
		}
		w = next
		if largest < 1e-6 || before-after < 1e-10*(1+math.Abs(before)) {
			break
		}
		before = after
	}
	return w, factor, nil
}

var errFinite = errors.New("match: the model has no finite weights, must have: are the columns empty?")

// loss is that of weights.
func loss(pairs []MatchPair, w, prior []float64, ridge float64) float64 {
	var sum float64
	for _, p := range pairs {
		z := logit(w, p.X)
		if p.Same {
			z = -z
		}
		sum += max(z, 0) + math.Log1p(math.Exp(-math.Abs(z)))
	}
	for k := range w {
		d := w[k] - prior[k]
		sum += float64(ridge / 2 * d * d)
	}
	return sum
}

// curvature returns the gradient and the lower half of the matrix of second
// derivatives.
func curvature(pairs []MatchPair, w, prior []float64, ridge float64) (gradient, hessian []float64) {
	n := len(w)
	gradient, hessian = make([]float64, n), make([]float64, n*n)
	at := make([]int, 0, n)
	for _, pair := range pairs {
		p := Probability(logit(w, pair.X))
		d := p
		if pair.Same {
			d--
		}
		at = at[:0]
		for k, v := range pair.X {
			if v != 0 {
				at = append(at, k)
			}
		}
		c := float64(p * (1 - p))
		for x, i := range at {
			v := pair.X[i]
			gradient[i] += float64(d * v)
			row, cv := hessian[i*n:], float64(c*v)
			for _, j := range at[:x+1] {
				row[j] += float64(cv * pair.X[j])
			}
			hessian[(n-1)*n+i] += cv
		}
		gradient[n-1] += d
		hessian[n*n-1] += c
	}
	for i := range n {
		gradient[i] += float64(ridge * (w[i] - prior[i]))
		hessian[i*n+i] += ridge
	}
	return gradient, hessian
}

// cholesky puts the factor of a positive definite matrix, of which the lower half is
// given, in its place.
func cholesky(a []float64, n int) bool {
	for j := range n {
		rj := a[j*n : j*n+j]
		for i := j; i < n; i++ {
			s := a[i*n+j]
			for k, v := range a[i*n : i*n+j] {
				s -= float64(v * rj[k])
			}
			if i == j {
				if !(s > 0) {
					return false
				}
				a[j*n+j] = math.Sqrt(s)
			} else {
				a[i*n+j] = s / a[j*n+j]
			}
		}
	}
	return true
}

// forward solves l·x = b for the lower half l.
func forward(l, b []float64, n int) []float64 {
	x := append([]float64(nil), b...)
	for i := range n {
		for k := range i {
			x[i] -= float64(l[i*n+k] * x[k])
		}
		x[i] /= l[i*n+i]
	}
	return x
}

// substitute solves l·lᵀ·x = b.
func substitute(l, b []float64, n int) []float64 {
	x := forward(l, b, n)
	for i := n - 1; i >= 0; i-- {
		for k := i + 1; k < n; k++ {
			x[i] -= float64(l[k*n+i] * x[k])
		}
		x[i] /= l[i*n+i]
	}
	return x
}
