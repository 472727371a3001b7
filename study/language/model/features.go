package model

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"sotto/study/language"
)

// reader walks over a text and remembers what is open.
type reader struct {
	buffer []uint32
	quotes int // quotation marks in this sentence so far
	depth  int // brackets that are open in it
	line   int // tokens since a blank line or the beginning
}

// pass takes note of token i, which may begin a sentence.
func (r *reader) pass(d *language.Document, i int, begins bool) {
	if begins {
		r.quotes, r.depth = 0, 0
	}
	r.line++
	if i > 0 && blank(gap(d, i)) {
		r.line = 0
	}
	switch d.Tokens[i].Text {
	case `"`, "“", "”", "``", "''":
		r.quotes++
	case "(", "[":
		r.depth++
	case ")", "]":
		r.depth = max(r.depth-1, 0)
	}
}

// hash mixes the number of a feature and what it says.
func hash(feature uint32, words ...string) uint32 {
	h := 2166136261 ^ feature*0x9e3779b9
	for _, w := range words {
		for i := range len(w) {
			h = (h ^ uint32(w[i])) * 16777619
		}
		h = (h ^ 0xff) * 16777619
	}
	h ^= h >> 15
	h *= 0x2c1b3c6d
	return h ^ h>>13
}

// features returns what can be seen where token i could begin a sentence, since
// tokens behind where the last one began. They are valid until the next call.
func (r *reader) features(d *language.Document, i, since int) []uint32 {
	at := func(k int) (low, shape string) {
		if k < 0 || k >= len(d.Tokens) || k > i && paragraph(d, i, k) {
			return "", ""
		}
		text := d.Tokens[k].Text
		return lower(text), outline(text)
	}
	p2, s2 := at(i - 2)
	p1, s1 := at(i - 1)
	n1, t1 := at(i)
	n2, t2 := at(i + 1)
	_, t3 := at(i + 2)
	space := "none"
	if g := gap(d, i); strings.Contains(g, "\n") {
		space = "line"
	} else if g != "" {
		space = "space"
	}
	end := ender(p1)
	length := bucket(since)
	open := "shut"
	if r.quotes%2 == 1 || r.depth > 0 {
		open = "open"
	}
	return append(r.buffer[:0],
		hash(0, space), hash(1, p1), hash(2, n1), hash(3, p1, n1), hash(4, p2), hash(5, n2), hash(6, s1, space), hash(7, t1, space),
		hash(8, s1, t1, space), hash(9, s2, s1, t1), hash(10, end, t1, space), hash(11, end, length), hash(12, end, length, t1), hash(13, p1, t1),
		hash(14, p1, t1, t2), hash(15, s1, n1), hash(16, p2, p1), hash(17, n1, n2), hash(18, end, open, t1), hash(19, end, n1),
		hash(20, t1, t2, t3), hash(21, s2, s1, t1, t2), hash(22, bucket(r.line), end, t1), hash(23, p2, p1, t1), hash(24, suffix(p1), t1), hash(25, length))
}

// paragraph tells whether a blank line stands between token i and token k.
func paragraph(d *language.Document, i, k int) bool {
	for j := i + 1; j <= k; j++ {
		if blank(gap(d, j)) {
			return true
		}
	}
	return false
}

// lower returns a word as features compare it: in small letters, and cut.
func lower(s string) string {
	if len(s) > 24 {
		return "LONG"
	}
	return strings.ToLower(s)
}

// suffix returns the end of a word.
func suffix(s string) string {
	if len(s) > 3 {
		return s[len(s)-3:]
	}
	return s
}

// ender returns what kind of end of a sentence a word is.
func ender(s string) string {
	if s == "" {
		return ""
	}
	switch r, _ := utf8.DecodeLastRuneInString(s); {
	case r == '.' && len(s) > 1 && unicode.IsLetter(rune(s[0])):
		return "abbreviation"
	case strings.ContainsRune(".!?…", r):
		return s[:1]
	case strings.ContainsRune(`)"”'’]`, r), strings.ContainsRune(":;,-–—", r):
		return string(r)
	case unicode.IsLetter(r):
		return "word"
	case unicode.IsDigit(r):
		return "number"
	}
	return "symbol"
}

// outline returns the shape of a word: runs of capitals, small letters and
// digits are one character each.
func outline(s string) string {
	var b [8]byte
	n := 0
	for _, r := range s {
		c := byte('?')
		switch {
		case unicode.IsUpper(r):
			c = 'X'
		case unicode.IsLetter(r):
			c = 'x'
		case unicode.IsDigit(r):
			c = '9'
		case r < utf8.RuneSelf:
			c = byte(r)
		}
		if second := c == 'X' && n == 1; n > 0 && b[n-1] == c && !second { // XX is an abbreviation, X a name
			continue
		}
		if n == len(b) {
			break
		}
		b[n] = c
		n++
	}
	return string(b[:n])
}

// bucket returns a length, the longer the coarser.
func bucket(n int) string {
	switch {
	case n <= 4:
		return string(rune('0' + n))
	case n <= 7:
		return "7"
	case n <= 12:
		return "12"
	case n <= 20:
		return "20"
	case n <= 40:
		return "40"
	}
	return "long"
}
