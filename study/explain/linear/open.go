package linear

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sotto/study/explain"
	"sotto/text"
)

var _ explain.Opener = (*Model)(nil)

const (
	// maxOpened bounds the words of a text that is opened, and with it a table of pairs.
	maxOpened = 256
	// maxWithin bounds the words of a run without white space, all choices of which are
	// kept.
	maxWithin = 6
)

// run is a part of a text without white space, and which of its words lie in it.
type run struct {
	text.Span
	first, words int
}

// Open implements [explain.Opener] for a model over words: to leave words out costs a few
// sums. Where words are left out of a run without white space, such as one of n't, the rest
// is taken apart again, as reading the text would.
func (m *Model) Open(_ context.Context, s string, words []text.Span) (explain.Opened, error) {
	v, ok := m.features.(*Vocabulary)
	if !ok || len(words) > maxOpened || !slices.Equal(words, explain.Words(s)) {
		return nil, nil
	}
	var runs []run
	at := 0
	for from := 0; from < len(s); {
		size := strings.IndexFunc(s[from:], unicode.IsSpace)
		if size < 0 {
			size = len(s) - from
		}
		if size == 0 {
			_, width := utf8.DecodeRuneInString(s[from:])
			from += width
			continue
		}
		r := run{Span: text.Span{Start: from, End: from + size}, first: at}
		for at < len(words) && words[at].End <= r.End {
			at++
		}
		if r.words = at - r.first; r.words > maxWithin {
			return nil, nil
		}
		runs = append(runs, r)
		from += size
	}
	return func(ctx context.Context, kept [][]bool) ([][]float64, error) {
		o := &opened{model: m, v: v, s: s, words: words, runs: runs, ids: map[string]int{}, left: make([][][]int, len(runs))}
		all := make([][]float64, len(kept))
		for i, keep := range kept {
			if i%4096 == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			all[i] = m.probabilities(o.scores(keep))
		}
		return all, nil
	}, nil
}

// opened is one text while words are left out of it. It is filled as it is asked.
type opened struct {
	model *Model
	v     *Vocabulary
	s     string
	words []text.Span
	runs  []run

	ids   map[string]int // of different tokens
	names []string
	alone [][]float64
	pairs []map[int]*pair
	seen  []int // the choice in which a token occurred last
	left  [][][]int
	round int
}

type pair struct {
	worth []float64
	seen  int
}

// id numbers a token.
func (o *opened) id(token string) int {
	n, ok := o.ids[token]
	if !ok {
		n = len(o.names)
		o.ids[token] = n
		o.names = append(o.names, token)
		o.alone = append(o.alone, o.model.column(o.v, hashWord(token)))
		o.pairs = append(o.pairs, map[int]*pair{})
		o.seen = append(o.seen, 0)
	}
	return n
}

// tokens returns the tokens of a run with some of its words.
func (o *opened) tokens(k int, keep []bool) []int {
	r := o.runs[k]
	mask := 0
	for i := range r.words {
		if keep[r.first+i] {
			mask |= 1 << i
		}
	}
	if o.left[k] == nil {
		o.left[k] = make([][]int, 1<<r.words)
	}
	if o.left[k][mask] == nil {
		within := make([]text.Span, r.words)
		for i := range within {
			w := o.words[r.first+i]
			within[i] = text.Span{Start: w.Start - r.Start, End: w.End - r.Start}
		}
		rest := explain.Without(o.s[r.Start:r.End], within, keep[r.first:r.first+r.words])
		ids := []int{}
		for _, t := range Tokens(rest) {
			ids = append(ids, o.id(strings.ToLower(rest[t.Start:t.End])))
		}
		o.left[k][mask] = ids
	}
	return o.left[k][mask]
}

// scores returns the score of each head for the text with some of its words.
func (o *opened) scores(keep []bool) []float64 {
	o.round++
	scores := make([]float64, len(o.model.weights))
	for c, w := range o.model.weights {
		scores[c] = w[o.v.Width()]
	}
	before := -1
	for k := range o.runs {
		for _, id := range o.tokens(k, keep) {
			if o.seen[id] != o.round {
				o.seen[id] = o.round
				addTo(scores, o.alone[id])
			}
			if before >= 0 {
				p := o.pairs[before][id]
				if p == nil {
					p = &pair{worth: o.model.column(o.v, hashPair(o.names[before], o.names[id]))}
					o.pairs[before][id] = p
				}
				if p.seen != o.round {
					p.seen = o.round
					addTo(scores, p.worth)
				}
			}
			before = id
		}
	}
	return scores
}
