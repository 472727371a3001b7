// Package transformer trains encoders of the BERT family: embeddings, layers of
// attention with connections around them, normalisation and GELU, with gradients
// written by hand. Package nn has the products and the optimisers, package
// compute/nn/vector the loops over rows.
//
// Sequences of a batch lie one after the other as rows of the same matrices,
// without padding: only attention sees where one ends. A training has the same
// bits for every number of workers and for every run of a seed, with AVX-512 and
// AVX2 alike.
//
// It knows no texts and no files: package text/encode/bert/tune has those. The smallest
// use is
//
//	e, err := transformer.New(config, tensors)
//	tokens := e.Forward(pool, nn.Train, batch)
//	…
//	e.Backward(pool, grad)
package transformer

import (
	"errors"
	"fmt"
	"slices"

	"sotto/compute/nn"
	"sotto/compute/nn/vector"
)

// Config is the shape of an encoder.
type Config struct {
	Hidden       int // width of a token's vector
	Layers       int
	Heads        int // of attention; they share Hidden evenly
	Intermediate int // width within a layer
	Vocabulary   int
	Positions    int // most tokens of a sequence
	Types        int
	Epsilon      float64 // added to variances

	Dropout float64 // of vectors and of attention, in training
	Seed    uint64  // of dropout
	// Frozen is how many layers from the bottom stay as they are, and with one or
	// more the embeddings too. −1 freezes nothing but lets the embeddings learn;
	// 0 freezes the embeddings alone.
	Frozen int
}

// Validate reports the first fault.
func (c Config) Validate() error {
	for _, n := range []int{c.Hidden, c.Layers, c.Heads, c.Intermediate, c.Vocabulary, c.Positions, c.Types} {
		if n < 1 {
			return fmt.Errorf("transformer: a size is %d, must be positive", n)
		}
	}
	switch {
	case c.Hidden%c.Heads != 0:
		return fmt.Errorf("transformer: width is %d, must be a multiple of the number of heads, %d", c.Hidden, c.Heads)
	case !(c.Epsilon > 0 && c.Epsilon < 1):
		return fmt.Errorf("transformer: epsilon is %v, must be between 0 and 1", c.Epsilon)
	case c.Frozen < Nothing || c.Frozen >= c.Layers:
		return fmt.Errorf("transformer: %d layers are frozen, must be fewer than %d", c.Frozen, c.Layers)
	}
	return nil
}

// Nothing is the number of frozen layers with which the embeddings learn too.
const Nothing = -1

// Encoder is an encoder in training. It keeps what its backward pass needs in
// buffers of its own, which grow to the largest batch seen. It is not safe for
// concurrent use.
type Encoder struct {
	config  Config
	vectors *vector.Loops
	drop    vector.Dropout
	// Pass is the number of forward passes in training so far. Restore it to
	// resume a training.
	Pass uint64

	table  embeddings
	layers []*layer
	zeros  []float32 // as many as a row is wide

	batch *Batch // of the last forward pass
	sites vector.Dropout
	mode  nn.Mode
	space space
}

// New returns an encoder with the given parameters, by the names that BERT's files
// have, of which each is asked for once with its shape. It takes over the memory of
// what it is given, and panics if that is too little.
func New(c Config, kernel string, tensor func(name string, shape ...int) []float32) (*Encoder, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	d, err := vector.NewDropout(c.Dropout)
	if err != nil {
		return nil, err
	}
	e := &Encoder{
		config: c, drop: d.At(c.Seed), zeros: make([]float32, max(c.Hidden, c.Intermediate)),
		vectors: vector.For(kernel, c.Hidden, c.Hidden/c.Heads, c.Intermediate),
	}
	t := taker{tensor}
	e.table = t.embeddings(c)
	for i := range c.Layers {
		e.layers = append(e.layers, t.layer(c, i))
	}
	return e, nil
}

// Width returns the width of a token's vector.
func (e *Encoder) Width() int { return e.config.Hidden }

