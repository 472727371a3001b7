package term

import (
	"strconv"
	"strings"
)

// Cell is a text as a cell of a file that people open in a spreadsheet, which takes what
// begins with one of these signs for a formula and works it out: an apostrophe before it
// stops that. Numbers stay as they are.
func Cell(s string) string {
	if s == "" || !strings.ContainsRune("=+-@\t\r\n", rune(s[0])) {
		return s
	}
	if _, err := strconv.ParseFloat(s, 64); err == nil {
		return s
	}
	return "'" + s
}
