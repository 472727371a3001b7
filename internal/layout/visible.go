package layout

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// mark begins a colour in what this package makes. Nobody who writes a file that is shown
// later can know its number, so what looks like a command to a terminal and has none is
// somebody else's, and is not obeyed.
var mark = newMark()

func newMark() string {
	var b [8]byte
	rand.Read(b[:])
	return "\x1b[" + strconv.FormatUint(binary.LittleEndian.Uint64(b[:]), 10) + ";"
}

// Printable reports whether r may be shown. Control characters may not, nor marks that turn
// the direction of text, which could make a number read as another, nor what ends a line or a
// paragraph where nobody looks for it. The two that part and join letters are spelling, in
// Farsi for one.
func Printable(r rune) bool {
	const parts, joins, line, paragraph, none = '\u200c', '\u200d', '\u2028', '\u2029', 0xfffe
	return r == parts || r == joins || !unicode.Is(unicode.C, r) && r != line && r != paragraph && r != unicode.ReplacementChar && r&none != none // which are no characters
}

// Visible returns a text as a terminal may be given it: with the colours that this package
// gave it, its ends of lines and its tabs, and with a sign for each character that is not
// [Printable], such as ␛ for what begins a terminal's commands. Others are written as JSON
// writes them, so that a line of a log is JSON still. Bytes that are no UTF-8 become U+FFFD.
func Visible(s string) string { return visible(s, "\x1b[") }

// visible is Visible with something in the place of the marks of colours.
func visible(s, colour string) string {
	if !strings.ContainsFunc(s, strange) {
		return s
	}
	var b strings.Builder
	for s != "" {
		if rest, ours := strings.CutPrefix(s, mark); ours {
			b.WriteString(colour)
			s = rest
			continue
		}
		r, size := utf8.DecodeRuneInString(s)
		switch s = s[size:]; {
		case !strange(r):
			b.WriteRune(r)
		case r == 0x7f:
			b.WriteRune('\u2421')
		case r < ' ':
			b.WriteRune('\u2400' + r)
		case r == utf8.RuneError:
			b.WriteRune(r)
		default:
			escape(&b, r)
		}
	}
	return b.String()
}

// escape writes a character as JSON may.
func escape(b *strings.Builder, r rune) {
	for _, unit := range utf16.Encode([]rune{r}) {
		fmt.Fprintf(b, `\u%04x`, unit)
	}
}

// JSON returns JSON that says the same, with an escape for each character that is not
// [Printable]: whoever reads it as JSON reads what was there, and a terminal obeys nothing.
func JSON(text string) string {
	if !strings.ContainsFunc(text, strange) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if strange(r) && r != utf8.RuneError {
			escape(&b, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func strange(r rune) bool { return r != '\n' && r != '\t' && !Printable(r) }

// Painted returns a text with the colours that this package gave it and no other change, for
// what is written elsewhere than to a terminal.
func Painted(s string) string { return strings.ReplaceAll(s, mark, "\x1b[") }

// oneLine makes a cell of a table visible, which is one line: a name that goes over two
// would look like two rows.
func oneLine(s string) string { return endless.Replace(visible(s, mark)) }

var endless = strings.NewReplacer("\n", "␊", "\t", "␉")
