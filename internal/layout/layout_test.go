package layout_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"sotto/internal/layout"
)

// screen is a writer of a given width.
type screen struct {
	strings.Builder
	columns int
	colour  bool
}

func (s *screen) Write(p []byte) (int, error) {
	return s.Builder.WriteString(layout.Visible(string(p)))
}

// WriteString stands in the place of that of the builder.
func (s *screen) WriteString(text string) (int, error) { return s.Write([]byte(text)) }

func (s *screen) Columns() int { return s.columns }
func (s *screen) Colour() bool { return s.colour }

func TestWidth(t *testing.T) {
	for text, want := range map[string]int{
		"":                           0,
		"plain":                      5,
		"ε ≥ 1 ± 2":                  9,
		"naïve":                      5,
		"nai\u0308ve":                5, // the two points stand above
		"日本語":                        6,
		"😀":                          2,
		"\x1b[1;31mFAIL\x1b[0m":      4,
		"a\u200bb":                   2, // a space of no width
		"\x1b[12":                    3, // a command without an end
		"\xff":                       1,
		"한국 \x1b[32mgood\x1b[0m day": 13,
	} {
		if got := layout.Width(text); got != want {
			t.Errorf("Width(%q) = %d, want %d", text, got, want)
		}
	}
}

func TestCut(t *testing.T) {
	for _, tt := range []struct {
		text    string
		columns int
		want    string
	}{
		{"short", 5, "short"},
		{"too long", 5, "too…"},
		{"toolong", 5, "tool…"},
		{"日本語", 5, "日本…"},
		{"日本語", 4, "日…"},
		{"abc", 1, "…"},
		{"abc", 0, ""},
		{"abc", -3, ""},
	} {
		if got := layout.Cut(tt.text, tt.columns); got != tt.want {
			t.Errorf("Cut(%q, %d) = %q, want %q", tt.text, tt.columns, got, tt.want)
		}
	}
}

func TestFold(t *testing.T) {
	for _, tt := range []struct {
		text    string
		columns int
		want    string
	}{
		{"one two three", 7, "one two|three"},
		{"one two three", 8, "one two|three"},
		{"incomprehensible word", 6, "incomp|rehens|ible|word"},
		{"日本 語", 4, "日本|語"},
		{"", 4, ""},
		{"a b", 0, "a|b"},
	} {
		if got := strings.Join(layout.Fold(tt.text, tt.columns), "|"); got != tt.want {
			t.Errorf("Fold(%q, %d) = %q, want %q", tt.text, tt.columns, got, tt.want)
		}
	}
}

// Lines are folded for a screen, and stay as they are for anything else.
func TestBuffer(t *testing.T) {
	const text = "note: what was found is long\n  set in, and longer than that\nshort\n"
	for columns, want := range map[int]string{
		0:  text,
		40: text,
		20: "note: what was\n  found is long\n  set in, and\n    longer than that\nshort\n",
	} {
		s := &screen{columns: columns}
		b := layout.NewBuffer(s)
		b.WriteString(text)
		if err := b.Flush(); err != nil || s.String() != want {
			t.Errorf("at %d columns: %v,\n%s\nwant\n%s", columns, err, s.String(), want)
		}
	}
}

// A command that somebody will copy is not folded.
func TestCommandStaysWhole(t *testing.T) {
	const text = "  sotto train --in reviews.csv\n"
	s := &screen{columns: 12}
	b := layout.NewBuffer(s)
	b.WriteString(text)
	if err := b.Flush(); err != nil || s.String() != text {
		t.Errorf("%v, %q, want %q", err, s.String(), text)
	}
}

func TestColours(t *testing.T) {
	for _, colour := range []bool{false, true} {
		s := &screen{colour: colour}
		b := layout.NewBuffer(s)
		fmt.Fprint(b, layout.Good(b, "PASS"), layout.Bad(b, "the claim"), layout.Doubtful(b, "?"), layout.Bad(b, ""))
		if err := b.Flush(); err != nil {
			t.Fatal(err)
		}
		want := "PASSthe claim?"
		if colour {
			want = "\x1b[32mPASS\x1b[0m\x1b[1;31mthe\x1b[0m \x1b[1;31mclaim\x1b[0m\x1b[33m?\x1b[0m"
		}
		if s.String() != want {
			t.Errorf("colour %v: %q, want %q", colour, s.String(), want)
		}
	}
	if got := layout.Bad(&strings.Builder{}, "FAIL"); got != "FAIL" {
		t.Errorf("for a builder: %q, want the word alone", got)
	}
}

