package bias

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"sotto/text/encode"
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
	b := newBuilder(Options{})
	for i, w := range words {
		if slices.ContainsFunc(x.Row(i), func(v float32) bool { return v != 0 }) {
			add(b, w, x.Row(i))
		}
	}
	return NewTable(e.Dim(), b.words, b.rows)
}

// Join makes one table of several; of a word that stands in two the first
// counts. It panics if there are none.
func Join(tables ...*Table) (*Table, error) {
	b, dim := newBuilder(Options{}), tables[0].dim
	for _, t := range tables {
		if t.dim != dim {
			return nil, fmt.Errorf("bias: the vectors of one file have %d numbers and those of another %d, must have as many", dim, t.dim)
		}
		for i, w := range t.words {
			add(b, w, t.Row(i))
		}
	}
	return NewTable(dim, b.words, b.rows)
}
