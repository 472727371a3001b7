package language

import (
	"unicode"
	"unicode/utf8"
)

// Tokens takes a text apart into words as the English Web Treebank does: what
// is written together but is more than one word is divided, such as do|n't,
// Ann|'s and 15|-|year; addresses of the web and of mail, numbers, dates,
// abbreviations and emoticons stay whole. It puts all tokens into sentence 0.
//
// It takes any bytes. White space, controls and invisible separators belong to
// no token, every other byte belongs to exactly one, and time is linear.
func Tokens(text string) []Token {
	t := tokeniser{text: text, tokens: make([]Token, 0, len(text)/5+1)}
	for at := 0; at < len(text); {
		if n := space(text[at:]); n > 0 {
			at += n
			continue
		}
		end := at
		for end < len(text) && space(text[end:]) == 0 {
			end += size(text[end:])
		}
		t.chunk(at, end)
		at = end
	}
	return t.tokens
}

// tokeniser collects the tokens of a text.
type tokeniser struct {
	text   string
	tokens []Token
}

// add appends the token from start to end.
func (t *tokeniser) add(start, end int, fused bool) {
	t.tokens = append(t.tokens, Token{Text: t.text[start:end], Start: start, End: end, Fused: fused, Head: -1})
}

// chunk takes apart what stands between two spaces.
func (t *tokeniser) chunk(at, end int) {
	chunk := t.text[:end]
	for at < end {
		if n := address(chunk[at:], at == 0 || !inside(chunk[:at])); n > 0 {
			t.add(at, at+n, false)
			at += n
			continue
		}
		if n := emoticon(chunk[at:]); n > 0 {
			t.add(at, at+n, false)
			at += n
			continue
		}
		r, n := utf8.DecodeRuneInString(chunk[at:])
		if kind(r) != inWord && !startsNumber(chunk[at:]) && !elided(chunk[at:]) {
			n = symbols(chunk[at:], r, n)
			t.add(at, at+n, false)
			at += n
			continue
		}
		n = word(chunk[at:])
		t.split(at, at+n)
		at += n
	}
}

// inside tells whether a text ends within a word, so that no address begins
// behind it.
func inside(before string) bool {
	r, _ := utf8.DecodeLastRuneInString(before)
	return kind(r) == inWord
}

// size returns how many bytes the first character of a text has.
func size(s string) int {
	if s[0] < utf8.RuneSelf {
		return 1
	}
	_, n := utf8.DecodeRuneInString(s)
	return n
}

// space returns how many bytes of white space, control or invisible separator
// a text begins with: 0 if it begins with anything else.
func space(s string) int {
	if c := s[0]; c < utf8.RuneSelf {
		if c <= ' ' || c == 0x7f {
			return 1
		}
		return 0
	}
	r, n := utf8.DecodeRuneInString(s)
	switch {
	case unicode.IsSpace(r), unicode.IsControl(r), r == '\u200b', r == '\ufeff', r == '\u2060', r >= '\u2000' && r <= '\u200a', r == '\u200e', r == '\u200f', r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069':
		return n
	}
	return 0
}

// class is what the tokeniser knows of a character.
type class int

const (
	other  class = iota // a symbol or punctuation
	inWord              // a letter, digit, mark or joiner
)

// ascii is the class of each character of ASCII.
var ascii = func() (c [utf8.RuneSelf]class) {
	for r := range rune(utf8.RuneSelf) {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			c[r] = inWord
		}
	}
	return c
}()

// kind returns the class of a character.
func kind(r rune) class {
	if r < utf8.RuneSelf {
		return ascii[r]
	}
	if r == utf8.RuneError {
		return other
	}
	if unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) || r == '\u00ad' || r == '\u200c' || r == '\u200d' {
		return inWord
	}
	return other
}

// digit and letter tell what a byte of ASCII is. Beyond ASCII, what is in a
// word counts as a letter.
func digit(c byte) bool  { return c >= '0' && c <= '9' }
func upper(c byte) bool  { return c >= 'A' && c <= 'Z' }
func letter(c byte) bool { return upper(c) || c >= 'a' && c <= 'z' || c >= utf8.RuneSelf }
