package train

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"sotto/compute/nn"
	"sotto/learn/model"
)

// INLP is iterative null-space projection (Ravfogel et al., ACL 2020): train
// without protection; then, again and again, fit a linear classifier of the
// protected attribute on the input of the last layer and remove the directions
// it uses; at the end fit the last layer anew on what is left. It promises
// nothing: a linear attacker of the same kind fails, others need not.
//
// Progress and Save tell of the first training. What follows is short and done
// anew by whoever resumes, and without it there is no model to keep.
type INLP struct {
	Training
	Iterations int `json:"iterations,omitempty"` // 0 means 5
}

// Prepare implements [Method].
func (h INLP) Prepare(d Data) (*Fitting, error) {
	h.Iterations = cmp.Or(h.Iterations, 5)
	switch {
	case h.Iterations < 1:
		return nil, fmt.Errorf("train: iterations is %d, must be at least 1", h.Iterations)
	case len(d.More) > 0:
		return nil, errors.New("train: data has several labels, must have one for INLP")
	case d.Z == nil:
		return nil, errors.New("train: data has no protected attribute, which INLP removes")
	}
	q, a, err := against{Training: h.Training}.plan(d)
	if err != nil {
		return nil, err
	}
	return &Fitting{Fit: func(ctx context.Context, o Options) (*model.Model, error) {
		base, err := q.model(ctx, d, o, a)
		if err != nil { // what was kept so far has nothing removed
			return nil, err
		}
		return h.project(ctx, d, o, base)
	}}, nil
}

// project removes the attribute from the last hidden representation of base.
func (h INLP) project(ctx context.Context, d Data, o Options, base *model.Model) (*model.Model, error) {
	p := o.pool()
	front := base.Front()
	hidden, err := front.Release(p, d.X, nn.Indices(d.X.Rows), nil)
	if err != nil {
		return nil, err
	}
	basis, err := h.directions(ctx, d, o, hidden)
	if err != nil {
		return nil, err
	}
	for i := range hidden.Rows {
		basis.RemoveFrom(hidden.Row(i))
	}
	head, kept, err := linear{seed: o.Seed, epochs: 20}.fit(ctx, p, hidden, d.Y, d.Classes, d.Train, d.Validation)
	if err != nil {
		return nil, err
	}
	return front.With(basis.Complement(hidden.Cols), head, kept, d.Classes)
}

// directions returns an orthonormal basis of what the linear classifiers of
// the attribute use, one classifier an iteration.
func (h INLP) directions(ctx context.Context, d Data, o Options, hidden nn.Matrix) (nn.Basis, error) {
	var basis nn.Basis
	left := hidden.Clone()
	known := func(rows []int) []int {
		return slices.DeleteFunc(slices.Clone(rows), func(row int) bool { return d.Z[row] == Unknown })
	}
	train, validation := known(d.Train), known(d.Validation)
	if len(train) == 0 || len(validation) == 0 {
		return nil, errors.New("train: attribute is unknown in every row of a part, which INLP cannot remove")
	}
	for i := range h.Iterations {
		if len(basis) == hidden.Cols {
			break // nothing is left
		}
		// Fewer epochs leave a classifier that has not found the direction, and
		// the attribute behind.
		c, _, err := linear{seed: o.Seed + uint64(i) + 1, epochs: 40}.fit(ctx, o.pool(), left, d.Z, d.Groups, train, validation)
		if err != nil {
			return nil, err
		}
		before := len(basis)
		w := c.Params()[0].Value
		for g := 1; g < w.Cols; g++ { // scores are known up to a common shift
			v := make([]float64, w.Rows)
			for j := range v {
				v[j] = float64(w.Row(j)[g]) - float64(w.Row(j)[0])
			}
			basis = basis.With(v)
		}
		for row := range left.Rows {
			basis[before:].RemoveFrom(left.Row(row))
		}
	}
	return basis, nil
}

// linear is multinomial logistic regression by Adam.
type linear struct {
	seed   uint64
	epochs int
}

// fit trains on some rows of x and keeps the epoch that is best on others.
func (h linear) fit(ctx context.Context, p *nn.Pool, x nn.Matrix, y []int, classes int, train, validation []int) (*nn.Dense, model.Progress, error) {
	shift, scale := model.Moments(x, train)
	t, err := Training{Epochs: h.epochs, Rate: 0.01, Keep: Best}.filled(len(train), false, false)
	if err != nil {
		return nil, model.Progress{}, err
	}
	q := plan{Training: t, rows: floats{x: x, shift: shift, scale: scale}}
	l, err := q.fit(ctx, Data{X: x, Y: y, Classes: classes, Train: train, Validation: validation}, Options{Seed: h.seed, Pool: p})
	if err != nil {
		return nil, model.Progress{}, err
	}
	// Undo the scaling, so that the layer takes x as it is:
	// ((x − shift)·scale)·W + b = x·(scale·W) + (b − shift·scale·W).
	d := l.classifier.Dense()[0]
	weight, bias := d.Params()[0].Value, d.Params()[1].Value
	for i, kept := range l.state.kept {
		copy([]nn.Matrix{weight, bias}[i].Data, kept.Data)
	}
	for j := range weight.Rows {
		for c := range weight.Cols {
			weight.Row(j)[c] *= scale[j]
			bias.Data[c] -= shift[j] * weight.Row(j)[c]
		}
	}
	return d, l.state.History[l.state.Kept-1], nil
}
