package term

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// Table is text in columns. It keeps its first error for Flush.
type Table struct {
	w   *tabwriter.Writer
	err error
}

// NewTable begins a table, with a line of headings unless there are none.
func NewTable(out io.Writer, headings ...any) *Table {
	t := &Table{w: tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)}
	if len(headings) > 0 {
		t.Row(headings...)
	}
	return t
}

// Row adds a line.
func (t *Table) Row(cells ...any) {
	for i, c := range cells {
		end := "\t"
		if i == len(cells)-1 {
			end = "\n"
		}
		if _, err := fmt.Fprint(t.w, c, end); t.err == nil {
			t.err = err
		}
	}
}

// Fact adds a line of a name and what is said of it.
func (t *Table) Fact(name, format string, args ...any) { t.Row(name, fmt.Sprintf(format, args...)) }

// Flush writes what was added. More may follow, in columns of its own.
func (t *Table) Flush() error {
	if err := t.w.Flush(); t.err == nil {
		t.err = err
	}
	return t.err
}
