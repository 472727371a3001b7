// Package page shows results to people: a page of tables, lists and plots as
// data, written as one HTML file that loads nothing and runs nothing, as
// Markdown for a pull request, and a plot alone as an SVG file. All pages of
// sotto are made with it, so that they look alike.
//
// It measures nothing and knows nothing of privacy: what stands on a page is
// decided by its caller. Nor is it a web framework: there is one style and one
// order, a title, a sentence, verdicts, then sections of blocks.
//
// Names in results are taken for untrusted text. Every string of a page and of
// its plots may be such a name: it is escaped, and characters that turn the
// direction of text or control a terminal are left out of what is written. So
// are folders of absolute paths.
// Markdown has no plots, so that each should stand beside a table of the same
// numbers, which also serves those who do not see it. The smallest use is
//
//	table := &page.Table{Caption: "Effects", Head: page.Heads("test", "#effect")}
//	table.Add("flowers and insects", page.Decimal(1.54, 2))
//	return page.HTML(w, page.Page{
//		Title: "Association tests",
//		Sections: []page.Section{{Title: "Effects", Blocks: table.Blocks()}},
//	})
//
// The plots are [Chart] (values over an axis, with intervals and a limit),
// [Dots] (values of named rows), [Bars] (signed bars of named rows), [HeatMap]
// (a matrix, with trees of its rows and columns) and [Scatter] (points of the
// plane).
package page

import "fmt"

// Page is what is said, before it is decided how it looks.
type Page struct {
	Title    string
	Sentence string // what matters most, in large letters; "" for none
	Verdicts []Verdict
	Sections []Section
	Made     string // who wrote the page from what, at its end: a sentence
}

// Stays says where a page may go whose numbers were computed from private data.
const Stays = "It stays on the trusted side: what it says of accuracies, counts and texts was computed from private data, and no guarantee covers what it tells."

// Tone says how a verdict or a cell is meant, beside its words.
type Tone string

// The tones. The words of a cell must say the same, for those who do not see
// colours.
const (
	Plain Tone = ""
	Good  Tone = "good"
	Bad   Tone = "bad"
	Warn  Tone = "warn"
)

// Verdict is what holds of one claim, for the top of the page.
type Verdict struct {
	Tone  Tone
	Label string // two or three words
	Text  string // of what it holds
}

// Section is a part of the page with a heading.
type Section struct {
	ID      string // for links within the page; "" if its place is to be its name
	Title   string
	Meaning string // what it shows, in a plain sentence
	Source  string // where its numbers come from; stands with those of all other sections, once
	Blocks  []Block
}

// Block is one thing of a section. One field is set, and with Code its Heading.
type Block struct {
	Heading string
	Note    string
	Warning string
	List    []Item
	Table   *Table
	Figure  *Figure
	Passage []Stretch // a text of which parts stand out
	Code    string    // JSON of several lines, shown as it is, folded, under Heading
}

// Stretch is a part of a text: plain, or standing out for one side or the other.
type Stretch struct {
	Text  string
	Shade float64 // from −1, against, to 1, for; 0 is plain
	Tip   string  // shown under the pointer
}

// Mark returns how strongly a stretch stands out, and for which side: "" for plain.
func (s Stretch) Mark() string {
	side, strength := "for", s.Shade
	if s.Shade < 0 {
		side, strength = "against", -s.Shade
	}
	if !(strength >= 0.02) { // NaN is plain
		return ""
	}
	return fmt.Sprintf("%s s%d", side, min(4, 1+int(strength*4)))
}

// Item is an entry of a list: a name, which may be "", and what is said of it.
type Item struct{ Name, Text string }

// Figure is one or more plots with a caption.
type Figure struct {
	Caption string
	Plots   []Plot
	Small   bool // several side by side
}
