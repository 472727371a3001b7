package sequence

import (
	"fmt"
	"math"
	weakrand "math/rand/v2"

	"sotto/compute/nn"
)

// Steps says where the rows of sequences lie in a matrix: first the first row of each
// sequence, then the second row of each that has one, and so on. The longest sequence is
// the first, so that those that go on are always the first ones.
type Steps struct {
	lengths []int
	starts  []int // of each step, and where the last one ends
}

// NewSteps returns the layout of sequences of the given lengths, of which the longest come
// first. It panics where they do not, or where one is empty.
func NewSteps(lengths []int) Steps {
	s := Steps{lengths: lengths, starts: []int{0}}
	for k, n := range lengths {
		if n < 1 || k > 0 && n > lengths[k-1] {
			panic(fmt.Sprintf("sequence: length of sequence %d is %d, must be positive and not above the one before", k, n))
		}
	}
	if len(lengths) == 0 {
		return s
	}
	going := len(lengths)
	for t := range lengths[0] {
		for lengths[going-1] <= t {
			going--
		}
		s.starts = append(s.starts, s.starts[t]+going)
	}
	return s
}

// Sequences returns how many sequences there are.
func (s Steps) Sequences() int { return len(s.lengths) }

// Length returns the length of a sequence.
func (s Steps) Length(sequence int) int { return s.lengths[sequence] }

// Count returns the number of steps, the length of the longest sequence.
func (s Steps) Count() int { return len(s.starts) - 1 }

// Rows returns the number of rows of all sequences.
func (s Steps) Rows() int { return s.starts[len(s.starts)-1] }

// Row returns the row of a sequence at a step.
func (s Steps) Row(sequence, step int) int { return s.starts[step] + sequence }

// at returns the rows of a step.
func (s Steps) at(step int) (lo, hi int) { return s.starts[step], s.starts[step+1] }

// backwards returns, by row, the row of the same sequence with its steps in reverse.
func (s Steps) backwards(into []int) []int {
	into = resize(into, s.Rows())
	for k, n := range s.lengths {
		for t := range n {
			into[s.Row(k, t)] = s.Row(k, n-1-t)
		}
	}
	return into
}

// resize returns a slice of n values, s itself where it is large enough.
func resize[V any](s []V, n int) []V {
	if cap(s) < n {
		return make([]V, n)
	}
	return s[:n]
}

// weight returns a parameter with weights after Glorot and Bengio, as nn.NewDense has them.
func weight(name string, rows, cols int, rng *weakrand.Rand) nn.Param {
	q := nn.Param{Name: name, Value: nn.NewMatrix(rows, cols), Grad: nn.NewMatrix(rows, cols)}
	limit := math.Sqrt(6 / float64(rows+cols))
	for i := range q.Value.Data {
		q.Value.Data[i] = float32(limit * even(rng))
	}
	return q
}

// even returns a number in ±1, all alike.
func even(rng *weakrand.Rand) float64 {
	v := float64(rng.Float64()) // the conversion keeps it from being fused with the sum
	return v + v - 1
}

// named returns parameters with a prefix before their names.
func named(prefix string, params []nn.Param) []nn.Param {
	all := make([]nn.Param, len(params))
	for k, q := range params {
		q.Name = prefix + "." + q.Name
		all[k] = q
	}
	return all
}

// add adds a multiple of a row to another.
func add(to []float32, factor float32, from []float32) {
	to = to[:len(from)]
	for i, v := range from {
		to[i] += float32(factor * v)
	}
}
