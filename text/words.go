// Package text takes texts apart: into words, as lookups in tables of words and
// counts need them, and into the subwords of BERT, as transformers do. It also
// masks words, at random or because a user lists them.
//
// It understands no language: scripts without spaces between words come out as
// long runs of words, and names are found by their capital letters. It makes no
// promise of privacy either. Masks at random have one, which package mech
// states and draws them for; those of a list and of names have none.
//
// The smallest uses are
//
//	for word := range text.Words("Don't panic!") {
//		… // don't, panic
//	}
//
//	tokens, err := text.LoadWordPiece("tokenizer.json")
//	…
//	ids := tokens.Encode("Don't panic!", 128).IDs // 101, 2123, 1005, 1056, …
package text

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Words returns the words of s in order, in lower case. A word begins with a
// letter or a digit and goes on through letters, digits and combining marks; an
// apostrophe between two of its characters belongs to it, straight or curly,
// and comes out straight. Everything else separates words, also a byte that is
// not UTF-8, and a mark that follows neither letter nor digit, as in an emoji.
//
// The words share memory with s, or with a copy of it if any character changes,
// so there are at most two allocations, however many words there are.
func Words(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		// Both return s itself if there is nothing to change, and the first
		// replaces bytes that are not UTF-8 by a symbol, which is no letter.
		low := strings.ReplaceAll(strings.ToLower(s), "’", "'")
		for at := 0; ; {
			begin, end := next(low, at)
			if begin == end || !yield(low[begin:end]) {
				return
			}
			at = end
		}
	}
}

// Span is a part of a text: the bytes from Start up to, but without, End.
type Span struct{ Start, End int }

// Spans returns where the words of s are, in order. In lower case and with
// straight apostrophes they are what [Words] returns.
func Spans(s string) []Span {
	var spans []Span
	for at := 0; ; {
		begin, end := next(s, at)
		if begin == end {
			return spans
		}
		spans = append(spans, Span{begin, end})
		at = end
	}
}

// next returns where the first word of s from byte at on begins and ends: at
// the end of s if there is none.
func next(s string, at int) (begin, end int) {
	for at < len(s) {
		kind, size := classify(s[at:])
		if kind == inWord {
			return at, wordEnd(s, at+size)
		}
		at += size
	}
	return at, at
}

// wordEnd returns where the word ends that goes on at byte at.
func wordEnd(s string, at int) int {
	for at < len(s) {
		kind, size := classify(s[at:])
		if kind == outside || kind == apostrophe && !begins(s[at+size:]) {
			return at
		}
		at += size
	}
	return at
}

// begins reports whether a word begins at the start of s.
func begins(s string) bool {
	if s == "" {
		return false
	}
	kind, _ := classify(s)
	return kind == inWord
}

// class says what a character is to a word.
type class byte

const (
	outside class = iota
	apostrophe
	mark   // goes on with a word, but begins none
	inWord // a letter or a digit
)

// ascii holds the classes of the first characters of Unicode.
var ascii = func() (table [utf8.RuneSelf]class) {
	for c := range table {
		table[c] = classOf(rune(c))
	}
	return table
}()

// classify returns the class and the size of the first character of s, which
// is not empty.
func classify(s string) (class, int) {
	if c := s[0]; c < utf8.RuneSelf {
		return ascii[c], 1
	}
	r, size := utf8.DecodeRuneInString(s)
	return classOf(r), size
}

// classOf returns the class of a character.
func classOf(r rune) class {
	switch {
	case r == '\'', r == '’':
		return apostrophe
	case unicode.IsLetter(r), unicode.IsDigit(r):
		return inWord
	case unicode.IsMark(r):
		return mark
	}
	return outside
}
