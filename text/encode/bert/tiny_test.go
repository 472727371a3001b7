package bert_test

import (
	"testing"

	"sotto/compute/nn/transformer/tiny"
	"sotto/text"
	"sotto/text/encode/bert"
)

// random is a random model that is small enough for a plain forward pass.
type random struct{ *tiny.Model }

// The sizes of small run the portable loops, those of even the assembly.
func small() *random { return &random{tiny.Small()} }

func even() *random { return &random{tiny.Even()} }

func (m *random) open(tb testing.TB, o bert.Options) *bert.Model {
	tb.Helper()
	dir := tb.TempDir()
	if err := m.Write(dir); err != nil {
		tb.Fatal(err)
	}
	b, err := bert.Open(dir, o)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// sentence returns n tokens, the later ones of the second type.
func (m *random) sentence(n int) text.Tokens {
	ids, types := m.Sequence(n)
	return text.Tokens{IDs: ids, Types: types}
}
