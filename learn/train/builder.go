package train

import (
	weakrand "math/rand/v2"

	"sotto/compute/nn"
)

// This part of the package makes the layers that the methods of package train have in common:
// perceptrons with dropout, and adversaries behind a reversed gradient.
//
// It trains nothing. The smallest use is
//
//	b := newBuilder(seed)
//	encoder := b.Perceptron(300, []int{300, 100}, 0.1)
//	rival := newAdversary(b, 100, []int{50}, 2, 0.1)
//	if b.Err != nil { … }

// builder makes the layers of a network, each with a seed of its own that
// depends on the order in which they are made.
type builder struct {
	Rand     *weakrand.Rand
	Dropouts []*nn.Dropout // all that were made, in order
	Err      error         // the first one
}

// newBuilder returns one that has made nothing yet.
func newBuilder(seed uint64) *builder {
	return &builder{Rand: weakrand.New(weakrand.NewPCG(seed, 0x736f74746f))}
}

// Dropout appends a dropout layer, or nothing for rate 0.
func (b *builder) Dropout(layers nn.Sequential, rate float64) nn.Sequential {
	if rate == 0 {
		return layers
	}
	d, err := nn.NewDropout(rate, b.Rand.Uint64())
	if err != nil {
		b.Err = err
		return layers
	}
	b.Dropouts = append(b.Dropouts, d)
	return append(layers, d)
}

// Hidden makes layers of the given widths, each with ReLU and dropout.
func (b *builder) Hidden(in int, widths []int, rate float64) nn.Sequential {
	var layers nn.Sequential
	for _, out := range widths {
		layers = append(layers, nn.NewDense(in, out, b.Rand), &nn.ReLU{})
		layers = b.Dropout(layers, rate)
		in = out
	}
	return layers
}

// Perceptron makes hidden layers of all but the last width and a plain one of
// the last.
func (b *builder) Perceptron(in int, widths []int, rate float64) nn.Sequential {
	last := len(widths) - 1
	layers := b.Hidden(in, widths[:last], rate)
	if last > 0 {
		in = widths[last-1]
	}
	return append(layers, nn.NewDense(in, widths[last], b.Rand))
}

// named puts the name of a part before those of its parameters.
func named(part string, params []nn.Param) []nn.Param {
	for i := range params {
		params[i].Name = part + "." + params[i].Name
	}
	return params
}
