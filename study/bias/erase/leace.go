package erase

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// LEACE is least-squares concept erasure (Belrose et al., NeurIPS 2023): of all
// affine maps after which no linear reader does better than a constant, the one
// that moves vectors least. With Σ the covariance of the vectors and Σxz theirs
// with the concept,
//
//	W = Σ^(−1/2),  U = left singular vectors of W·Σxz,  P = I − W⁺UUᵀW.
//
// The zero value is that. Directions in which the vectors do not vary, up to
// rounding, are left out of W; should the concept still reach into them, they
// are removed as they are, so that the covariance with the concept is zero in
// any case.
//
// The total variance never grows. Without shrinkage PΣPᵀ = Σ − W⁺UUᵀW⁺. With it,
// P = S^(1/2)·Q·S^(−1/2) for an orthogonal projection Q and the shrunk covariance
// S, and with sᵢ and σᵢ the eigenvalues of S and Σ, tr PΣPᵀ = Σᵢⱼ Qᵢⱼ²·sᵢ·(σⱼ/sⱼ).
// The Qᵢⱼ² sum to at most 1 over each row and column, and σ/s grows with s, so by
// rearrangement that is at most Σᵢ sᵢ·(σᵢ/sᵢ) = tr Σ. Hence there is no cap to set.
type LEACE struct {
	// Shrinkage ρ in [0, 1] puts (1−ρ)·Σ + ρ·t·I in the place of Σ, t being the
	// mean variance of a column: for few rows, where Σ is mostly noise. The
	// concept is removed all the same; what changes is what goes with it.
	Shrinkage float64
	// Shrink chooses ρ by the rows, after Bodnar, Gupta and Parolya (2014).
	Shrink bool
}

// Eigenvalues below this share of the largest are taken for rounding, and so are
// correlations below reached with the concept.
const (
	eigenCut       = 1e-12
	correlationCut = 1e-10
)

// Fit returns the eraser of the concept that the moments were taken of. It is
// an error if there are fewer than two rows, if the vectors or the concept never
// change, or if the numbers are too large for their squares.
func (h LEACE) Fit(m *Moments) (*Eraser, error) {
	if !(h.Shrinkage >= 0 && h.Shrinkage <= 1) || h.Shrink && h.Shrinkage != 0 {
		return nil, fmt.Errorf("erase: shrinkage is %v, must be from 0 to 1, and 0 where it is to be chosen", h.Shrinkage)
	}
	if m.Rows() < 2 {
		return nil, fmt.Errorf("erase: there are %d rows, must be at least 2", m.Rows())
	}
	values, vectors, err := h.spectrum(m)
	if err != nil {
		return nil, err
	}
	cross := m.CrossCovariance()
	known := false
	for j, s := range m.deviations() {
		known = known || s > 0
		for i := range m.dim { // a column that never changes has covariances of 0
			if s > 0 {
				cross.Set(i, j, cross.At(i, j)/s)
			}
		}
	}
	if !known {
		return nil, errors.New("erase: the concept is the same in all rows, must have two values to tell apart")
	}
	e := Eraser{method: MethodLEACE, dim: m.dim, mean: m.Mean()}
	if err := e.remove(values, vectors, cross); err != nil {
		return nil, err
	}
	return newEraser(e)
}

// spectrum returns the eigenvalues of the covariance, smallest first, and its
// eigenvectors, which are columns.
func (h LEACE) spectrum(m *Moments) ([]float64, *mat.Dense, error) {
	covariance := m.Covariance()
	trace := mat.Trace(covariance)
	if math.IsNaN(trace) || math.IsInf(trace, 0) {
		return nil, nil, errors.New("erase: numbers are too large, their squares must be finite")
	}
	if !(trace > 0) {
		return nil, nil, errors.New("erase: the vectors are all the same, must differ")
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(covariance, true) {
		return nil, nil, errors.New("erase: eigenvalues of the covariance were not found")
	}
	values := eigen.Values(nil)
	rho := h.Shrinkage
	if h.Shrink {
		rho = optimal(values, trace, float64(m.Rows()))
	}
	for i, v := range values {
		values[i] = (1-rho)*v + rho*trace/float64(m.dim)
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	return values, &vectors, nil
}

// optimal returns the shrinkage towards a multiple of the identity that loses
// least, by the squares of all elements, for large n and width.
func optimal(values []float64, trace, n float64) float64 {
	square := floats.Dot(values, values)
	apart := square - trace*trace/float64(len(values)) // 0 if all eigenvalues are the same
	if !(apart > 0) {
		return 1
	}
	return min(1, trace*trace/n/apart)
}

// remove sets the directions: with V and Λ the eigenvectors and eigenvalues that
// count, and U those of Λ^(−1/2)·Vᵀ·Σxz, A = V·Λ^(1/2)·U and B = V·Λ^(−1/2)·U.
func (e *Eraser) remove(values []float64, vectors, cross *mat.Dense) error {
	_, columns := cross.Dims()
	first := 0 // eigenvalue that counts
	for !(values[first] > eigenCut*values[len(values)-1]) {
		first++
	}
	kept := e.dim - first
	var turned mat.Dense // Vᵀ·Σxz
	turned.Mul(vectors.T(), cross)
	white := mat.NewDense(kept, columns, nil)
	for i := range kept {
		floats.AddScaled(white.RawRowView(i), 1/math.Sqrt(values[first+i]), turned.RawRowView(first+i))
	}
	var svd mat.SVD
	if !svd.Factorize(white, mat.SVDThin) {
		return errors.New("erase: singular values of the covariance with the concept were not found")
	}
	var u mat.Dense
	svd.UTo(&u)
	for k, s := range svd.Values(nil) {
		if !(s > correlationCut) {
			break // they fall
		}
		a, b := make([]float64, e.dim), make([]float64, e.dim)
		for i := range kept {
			root, v := math.Sqrt(values[first+i]), u.At(i, k)
			for j := range e.dim {
				a[j] += root * v * vectors.At(j, first+i)
				b[j] += v / root * vectors.At(j, first+i)
			}
		}
		e.away, e.by = append(e.away, a), append(e.by, b)
	}
	rest := e.unvaried(first, vectors, &turned, cross)
	e.away, e.by = append(e.away, rest...), append(e.by, rest...)
	return nil
}

// unvaried returns an orthonormal basis of what of the covariance with the
// concept lies in the directions of the first eigenvectors, which do not count.
func (e *Eraser) unvaried(first int, vectors, turned, cross *mat.Dense) [][]float64 {
	var basis [][]float64
	_, columns := cross.Dims()
	for c := range columns {
		v := make([]float64, e.dim)
		for i := range first {
			for j := range v {
				v[j] += turned.At(i, c) * vectors.At(j, i)
			}
		}
		if norm(v) > eigenCut*mat.Norm(cross.ColView(c), 2) {
			basis = extend(basis, v)
		}
	}
	return basis
}
