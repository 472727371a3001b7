package influence

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"

	"sotto/compute/nn"
	"sotto/text"
	"sotto/text/encode"
	"sotto/text/encode/bert"
	"sotto/text/encode/static"
)

// Reader shows a student texts, with a part masked, and parts by themselves, as the
// teacher's encoder sees them. It is safe for concurrent use, and its bits depend
// neither on the number of workers nor on other texts.
type Reader interface {
	// Name is that of the encoder.
	Name() string
	// Dim is the length of vectors, Context and Word those of what a student reads.
	Dim() int
	Context() int
	Word() int

	// Vectors returns the encoder's vectors of texts.
	Vectors(ctx context.Context, texts []string, workers int) (nn.Matrix, error)
	// Masked returns the vectors of texts of which parts are masked, or left out where
	// an encoder knows no mask.
	Masked(ctx context.Context, texts []string, spans [][]text.Span, workers int) (nn.Matrix, error)
	// Contexts returns the vectors of texts in which a place is masked, and what a
	// student reads of them.
	Contexts(ctx context.Context, places []TeacherPlace, workers int) (vectors, read nn.Matrix, err error)
	// Words returns what a student reads of parts by themselves.
	Words(ctx context.Context, parts []string, workers int) (nn.Matrix, error)
}

// Slow says that a teacher is a transformer, which takes milliseconds for a text.
func (t *Teacher) Slow() bool {
	_, slow := t.Reader.(*transformer)
	return slow
}

// NewReader returns the reader of an encoder.
func NewReader(e encode.Source) Reader {
	switch e := e.(type) {
	case *bert.Model:
		return &transformer{e}
	case *static.Encoder:
		return &table{e}
	}
	return &plain{e}
}

// probe is a text by whose vector encoders are told apart.
const probe = "a film of which nobody has said anything yet , good or bad"

// fingerprint tells readers apart by what they make of a text.
func fingerprint(ctx context.Context, r Reader) (string, error) {
	x, err := r.Vectors(ctx, []string{probe}, 1)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	h.Write([]byte(r.Name()))
	for _, v := range x.Data {
		h.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(v)))
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// plain reads any encoder: a text is read without the part, and the words beside the
// part on either side by themselves, because a vector of the whole tells little of
// where the gap was.
type plain struct{ encode.Source }

// beside is how many words on either side of a place are read by themselves.
const beside = 4

func (r *plain) Context() int { return 3 * r.Dim() }
func (r *plain) Word() int    { return r.Dim() }

func (r *plain) Vectors(ctx context.Context, texts []string, workers int) (nn.Matrix, error) {
	return encode.Texts(ctx, r.Source, texts, workers)
}

func (r *plain) Masked(ctx context.Context, texts []string, spans [][]text.Span, workers int) (nn.Matrix, error) {
	left := make([]string, len(texts))
	for i, s := range texts {
		left[i] = without(s, spans[i])
	}
	return r.Vectors(ctx, left, workers)
}

func (r *plain) Contexts(ctx context.Context, places []TeacherPlace, workers int) (vectors, read nn.Matrix, err error) {
	texts := make([]string, 0, 3*len(places))
	for _, p := range places {
		before, after := p.Text[:p.Span.Start], p.Text[p.Span.End:]
		texts = append(texts, before+after, words(before, false), words(after, true))
	}
	x, err := r.Vectors(ctx, texts, workers)
	if err != nil {
		return x, x, err
	}
	vectors = nn.NewMatrix(len(places), r.Dim())
	for i := range places {
		copy(vectors.Row(i), x.Row(3*i))
	}
	return vectors, nn.Matrix{Rows: len(places), Cols: r.Context(), Data: x.Data}, nil
}

// words returns the first words of a text, or the last.
func words(s string, first bool) string {
	spans := text.Spans(s)
	switch {
	case len(spans) <= beside:
		return s
	case first:
		return s[:spans[beside-1].End]
	}
	return s[spans[len(spans)-beside].Start:]
}

func (r *plain) Words(ctx context.Context, parts []string, workers int) (nn.Matrix, error) {
	return r.Vectors(ctx, parts, workers)
}

