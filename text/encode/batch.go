package encode

import (
	"context"
	"fmt"

	"sotto/compute/nn"
)

// Source is where the vectors of texts come from: an [Encoder], a
// [BatchEncoder], or both.
type Source interface {
	// Name is what [Open] makes the source from again, such as "hash:512".
	Name() string

	// Dim is the length of the vectors, at least 1.
	Dim() int
}

// BatchEncoder turns many texts into vectors at once, because it is faster so,
// or because it can fail: a transformer, a program, an address. [Texts] and
// [Pairs] prefer it to Encode. It is safe for concurrent use.
type BatchEncoder interface {
	Source

	// EncodeBatch fills row i of dst with the vector of texts[i], on at most so
	// many workers, whose number changes no bit of what a source computes
	// itself. After an error, which quotes no text, dst holds anything. When ctx
	// is done, it returns the error of ctx soon. It panics if dst does not have a
	// row of length Dim for each text.
	EncodeBatch(ctx context.Context, dst nn.Matrix, texts []string, workers int) error
}

// checkShape panics if dst has no room for exactly so many vectors.
func checkShape(dst nn.Matrix, rows, dim int) {
	if dst.Rows != rows || dst.Cols != dim {
		panic(fmt.Sprintf("encode: matrix is %d×%d, want %d×%d", dst.Rows, dst.Cols, rows, dim))
	}
}

// checkWorkers refuses a number of workers below one.
func checkWorkers(workers int) error {
	if workers < 1 {
		return fmt.Errorf("encode: workers is %d, must be at least 1", workers)
	}
	return nil
}

// fill makes the rows of dst from texts, by whichever way s has.
func fill(ctx context.Context, s Source, dst nn.Matrix, texts []string, workers int) error {
	switch s := s.(type) {
	case BatchEncoder:
		return s.EncodeBatch(ctx, dst, texts, workers)
	case Encoder:
		return inChunks(ctx, len(texts), rowBlock, workers, func(_ context.Context, lo, hi int) error {
			for i := lo; i < hi; i++ {
				s.Encode(dst.Row(i), texts[i])
			}
			return nil
		})
	}
	return fmt.Errorf("encode: %s is neither an Encoder nor a BatchEncoder, must be one", s.Name())
}
