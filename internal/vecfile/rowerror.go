package vecfile

import "fmt"

// RowError says that one row is unfit and where it stands. [Open], [NewReader]
// and [Reader.ReadRows] return it, wherever the rows around it are unharmed
// and [Options.SkipBad] would go on. It never quotes the row.
type RowError struct {
	Name   string // of the file
	Line   int64  // of a text format, else the row; the first is 1
	Column int    // byte within the line, else coordinate; the first is 1, and 0 means all
	Reason string // what is wrong, without the value

	rows bool // Line counts rows, not lines
}

// Error renders the place as an editor understands it, if the file has lines.
func (e *RowError) Error() string {
	switch {
	case e.rows && e.Column > 0:
		return fmt.Sprintf("%s: row %d, column %d: %s", e.Name, e.Line, e.Column, e.Reason)
	case e.rows:
		return fmt.Sprintf("%s: row %d: %s", e.Name, e.Line, e.Reason)
	case e.Column > 0:
		return fmt.Sprintf("%s:%d:%d: %s", e.Name, e.Line, e.Column, e.Reason)
	}
	return fmt.Sprintf("%s:%d: %s", e.Name, e.Line, e.Reason)
}

// The reasons that more than one format gives.
const (
	notNumber   = "not a number"
	notFinite   = "not a finite number"
	outOfRange  = "number out of range"
	missing     = "missing value"
	emptyVector = "empty vector"
)

// wrongWidth is the reason against a row of the wrong length.
func wrongWidth(got, want int) string {
	return fmt.Sprintf("has %s, must have %d", columns(got), want)
}

// tooWide is the reason against a row that could exhaust the memory.
func tooWide() string { return fmt.Sprintf("has more than %d columns", maxWidth) }

func columns(n int) string {
	if n == 1 {
		return "1 column"
	}
	return fmt.Sprintf("%d columns", n)
}
