package parse

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"sotto/study/language"
)

// Features of a word that is looked up in tables of learnt vectors. All but the
// word itself are hashed into a fixed number of rows.
const (
	byWord = iota
	byPrefix
	bySuffix2
	bySuffix3
	bySuffix4
	byShape
	features
)

// hashed are the rows of the tables of features, and how many numbers a row
// has. The table of words has a row for each word that the training knows well.
var hashed = [features]struct{ rows, width int }{
	byWord:    {0, 64},
	byPrefix:  {4096, 32},
	bySuffix2: {1024, 16},
	bySuffix3: {4096, 32},
	bySuffix4: {4096, 32},
	byShape:   {512, 16},
}

// lookups are the rows of a word in the tables of features.
type lookups [features]int32

// unknown is the row of words that the training does not know well.
const unknown = 0

// look returns the rows of a token. before tells whether a space stands before
// it, first whether it is the first of its sentence.
func (v *vocabulary) look(t *language.Token, low string, before, first bool) lookups {
	var l lookups
	l[byWord] = v.words[low]
	p := low
	if len(p) > 3 {
		p = head(p, 3)
	}
	l[byPrefix] = row(byPrefix, p)
	l[bySuffix2] = row(bySuffix2, tail(low, 2))
	l[bySuffix3] = row(bySuffix3, tail(low, 3))
	l[bySuffix4] = row(bySuffix4, tail(low, 4))
	var shape [16]byte
	n := outline(shape[:0], t.Text)
	if before {
		n = append(n, '_')
	}
	if first {
		n = append(n, '^')
	}
	l[byShape] = row(byShape, string(n))
	return l
}

// row returns the row of a string in the table of a feature.
func row(feature int, s string) int32 {
	h := uint32(2166136261) ^ uint32(feature)*0x9e3779b9
	for i := range len(s) {
		h = (h ^ uint32(s[i])) * 16777619
	}
	h ^= h >> 15
	h *= 0x2c1b3c6d
	h ^= h >> 13
	return int32(h % uint32(hashed[feature].rows))
}

// head returns the first n characters of a text.
func head(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// tail returns the last n characters of a text.
func tail(s string, n int) string {
	at := len(s)
	for ; n > 0 && at > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:at])
		at -= size
	}
	return s[at:]
}

// outline appends the shape of a word: X for a capital, x for another letter, 9
// for a digit, other characters themselves, with runs of more than two cut.
func outline(dst []byte, s string) []byte {
	var last byte
	run := 0
	for _, r := range s {
		c := byte('?')
		switch {
		case r < utf8.RuneSelf && (r >= 'a' && r <= 'z'):
			c = 'x'
		case r < utf8.RuneSelf && (r >= 'A' && r <= 'Z'):
			c = 'X'
		case r >= '0' && r <= '9':
			c = '9'
		case r < utf8.RuneSelf:
			c = byte(r)
		case unicode.IsUpper(r):
			c = 'X'
		case unicode.IsLetter(r):
			c = 'x'
		}
		if c == last {
			run++
		} else {
			last, run = c, 1
		}
		if run <= 2 {
			dst = append(dst, c)
		}
		if len(dst) >= 12 {
			break
		}
	}
	return dst
}

// normal returns a word as it is looked up: in small letters, with straight
// apostrophes, and with all digits alike.
func normal(s string) string {
	plain := true
	for i := range len(s) {
		if c := s[i]; c >= utf8.RuneSelf || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '`' {
			plain = false
			break
		}
	}
	if plain {
		return s
	}
	if len(s) > maxWord {
		s = head(s, maxWord/4)
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r >= '0' && r <= '9':
			return '0'
		case r == '’' || r == '‘' || r == '`':
			return '\''
		case r == '“' || r == '”':
			return '"'
		}
		return unicode.ToLower(r)
	}, s)
}

// maxWord is the most bytes of a word that are looked at.
const maxWord = 256
