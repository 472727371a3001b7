package sequence

import (
	weakrand "math/rand/v2"

	"sotto/compute/nn"
)

// Table is vectors that are looked up, the first of which learn.
type Table struct {
	value   nn.Matrix
	learn   int
	touched *nn.Touched

	ids []int
	at  map[int]int
}

// NewTable returns a table with the given vectors, of which it changes the first so many
// as it learns. It panics if there are not as many.
func NewTable(vectors nn.Matrix, learn int) *Table {
	return &Table{value: vectors, learn: vectors.Slice(0, learn).Rows, touched: &nn.Touched{}, at: map[int]int{}}
}

// RandomTable returns a table of so many vectors in ±1 that all learn.
func RandomTable(rows, cols int, rng *weakrand.Rand) *Table {
	vectors := nn.NewMatrix(rows, cols)
	for i := range vectors.Data {
		vectors.Data[i] = float32(even(rng))
	}
	return NewTable(vectors, rows)
}

// Cols returns the size of a vector.
func (t *Table) Cols() int { return t.value.Cols }

// Param is what is learnt.
func (t *Table) Param(name string) nn.Param {
	return nn.Param{Name: name, Value: t.value.Slice(0, t.learn), Touched: t.touched}
}

// Forward writes the vectors of ids into x, a row each, from a column on.
func (t *Table) Forward(p *nn.Pool, ids []int, x nn.Matrix, column int) {
	t.ids = ids
	blocks(p, len(ids), func(i int) { copy(x.Row(i)[column:], t.value.Row(ids[i])) })
}

// Backward gathers the gradient of each vector that was looked up last, from that of x.
func (t *Table) Backward(dx nn.Matrix, column int) {
	clear(t.at)
	rows := t.touched.Rows[:0]
	for _, id := range t.ids {
		if _, seen := t.at[id]; !seen && id < t.learn {
			t.at[id] = len(rows)
			rows = append(rows, id)
		}
	}
	t.touched.Rows = rows
	t.touched.Grad = t.touched.Grad.Reshape(len(rows), t.value.Cols)
	clear(t.touched.Grad.Data)
	for i, id := range t.ids {
		if at, learns := t.at[id]; learns {
			add(t.touched.Grad.Row(at), 1, dx.Row(i)[column:column+t.value.Cols])
		}
	}
}
