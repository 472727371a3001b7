package vecfile

import (
	"fmt"

	"sotto/data/rowfile"
)

// RowError says that one row is unfit and where it stands. [Open], [NewReader]
// and [Reader.ReadRows] return it, wherever the rows around it are unharmed
// and [Options.SkipBad] would go on.
type RowError = rowfile.Error

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
