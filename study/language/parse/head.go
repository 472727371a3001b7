package parse

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	weakrand "math/rand/v2"

	"sotto/compute/nn"
	"sotto/compute/nn/vector"
	"sotto/study/language"
)

// Head is a model that learns behind an [Encoder] which learns with it, in a loop
// such as that of package text/encode/bert/tune, whose interface of that name it
// implements. Sentences are known by their numbers: those to learn from first, then
// those to validate by.
type Head struct {
	config Config
	model  *Model
	about  string
	parts  [2]*words

	state     *state
	gradients gradients
	params    []nn.Param
	dropout   vector.Dropout
	pass      uint64
	next      lesson
	dx        nn.Matrix
	scores    nn.Matrix
}

// NewHead returns a head for the sentences of two documents, and for an encoder whose
// vectors have dim numbers. Epochs, batch and rate of the configuration are the
// loop's. Sentences of more than 256 words are left out.
func NewHead(c Config, train, validation *language.Document, given Given, dim int) (*Head, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if dim < 1 || dim > MaxDim {
		return nil, fmt.Errorf("parse: the encoder has vectors of %d numbers, must be from 1 to %d", dim, MaxDim)
	}
	c = c.defaults()
	m, err := newModel(c, train, given, dim, weakrand.New(weakrand.NewPCG(c.Seed, 1)))
	if err != nil {
		return nil, err
	}
	if err = check(validation); err != nil {
		return nil, err
	}
	h := &Head{config: c, model: m, parts: [2]*words{m.look(train), m.look(validation)}}
	if h.dropout, err = vector.NewDropout(c.Dropout); err != nil {
		return nil, err
	}
	h.params = m.network.params(&h.gradients)
	for i := range h.params {
		if q := &h.params[i]; q.Touched != nil { // pieces of a batch are added up, which takes all rows
			q.Grad, q.Touched = nn.NewMatrix(q.Value.Rows, q.Value.Cols), nil
		}
	}
	return h, h.digest(train, validation)
}

// digest sets what decides how the head learns: the model that it begins with, its
// settings and what the words should be.
func (h *Head) digest(documents ...*language.Document) error {
	sum := sha256.New()
	content, err := h.model.Encode()
	if err != nil {
		return err
	}
	sum.Write(content)
	to := json.NewEncoder(sum)
	if err = to.Encode(h.config); err != nil {
		return fmt.Errorf("parse: %w", err)
	}
	for _, d := range documents {
		if err = to.Encode(d.Tokens); err != nil {
			return fmt.Errorf("parse: %w", err)
		}
	}
	h.about = hex.EncodeToString(sum.Sum(nil))
	return nil
}

// Sentences returns the words of all sentences, and how many are there to learn from.
func (h *Head) Sentences() (all [][]string, train int) {
	for _, p := range h.parts {
		for _, s := range p.sentences {
			all = append(all, spelt(p.document.Tokens[s[0]:s[1]]))
		}
	}
	return all, len(h.parts[0].sentences)
}

// Model returns the model as far as it has learnt. It shares memory with the head.
func (h *Head) Model() *Model { return h.model }

// lesson sets the next lesson to some sentences.
func (h *Head) lesson(p *nn.Pool, sentences []int, rng *weakrand.Rand) {
	if h.state == nil || h.state.pool != p {
		h.state = newState(h.model.network, p)
	}
	h.next.begin()
	for _, i := range sentences {
		part := h.parts[0]
		if n := len(part.sentences); i >= n {
			part, i = h.parts[1], i-n
		}
		h.next.add(part, h.model.vocabulary, part.sentences[i])
		if rng != nil {
			h.next.hide(h.config.Hide, rng)
		}
	}
}

// Params returns what learns, always in the same order.
func (h *Head) Params() []nn.Param { return h.params }

// errDiverged says that numbers are no longer finite.
var errDiverged = errors.New("parse: the training diverged: lower the rate")

// Learn returns the mean loss over the words of some sentences, whose vectors are the
// rows of x, and its gradient with respect to x. It sets the gradients of Params.
func (h *Head) Learn(p *nn.Pool, sentences []int, x nn.Matrix) (float64, nn.Matrix, error) {
	h.lesson(p, sentences, weakrand.New(weakrand.NewPCG(h.config.Seed, 1<<32+h.pass)))
	n, g := h.model.network, &h.gradients
	h.state.train, h.state.dropout = true, h.dropout.At(h.config.Seed).At(h.pass)
	h.pass++
	loss := n.loss(h.state, g, &h.next, x)
	if !(loss < 1e6) {
		return 0, nn.Matrix{}, errDiverged
	}
	for f, t := range g.tables {
		grad := h.params[f].Grad
		clear(grad.Data)
		for i, row := range t.Rows {
			copy(grad.Row(row), t.Grad.Row(i))
		}
	}
	h.dx = h.dx.Reshape(x.Rows, x.Cols)
	for i := range x.Rows {
		copy(h.dx.Row(i), g.in.Row(i)[g.in.Cols-n.outer:])
	}
	return loss, h.dx, nil
}

// Scores returns two numbers a word, of which the second is the larger one if the
// word has the right head and relation: so the accuracy in telling that all words are
// of class 1 is the labelled attachment score.
func (h *Head) Scores(p *nn.Pool, sentences []int, x nn.Matrix) (nn.Matrix, error) {
	h.lesson(p, sentences, nil)
	s, n := h.state, h.model.network
	s.train, s.bounds = false, h.next.bounds
	v := n.encode(s, h.next.rows, h.next.given, x)
	n.arcs(s, v)
	heads := s.trees()
	n.relate(s, heads)
	h.scores = h.scores.Reshape(x.Rows, 2)
	clear(h.scores.Data)
	for i, head := range heads {
		right := 0
		if head == h.next.want.heads[i] && nn.Argmax(s.rels.Row(i)) == h.next.want.relation[i] {
			right = 1
		}
		h.scores.Row(i)[right] = 1
	}
	return h.scores, nil
}

// Advance does nothing: the head learns alike from beginning to end.
func (h *Head) Advance(float64) error { return nil }

// Passes returns the counter of what draws.
func (h *Head) Passes() []*uint64 { return []*uint64{&h.pass} }

// About is a digest of what decides how the head learns.
func (h *Head) About() string { return h.about }
