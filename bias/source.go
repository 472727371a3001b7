package bias

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"sotto/encode"
)

// Source is a table and where it is from.
type Source struct {
	Name   string // a file, or an encoder
	Table  *Table
	Counts *Counts // nil if an encoder made it
}

// Encode makes a table of single words, each the whole text that an encoder is
// given. A word of which it knows nothing is left out.
func Encode(ctx context.Context, e encode.Source, words []string) (*Table, error) {
	if words == nil {
		return nil, errors.New("bias: an encoder has no list of words; give a file of word vectors")
	}
	words = slices.Compact(slices.Sorted(slices.Values(words)))
	x, err := encode.Texts(ctx, e, words, runtime.GOMAXPROCS(0))
	if err != nil {
		return nil, err
	}
	var known []string
	var rows []float64
	for i, w := range words {
		if !slices.ContainsFunc(x.Row(i), func(v float32) bool { return v != 0 }) {
			continue
		}
		known = append(known, w)
		for _, v := range x.Row(i) {
			rows = append(rows, float64(v))
		}
	}
	return NewTable(e.Dim(), known, rows)
}

// Join makes one table of several; of a word that stands in two the first
// counts. It panics if there are none.
func Join(tables ...*Table) (*Table, error) {
	b := builder{seen: map[string]bool{}, dim: tables[0].dim}
	for _, t := range tables {
		if t.dim != b.dim {
			return nil, fmt.Errorf("bias: the vectors of one file have %d numbers and those of another %d, must have as many", b.dim, t.dim)
		}
		for i, w := range t.words {
			b.add(w, t.Row(i))
		}
	}
	return NewTable(b.dim, b.words, b.rows)
}
