package page

import "fmt"

// Table is a table. It should hold all numbers of the figure beside it.
type Table struct {
	Caption string // for screen readers, and where it is folded
	Head    []Column
	Rows    [][]Cell // each as long as Head
	Folded  bool     // altogether, beside a figure that shows the same
}

// Column is the head of a column.
type Column struct {
	Name   string
	Number bool // set to the right
}

// Cell is the text of a cell and how it is meant.
type Cell struct {
	Text string
	Tone Tone
}

// The rows that a table shows before it folds, and at all.
const (
	openRows = 12
	foldRows = 16 // it does not fold for the sake of a few
	maxRows  = 400
)

// Heads makes columns of names. One that begins with a "#" is of numbers.
func Heads(names ...string) []Column {
	columns := make([]Column, len(names))
	for i, n := range names {
		columns[i] = Column{Name: n}
		if len(n) > 0 && n[0] == '#' {
			columns[i] = Column{Name: n[1:], Number: true}
		}
	}
	return columns
}

// Add appends a row of plain cells and returns it, so that their tones can be
// set.
func (t *Table) Add(texts ...string) []Cell {
	row := make([]Cell, len(texts))
	for i, s := range texts {
		row[i].Text = s
	}
	t.Rows = append(t.Rows, row)
	return row
}

// Blocks returns t as a block, cut to the 400 rows that a page can hold; what
// is cut off is counted in a block of its own.
func (t *Table) Blocks() []Block {
	blocks := []Block{{Table: t}}
	if left := len(t.Rows) - maxRows; left > 0 {
		t.Rows = t.Rows[:maxRows]
		blocks = append(blocks, Block{Note: Plural(left, "more row is", "more rows are") + " in the results and not shown here."})
	}
	return blocks
}

// check refuses rows that do not fit the head.
func (t *Table) check() error {
	for i, row := range t.Rows {
		if len(row) != len(t.Head) {
			return fmt.Errorf("page: row %d of a table has %d cells, must have %d as its head", i+1, len(row), len(t.Head))
		}
	}
	return nil
}

// part is the rows of a table that are shown together.
type part struct {
	*Table
	Rows    [][]Cell
	Summary string // what unfolds it
}

// parts returns the rows that are shown at once and those that are folded.
func (t *Table) parts() (open, folded [][]Cell) {
	n := len(t.Rows)
	switch {
	case t.Folded:
		n = 0
	case n > foldRows:
		n = openRows
	}
	return t.Rows[:n], t.Rows[n:]
}

// openPart is what is shown at once, nil if that is nothing.
func openPart(t *Table) *part {
	open, _ := t.parts()
	if len(open) == 0 {
		return nil
	}
	return &part{t, open, ""}
}

// foldedPart is what is folded, nil if that is nothing.
func foldedPart(t *Table) *part {
	open, folded := t.parts()
	switch {
	case len(folded) == 0:
		return nil
	case len(open) == 0:
		return &part{t, folded, t.Caption + ": " + Plural(len(folded), "row", "rows")}
	}
	return &part{t, folded, Plural(len(folded), "more row", "more rows")}
}
