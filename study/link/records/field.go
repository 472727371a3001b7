package records

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sotto/study/link"
)

// This part of the package makes the fields of a table comparable, and compares them: by equal
// text, spelling, shared and rare words, initials, short forms of names, sound,
// numbers, codes and dates.
//
//	f := NewFrequencies(rows)
//	a, b := FieldParse("Bob Quill, 12 Elm Street", f), FieldParse("Robert Quill, 12 Elm St.", f)
//	var x Features
//	Compare(&x, &a, &b)
//
// It knows nothing of tables, pairs or models, and quotes nothing.

// A Value is a field, made comparable.
type Value struct {
	Text    string  // in lower case, without accents and punctuation, usual abbreviations in one form
	words   []word  // each once, by identity
	order   []int32 // where in words those stand that come first, at most [mostWords]
	squeeze string  // Text without spaces, if it may hold a code
	acronym string  // the first letters of its words, of two and more
	first   string  // the first number
	number  float64
	date    date
	numeric bool // the field is one number
	whole   bool // it is all fields of a row, which are not compared by spelling
}

// A word of a field.
type word struct {
	text   string
	id     uint64
	nick   []int // numbers of the name, if it is a given one; see [link.NicknameLines]
	sound  uint32
	weight float32 // the rarer, the more; squares of a field add up to 1
	rarity float32 // from 0, every row has it, to 1
	digits bool    // it holds a digit
	code   bool    // it may be the number of a model, a telephone, an account
}

// mostWords is how many words of a field are compared by spelling, sound and initials.
const mostWords = 12

// FieldParse makes a field comparable, with words weighed by how often they are counted in
// f, which may be nil: then all weigh the same.
func FieldParse(text string, f *frequencies) Value {
	v := Value{}
	words := split(text)
	v.Text = strings.Join(words, " ")
	v.number, v.numeric = parseNumber(text)
	v.date = parseDate(text)
	v.words = make([]word, 0, len(words))
	at := 0
	for _, w := range words {
		x := newWord(v.Text[at : at+len(w)])
		at += len(w) + 1
		if x.digits && v.first == "" {
			v.first = x.text
		}
		v.words = append(v.words, x)
	}
	if len(words) > 1 && len(words) <= mostWords {
		var b strings.Builder
		for _, w := range words {
			r, _ := utf8.DecodeRuneInString(w)
			b.WriteRune(r)
		}
		v.acronym = b.String()
	}
	v.finish(f)
	first := words[:min(len(words), mostWords)]
	v.order = make([]int32, len(first))
	for k, w := range first {
		v.order[k] = int32(slices.IndexFunc(v.words, func(x word) bool { return x.text == w }))
	}
	return v
}

// Whole makes one value of all fields of a row.
func Whole(row []Value, f *frequencies) Value {
	v := Value{whole: true}
	n := 0
	var b strings.Builder
	for k := range row {
		if row[k].Text == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(row[k].Text)
		n += len(row[k].words)
		if v.first == "" {
			v.first = row[k].first
		}
	}
	v.Text = b.String()
	v.words = make([]word, 0, n)
	for k := range row {
		v.words = append(v.words, row[k].words...)
	}
	v.finish(f)
	return v
}

// finish orders the words and weighs them.
func (v *Value) finish(f *frequencies) {
	if strings.ContainsFunc(v.Text, unicode.IsDigit) {
		v.squeeze = strings.ReplaceAll(v.Text, " ", "")
	}
	slices.SortFunc(v.words, func(a, b word) int { return cmp.Compare(a.id, b.id) })
	v.words = slices.CompactFunc(v.words, func(a, b word) bool { return a.id == b.id })
	v.weigh(f)
}

// at is the word that stands k-th.
func (v *Value) at(k int) *word { return &v.words[v.order[k]] }

// split returns the words of a text, in the form in which they are compared.
func split(text string) []string {
	var words []string
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			words = append(words, canonical(b.String()))
			b.Reset()
		}
	}
	for _, r := range text {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			r = unicode.ToLower(r)
			if plain := fold(r); plain != "" {
				b.WriteString(plain)
			} else {
				b.WriteRune(r)
			}
		case r == '\'' || r == '.' || r == '’' || unicode.Is(unicode.Mn, r): // o'neil is a word, and so is u.s.
		default:
			flush()
		}
	}
	flush()
	return words
}

// newWord finds out what a word is.
func newWord(text string) word {
	w := word{text: text, id: hash(text), sound: sound(text)}
	letters, digits := 0, 0
	for k := range len(text) {
		if c := text[k]; c >= '0' && c <= '9' {
			digits++
		} else {
			letters++
		}
	}
	w.digits = digits > 0
	w.code = digits > 0 && letters > 0 && len(text) > 3 || digits > 4
	if !w.digits {
		w.nick = link.NicknameLines(text)
	}
	return w
}

// hash is a number for a text, the same on every machine and in every run (FNV-1a,
// mixed so that all of its bits differ).
func hash(text string) uint64 {
	h := uint64(14695981039346656037)
	for k := range len(text) {
		h ^= uint64(text[k])
		h *= 1099511628211
	}
	return mix(h)
}

// mix spreads the bits of a number (the finaliser of SplitMix64).
func mix(h uint64) uint64 {
	h ^= h >> 30
	h *= 0xbf58476d1ce4e5b9
	h ^= h >> 27
	h *= 0x94d049bb133111eb
	return h ^ h>>31
}
