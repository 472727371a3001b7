package train

import (
	"cmp"
	"fmt"
	weakrand "math/rand/v2"
	"slices"

	"sotto/nn"
	"sotto/train/model"
)

// Shape says how wide the layers of a model are. Hidden layers have ReLU and
// dropout behind them, last layers nothing.
type Shape struct {
	// Encoder holds the widths of the encoder's layers, the last being that
	// of the representation; nil means 300, 300.
	Encoder []int `json:"encoder,omitzero"`
	// Classifier holds the widths of the classifier's hidden layers; nil means
	// none, which makes it linear.
	Classifier []int `json:"classifier,omitempty"`
	// Adversary holds the widths of an adversary's hidden layers; nil means
	// 256, 256, and empty none, which makes it linear.
	Adversary []int `json:"adversary,omitzero"`
	// Dropout is the share of hidden outputs that training drops: in [0, 1);
	// negative means none and 0 means 0.1.
	Dropout float64 `json:"dropout,omitempty"`
}

// Twitter is the shape that FEDERATE was published with for Twitter Sentiment
// and for Adult.
func Twitter() Shape { return Shape{Encoder: []int{300, 300}, Adversary: []int{256, 256}} }

// Bios is the shape that FEDERATE was published with for Bias in Bios and for
// CelebA.
func Bios() Shape {
	return Shape{Encoder: []int{100, 50, 50}, Classifier: []int{50, 25}, Adversary: []int{50}}
}

// filled returns s with its defaults, or the first fault.
func (s Shape) filled() (Shape, error) {
	if s.Encoder == nil {
		s.Encoder = Twitter().Encoder
	}
	if s.Adversary == nil {
		s.Adversary = Twitter().Adversary
	}
	s.Dropout = max(cmp.Or(s.Dropout, 0.1), 0)
	if !(s.Dropout < 1) {
		return s, fmt.Errorf("train: dropout is %v, must be in [0, 1)", s.Dropout)
	}
	if len(s.Encoder) == 0 {
		return s, fmt.Errorf("train: encoder has no layers, must have at least one")
	}
	for _, w := range slices.Concat(s.Encoder, s.Classifier, s.Adversary) {
		if w < 1 || w > model.MaxWidth {
			return s, fmt.Errorf("train: a layer is %d wide, must be from 1 to %d", w, model.MaxWidth)
		}
	}
	return s, nil
}

// dim is the width of the representation.
func (s Shape) dim() int { return s.Encoder[len(s.Encoder)-1] }

// builder makes the layers of a network, each with a seed of its own that
// depends on the order in which they are made.
type builder struct {
	rng      *weakrand.Rand
	dropouts []*nn.Dropout // all that were made, in order
	err      error         // the first one
}

func newBuilder(seed uint64) *builder {
	return &builder{rng: weakrand.New(weakrand.NewPCG(seed, 0x736f74746f))}
}

// dropout appends a dropout layer, or nothing for rate 0.
func (b *builder) dropout(layers nn.Sequential, rate float64) nn.Sequential {
	if rate == 0 {
		return layers
	}
	d, err := nn.NewDropout(rate, b.rng.Uint64())
	if err != nil {
		b.err = err
		return layers
	}
	b.dropouts = append(b.dropouts, d)
	return append(layers, d)
}

// hidden makes layers of the given widths, each with ReLU and dropout.
func (b *builder) hidden(in int, widths []int, rate float64) nn.Sequential {
	var layers nn.Sequential
	for _, out := range widths {
		layers = append(layers, nn.NewDense(in, out, b.rng), &nn.ReLU{})
		layers = b.dropout(layers, rate)
		in = out
	}
	return layers
}

// perceptron makes hidden layers of all but the last width and a plain one of
// the last.
func (b *builder) perceptron(in int, widths []int, rate float64) nn.Sequential {
	last := len(widths) - 1
	layers := b.hidden(in, widths[:last], rate)
	if last > 0 {
		in = widths[last-1]
	}
	return append(layers, nn.NewDense(in, widths[last], b.rng))
}
