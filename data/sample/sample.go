// Package sample holds invented messages to a shop as two CSV files, for tutorials and
// to try a command on: 500 to learn from, and 200 of other writers that came later, to
// release through what was learnt. The topic of a message is there to be learnt, and
// the age of its writer shows in its words and is there to be protected. Nobody wrote
// them. For measuring, use the data sets of package dataset.
package sample

import _ "embed" // holds the files

// Name is what the file to learn from is called, and NewName the one to release.
const (
	Name    = "messages.csv"
	NewName = "inbox.csv"
)

// Columns are the names of the columns of both: a unique id, who wrote, when, what,
// the topic to be learnt and the attribute to be protected.
var Columns = []string{"id", "customer", "received", "message", "topic", "age"}

var (
	//go:embed messages.csv
	messages string
	//go:embed inbox.csv
	inbox string
)

// Messages returns the content of the file to learn from.
func Messages() string { return messages }

// NewMessages returns the content of the file to release: none of its rows is in the
// other, and none of its writers.
func NewMessages() string { return inbox }
