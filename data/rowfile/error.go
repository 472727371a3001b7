package rowfile

import "fmt"

// Error says that one row is unfit and where it stands, wherever the rows around
// it are unharmed. It never quotes the row.
type Error struct {
	Name   string // of the file
	Line   int64  // where the row begins, or the row if Rows is set; the first is 1
	Column int    // byte within the line, else coordinate; the first is 1, and 0 means all
	Reason string // what is wrong, without the value
	Rows   bool   // the file has no lines, so Line counts rows
}

// Error renders the place as an editor understands it, if the file has lines.
func (e *Error) Error() string {
	place := fmt.Sprintf("%s:%d", e.Name, e.Line)
	column := ":"
	if e.Rows {
		place, column = fmt.Sprintf("%s: row %d", e.Name, e.Line), ", column "
	}
	if e.Column > 0 {
		place += fmt.Sprint(column, e.Column)
	}
	return place + ": " + e.Reason
}
