package static

import (
	"fmt"
	"math"
)

// table is rows of numbers, of which those of a text are summed.
type table struct {
	name   string
	notice string
	dim    int
	scales []float32 // one a row
	rows   []int8    // rows × dim, each to be multiplied by its row's scale
}

// maxSize bounds the numbers of a table, so that no sum of them is infinite.
const maxSize = 1e18

func newTable(name, notice string, rows, dim int) table {
	return table{name: name, notice: notice, dim: dim, scales: make([]float32, rows), rows: make([]int8, rows*dim)}
}

// round checks the vector of a row and keeps it.
func (t *table) round(row int, v []float32) error {
	largest := 0.0
	for _, x := range v {
		a := math.Abs(float64(x))
		if !(a <= maxSize) { // NaN is refused
			return fmt.Errorf("static: vector %d has a number that is not from −10¹⁸ to 10¹⁸", row)
		}
		largest = max(largest, a)
	}
	if largest == 0 {
		return nil
	}
	t.scales[row] = float32(largest / 127)
	for j, x := range v {
		t.rows[row*t.dim+j] = int8(math.Round(float64(x) / largest * 127))
	}
	return nil
}

// Name returns what the encoder is called, such as "default".
func (t *table) Name() string { return t.name }

// Notice says whose work the table rests on, and under which terms.
func (t *table) Notice() string { return t.notice }

// Dim returns the length of the vectors.
func (t *table) Dim() int { return t.dim }

// Row returns a copy of a row, as it was rounded. It panics if there is none.
func (t *table) Row(row int) []float32 {
	v := make([]float32, t.dim)
	for j, q := range t.rows[row*t.dim : (row+1)*t.dim] {
		v[j] = t.scales[row] * float32(q)
	}
	return v
}

// sum fills dst with the sum of some rows, scaled to length 1 unless it is zero.
func (t *table) sum(dst []float32, rows []int32) {
	if len(dst) != t.dim {
		panic(fmt.Sprintf("static: Encode into %d numbers, want %d", len(dst), t.dim))
	}
	clear(dst)
	for _, id := range rows {
		row := t.rows[int(id)*t.dim:][:len(dst)]
		scale := t.scales[id]
		for j, q := range row {
			dst[j] += float32(scale * float32(q)) // rounded here, so that nothing is fused
		}
	}
	square := 0.0
	for _, v := range dst {
		square += float64(float64(v) * float64(v))
	}
	if !(square > 0) {
		return // all are zero: not even the square of the least float32 vanishes
	}
	scale := 1 / math.Sqrt(square) // may be beyond float32
	for j, v := range dst {
		dst[j] = float32(float64(v) * scale)
	}
}
