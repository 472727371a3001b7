package bert

import (
	"context"
	"fmt"

	"sotto/compute/nn"
	"sotto/text"
)

// WordSequence is words of a sentence as a model takes them, and where among the
// tokens the first piece of each stands, which stands for the word.
type WordSequence struct {
	text.Tokens
	First []int
}

// leastWords is the least length of a sequence with a word.
const leastWords = 3

// WordSequences returns the words of a sentence as one sequence of at most limit
// tokens, or as several, one behind the other, of which none cuts a word unless it
// has more pieces than fit. A word without a piece is unknown. It panics if the
// limit is below 3.
func WordSequences(w *text.WordPiece, words []string, limit int) []WordSequence {
	if limit < leastWords {
		panic(fmt.Sprintf("bert: limit is %d, must be at least %d", limit, leastWords))
	}
	unknown, _ := w.ID("[UNK]") // every tokeniser has it
	ends := w.Encode("", 2).IDs
	fresh := func() WordSequence { return WordSequence{Tokens: text.Tokens{IDs: []int32{ends[0]}}} }
	var all []WordSequence
	now := fresh()
	closed := func() {
		now.IDs = append(now.IDs, ends[1])
		now.Types = make([]int32, len(now.IDs))
		all = append(all, now)
		now = fresh()
	}
	for _, word := range words {
		t := w.Encode(word, limit)
		pieces := t.IDs[1 : len(t.IDs)-1]
		if len(pieces) == 0 {
			pieces = []int32{unknown}
		}
		if len(now.IDs)+len(pieces)+1 > limit {
			closed()
		}
		now.First = append(now.First, len(now.IDs))
		now.IDs = append(now.IDs, pieces...)
		now.Dropped, now.Invalid = now.Dropped+t.Dropped, now.Invalid+t.Invalid
	}
	closed()
	return all
}

// EncodeWords returns a row for each word of each sentence: the vector of its first
// piece after the last layer, not scaled. Equal words have other vectors in other
// company. The bits do not depend on other sentences or on the number of workers.
func (m *Model) EncodeWords(ctx context.Context, sentences [][]string, workers int) ([]nn.Matrix, error) {
	if workers < 1 {
		return nil, fmt.Errorf("bert: workers is %d, must be at least 1", workers)
	}
	if m.limit < leastWords {
		return nil, fmt.Errorf("bert: the model reads %d tokens, must read at least %d for a word between two special ones", m.limit, leastWords)
	}
	all := make([]nn.Matrix, len(sentences))
	share(ctx, workers, len(sentences), func(i int) {
		all[i] = nn.NewMatrix(len(sentences[i]), m.Dim())
		s := m.space(1)
		defer m.spaces.Put(s)
		row := 0
		for _, q := range WordSequences(m.tokeniser, sentences[i], m.limit) {
			m.layers(s, []text.Tokens{q.Tokens})
			for _, at := range q.First {
				copy(all[i].Row(row), s.x.Row(at))
				row++
			}
		}
	})
	return all, ctx.Err()
}

// EncodePlaces returns, of each sequence of tokens, the vectors of the tokens at some
// places after the last layer, a row each and not scaled. A sequence must have from 1 to
// [Model.Limit] tokens, which the model knows. The bits do not depend on other sequences
// or on the number of workers.
func (m *Model) EncodePlaces(ctx context.Context, sequences []text.Tokens, places [][]int, workers int) ([]nn.Matrix, error) {
	if workers < 1 || len(places) != len(sequences) {
		return nil, fmt.Errorf("bert: workers is %d and there are places of %d texts, must be at least 1 and of %d", workers, len(places), len(sequences))
	}
	for i, t := range sequences {
		if err := m.check(t); err != nil {
			return nil, fmt.Errorf("bert: text %d: %w", i, err)
		}
		for _, at := range places[i] {
			if at < 0 || at >= len(t.IDs) {
				return nil, fmt.Errorf("bert: a place of text %d is %d, must be from 0 to %d", i, at, len(t.IDs)-1)
			}
		}
	}
	all := make([]nn.Matrix, len(sequences))
	ends := cut(sequences, tokenLimit)
	share(ctx, workers, len(ends)-1, func(piece int) {
		s := m.space(1)
		defer m.spaces.Put(s)
		lo, hi := ends[piece], ends[piece+1]
		m.layers(s, sequences[lo:hi])
		for i := lo; i < hi; i++ {
			all[i] = nn.NewMatrix(len(places[i]), m.Dim())
			for k, at := range places[i] {
				copy(all[i].Row(k), s.x.Row(s.starts[i-lo]+at))
			}
		}
	})
	return all, ctx.Err()
}