// table reads a sum of vectors of tokens. Such a sum knows no order, so the gap needs
// no place; but its length, which the vector has lost, says how much a word can move
// it, and a word is read as what it adds.
type table struct{ *static.Encoder }

func (r *table) Context() int { return r.Dim() + 1 }
func (r *table) Word() int    { return r.Dim() }

func (r *table) Vectors(ctx context.Context, texts []string, workers int) (nn.Matrix, error) {
	return encode.Texts(ctx, r.Encoder, texts, workers)
}

func (r *table) Masked(ctx context.Context, texts []string, spans [][]text.Span, workers int) (nn.Matrix, error) {
	return (&plain{r.Encoder}).Masked(ctx, texts, spans, workers)
}

func (r *table) Contexts(ctx context.Context, places []TeacherPlace, _ int) (vectors, read nn.Matrix, err error) {
	vectors, read = nn.NewMatrix(len(places), r.Dim()), nn.NewMatrix(len(places), r.Context())
	sum := make([]float64, r.Dim())
	for i, p := range places {
		left := p.With("")
		r.Encode(vectors.Row(i), left)
		copy(read.Row(i), vectors.Row(i))
		r.sum(sum, left)
		square := 0.0
		for _, v := range sum {
			square += float64(v * v)
		}
		read.Row(i)[r.Dim()] = float32(math.Sqrt(square))
	}
	return vectors, read, ctx.Err()
}

func (r *table) Words(ctx context.Context, parts []string, _ int) (nn.Matrix, error) {
	read, sum := nn.NewMatrix(len(parts), r.Dim()), make([]float64, r.Dim())
	for i, s := range parts {
		r.sum(sum, s)
		for j, v := range sum {
			read.Row(i)[j] = float32(v)
		}
	}
	return read, ctx.Err()
}

// sum sets dst to the sum of the vectors of a text's tokens.
func (r *table) sum(dst []float64, s string) {
	clear(dst)
	for _, id := range r.Tokens(s) {
		for j, v := range r.Row(int(id)) {
			dst[j] += float64(v)
		}
	}
}

// transformer reads one of the BERT family: at the mask token half of the way up and
// at the end, with the vector of the whole; and a part by itself at its first piece, as
// it is written, half of the way up and at the end, with its vector.
type transformer struct{ *bert.Model }

func (r *transformer) Context() int { return (len(r.above()) + 1) * r.Dim() }
func (r *transformer) Word() int    { return (len(r.above()) + 2) * r.Dim() }

// above returns the layers that are read.
func (r *transformer) above() []int {
	if r.Layers() < 2 {
		return []int{r.Layers()}
	}
	return []int{r.Layers() / 2, r.Layers()}
}

func (r *transformer) Vectors(ctx context.Context, texts []string, workers int) (nn.Matrix, error) {
	return encode.Texts(ctx, r.Model, texts, workers)
}

func (r *transformer) Masked(ctx context.Context, texts []string, spans [][]text.Span, workers int) (nn.Matrix, error) {
	x := nn.NewMatrix(len(texts), r.Dim())
	return x, r.EncodeMasked(ctx, x, texts, spans, workers)
}

func (r *transformer) Contexts(ctx context.Context, places []TeacherPlace, workers int) (vectors, read nn.Matrix, err error) {
	seen := make([]bert.Viewed, len(places))
	for i, p := range places {
		seen[i] = r.MaskView(p.Text, p.Span)
	}
	return r.see(ctx, seen, r.above(), workers)
}

func (r *transformer) Words(ctx context.Context, parts []string, workers int) (nn.Matrix, error) {
	seen := make([]bert.Viewed, len(parts))
	for i, s := range parts {
		seen[i] = r.WordView(s)
	}
	_, read, err := r.see(ctx, seen, append([]int{0}, r.above()...), workers)
	return read, err
}

// see returns the vectors of sequences, and their views with the vectors behind them.
func (r *transformer) see(ctx context.Context, seen []bert.Viewed, layers []int, workers int) (vectors, read nn.Matrix, err error) {
	vectors = nn.NewMatrix(len(seen), r.Dim())
	views := nn.NewMatrix(len(seen), len(layers)*r.Dim())
	if err = r.View(ctx, vectors, views, seen, layers, workers); err != nil {
		return vectors, views, err
	}
	return vectors, views.Beside(vectors), nil
}
