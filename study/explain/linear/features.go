package linear

import (
	"context"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sotto/text"
	"sotto/text/encode"
)

// Features make numbers of texts. They do not change and are safe for concurrent use.
type Features interface {
	// Name is how they are called, such as "words".
	Name() string
	// Width is how many numbers a text has.
	Width() int
	// Rows returns the numbers of each text. An error quotes no text.
	Rows(ctx context.Context, texts []string) (*Rows, error)
}

// Tokens returns where the words of a text are that a [Vocabulary] tells apart, in order:
// runs without white space, of which what is neither letter nor digit at either end is a
// word of its own, but for an apostrophe before a letter. So a text whose words are
// already apart stays as it is, and of any other the punctuation comes off.
func Tokens(s string) []text.Span {
	var all []text.Span
	put := func(from, to int) {
		if from < to {
			all = append(all, text.Span{Start: from, End: to})
		}
	}
	field := func(from, to int) {
		first, last := from, to
		for first < to {
			r, size := utf8.DecodeRuneInString(s[first:to])
			next, _ := utf8.DecodeRuneInString(s[first+size : to])
			if inWord(r) || (r == '\'' || r == '’') && inWord(next) {
				break
			}
			first += size
		}
		for last > first {
			r, size := utf8.DecodeLastRuneInString(s[first:last])
			if inWord(r) || unicode.IsMark(r) {
				break
			}
			last -= size
		}
		put(from, first)
		put(first, last)
		put(last, to)
	}
	from := -1
	for i, r := range s {
		switch space := unicode.IsSpace(r); {
		case space && from >= 0:
			field(from, i)
			from = -1
		case !space && from < 0:
			from = i
		}
	}
	if from >= 0 {
		field(from, len(s))
	}
	return all
}

func inWord(r rune) bool {
	return r != utf8.RuneError && (r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r))
}

// Vocabulary tells which words and pairs of words a text has, of those that were seen when
// it was learnt, in lower case: 1 for each, however often it occurs. It knows them by a
// hash of 64 bits and holds no word.
type Vocabulary struct {
	columns map[uint64]int32
}

var _ Features = (*Vocabulary)(nil)

// Learn returns the words and pairs of some texts, in the order in which they come.
func Learn(texts []string) *Vocabulary {
	v := &Vocabulary{columns: map[uint64]int32{}}
	for _, s := range texts {
		for _, f := range v.features(s) {
			if _, ok := v.columns[f]; !ok {
				v.columns[f] = int32(len(v.columns))
			}
		}
	}
	return v
}

// Name implements [Features].
func (v *Vocabulary) Name() string { return "words and pairs" }

// Width implements [Features].
func (v *Vocabulary) Width() int { return len(v.columns) }

// Rows implements [Features].
func (v *Vocabulary) Rows(ctx context.Context, texts []string) (*Rows, error) {
	rows := NewRows(v.Width())
	for i, s := range texts {
		if i%1024 == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		rows.Add(v.row(s))
	}
	return rows, nil
}

// row returns the features of a text.
func (v *Vocabulary) row(s string) (index []int32, value []float64) {
	for _, f := range v.features(s) {
		if j, ok := v.columns[f]; ok {
			index = append(index, j)
		}
	}
	slices.Sort(index)
	index = slices.Compact(index)
	value = make([]float64, len(index))
	for k := range value {
		value[k] = 1
	}
	return index, value
}

// features returns the hashes of the words of a text and of its pairs.
func (v *Vocabulary) features(s string) []uint64 {
	var all []uint64
	before := ""
	for _, span := range Tokens(s) {
		word := strings.ToLower(s[span.Start:span.End])
		all = append(all, hashWord(word))
		if before != "" {
			all = append(all, hashPair(before, word))
		}
		before = word
	}
	return all
}

func hashWord(word string) uint64 { return text.HashEnd(text.HashOn(text.HashBasis, word)) }

func hashPair(a, b string) uint64 {
	return text.HashEnd(text.HashOn(text.HashOn(text.HashOn(text.HashBasis, a), " "), b))
}

// Encoded are the vectors of an encoder, times the root of their length: numbers of
// vectors of length 1 are small beside those of words, and the same penalty would hold
// their weights back more.
type Encoded struct {
	Source  encode.Source
	Workers int
}

var _ Features = Encoded{}

// Name implements [Features].
func (e Encoded) Name() string { return e.Source.Name() }

// Width implements [Features].
func (e Encoded) Width() int { return e.Source.Dim() }

// Rows implements [Features].
func (e Encoded) Rows(ctx context.Context, texts []string) (*Rows, error) {
	x, err := encode.Texts(ctx, e.Source, texts, max(e.Workers, 1))
	if err != nil {
		return nil, err
	}
	rows := NewRows(x.Cols)
	index, value := make([]int32, x.Cols), make([]float64, x.Cols)
	scale := math.Sqrt(float64(x.Cols))
	for i := range x.Rows {
		for j, v := range x.Row(i) {
			index[j], value[j] = int32(j), scale*float64(v)
		}
		rows.Add(index, value)
	}
	return rows, nil
}
