package bias

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/floats"
)

// Table is a list of words with a vector each. It is read only once made, and
// safe for concurrent use.
type Table struct {
	dim   int
	words []string
	index map[string]int
	rows  []float64 // dim numbers a word
}

// NewTable returns a table of the given words, with dim numbers each in rows,
// in the same order. The table keeps both slices. Words must differ, and
// numbers must be finite.
func NewTable(dim int, words []string, rows []float64) (*Table, error) {
	if dim < 1 {
		return nil, fmt.Errorf("bias: width of the vectors is %d, must be at least 1", dim)
	}
	if len(rows) != dim*len(words) {
		return nil, fmt.Errorf("bias: %d words have %d numbers, must have %d each", len(words), len(rows), dim)
	}
	t := &Table{dim: dim, words: words, index: make(map[string]int, len(words)), rows: rows}
	for i, w := range words {
		if _, twice := t.index[w]; twice {
			return nil, fmt.Errorf("bias: word %d stands in the table twice, must stand there once", i+1)
		}
		t.index[w] = i
	}
	for i, v := range rows {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("bias: number %d of word %d is %v, must be finite", i%dim+1, i/dim+1, v)
		}
	}
	return t, nil
}

// Dim returns how many numbers a vector has.
func (t *Table) Dim() int { return t.dim }

// Len returns how many words there are.
func (t *Table) Len() int { return len(t.words) }

// Word returns the i-th word.
func (t *Table) Word(i int) string { return t.words[i] }

// Row returns the vector of the i-th word, which must not be changed.
func (t *Table) Row(i int) []float64 { return t.rows[i*t.dim : (i+1)*t.dim : (i+1)*t.dim] }

// Index returns where a word stands: the word as it is, else the first of its
// Spellings that the table has.
func (t *Table) Index(word string) (int, bool) {
	for _, s := range Spellings(word) {
		if i, ok := t.index[s]; ok {
			return i, true
		}
	}
	return 0, false
}

// Find returns the vector of a word, looked up as by Index. It must not be
// changed.
func (t *Table) Find(word string) ([]float64, bool) {
	i, ok := t.Index(word)
	if !ok {
		return nil, false
	}
	return t.Row(i), true
}

// Unit returns the table with each vector divided by its Euclidean length; a
// vector of zeros stays.
func (t *Table) Unit() *Table {
	u := &Table{dim: t.dim, words: t.words, index: t.index, rows: slices.Clone(t.rows)}
	for i := range u.words {
		Normalise(u.Row(i))
	}
	return u
}

// Normalise divides a vector by its Euclidean length, unless it is zero.
func Normalise(v []float64) {
	for _, norm := range []float64{math.Inf(1), 2} { // by the largest first, so that no square overflows
		if length := floats.Norm(v, norm); length != 0 {
			for i := range v {
				v[i] /= length
			}
		}
	}
}

// Only returns a table of some rows of this one, by their places, in the order of
// this one. A place that stands there twice counts once. It panics if there is no
// such row.
func (t *Table) Only(rows []int) *Table {
	rows = slices.Compact(slices.Sorted(slices.Values(rows)))
	o := &Table{dim: t.dim, index: make(map[string]int, len(rows))}
	for k, i := range rows {
		o.index[t.words[i]] = k
		o.words, o.rows = append(o.words, t.words[i]), append(o.rows, t.Row(i)...)
	}
	return o
}

// CheckWritable refuses a table with words that a text file of vectors cannot
// hold, before work is spent on it.
func (t *Table) CheckWritable() error {
	for i, word := range t.words {
		if word == "" || strings.ContainsAny(word, " \r\n") {
			return fmt.Errorf("bias: word %d is empty or has a space, which a text file of vectors cannot hold; leave it out or put an underscore for the space", i+1)
		}
	}
	return nil
}

// Write writes the table as text, a word and its numbers a line, to the precision
// of float32, and compressed by gzip if so wished.
func (t *Table) Write(w io.Writer, compress bool) error {
	finish := func() error { return nil }
	if compress {
		z := gzip.NewWriter(w)
		w, finish = z, z.Close
	}
	b := bufio.NewWriterSize(w, 1<<16)
	var line []byte
	for i, word := range t.words {
		line = append(line[:0], word...)
		for _, v := range t.Row(i) {
			line = strconv.AppendFloat(append(line, ' '), v, 'g', -1, 32)
		}
		b.Write(append(line, '\n'))
	}
	return errors.Join(b.Flush(), finish())
}

// Spellings returns the ways in which a word is looked up, the word itself
// first: as it is and in lower case, since many tables hold nothing else; then
// both with the forms of Arabic letters that Persian and Urdu tables use, and
// with an underscore or a hyphen for each space.
func Spellings(word string) []string {
	var all []string
	add := func(s string) {
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	for _, s := range []string{word, strings.ToLower(word)} {
		add(s)
		add(persian.Replace(s))
		add(arabic.Replace(s))
	}
	if strings.ContainsRune(word, ' ') {
		for _, s := range slices.Clone(all) {
			add(strings.ReplaceAll(s, " ", "_"))
			add(strings.ReplaceAll(s, " ", "-"))
		}
	}
	return all
}

// AllSpellings is the set of the Spellings of several words.
func AllSpellings(words []string) map[string]bool {
	all := make(map[string]bool, 2*len(words))
	for _, w := range words {
		for _, s := range Spellings(w) {
			all[s] = true
		}
	}
	return all
}

// The two code points of yeh and of kaf, which look alike in most fonts and are
// mixed in most corpora.
var (
	persian = strings.NewReplacer("ي", "ی", "ك", "ک", "ى", "ی")
	arabic  = strings.NewReplacer("ی", "ي", "ک", "ك")
)
