package attack

import (
	"context"
	"math"

	"sotto/compute/nn"
	"sotto/promise/mech"
)

// protected returns, for each row, the vector of which a release is a noisy
// copy, in the space of releases, so that an attacker can compare the two. It
// is the row after the mechanism's normalisation; or, where there is a
// projection or a code, what the same mechanism releases at the largest ε, whose
// noise is too small to matter. The note says which, or why there is none.
func (a *attempt) protected(ctx context.Context, x nn.Matrix) (v nn.Matrix, note string, err error) {
	m := a.Mechanism
	if m == nil {
		return x, "", nil
	}
	q := m.Params()
	switch v := mech.VariantOf(q); v.Form {
	case mech.FormVector:
		layers := map[mech.Normalisation]nn.Layer{mech.NormaliseL1: &nn.L1Normalize{}, mech.NormaliseL2: &nn.L2Normalize{}, mech.NormaliseMinMax: &nn.MinMaxNormalize{}}
		if layer := layers[v.Normalisation]; layer != nil {
			return layer.Forward(a.pool, nn.Infer, x), "", nil
		}
	case mech.FormProjection:
		return twin(ctx, a.Workers, q.Twin(), x, "reconstruction is held against the projection, taken from the same mechanism at the largest ε")
	case mech.FormBits:
		return twin(ctx, a.Workers, q.Twin(), x, "reconstruction is held against the bits of the vector")
	case mech.FormMarks:
		return nn.Matrix{}, q.Mechanism + " " + q.Variant + " releases a code of which no mean estimates the vector: nothing is reconstructed", nil
	case mech.FormCode:
		return nn.Matrix{}, q.Mechanism + " releases one of its codes, of which no mean estimates a vector: nothing is reconstructed", nil
	default: // below
	}
	if in, out := m.Shape(); in == out {
		return x, "", nil
	}
	return nn.Matrix{}, q.Mechanism + " releases what cannot be compared with a vector: nothing is reconstructed", nil
}

// twin releases rows through another mechanism that hides next to nothing.
func twin(ctx context.Context, workers int, q mech.Params, x nn.Matrix, note string) (nn.Matrix, string, error) {
	m, err := mech.New(q)
	if err != nil {
		return nn.Matrix{}, "", err
	}
	y, width, err := (&Options{Workers: workers}).release(ctx, m, x, 0)
	if err != nil {
		return nn.Matrix{}, "", err
	}
	return narrowed(y, width), note, nil
}

// means returns the mean of each column.
func means(x nn.Matrix) []float64 {
	mean := make([]float64, x.Cols)
	for i := range x.Rows {
		for j, v := range x.Row(i) {
			mean[j] += float64(v) / float64(x.Rows)
		}
	}
	return mean
}

// directions returns the rows less a mean, scaled to length 1 for cosines; a row
// that is the mean is zero. What is the same in all coordinates of a row is
// taken out, too, since there are mechanisms that add the same noise to all; but
// not of two coordinates, of which it would leave one number.
func directions(x nn.Matrix, mean []float64) nn.Matrix {
	d := nn.NewMatrix(x.Rows, x.Cols)
	row := make([]float64, x.Cols)
	for i := range x.Rows {
		level := 0.0
		for j, v := range x.Row(i) {
			row[j] = float64(v) - mean[j]
			if x.Cols > 2 {
				level += row[j] / float64(x.Cols)
			}
		}
		sum := 0.0
		for j := range row {
			row[j] -= level
			sum += row[j] * row[j]
		}
		if !(sum > 0) {
			continue
		}
		for j, v := range row {
			d.Row(i)[j] = float32(v / math.Sqrt(sum))
		}
	}
	return d
}
