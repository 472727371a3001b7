// Package layout fits words and tables to the width of a terminal, and colours
// verdicts where a terminal has colours. What is written elsewhere, to a file or a
// pipe, has neither: whole lines, and words alone.
//
//	b := layout.NewBuffer(out)
//	t := layout.NewTable(b, "METHOD", "ACCURACY %", "SECONDS")
//	t.Row("noise", 71.5, 3)
//	t.Flush()
//	fmt.Fprintln(b, "verdict:", layout.Bad(b, "REFUTED"))
//	return b.Flush()
package layout

import (
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// Screen is a writer that people look at. What it is given it shows as [Visible] or
// [Painted] makes it.
type Screen interface {
	io.Writer
	// Columns returns how wide the screen is now, or 0 if lines may be of any length.
	Columns() int
	// Colour reports whether it understands the commands that change a colour.
	Colour() bool
}

// Columns returns how wide a writer is, or 0 if lines may be of any length.
func Columns(w io.Writer) int {
	if s, ok := w.(Screen); ok {
		return s.Columns()
	}
	return 0
}

// Good returns the text as a verdict that all is well, for that writer.
func Good(w io.Writer, text string) string { return paint(w, "32m", text) }

// Bad returns the text as a verdict that something is wrong, for that writer.
func Bad(w io.Writer, text string) string { return paint(w, "1;31m", text) }

// Doubtful returns the text as a verdict that is neither, for that writer.
func Doubtful(w io.Writer, text string) string { return paint(w, "33m", text) }

// paint colours each word by itself, so that a line can end between two.
func paint(w io.Writer, colour, text string) string {
	colour, plain := mark+colour, mark+"0m"
	if s, ok := w.(Screen); ok && s.Colour() && text != "" {
		return colour + strings.ReplaceAll(text, " ", plain+" "+colour) + plain
	}
	return text
}

// Buffer collects what people read, and fits it to the writer that it is for.
type Buffer struct {
	strings.Builder
	out io.Writer
}

// NewBuffer returns a buffer for what a writer shows.
func NewBuffer(out io.Writer) *Buffer { return &Buffer{out: out} }

// Columns implements [Screen].
func (b *Buffer) Columns() int { return Columns(b.out) }

// Colour implements [Screen].
func (b *Buffer) Colour() bool { s, ok := b.out.(Screen); return ok && s.Colour() }

// Flush writes what was collected, all at once. Lines that are longer than the
// writer is wide are folded between words; what follows is set in. A line that is a
// command to copy stays whole.
func (b *Buffer) Flush() error {
	text := visible(b.String(), mark) // names of files and columns are no commands to a terminal
	b.Reset()
	if columns := b.Columns(); columns > 0 {
		text = foldAll(text, columns)
	}
	_, err := io.WriteString(b.out, text)
	return err
}

// foldAll folds each line of a text.
func foldAll(text string, columns int) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if Width(l) <= columns || strings.HasPrefix(strings.TrimLeft(l, " "), "sotto ") {
			continue
		}
		in := strings.Repeat(" ", min(len(l)-len(strings.TrimLeft(l, " ")), columns/4)+2)
		first := Fold(strings.TrimLeft(l, " "), columns-len(in))
		lines[i] = in[2:] + strings.Join(first, "\n"+in)
	}
	return strings.Join(lines, "\n")
}

// Width returns how many columns of a terminal a text takes: none for characters
// that stand above others and for commands that change a colour, and two for the
// wide ones of Chinese, Japanese and Korean, and for pictures.
func Width(s string) int {
	n := 0
	for len(s) > 0 {
		size, columns := next(s)
		n, s = n+columns, s[size:]
	}
	return n
}

// Widest returns how many columns the longest line of a text takes.
func Widest(text string) int {
	n := 0
	for line := range strings.SplitSeq(text, "\n") {
		n = max(n, Width(line))
	}
	return n
}

// next returns the length of the first character, or command, and its columns.
func next(s string) (size, columns int) {
	if strings.HasPrefix(s, "\x1b[") {
		if end := strings.IndexFunc(s[2:], func(r rune) bool { return r >= '@' && r <= '~' }); end >= 0 {
			return end + 3, 0
		}
	}
	r, size := utf8.DecodeRuneInString(s)
	switch {
	case r < ' ' || r == 0x7f:
		return size, 0
	case r < 0x300:
		return size, 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return size, 0
	}
	if k := width.LookupRune(r).Kind(); k == width.EastAsianWide || k == width.EastAsianFullwidth {
		return size, 2
	}
	return size, 1
}

// Cut returns the text, or so much of it that it takes at most that many columns
// with an ellipsis behind.
func Cut(s string, columns int) string {
	if Width(s) <= columns {
		return s
	}
	kept, _ := split(s, columns-1)
	if columns < 1 {
		return ""
	}
	return strings.TrimRight(kept, " ") + "…"
}

// split divides a text behind as many characters as the columns hold.
func split(s string, columns int) (fits, rest string) {
	at := 0
	for at < len(s) {
		size, n := next(s[at:])
		if columns -= n; columns < 0 {
			break
		}
		at += size
	}
	return s[:at], s[at:]
}

// Fold divides a text into lines of at most that many columns, between words where
// that is possible. It returns one line, which may be empty, at least.
func Fold(s string, columns int) []string {
	columns = max(columns, 2) // which holds every character
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(s) {
		switch {
		case line == "":
		case Width(line)+1+Width(word) <= columns:
			line += " " + word
			continue
		default:
			lines = append(lines, line)
		}
		for line = word; Width(line) > columns; {
			var fits string
			fits, line = split(line, columns)
			lines = append(lines, fits)
		}
	}
	return append(lines, line)
}
