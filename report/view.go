package report

// page is what a report says, before it is decided how it looks. All text in
// it has gone through clean; no renderer computes anything.
type page struct {
	Title    string
	Tool     string
	Sentence string
	Verdicts []verdict
	Sections []section
}

// tone says how a verdict or a cell is meant, beside its words.
type tone string

const (
	plain tone = ""
	good  tone = "good"
	bad   tone = "bad"
	warn  tone = "warn"
)

// verdict is what holds of one claim, for the top of the page.
type verdict struct {
	Tone  tone
	Label string // claim true, claim FALSE ×2, not protected
	Text  string
}

// section is a part of the page with a heading.
type section struct {
	ID      string
	Title   string
	Meaning string // what it shows, in a plain sentence
	Source  string // where its numbers come from
	Blocks  []block
}

// block is one thing of a section: the first field that is set.
type block struct {
	Heading string
	Note    string
	Warning string
	List    []item
	Table   *table
	Figure  *figure
	Code    string // shown as it is, folded, under Heading
}

// item is an entry of a list: a name and what is said of it.
type item struct{ Name, Text string }

// table is a table. All its numbers are also in its figure, if it has one.
type table struct {
	Caption string
	Head    []column
	Rows    [][]cell
	Folded  bool // beside a figure that shows the same
}

type column struct {
	Name   string
	Number bool // set to the right
}

type cell struct {
	Text string
	Tone tone
}

// figure is one or more plots with a caption.
type figure struct {
	Caption string
	Plots   []plot
	Small   bool // several side by side
}

// The rows that a table shows before it folds, and at all.
const (
	openRows = 12
	foldRows = 16 // it does not fold for the sake of a few
	maxRows  = 400
)

// heads makes columns of names. One that begins with a "#" is of numbers.
func heads(names ...string) []column {
	columns := make([]column, len(names))
	for i, n := range names {
		columns[i] = column{Name: n}
		if n[0] == '#' {
			columns[i] = column{Name: n[1:], Number: true}
		}
	}
	return columns
}

// add appends a row of plain cells and returns it.
func (t *table) add(texts ...string) []cell {
	row := make([]cell, len(texts))
	for i, s := range texts {
		row[i].Text = s
	}
	t.Rows = append(t.Rows, row)
	return row
}

// block returns t as one, cut to what a page can hold.
func (t *table) block() []block {
	blocks := []block{{Table: t}}
	if left := len(t.Rows) - maxRows; left > 0 {
		t.Rows = t.Rows[:maxRows]
		blocks = append(blocks, block{Note: plural(left, "more row is", "more rows are") + " in the results and not shown here."})
	}
	return blocks
}

// part is the rows of a table that are shown together.
type part struct {
	*table
	Rows    [][]cell
	Summary string // what unfolds it
}

// parts returns the rows that are shown at once and those that are folded.
func (t *table) parts() (open, folded [][]cell) {
	n := len(t.Rows)
	switch {
	case t.Folded:
		n = 0
	case n > foldRows:
		n = openRows
	}
	return t.Rows[:n], t.Rows[n:]
}

// OpenPart is what is shown at once, nil if that is nothing.
func (t *table) OpenPart() *part {
	open, _ := t.parts()
	if len(open) == 0 {
		return nil
	}
	return &part{t, open, ""}
}

// FoldedPart is what is folded, nil if that is nothing.
func (t *table) FoldedPart() *part {
	open, folded := t.parts()
	switch {
	case len(folded) == 0:
		return nil
	case len(open) == 0:
		return &part{t, folded, t.Caption + ": " + plural(len(folded), "row", "rows")}
	}
	return &part{t, folded, plural(len(folded), "more row", "more rows")}
}
