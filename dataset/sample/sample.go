// Package sample holds 500 invented messages to a shop as a CSV file, for tutorials
// and to try a command on: the topic of a message is there to be learnt, and the age
// of its writer shows in its words and is there to be protected. Nobody wrote them.
// For measuring, use the data sets of package dataset.
package sample

import _ "embed" // holds the file

// Name is what the file is called.
const Name = "messages.csv"

// Columns are the names of its columns: a unique id, who wrote, when, what, the topic
// to be learnt and the attribute to be protected.
var Columns = []string{"id", "customer", "received", "message", "topic", "age"}

//go:embed messages.csv
var messages string

// Messages returns the content of the file.
func Messages() string { return messages }
