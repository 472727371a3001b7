package sequence

import (
	"sotto/nn"
)

// Table is vectors that are looked up and learn.
type Table struct {
	value   nn.Matrix
	touched *nn.Touched

	ids []int
	at  map[int]int
}

// NewTable returns a table with the given vectors, which it changes as it learns.
func NewTable(vectors nn.Matrix) *Table {
	return &Table{value: vectors, touched: &nn.Touched{}, at: map[int]int{}}
}

// Cols returns the size of a vector.
func (t *Table) Cols() int { return t.value.Cols }

// Param is what is learnt.
func (t *Table) Param(name string) nn.Param {
	return nn.Param{Name: name, Value: t.value, Touched: t.touched}
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
		if _, seen := t.at[id]; !seen {
			t.at[id] = len(rows)
			rows = append(rows, id)
		}
	}
	t.touched.Rows = rows
	t.touched.Grad = t.touched.Grad.Reshape(len(rows), t.value.Cols)
	clear(t.touched.Grad.Data)
	for i, id := range t.ids {
		add(t.touched.Grad.Row(t.at[id]), 1, dx.Row(i)[column:column+t.value.Cols])
	}
}
