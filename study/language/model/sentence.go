package model

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"strings"

	"sotto/study/language"
)

// This part of the package divides the tokens of a text into sentences. Full stops are
// seldom enough in what people write to one another, so a small linear model
// looks at the words on both sides of every place where a sentence could begin.
//
// A blank line always ends a sentence. The smallest use is
//
//	s, err := DecodeSentences(content)
//	…
//	err = s.Annotate(document)

// size is the number of weights. Features are hashed into them.
const size = 1 << 16

// Splitter is a trained model. Several goroutines may share it.
type Splitter struct {
	weights []float32
}

var _ language.Annotator = (*Splitter)(nil)

// Annotate implements [language.Annotator]: it numbers the sentences.
func (s *Splitter) Annotate(d *language.Document) error {
	sentence, since := 0, 0
	var r reader
	for i := range d.Tokens {
		since++
		if i > 0 && !d.Tokens[i].Fused && (blank(gap(d, i)) || s.score(r.features(d, i, since)) > 0) {
			sentence++
			since = 0
		}
		r.pass(d, i, since == 0)
		d.Tokens[i].Sentence = sentence
	}
	return nil
}

// score is positive where a sentence begins.
func (s *Splitter) score(features []uint32) float32 {
	sum := float32(0)
	for _, f := range features {
		sum += s.weights[f%size]
	}
	return sum
}

// gap returns what stands before token i.
func gap(d *language.Document, i int) string {
	return d.Text[d.Tokens[i-1].End:max(d.Tokens[i].Start, d.Tokens[i-1].End)]
}

// blank tells whether a blank line is in a gap.
func blank(gap string) bool {
	return len(gap) > 1 && strings.Count(gap, "\n") > 1
}

// ErrSentences is returned by [Train] for a document without two sentences.
var ErrSentences = errors.New("sentence: there must be at least two sentences to learn from")

// passes over the places of a document, and the rate of the first.
const (
	passes = 12
	rate   = 0.25
)

// TrainSentences learns from a document with sentences: logistic regression by AdaGrad.
// The same document and seed give the same model.
func TrainSentences(ctx context.Context, d *language.Document, seed uint64) (*Splitter, error) {
	if d.Sentences() < 2 {
		return nil, ErrSentences
	}
	type place struct {
		features []uint32
		begins   bool
	}
	var places []place
	var r reader
	since := 0
	for i := range d.Tokens {
		since++
		begins := i == 0 || d.Tokens[i].Sentence != d.Tokens[i-1].Sentence
		if i > 0 && !d.Tokens[i].Fused && !blank(gap(d, i)) {
			places = append(places, place{append([]uint32(nil), r.features(d, i, since)...), begins})
		}
		if begins {
			since = 0
		}
		r.pass(d, i, begins)
	}
	s := &Splitter{weights: make([]float32, size)}
	squares := make([]float32, size)
	rng := weakrand.New(weakrand.NewPCG(seed, 2))
	for range passes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rng.Shuffle(len(places), func(i, j int) { places[i], places[j] = places[j], places[i] })
		for _, p := range places {
			want := float32(0)
			if p.begins {
				want = 1
			}
			g := float32(1/(1+math.Exp(-float64(s.score(p.features))))) - want
			for _, f := range p.features {
				squares[f%size] += float32(g * g)
				s.weights[f%size] -= rate * g / float32(math.Sqrt(float64(squares[f%size])+1e-6))
			}
		}
	}
	return s, nil
}

// Encode returns a model as bytes: a scale, and a byte a weight.
func (s *Splitter) Encode() []byte {
	largest := float32(0)
	for _, w := range s.weights {
		largest = max(largest, w, -w)
	}
	scale := max(largest, 1e-6) / 127
	out := binary.LittleEndian.AppendUint32(make([]byte, 0, 4+size), math.Float32bits(scale))
	for _, w := range s.weights {
		out = append(out, byte(int8(math.Round(float64(w/scale)))))
	}
	return out
}

// DecodeSentences returns the model of bytes that [Splitter.Encode] made.
func DecodeSentences(content []byte) (*Splitter, error) {
	if len(content) != 4+size {
		return nil, fmt.Errorf("sentence: a model has %d bytes, must have %d", len(content), 4+size)
	}
	scale := math.Float32frombits(binary.LittleEndian.Uint32(content))
	if !(scale > 0 && scale < 1e6) {
		return nil, errors.New("sentence: the scale of the model is not a positive number")
	}
	s := &Splitter{weights: make([]float32, size)}
	for i, b := range content[4:] {
		s.weights[i] = float32(int8(b)) * scale
	}
	return s, nil
}
