package page

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"sotto/internal/layout"
)

// Undefined is written where a number is not defined.
const Undefined = "not defined"

// Clean makes text of a result one line of at most n characters, without those
// that are never shown. Renderers leave out the latter by themselves, so that
// it is for what may be too long.
func Clean(s string, n int) string {
	var b strings.Builder
	blank := false
	for _, r := range s {
		switch {
		case unicode.IsSpace(r):
			blank = b.Len() > 0
			continue
		case !layout.Printable(r):
			continue
		}
		if n--; n < 0 {
			return b.String() + "…"
		}
		if blank {
			b.WriteByte(' ')
			blank = false
		}
		b.WriteRune(r)
	}
	return b.String()
}

// safe leaves out of a whole page or text what may not be written, its own ends
// of lines apart.
func safe(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || layout.Printable(r):
			return r
		case unicode.IsSpace(r):
			return ' '
		}
		return -1
	}, s)
}

// oneLine makes a blank of whatever ends a line.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("\n\r\v\f\u0085\u2028\u2029", r) {
			return ' '
		}
		return r
	}, s)
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// Decimal renders v with a number of decimals and a true minus sign, and what
// is not finite as [Undefined].
func Decimal[T ~float64](v T, decimals int) string {
	if !finite(float64(v)) {
		return Undefined
	}
	text := strconv.FormatFloat(math.Abs(float64(v)), 'f', decimals, 64)
	if v < 0 && strings.Trim(text, "0.") != "" {
		return "−" + text
	}
	return text
}

// Plural renders a count with its noun.
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// Sentence makes a sentence of a clause: its first letter large, and a full stop.
// It leaves "" alone.
func Sentence(clause string) string {
	first, size := utf8.DecodeRuneInString(clause)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(first)) + clause[size:] + "."
}
