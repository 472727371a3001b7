package linear

import (
	"context"
	"strings"

	"sotto/study/explain"
)

// Without returns a text without some words, which are in lower case, and whether any
// of them was in it.
func Without(s string, drop map[string]bool) (string, bool) {
	words := Tokens(s)
	kept, found := make([]bool, len(words)), false
	for i, w := range words {
		kept[i] = !drop[strings.ToLower(s[w.Start:w.End])]
		found = found || !kept[i]
	}
	if !found {
		return s, false
	}
	return explain.Without(s, words, kept), true
}

// Attributed returns, for each text that has one of the words, what it has above the
// same text without them, at most so many rows: what Options.Against takes.
func Attributed(ctx context.Context, f Features, texts []string, words map[string]bool, most int) (*Rows, error) {
	var with, without []string
	for _, s := range texts {
		if rest, ok := Without(s, words); ok && len(with) < most {
			with, without = append(with, s), append(without, rest)
		}
	}
	a, err := f.Rows(ctx, with)
	if err != nil {
		return nil, err
	}
	b, err := f.Rows(ctx, without)
	if err != nil {
		return nil, err
	}
	return a.minus(b), nil
}
