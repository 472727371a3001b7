package predictor

import (
	"context"
	"math"
	"slices"

	"sotto/compute/nn"
	"sotto/study/explain"
	"sotto/text"
	"sotto/text/encode"
	"sotto/text/encode/static"
)

// parts is a text as an encoder sees it that adds up words: a row for each word and,
// last, one for what lies between them.
type parts struct {
	rows nn.Matrix
	// known is how many vectors are in each row, for an encoder that takes their mean;
	// nil for one that scales their sum to length 1.
	known []float64
	// free says that a row does not depend on which other words there are.
	free bool
}

// split takes a text apart, or says that its encoder does not add up words.
func split(e encode.Source, s string, words []text.Span) (*parts, bool) {
	switch e := e.(type) {
	case *static.Encoder:
		return splitTable(e, s, words)
	case *static.Hashed:
		return splitHashed(e, s, words)
	case encode.Hash:
		return splitHash(e, s, words), true
	case *encode.WordVectors:
		return splitMean(e, s, words)
	case *encode.Mapped:
		return splitMean(e, s, words)
	}
	return nil, false
}

// segments returns what lies between words, and the words, in order: the words have
// odd places.
func segments(s string, words []text.Span) []string {
	all := make([]string, 0, 2*len(words)+1)
	at := 0
	for _, w := range words {
		all = append(all, s[at:w.Start], s[w.Start:w.End])
		at = w.End
	}
	return append(all, s[at:])
}

// owner returns the row of a segment.
func owner(segment, words int) int {
	if segment%2 == 1 {
		return segment / 2
	}
	return words
}

// splitTable takes apart the sum of a table's rows. It fails for a text whose words
// the tokeniser does not see as we do.
func splitTable(e *static.Encoder, s string, words []text.Span) (*parts, bool) {
	p := &parts{rows: nn.NewMatrix(len(words)+1, e.Dim()), free: true}
	var all []int32
	for i, part := range segments(s, words) {
		ids := e.Tokens(part)
		all = append(all, ids...)
		to := p.rows.Row(owner(i, len(words)))
		for _, id := range ids {
			for j, v := range e.Row(int(id)) {
				to[j] += v
			}
		}
	}
	return p, slices.Equal(all, e.Tokens(s))
}

// splitHashed takes apart the sum of rows of a table that words, parts of words and
// pairs of words are hashed to; what a pair adds is divided between its two words. It
// fails where longer runs of words have rows.
func splitHashed(e *static.Hashed, s string, words []text.Span) (*parts, bool) {
	p := &parts{rows: nn.NewMatrix(len(words)+1, e.Dim()), free: e.Grams().Words < 2}
	rows := func(s string) []int32 { return e.Grams().Rows(s, e.Buckets()) }
	spans, left := text.Spans(s), rows(s)
	// take adds rows to the words of some spans, and takes them from those of the text.
	take := func(all []int32, of ...text.Span) bool {
		for _, id := range all {
			at := slices.Index(left, id)
			if at < 0 {
				return false
			}
			left = slices.Delete(left, at, at+1)
			for _, span := range of {
				to := covering(words, span)
				p.free = p.free && len(to) == 1 && to[0] < len(words) && words[to[0]] == span
				for _, w := range to {
					for j, v := range e.Row(int(id)) {
						p.rows.Row(w)[j] += v / float32(len(of)*len(to))
					}
				}
			}
		}
		return true
	}
	for i, span := range spans {
		alone := rows(s[span.Start:span.End])
		if !take(alone, span) {
			return nil, false
		}
		if i == 0 || e.Grams().Words < 2 {
			continue
		}
		pair := rows(s[spans[i-1].Start:spans[i-1].End] + " " + s[span.Start:span.End])
		for _, id := range append(rows(s[spans[i-1].Start:spans[i-1].End]), alone...) {
			if at := slices.Index(pair, id); at >= 0 {
				pair = slices.Delete(pair, at, at+1)
			}
		}
		if !take(pair, spans[i-1], span) {
			return nil, false
		}
	}
	return p, len(left) == 0
}

