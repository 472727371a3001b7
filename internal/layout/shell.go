package layout

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// This part of the package writes commands as a person types them.

// Command puts words together that a shell takes apart again as they are. It is one line
// of characters that can be seen, whatever the words hold: the end of a line would start
// the command when it is pasted. Words that hold more need bash, zsh, ksh or another shell
// that knows $'…'.
func Command(words ...string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		switch {
		case plain.MatchString(w):
			quoted[i] = w
		case strings.ContainsFunc(w, func(r rune) bool { return !Printable(r) }):
			quoted[i] = ansi(w)
		default:
			quoted[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

// ansi quotes a word byte by byte where a character cannot be seen.
func ansi(w string) string {
	var b strings.Builder
	b.WriteString("$'")
	for w != "" {
		r, size := utf8.DecodeRuneInString(w)
		switch {
		case r == '\'' || r == '\\':
			b.WriteString(`\` + string(r))
		case Printable(r):
			b.WriteString(w[:size])
		default:
			for _, c := range []byte(w[:size]) {
				fmt.Fprintf(&b, `\%03o`, c)
			}
		}
		w = w[size:]
	}
	b.WriteString("'")
	return b.String()
}

// plain matches what a shell takes as it is.
var plain = regexp.MustCompile(`^[\pL\pN_./:=,@%+-]+$`)
