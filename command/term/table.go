package term

import (
	"io"

	"sotto/internal/layout"
)

// Table is text in columns, which fit the terminal.
type Table = layout.Table

// NewTable begins a table, with a line of headings unless there are none.
func NewTable(out io.Writer, headings ...any) *Table { return layout.NewTable(out, headings...) }
