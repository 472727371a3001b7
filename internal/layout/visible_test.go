package layout_test

import (
	"encoding/json"
	"strings"
	"testing"

	"sotto/internal/layout"
)

func TestVisible(t *testing.T) {
	for s, want := range map[string]string{
		"plain ε\n\tand more": "plain ε\n\tand more",
		"\x1b]0;mine\a":       "␛]0;mine␇",
		"\x1b[2Jgone\r":       "␛[2Jgone␍",
		"\x1b[32mgood\x1b[0m": "␛[32mgood␛[0m",
		"a\u202eb":            `a\u202eb`,
		"\u009b2J":            `\u009b2J`,
		"\u2028sotto":         `\u2028sotto`,
		"\U000e0041":          `\udb40\udc41`,
		"\x00\x7f":            "␀␡",
		"\xff|":               "\ufffd|",
		"می\u200cخواهم":       "می\u200cخواهم",
	} {
		if got := layout.Visible(s); got != want {
			t.Errorf("Visible(%q) = %q, want %q", s, got, want)
		}
	}
}

// TestOwnColours: a colour that this package gave is obeyed, also around a text that has
// commands of its own, and these are not.
func TestOwnColours(t *testing.T) {
	s := &screen{colour: true}
	if got, want := layout.Visible(layout.Bad(s, "no\x1b[0m")), "\x1b[1;31mno␛[0m\x1b[0m"; got != want {
		t.Errorf("Visible = %q, want %q", got, want)
	}
	if got, want := layout.Painted(layout.Good(s, "a\x1b")), "\x1b[32ma\x1b\x1b[0m"; got != want {
		t.Errorf("Painted = %q, want %q", got, want)
	}
}

// TestVisibleJSON: a line of a log says the same to whoever reads it as JSON, whatever
// characters it holds. Those below a space and quotation marks JSON writes by itself.
func TestVisibleJSON(t *testing.T) {
	want := "\x7f \u009b2J \u202e \u2066 \u2028 \U000e0041 \ufeff \u00ad"
	line, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	shown := layout.JSON(string(line))
	var got string
	if err := json.Unmarshal([]byte(shown), &got); err != nil || got != want || layout.Visible(shown) != shown {
		t.Errorf("%s becomes %s, which reads as %q, %v; want %q by visible characters", line, shown, got, err, want)
	}
	if err := json.Unmarshal([]byte(layout.Visible(string(line))), &got); err != nil || got != "\u2421"+want[1:] {
		t.Errorf("%s shown is %s, which reads as %q, %v; want %q with a sign at its beginning", line, layout.Visible(string(line)), got, err, want)
	}
}

// TestHostileCells: a cell neither adds a row nor gives a command.
func TestHostileCells(t *testing.T) {
	var s screen
	table := layout.NewTable(&s, "NAME")
	table.Row("mine\nforged 1\t2\x1b[2J")
	if err := table.Flush(); err != nil {
		t.Fatal(err)
	}
	if got := s.String(); strings.Count(got, "\n") != 2 || strings.ContainsRune(got, '\x1b') {
		t.Errorf("the table is %q, want two lines without commands", got)
	}
	var pipe strings.Builder
	b := layout.NewBuffer(&pipe)
	b.WriteString("about \x1b[2J\u202e\n")
	if err := b.Flush(); err != nil || pipe.String() != "about ␛[2J\\u202e\n" {
		t.Errorf("the words are %q, %v; want them without commands", pipe.String(), err)
	}
}
