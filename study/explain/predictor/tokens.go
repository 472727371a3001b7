package predictor

import (
	"context"
	"errors"
	"slices"

	"sotto/compute/nn"
	"sotto/compute/nn/transformer"
	"sotto/study/explain"
	"sotto/text"
	"sotto/text/encode/bert"
	"sotto/text/encode/catalogue"
)

// reader is a transformer that gives gradients of its tokens. It is of one model,
// whose lock guards it.
type reader struct {
	encoder *transformer.Encoder
	words   nn.Matrix // the vectors of tokens, which are moved for a while
	pad     []float32
	pooling transformer.Pooling
	norm    nn.L2Normalize
}

// newReader reads a transformer's folder once more, for gradients.
func newReader(named string, b *bert.Model, kernel string) (*reader, error) {
	dir, _, err := catalogue.Transformer(named)
	if err != nil {
		return nil, err
	}
	f, err := bert.Read(dir)
	if err != nil {
		return nil, err
	}
	c := f.Shape()
	c.Frozen = transformer.Nothing
	r := &reader{pooling: b.Long().Pooling(f.First)}
	if r.encoder, err = f.Encoder(c, kernel); err != nil {
		return nil, err
	}
	params := r.encoder.All()
	at := slices.IndexFunc(params, func(p nn.Param) bool { return p.Name == "embeddings.word_embeddings.weight" })
	pad, ok := b.WordPiece().ID("[PAD]")
	if at < 0 || !ok {
		return nil, errors.New("predictor: the transformer has no token [PAD], must have one to begin with")
	}
	r.words = params[at].Value
	r.pad = slices.Clone(r.words.Row(int(pad)))
	return r, nil
}

// padded is the way from padding to the tokens of a text.
type padded struct {
	model *Model
	class int
	batch transformer.Batch
	owner []int          // of each token of the batch its word, or the place behind the last
	moved map[int32]bool // tokens that are not marks of an end
	kept  map[int32][]float32
	words int
}

// tokens opens a text for gradients of a transformer.
func (m *Model) tokens(_ context.Context, b *bert.Model, s string, words []text.Span, class int) (explain.Path, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.reader == nil {
		var err error
		if m.reader, err = newReader(m.named, b, m.pool.Kernel()); err != nil {
			return nil, err
		}
	}
	p := &padded{model: m, class: class, moved: map[int32]bool{}, kept: map[int32][]float32{}, words: len(words)}
	return p, p.read(b, s, words)
}

// read makes tokens of the text and says whose each is.
func (p *padded) read(b *bert.Model, s string, words []text.Span) error {
	w := b.WordPiece()
	var owners []int
	var ids []int32
	for i, part := range segments(s, words) {
		t := w.Encode(part, 1<<16).IDs
		for _, id := range t[1 : len(t)-1] {
			ids, owners = append(ids, id), append(owners, owner(i, len(words)))
		}
	}
	at := 0
	for i, q := range b.Long().Sequences(w, s, nil, b.Limit()) {
		if i == 0 {
			p.batch.Add(q.IDs, q.Types)
		} else {
			p.batch.More(q.IDs, q.Types)
		}
		inner := q.IDs[1 : len(q.IDs)-1]
		if at+len(inner) > len(ids) || !slices.Equal(inner, ids[at:at+len(inner)]) {
			return errors.New("predictor: the tokeniser sees other words in this text, or leaves out its middle, so that they have no gradients: use occlusion, lime or shap")
		}
		p.owner = append(append(append(p.owner, len(words)), owners[at:at+len(inner)]...), len(words))
		at += len(inner)
		for _, id := range inner {
			p.moved[id] = true
		}
	}
	for id := range p.moved {
		p.kept[id] = slices.Clone(p.model.reader.words.Row(int(id)))
	}
	return p.model.reader.encoder.Check(&p.batch)
}

// At implements [explain.Path].
func (p *padded) At(ctx context.Context, shares []float64) ([]float64, [][]float64, error) {
	p.model.mu.Lock()
	defer p.model.mu.Unlock()
	defer p.move(1)
	values, slopes := make([]float64, len(shares)), make([][]float64, len(shares))
	for i, a := range shares {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		p.move(a)
		values[i], slopes[i] = p.step()
	}
	return values, slopes, nil
}

// move puts the tokens of the text at some share of the way from padding.
func (p *padded) move(share float64) {
	r := p.model.reader
	for id, whole := range p.kept {
		row := r.words.Row(int(id))
		for j, v := range whole {
			row[j] = v
			if share != 1 {
				row[j] = float32(float64(share*float64(v)) + float64((1-share)*float64(r.pad[j])))
			}
		}
	}
}

// step returns the probability where the tokens are, and what each word contributes
// to its slope.
func (p *padded) step() (float64, []float64) {
	m, r := p.model, p.model.reader
	x := r.norm.Forward(m.pool, nn.Infer, r.pooling.Forward(m.pool, r.encoder.Forward(m.pool, nn.Train, &p.batch), &p.batch))
	values, grad := m.slope(x, p.class)
	r.encoder.Backward(m.pool, r.pooling.Backward(m.pool, r.norm.Backward(m.pool, grad)), false)
	slopes := make([]float64, p.words+1)
	tokens := r.encoder.TokenGradients()
	way := make([]float32, len(r.pad))
	for row, word := range p.owner {
		whole, moves := p.kept[p.batch.IDs[row]]
		if !moves {
			continue
		}
		for j, v := range whole {
			way[j] = v - r.pad[j]
		}
		slopes[word] += dot(tokens.Row(row), way)
	}
	return values[0], slopes
}
