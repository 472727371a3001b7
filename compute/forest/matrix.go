package forest

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Row holds the numbers of a row that are not 0, in the order of their columns.
type Row []Cell

// Cell is a number of a row.
type Cell struct {
	Column int
	Value  float64 // finite and not 0
}

// At returns a number of a row, 0 where none is kept.
func (r Row) At(column int) float64 {
	if i, ok := slices.BinarySearchFunc(r, column, func(c Cell, column int) int { return cmp.Compare(c.Column, column) }); ok {
		return r[i].Value
	}
	return 0
}

// Validate refuses cells that are not in order, below columns, finite and not 0.
func (r Row) Validate(columns int) error {
	last := -1
	for _, c := range r {
		if c.Column <= last || c.Column >= columns {
			return fmt.Errorf("column %d stands behind %d, must be in order and below %d", c.Column, last, columns)
		}
		if c.Value == 0 || math.IsNaN(c.Value) || math.IsInf(c.Value, 0) {
			return fmt.Errorf("the value of column %d is %v, must be finite and not 0", c.Column, c.Value)
		}
		last = c.Column
	}
	return nil
}

// Matrix is a table as trees look at it: by rows and by columns, each number by its
// place among the different numbers of its column. It does not change and may be
// used by several goroutines.
type Matrix struct {
	rows    []Row
	columns []column
	cells   [][]cell // by row, in the order of columns
}

// column is a column, by rows.
type column struct {
	levels []float64 // the different numbers, in order, 0 always among them
	zero   int32     // the place of 0
	cells  []cell    // in the order of rows
}

// cell is a number: at is the column in a row, and the row in a column.
type cell struct{ at, rank int32 }

// maxSize bounds rows and columns, whose numbers are kept in 32 bits.
const maxSize = 1 << 28

// NewMatrix takes rows, which it keeps, with so many columns.
func NewMatrix(columns int, rows []Row) (*Matrix, error) {
	if columns < 0 || columns > maxSize || len(rows) > maxSize {
		return nil, fmt.Errorf("forest: %d rows of %d columns, must be at most %d of each", len(rows), columns, maxSize)
	}
	m := &Matrix{rows: rows, columns: make([]column, columns), cells: make([][]cell, len(rows))}
	count := make([]int, columns)
	for i, row := range rows {
		if err := row.Validate(columns); err != nil {
			return nil, fmt.Errorf("forest: row %d: %w", i+1, err)
		}
		for _, c := range row {
			count[c.Column]++
		}
	}
	for j := range m.columns {
		m.columns[j].levels = make([]float64, 1, count[j]+1)
		m.columns[j].cells = make([]cell, 0, count[j])
	}
	for _, row := range rows {
		for _, c := range row {
			m.columns[c.Column].levels = append(m.columns[c.Column].levels, c.Value)
		}
	}
	for j := range m.columns {
		c := &m.columns[j]
		slices.Sort(c.levels)
		c.levels = slices.Clip(slices.Compact(c.levels))
		c.zero = c.rank(0)
	}
	for i, row := range rows {
		m.cells[i] = make([]cell, len(row))
		for k, c := range row {
			col := &m.columns[c.Column]
			rank := col.rank(c.Value)
			m.cells[i][k] = cell{int32(c.Column), rank}
			col.cells = append(col.cells, cell{int32(i), rank})
		}
	}
	return m, nil
}

// rank returns the place of a number that the column has.
func (c *column) rank(v float64) int32 {
	i, _ := slices.BinarySearch(c.levels, v)
	return int32(i)
}

// Rows returns how many rows there are.
func (m *Matrix) Rows() int { return len(m.rows) }

// Columns returns how many columns there are.
func (m *Matrix) Columns() int { return len(m.columns) }

// rank returns the place of the number of a row in a column.
func (m *Matrix) rank(row, col int32) int32 {
	cells := m.cells[row]
	lo, hi := 0, len(cells)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if cells[mid].at < col {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(cells) && cells[lo].at == col {
		return cells[lo].rank
	}
	return m.columns[col].zero
}

// only returns the columns with the cells of some rows.
func (m *Matrix) only(rows []int) [][]cell {
	in := make([]bool, len(m.rows))
	for _, i := range rows {
		in[i] = true
	}
	some := make([][]cell, len(m.columns))
	for j, c := range m.columns {
		for _, v := range c.cells {
			if in[v.at] {
				some[j] = append(some[j], v)
			}
		}
	}
	return some
}
