package text

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// foldFile says what each character becomes. It is made by a test from the
// tables of Unicode; see its first lines for the format. The tables of package
// unicode would do, but they change with the version of Go, and ids must not.
//
//go:embed fold.txt
var foldFile string

// kind says what a character is to the words of a WordPiece tokeniser.
type kind uint32

const (
	letter kind = iota // part of a word
	drop               // as if it were not there
	space              // ends a word
	alone              // a word of its own: punctuation and Chinese characters
)

// The parts of a cell: from the lowest bit on the kind, the length of the
// replacement in bytes, and where it begins in texts. Length 0 means that the
// character stays what it is.
const (
	kindBits   = 2
	lengthBits = 4
	offsetAt   = kindBits + lengthBits
)

// folds maps characters to cells.
type folds struct {
	page  [(utf8.MaxRune + 1) >> 8]uint16 // of a character's upper bits, in cells
	cells [][256]uint32
	texts string
}

// folding returns the table, which is made when it is first needed.
var folding = sync.OnceValue(func() *folds { return parseFolds(foldFile) })

// parseFolds makes the table from the lines of a file that is part of this
// package, so it is right or the tests fail: there is nobody to return an error
// to.
func parseFolds(file string) *folds {
	t := &folds{cells: make([][256]uint32, 1)}
	kinds := map[string]kind{"drop": drop, "space": space, "alone": alone}
	var texts strings.Builder
	for line := range strings.Lines(file) {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] == "#" {
			continue
		}
		first, last, isRange := strings.Cut(fields[0], "-")
		from := character(first)
		to := from
		if isRange {
			to = character(last)
		}
		k, replacement := kinds[fields[1]], fields[1:]
		if k != letter {
			replacement = fields[2:]
		}
		begin := texts.Len()
		for _, r := range replacement {
			texts.WriteRune(character(r))
		}
		cell := uint32(begin)<<offsetAt | uint32(texts.Len()-begin)<<kindBits | uint32(k)
		t.set(from, to, cell)
	}
	t.texts = texts.String()
	return t
}

// character returns the character whose number in hexadecimal digits is s.
func character(s string) rune {
	n, err := strconv.ParseUint(s, 16, 21)
	if err != nil {
		panic("text: fold.txt has a number that is none")
	}
	return rune(n)
}

// set gives the characters of a range a cell. Whole pages that are alike share
// one, which keeps the table small enough for a cache.
func (t *folds) set(from, to rune, cell uint32) {
	for r := from; r <= to; {
		n := r >> 8
		if r&0xff == 0 && to-r >= 0xff {
			if n > 0 && t.page[n-1] != 0 && t.cells[t.page[n-1]] == filled(cell) {
				t.page[n] = t.page[n-1]
			} else {
				t.page[n] = uint16(len(t.cells))
				t.cells = append(t.cells, filled(cell))
			}
			r += 0x100
			continue
		}
		if t.page[n] == 0 {
			t.page[n] = uint16(len(t.cells))
			t.cells = append(t.cells, [256]uint32{})
		}
		t.cells[t.page[n]][r&0xff] = cell
		r++
	}
}

// filled returns a page of equal cells.
func filled(cell uint32) (page [256]uint32) {
	for i := range page {
		page[i] = cell
	}
	return page
}

// Syllables of Hangul are made of two or three letters, by a formula.
const (
	hangulFirst, hangulLast  = 0xac00, 0xd7a3
	hangulLead, hangulVowel  = 0x1100, 0x1161
	hangulTail               = 0x11a7 // one before the first, since 0 means none
	hangulVowels, hangulEnds = 21, 28
)

// append appends what r becomes, in lower case and without accents, and returns
// its kind and the number of characters appended.
func (t *folds) append(dst []byte, r rune) ([]byte, kind, int) {
	if r >= hangulFirst && r <= hangulLast {
		i := r - hangulFirst
		dst = utf8.AppendRune(dst, hangulLead+i/(hangulVowels*hangulEnds))
		dst = utf8.AppendRune(dst, hangulVowel+i/hangulEnds%hangulVowels)
		if i%hangulEnds == 0 {
			return dst, letter, 2
		}
		return utf8.AppendRune(dst, hangulTail+i%hangulEnds), letter, 3
	}
	cell := t.cells[t.page[r>>8]][r&0xff]
	k := kind(cell & (1<<kindBits - 1))
	size := cell >> kindBits & (1<<lengthBits - 1)
	switch {
	case k == drop || k == space:
		return dst, k, 0
	case size == 0:
		return utf8.AppendRune(dst, r), k, 1
	}
	s := t.texts[cell>>offsetAt:][:size]
	return append(dst, s...), k, utf8.RuneCountInString(s)
}

// Fold returns a word as those of lists are compared: in lower case and without
// accents, with straight apostrophes.
func Fold(word string) string { return string(foldWord(nil, word)) }

// foldWord appends a word in lower case and without accents, with straight
// apostrophes and without the form that sigma has at the end of a word.
func foldWord(dst []byte, word string) []byte {
	t := folding()
	for _, r := range word {
		switch r {
		case '’':
			r = '\''
		case 'ς':
			r = 'σ'
		}
		dst, _, _ = t.append(dst, r)
	}
	return dst
}