// Params returns the parameters that learn, by the names of BERT's files.
func (e *Encoder) Params() []nn.Param {
	var all []nn.Param
	if e.config.Frozen == Nothing {
		all = e.table.params()
	}
	for _, l := range e.layers[max(0, e.config.Frozen):] {
		all = append(all, l.params()...)
	}
	return all
}

// All returns all parameters, those that are frozen too.
func (e *Encoder) All() []nn.Param {
	all := e.table.params()
	for _, l := range e.layers {
		all = append(all, l.params()...)
	}
	return all
}

// ErrTokens is returned for a batch with tokens that the encoder lacks.
var ErrTokens = errors.New("transformer: a token has an id, a type or a position that the encoder lacks")

// Check reports whether the encoder knows every token of a batch.
func (e *Encoder) Check(b *Batch) error {
	c := e.config
	outside := func(limit int) func(int32) bool {
		return func(n int32) bool { return n < 0 || int(n) >= limit }
	}
	if b.longest() > c.Positions || len(b.Types) != len(b.IDs) || slices.ContainsFunc(b.IDs, outside(c.Vocabulary)) || slices.ContainsFunc(b.Types, outside(c.Types)) {
		return ErrTokens
	}
	return nil
}

// Forward returns the vectors of the tokens of a batch after the last layer, valid
// until the next pass. b must not change before Backward. It panics if a token is
// unknown; see [Encoder.Check].
func (e *Encoder) Forward(p *nn.Pool, mode nn.Mode, b *Batch) nn.Matrix {
	return e.Above(p, mode, b, e.Below(p, b))
}

// Below returns what the frozen part makes of a batch: always the same, so that it
// can be kept. Where nothing is frozen it is empty.
func (e *Encoder) Below(p *nn.Pool, b *Batch) nn.Matrix {
	if e.config.Frozen == Nothing {
		return nn.Matrix{}
	}
	e.begin(nn.Infer, b)
	x := e.embed(p)
	for _, l := range e.layers[:e.config.Frozen] {
		x = e.forward(p, l, x)
	}
	return x
}

// Above is Forward from what Below returned for the same batch.
func (e *Encoder) Above(p *nn.Pool, mode nn.Mode, b *Batch, below nn.Matrix) nn.Matrix {
	e.begin(mode, b)
	if mode == nn.Train {
		e.Pass++
		e.sites = e.drop.At(e.Pass)
	}
	x := below
	if e.config.Frozen == Nothing {
		x = e.embed(p)
	}
	for _, l := range e.layers[max(0, e.config.Frozen):] {
		x = e.forward(p, l, x)
	}
	return x
}

func (e *Encoder) begin(mode nn.Mode, b *Batch) {
	e.batch, e.mode, e.sites, e.table.dSum = b, mode, vector.Dropout{}, nn.Matrix{}
	e.space.fit(e.config, b)
}

// Backward takes the gradient of a loss with respect to what the last Forward in
// training returned, and changes it. It sets the gradients of Params, or adds to
// them if more is set: a batch that is too large for memory is computed in pieces.
func (e *Encoder) Backward(p *nn.Pool, grad nn.Matrix, more bool) {
	lowest := max(0, e.config.Frozen)
	for i := len(e.layers) - 1; i >= lowest; i-- {
		grad = e.backward(p, e.layers[i], grad, more, i > lowest || e.config.Frozen == Nothing)
	}
	if e.config.Frozen == Nothing {
		e.embedBackward(p, grad, more)
	}
}

// dropAt returns the dropout of a place of this pass, false if there is none.
func (e *Encoder) dropAt(site int) (vector.Dropout, bool) {
	return e.sites.At(uint64(site)), e.mode == nn.Train && !e.drop.None()
}

// rowBlock is how many rows a worker takes at a time, whatever the number of
// workers: sums over rows are taken by block.
const rowBlock = 32

// rows calls f for each block of n rows.
func rows(p *nn.Pool, n int, f func(block, lo, hi int)) {
	p.Each((n+rowBlock-1)/rowBlock, func(_, b int) { f(b, b*rowBlock, min(n, (b+1)*rowBlock)) })
}
