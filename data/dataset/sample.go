package dataset

import _ "embed"

// This part of the package holds invented messages to a shop as two CSV files, for tutorials and
// to try a command on: 500 to learn from, and 200 of other writers that came later, to
// release through what was learnt. The topic of a message is there to be learnt, and
// the age of its writer shows in its words and is there to be protected. Nobody wrote
// them. For measuring, use the data sets of package dataset.
// holds the files

// Name is what the file to learn from is called, and NewName the one to release.
const (
	SampleName    = "messages.csv"
	SampleNewName = "inbox.csv"
)

// SampleColumns are the names of the columns of both: a unique id, who wrote, when, what,
// the topic to be learnt and the attribute to be protected.
var SampleColumns = []string{"id", "customer", "received", "message", "topic", "age"}

var (
	//go:embed messages.csv
	sampleMessages string
	//go:embed inbox.csv
	sampleInbox string
)

// SampleMessages returns the content of the file to learn from.
func SampleMessages() string { return sampleMessages }

// SampleNewMessages returns the content of the file to release: none of its rows is in the
// other, and none of its writers.
func SampleNewMessages() string { return sampleInbox }
