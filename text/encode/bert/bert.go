// Package bert encodes texts by a transformer of the BERT family that was
// trained for sentences, such as all-MiniLM-L6-v2, on the processor and with
// the matrix products of package nn.
//
// The vector of a text is the mean of the vectors of its tokens after the last
// layer, or the first of them where the folder says so, scaled to length 1. It is
// not for models that have a pooling layer instead, nor for training, which package
// tune does. Vectors are raw and not private; see package encode. The smallest use
// is
//
//	m, err := bert.Open(dir, bert.Options{})
//	if err != nil {
//		return err
//	}
//	x, err := encode.Texts(ctx, m, texts, runtime.NumCPU())
//
// A vector has the same bits whatever other texts are encoded with it and by
// however many workers, with AVX-512 and AVX2 alike; elsewhere roundings
// differ. BenchmarkMiniLM measures the speed, and the script peer/run that of
// ONNX Runtime beside it.
package bert

import (
	"fmt"
	"sync"
	"sync/atomic"

	"sotto/compute/nn"
	"sotto/compute/nn/vector"
	"sotto/text"
)

// Options are what a folder does not say.
type Options struct {
	// Name is what Model.Name returns; if it is empty the folder, or what a tuned
	// encoder is known by.
	Name      string
	MaxTokens int    // of a sequence, special ones included; 0 means what [Folder.Limit] says
	Long      string // rule for texts that are longer, one of [Rules]; "" means the folder's
}

// defaultTokens is what the models of the family were trained for.
const defaultTokens = 256

// Model is an encoder. It implements encode.Encoder and encode.BatchEncoder,
// and it is safe for concurrent use.
type Model struct {
	name      string
	dir       string
	rounding  string // as nn.Pool.Rounding names it
	limit     int
	long      Long
	config    config
	first     bool // the vector of a text is that of its first token
	epsilon   float32
	weights   *weights
	tokeniser *text.WordPiece
	vectors   *vector.Loops
	spaces    sync.Pool // of *space
	counts    counters
}

// Counts says what has been encoded since a model was opened.
type Counts struct {
	Texts     int64
	Tokens    int64 // those that were encoded, special ones included
	Truncated int64 // texts of which something was left out
	Dropped   int64 // tokens that were left out for that
	Invalid   int64 // bytes that were not UTF-8
}

// counters are Counts that many may add to.
type counters struct{ texts, tokens, truncated, dropped, invalid atomic.Int64 }

// Open opens the model in a folder, which holds config.json, tokenizer.json and
// the weights as one or several files model*.safetensors. Weights of 16 bits
// are widened to 32. A folder that was tuned here is checked against its manifest;
// one that sentence transformers were saved in may say how vectors are pooled and
// how long texts are. An error about a file that is absent wraps fs.ErrNotExist.
func Open(dir string, o Options) (*Model, error) {
	f, err := Read(dir)
	if err != nil {
		return nil, err
	}
	limit, err := f.Limit(o.MaxTokens)
	if err != nil {
		return nil, err
	}
	if o.Long != "" {
		if f.Long, err = NewLong(o.Long); err != nil {
			return nil, err
		}
	}
	c := f.config
	w := f.loader.weights(c)
	if f.loader.err != nil {
		return nil, fmt.Errorf("bert: %s: %w", dir, f.loader.err)
	}
	name, err := f.name(o.Name)
	if err != nil {
		return nil, err
	}
	p := nn.NewPool(1)
	return &Model{
		name: name, dir: dir, rounding: p.Rounding(), limit: limit, long: f.Long, config: c, first: f.First, epsilon: float32(c.Epsilon),
		weights: w, tokeniser: f.Tokeniser,
		vectors: vector.For(p.Kernel(), c.Hidden, c.Hidden/c.Heads, c.Intermediate),
	}, nil
}

// Name returns the name that Open was given.
func (m *Model) Name() string { return m.name }

// Dim returns the length of the vectors.
func (m *Model) Dim() int { return m.config.Hidden }

// Limit returns the most tokens of a sequence: of a text, or of a window of it.
func (m *Model) Limit() int { return m.limit }

// Long returns how texts are read that are longer than Limit.
func (m *Model) Long() Long { return m.long }

// Counts returns what has been encoded so far. A text that is longer than what
// [Model.Long] reads of it loses a part, which shows here and nowhere else.
func (m *Model) Counts() Counts {
	c := &m.counts
	return Counts{c.texts.Load(), c.tokens.Load(), c.truncated.Load(), c.dropped.Load(), c.invalid.Load()}
}

// Encode fills dst with the vector of a text. The empty text has one too, that
// of the special tokens. It panics if dst does not have length Dim.
func (m *Model) Encode(dst []float32, s string) {
	row := nn.Matrix{Rows: 1, Cols: len(dst), Data: dst}
	m.checkSize(row, 1)
	windows := m.sequences(s, nil)
	w := m.space(1)
	defer m.spaces.Put(w)
	if len(windows) == 1 {
		m.forward(w, row, windows)
		scale(dst)
		return
	}
	parts := nn.NewMatrix(len(windows), len(dst))
	for i := range windows { // one at a time, which bounds memory
		m.forward(w, parts.Slice(i, i+1), windows[i:i+1])
	}
	m.join(dst, parts, windows)
}

// sequences returns the sequences that a text is encoded as, and counts them.
func (m *Model) sequences(s string, masked []text.Span) []text.Tokens {
	all := m.long.Sequences(m.tokeniser, s, masked, m.limit)
	c := &m.counts
	c.texts.Add(1)
	c.invalid.Add(int64(all[0].Invalid))
	for _, t := range all {
		c.tokens.Add(int64(len(t.IDs)))
	}
	if all[0].Dropped > 0 {
		c.truncated.Add(1)
		c.dropped.Add(int64(all[0].Dropped))
	}
	return all
}
