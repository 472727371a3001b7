package nn

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"strconv"

	"sotto/promise/dp"
	"sotto/promise/noise"
)

// Noise sends each row through an additive mechanism, with new noise at each
// forward pass, in training and inference alike. The gradient passes through
// unchanged, which is exact where the mechanism adds noise that does not
// depend on the row, and nothing else: put the mechanism's normalisation, such
// as [L1Normalize], before it, so that its own changes nothing any more.
//
// The noise comes from a seed, so that a training can be repeated. It protects
// nobody: what leaves a model is released by the mechanism itself, from
// [noise.Crypto].
type Noise struct {
	stateless
	// Pass is the number of forward passes so far. Restore it to resume a
	// training.
	Pass uint64

	mechanism dp.Vector
	dim       int
	secret    [16]byte
	y         Matrix
	scratch   []float64 // a row for each block of rows
	errs      []error   // of each block
	err       error
}

// NewNoise returns a layer for a mechanism, or an error if releases do not
// have the size of inputs. The seed decides the noise: give each layer its own.
func NewNoise(m dp.Vector, seed uint64) (*Noise, error) {
	in, out := m.Shape()
	if in != out {
		return nil, fmt.Errorf("nn: noise mechanism maps %d numbers to %d, must keep their number", in, out)
	}
	n := &Noise{mechanism: m, dim: in}
	binary.LittleEndian.PutUint64(n.secret[:], mix(seed))
	binary.LittleEndian.PutUint64(n.secret[8:], seed)
	return n, nil
}

// Use changes the mechanism for the passes to come, such as from little noise
// at the start of a training to all of it. It panics if the sizes differ.
func (n *Noise) Use(m dp.Vector) {
	if in, out := m.Shape(); in != n.dim || out != n.dim {
		panic(fmt.Sprintf("nn: Use of a mechanism from %d numbers to %d, want %d", in, out, n.dim))
	}
	n.mechanism = m
}

// Forward implements [Layer]. A row that the mechanism refuses, because it is
// not finite, becomes zero, and Err says why. It panics if x does not have as
// many columns as the mechanism has coordinates.
func (n *Noise) Forward(p *Pool, _ Mode, x Matrix) Matrix {
	x.want("input of Noise", x.Rows, n.dim)
	n.y = n.y.Reshape(x.Rows, x.Cols)
	n.Pass++
	pass := strconv.FormatUint(n.Pass, 10)
	blocks := (x.Rows + rowBlock - 1) / rowBlock
	if cap(n.errs) < blocks {
		n.errs, n.scratch = make([]error, blocks), make([]float64, blocks*n.dim)
	}
	n.errs, n.scratch = n.errs[:blocks], n.scratch[:blocks*n.dim]
	p.rows(x.Rows, func(block, lo, hi int) {
		source := noise.Derive(n.secret[:], "nn", pass, strconv.Itoa(block))
		buffer := n.scratch[block*n.dim : (block+1)*n.dim]
		n.errs[block] = nil
		for i := lo; i < hi; i++ {
			p.kernels.widen(buffer, x.Row(i))
			if err := n.mechanism.PrivatizeTo(buffer, buffer, source); err != nil && n.errs[block] == nil {
				n.errs[block] = fmt.Errorf("nn: row %d: %w", i, err)
			}
			p.kernels.narrow(n.y.Row(i), buffer)
		}
	})
	n.err = cmp.Or(n.errs...)
	return n.y
}

// Err returns why the mechanism refused the first of the rows that it refused
// in the last forward pass, or nil. A training in which it is not nil has
// diverged.
func (n *Noise) Err() error { return n.err }

// Backward implements [Layer] and returns grad itself.
func (n *Noise) Backward(_ *Pool, grad Matrix) Matrix {
	grad.want("gradient of Noise", n.y.Rows, n.y.Cols)
	return grad
}
