package model

import (
	"crypto/rand"
	"errors"
	"slices"

	"sotto/compute/nn"
)

// Batch releases rows through a model, block by block, each with noise of its own
// from the operating system: what a file of texts is released by. A release of
// codes is the index of the code. It is not safe for concurrent use.
type Batch struct {
	model *Model
	pool  *nn.Pool
	coded bool
}

// Batch returns what releases rows through a copy of the model. It refuses a
// model that protects or releases nothing.
func (m *Model) Batch(workers int) (*Batch, error) {
	if m.mechanism == nil || m.Dim() == 0 {
		return nil, errors.New("model: the model has no mechanism, must have one")
	}
	return &Batch{m.Clone(), nn.NewPool(workers), len(m.architecture.Answers) > 0}, nil
}

// Shape returns how many numbers a row and a release have.
func (b *Batch) Shape() (in, out int) {
	if b.coded {
		return b.model.architecture.Inputs, 1
	}
	return b.model.architecture.Inputs, b.model.Dim()
}

// Release releases each row with fresh noise, and says of a row that the
// mechanism refuses why; its numbers are then zero.
func (b *Batch) Release(x nn.Matrix) (rows []float64, refused []error, err error) {
	refused = make([]error, x.Rows)
	_, out := b.Shape()
	rows = make([]float64, x.Rows*out)
	if err = b.to(rows, x, nn.Indices(x.Rows)); err == nil {
		return rows, refused, nil
	}
	for i := range x.Rows { // one of them is refused
		refused[i] = b.to(rows[i*out:(i+1)*out], x, []int{i})
	}
	return rows, refused, nil
}

// to releases the given rows under a key that nobody has and nothing else uses.
func (b *Batch) to(dst []float64, x nn.Matrix, rows []int) error {
	key := make([]byte, 32)
	rand.Read(key) // which never fails
	y, err := b.model.Release(b.pool, x, rows, key)
	if err != nil {
		clear(dst)
		return err
	}
	for i := range y.Rows {
		if b.coded {
			dst[i] = float64(slices.Index(y.Row(i), 1))
			continue
		}
		for j, v := range y.Row(i) {
			dst[i*y.Cols+j] = float64(v)
		}
	}
	return nil
}
