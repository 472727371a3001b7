package bert

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"sotto/compute/nn"
	"sotto/text"
)

const (
	// window is the number of texts that are turned into tokens at a time.
	window = 4096
	// tokenLimit is about the most tokens that go through a layer together:
	// enough to make good use of the weights while they are in the cache, and
	// few enough for what is computed from them to stay there.
	tokenLimit = 512
	// shares is how many pieces a worker should find, so that none waits long
	// for the others in the end.
	shares = 4
)

// EncodeBatch fills the rows of dst with the vectors of texts, by the given
// number of workers. They have the bits that [Model.Encode] gives. When ctx is
// done it returns the error of ctx. It panics if dst is not of the size of the
// result.
func (m *Model) EncodeBatch(ctx context.Context, dst nn.Matrix, texts []string, workers int) error {
	return m.EncodeMasked(ctx, dst, texts, make([][]text.Span, len(texts)), workers)
}

// EncodeMasked is EncodeBatch for texts of which spans are masked, each of which
// becomes one mask token, as [text.WordPiece.EncodeMasked] says.
func (m *Model) EncodeMasked(ctx context.Context, dst nn.Matrix, texts []string, masked [][]text.Span, workers int) error {
	m.checkSize(dst, len(texts))
	if workers < 1 {
		return fmt.Errorf("bert: workers is %d, must be at least 1", workers)
	}
	for lo := 0; lo < len(texts); lo += window {
		hi := min(len(texts), lo+window)
		sequences := make([][]text.Tokens, hi-lo)
		share(ctx, workers, len(sequences), func(i int) { sequences[i] = m.sequences(texts[lo+i], masked[lo+i]) })
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := m.encodeSequences(ctx, dst.Slice(lo, hi), sequences, workers); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// encodeSequences fills the rows of dst with the vectors of texts, of which each is
// one sequence or several windows.
func (m *Model) encodeSequences(ctx context.Context, dst nn.Matrix, texts [][]text.Tokens, workers int) error {
	all := slices.Concat(texts...)
	if len(all) == len(texts) {
		return m.EncodeTokens(ctx, dst, all, workers)
	}
	parts := nn.NewMatrix(len(all), m.Dim())
	if err := m.sums(ctx, parts, all, workers); err != nil {
		return err
	}
	at := 0
	for i, windows := range texts {
		m.join(dst.Row(i), parts.Slice(at, at+len(windows)), windows)
		at += len(windows)
	}
	return nil
}

// EncodeTokens is EncodeBatch for texts that are tokens already, special ones
// included, such as pairs of sentences. Each must have from 1 to [Model.Limit]
// tokens, which the model knows.
func (m *Model) EncodeTokens(ctx context.Context, dst nn.Matrix, sentences []text.Tokens, workers int) error {
	if err := m.sums(ctx, dst, sentences, workers); err != nil {
		return err
	}
	for i := range dst.Rows {
		scale(dst.Row(i))
	}
	return nil
}

// sums is EncodeTokens for vectors that are not yet scaled.
func (m *Model) sums(ctx context.Context, dst nn.Matrix, sentences []text.Tokens, workers int) error {
	m.checkSize(dst, len(sentences))
	if workers < 1 {
		return fmt.Errorf("bert: workers is %d, must be at least 1", workers)
	}
	if err := ctx.Err(); err != nil || len(sentences) == 0 {
		return err
	}
	total := 0
	for i, t := range sentences {
		if err := m.check(t); err != nil {
			return fmt.Errorf("bert: text %d: %w", i, err)
		}
		total += len(t.IDs)
	}
	limit := tokenLimit
	if workers > 1 {
		limit = min(limit, total/(shares*workers))
	}
	ends := cut(sentences, limit)
	inside := max(1, workers/len(ends[1:])) // workers that share a piece
	share(ctx, workers, len(ends)-1, func(i int) {
		s := m.space(inside)
		defer m.spaces.Put(s)
		lo, hi := ends[i], ends[i+1]
		m.forward(s, dst.Slice(lo, hi), sentences[lo:hi])
	})
	return ctx.Err()
}

// checkSize panics unless dst has a row for each of n texts.
func (m *Model) checkSize(dst nn.Matrix, n int) {
	if dst.Rows != n || dst.Cols != m.Dim() || len(dst.Data) != n*m.Dim() {
		panic(fmt.Sprintf("bert: matrix of %d×%d with %d numbers for %d texts, want %d×%d", dst.Rows, dst.Cols, len(dst.Data), n, n, m.Dim()))
	}
}

// check reports tokens that the model does not know.
func (m *Model) check(t text.Tokens) error {
	if len(t.IDs) < 1 || len(t.IDs) > m.limit {
		return fmt.Errorf("it has %d tokens, must have from 1 to %d", len(t.IDs), m.limit)
	}
	if len(t.Types) != len(t.IDs) {
		return fmt.Errorf("it has %d tokens and %d types, must have as many", len(t.IDs), len(t.Types))
	}
	for i, id := range t.IDs {
		if id < 0 || int(id) >= m.config.Vocabulary || t.Types[i] < 0 || int(t.Types[i]) >= m.config.Types {
			return fmt.Errorf("token %d has an id or a type that the model lacks, must have one below %d and %d", i, m.config.Vocabulary, m.config.Types)
		}
	}
	return nil
}

// cut splits sentences into pieces of at most limit tokens, but of one sentence
// at least, and returns where they begin and end.
func cut(sentences []text.Tokens, limit int) []int {
	ends, n := []int{0}, 0
	for i, t := range sentences {
		if n > 0 && n+len(t.IDs) > limit {
			ends, n = append(ends, i), 0
		}
		n += len(t.IDs)
	}
	return append(ends, len(sentences))
}

// share calls f for each item below n, by the given number of workers, until
// ctx is done.
func share(ctx context.Context, workers, n int, f func(item int)) {
	var next atomic.Int64
	run := func() {
		for ctx.Err() == nil {
			i := int(next.Add(1)) - 1
			if i >= n {
				return
			}
			f(i)
		}
	}
	var others sync.WaitGroup
	for range min(workers, n) - 1 {
		others.Go(run)
	}
	run()
	others.Wait()
}