// splitHash takes apart the sum of hashed words and pairs. What a word that occurs
// several times adds is divided evenly, and what a pair adds between its two words.
func splitHash(e encode.Hash, s string, words []text.Span) *parts {
	p := &parts{rows: nn.NewMatrix(len(words)+1, e.Dim())}
	spans := text.Spans(s)
	names := slices.Collect(text.Words(s))
	count := map[string]int{}
	for i, w := range names {
		count[w]++
		if i > 0 {
			count[names[i-1]+" "+w]++
		}
	}
	add := func(feature string, share float64, span text.Span) {
		place, sign := e.Place(feature)
		n := float64(count[feature])
		weight := share * float64(sign) * (1 + math.Log(n)) / n
		to := covering(words, span)
		for _, w := range to {
			p.rows.Row(w)[place] += float32(weight / float64(len(to)))
		}
	}
	for i, w := range names {
		add(w, 1, spans[i])
		if i > 0 {
			add(names[i-1]+" "+w, 0.5, spans[i-1])
			add(names[i-1]+" "+w, 0.5, spans[i])
		}
	}
	return p
}

// covering returns the words that share a character with a span, or the place behind
// the last word if none does.
func covering(words []text.Span, span text.Span) []int {
	var all []int
	for i, w := range words {
		if w.Start < span.End && span.Start < w.End {
			all = append(all, i)
		}
	}
	if all == nil {
		return []int{len(words)}
	}
	return all
}

// splitMean takes apart a mean of vectors of words, of which each is what the encoder
// makes of the word alone. It fails where that does not add up.
func splitMean(e encode.Encoder, s string, words []text.Span) (*parts, bool) {
	dim := e.Dim()
	p := &parts{rows: nn.NewMatrix(len(words)+1, dim), known: make([]float64, len(words)+1), free: true}
	sum, v := make([]float64, dim), make([]float32, dim)
	known := 0.0
	for _, span := range text.Spans(s) {
		e.Encode(v, s[span.Start:span.End])
		if !slices.ContainsFunc(v, func(x float32) bool { return x != 0 }) {
			continue
		}
		known++
		to := covering(words, span)
		p.free = p.free && len(to) == 1 && (to[0] == len(words) || words[to[0]] == span)
		for _, w := range to {
			p.known[w] += 1 / float64(len(to))
			for j, x := range v {
				p.rows.Row(w)[j] += x / float32(len(to))
			}
		}
		for j, x := range v {
			sum[j] += float64(x)
		}
	}
	e.Encode(v, s)
	for j, x := range v {
		if !(math.Abs(sum[j]-float64(x)*max(known, 1)) <= 1e-3*(1+math.Abs(sum[j]))) {
			return nil, false
		}
	}
	return p, true
}

// Open implements [explain.Opener]: where an encoder adds up words, the vectors of a
// text with words left out are one product of matrices.
func (m *Model) Open(_ context.Context, s string, words []text.Span) (explain.Opened, error) {
	if len(m.options.Maskers) > 0 {
		return nil, nil //nolint:nilnil // what is masked may depend on all words
	}
	p, ok := split(m.source, s, words)
	if !ok || !p.free {
		return nil, nil //nolint:nilnil // there is no faster way
	}
	return func(ctx context.Context, kept [][]bool) ([][]float64, error) {
		m.mu.Lock()
		defer m.mu.Unlock()
		return m.answer(ctx, p.without(m.pool, kept))
	}, nil
}

// without returns the vectors of a text with some of its words.
func (p *parts) without(pool *nn.Pool, kept [][]bool) nn.Matrix {
	n := p.rows.Rows
	choice := nn.NewMatrix(len(kept), n)
	for i, k := range kept {
		row := choice.Row(i)
		for j, in := range k {
			if in {
				row[j] = 1
			}
		}
		row[n-1] = 1
	}
	x := nn.NewMatrix(len(kept), p.rows.Cols)
	pool.Mul(x, choice, p.rows)
	for i := range kept {
		p.scale(x.Row(i), choice.Row(i))
	}
	return x
}

// scale makes a vector of the sum of chosen rows.
func (p *parts) scale(v, chosen []float32) {
	factor := p.factor(v, chosen)
	for j, x := range v {
		v[j] = float32(float64(x) * factor)
	}
}

// factor is what the sum of chosen rows is multiplied by.
func (p *parts) factor(v, chosen []float32) float64 {
	if p.known != nil {
		known := 0.0
		for j, n := range p.known {
			known += float64(float64(chosen[j]) * n)
		}
		return 1 / max(known, 1)
	}
	square := 0.0
	for _, x := range v {
		square += float64(float64(x) * float64(x))
	}
	// Words that cancel leave rounding behind, which is nothing.
	if !(square > 1e-18) {
		return 0
	}
	return 1 / math.Sqrt(square)
}