func table(s *screen) string {
	t := layout.NewTable(s, "METHOD", "ACCURACY %", "", "LIMIT %", "WHAT IT IS", "VERDICT").Spare("LIMIT %", "ACCURACY %", "WHAT IT IS")
	t.Row("noise", 71.25, "70 to 72", 80, "a mechanism that stands between the encoder and a classifier", "within the limit")
	t.Row("federate", 70, "69 to 71", 80, "noise, with an adversary", layout.Bad(s, "refuted"))
	t.Row("dpnr", "not trained")
	if err := t.Flush(); err != nil {
		return err.Error()
	}
	return s.String()
}

// What is left out follows from the room that there is.
func TestTable(t *testing.T) {
	whole := table(&screen{})
	for _, tt := range []struct {
		columns int
		gone    string
	}{{0, ""}, {200, ""}, {100, ""}, {80, "no room for LIMIT %;"}, {60, "no room for ACCURACY %, LIMIT %;"}, {30, "no room for ACCURACY %, LIMIT %, WHAT IT IS;"}, {12, ""}, {3, ""}} {
		got := table(&screen{columns: tt.columns})
		flat := strings.Join(strings.Fields(got), " ")
		for line := range strings.SplitSeq(got, "\n") {
			if n := layout.Width(line); tt.columns >= 12 && n > tt.columns || strings.HasSuffix(line, " ") {
				t.Errorf("at %d columns: line %q has %d", tt.columns, line, n)
			}
		}
		if !strings.Contains(flat, tt.gone) || tt.gone == "" && tt.columns > 99 && strings.Contains(flat, "no room") {
			t.Errorf("at %d columns:\n%s\nwant %q", tt.columns, got, tt.gone)
		}
		if (tt.columns == 0 || tt.columns == 200) && got != whole {
			t.Errorf("at %d columns:\n%s\nwant\n%s", tt.columns, got, whole)
		}
		if tt.columns >= 60 && !strings.Contains(flat, "refuted") {
			t.Errorf("at %d columns the verdict is gone:\n%s", tt.columns, got)
		}
	}
	if coloured := table(&screen{colour: true}); strings.NewReplacer("\x1b[1;31m", "", "\x1b[0m", "").Replace(coloured) != whole {
		t.Errorf("in colour:\n%s\nwant but for the colour\n%s", coloured, whole)
	}
}

// Facts keep their names, and what is said of them stays to the right of these.
func TestFacts(t *testing.T) {
	s := &screen{columns: 31}
	f := layout.NewTable(s)
	f.Fact("claimed", "ε = %v", 1)
	f.Fact("because", "the sensitivity is not what was taken for it")
	if err := f.Flush(); err != nil {
		t.Fatal(err)
	}
	const want = "claimed  ε = 1\nbecause  the sensitivity is not\n         what was taken for it\n"
	if s.String() != want {
		t.Errorf("facts are\n%s\nwant\n%s", s.String(), want)
	}
}

// A table that was flushed may be followed by another, with empty lines before.
func TestAgain(t *testing.T) {
	var s strings.Builder
	w := layout.NewTable(&s, "A", "B")
	w.Row(1, 2)
	w.Flush() //nolint:errcheck // checked below
	w.Row("\nLONGER", "C")
	w.Row(3, 4)
	if err := w.Flush(); err != nil || s.String() != "A  B\n1  2\n\nLONGER  C\n3       4\n" {
		t.Errorf("two tables: %v, %q", err, s.String())
	}
}

// Whatever the cells, no line is wider than the screen, and nothing panics.
func FuzzTable(f *testing.F) {
	f.Add("a\tb\n日本語 x\ty", uint8(20))
	f.Add("a\nbbb\t\tc\nd\teee", uint8(5)) // the last column goes, and a line that ended before it stays
	f.Fuzz(func(t *testing.T, text string, columns uint8) {
		s := &screen{columns: int(columns)}
		w := layout.NewTable(s).Headed()
		for line := range strings.SplitSeq(text, "\n") {
			if strings.ContainsAny(line, "\x1b\v\f\r") {
				t.Skip("commands to a terminal; names are quoted by term.Plain")
			}
			w.Cells(strings.Split(line, "\t")...)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		for line := range strings.SplitSeq(s.String(), "\n") {
			if layout.Width(line) > max(4, s.columns) && s.columns > 0 {
				t.Errorf("at %d columns: %q has %d", s.columns, line, layout.Width(line))
			}
		}
	})
}

func ExampleTable() {
	t := layout.NewTable(os.Stdout, "METHOD", "ACCURACY %")
	t.Row("noise", 71.25)
	t.Flush() //nolint:errcheck // an example
	// Output:
	// METHOD  ACCURACY %
	// noise   71.25
}
