package weat

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// shrunk is the covariance (1−δ)·S + δ·μ·I of a sample covariance S with mean
// variance μ. It keeps S by its few eigenvectors, so that nothing has the size
// of a row squared.
type shrunk struct {
	dim       int
	shrinkage float64     // δ
	scale     float64     // μ
	vectors   [][]float64 // eigenvectors of S, of length 1, with values that are not 0
	values    []float64
}

// PrecisionLedoitWolf estimates a covariance from centred rows. The shrinkage δ is what
// minimises the expected squared error as far as the rows tell it, in a closed
// form (Ledoit and Wolf, A well-conditioned estimator for large-dimensional
// covariance matrices, 2004).
func PrecisionLedoitWolf(rows [][]float64) (*shrunk, error) {
	if err := checkRows(rows); err != nil {
		return nil, err
	}
	// All that is needed of S stands in the products of rows: G = XXᵀ has the
	// trace, the norm and the values of XᵀX, and Σₖ(xₖxₖᵀ)² sums the squares of
	// its diagonal.
	n, p := float64(len(rows)), float64(len(rows[0]))
	gram := mat.NewSymDense(len(rows), nil)
	trace, square, fourth := 0.0, 0.0, 0.0
	for i, x := range rows {
		for j := i; j < len(rows); j++ {
			g := floats.Dot(x, rows[j])
			gram.SetSym(i, j, g)
			if i == j {
				trace, square, fourth = trace+g/n, square+g*g, fourth+g*g
			} else {
				square += 2 * g * g
			}
		}
	}
	if !(trace > 0) {
		return nil, errConstant
	}
	s := &shrunk{dim: len(rows[0]), scale: trace / p}
	norm := square / (n * n)                   // ‖S‖²
	spread := (norm - trace*trace/p) / p       // ‖S − μI‖²/p
	doubt := (fourth/n - norm) / (p * n)       // what of it is chance
	if doubt = min(doubt, spread); doubt > 0 { // so is spread
		s.shrinkage = doubt / spread
	}
	return s, s.decompose(rows, gram)
}

// decompose finds the eigenvectors of S = XᵀX/n from those of XXᵀ.
func (s *shrunk) decompose(rows [][]float64, gram *mat.SymDense) error {
	var e mat.EigenSym
	if !e.Factorize(gram, true) {
		return errors.New("precision: the eigenvalues of the sample covariance do not converge")
	}
	values := e.Values(nil)
	var u mat.Dense
	e.VectorsTo(&u)
	largest := values[len(values)-1]
	for k, v := range values {
		if !(v > 1e-12*largest) { // 0 up to rounding, as one always is for centred rows
			continue
		}
		vector := make([]float64, s.dim)
		for i, r := range rows {
			floats.AddScaled(vector, u.At(i, k)/math.Sqrt(v), r)
		}
		s.vectors, s.values = append(s.vectors, vector), append(s.values, v/float64(len(rows)))
	}
	if len(s.values) < s.dim && !(s.floor() > 1e-12*largest/float64(len(rows))) {
		return errors.New("precision: the estimate is singular, as no shrinkage is needed by its rule; give more rows")
	}
	return nil
}

// floor is the eigenvalue of directions in which the rows do not vary.
func (s *shrunk) floor() float64 { return s.shrinkage * s.scale }

// Shrinkage returns δ, from 0 to 1.
func (s *shrunk) Shrinkage() float64 { return s.shrinkage }

// Covariance returns the estimate as a matrix.
func (s *shrunk) Covariance() *mat.SymDense {
	c := mat.NewSymDense(s.dim, nil)
	for i := range s.dim {
		c.SetSym(i, i, s.floor())
	}
	for k, v := range s.vectors {
		c.SymRankOne(c, (1-s.shrinkage)*s.values[k], mat.NewVecDense(s.dim, v))
	}
	return c
}

// Whiten implements [Whitener] by the symmetric root of the inverse.
func (s *shrunk) Whiten(dst, x []float64) {
	if len(dst) != s.dim || len(x) != s.dim {
		panic("precision: length of a vector differs from that of the rows")
	}
	// With a full set of eigenvectors the floor has no direction of its own.
	root := 0.0
	if s.floor() > 0 {
		root = 1 / math.Sqrt(s.floor())
	}
	floats.ScaleTo(dst, root, x)
	for k, vector := range s.vectors {
		along := floats.Dot(vector, x) * (1/math.Sqrt((1-s.shrinkage)*s.values[k]+s.floor()) - root)
		floats.AddScaled(dst, along, vector)
	}
}
