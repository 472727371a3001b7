package model

import (
	"fmt"
	"slices"

	"sotto/compute/nn"
)

// Encoder returns a model that is nothing but an encoder: what it releases is the
// output of its last layer, which nothing protects and nothing classifies.
func Encoder(inputs int, widths []int, t Tensors) (*Model, error) {
	take := taker{left: t}
	m := &Model{architecture: Architecture{Inputs: inputs, Encoder: widths}, encoder: take.layers("encoder", inputs, widths)}
	m.shift, m.scale = t["input.shift"].Data, t["input.scale"].Data
	return m, take.err
}

// Front returns the model up to the input of its last layer, as an encoder
// whose output nothing classifies: where the classifier has hidden layers,
// they become part of the encoder, the first joined with the encoder's last,
// between which there is no ReLU.
func (m *Model) Front() *Model {
	a, t := m.architecture, m.Tensors()
	encoder := a.Encoder
	hidden := a.Classifier[:len(a.Classifier)-1]
	last := len(encoder) - 1
	for i, width := range hidden {
		name := func(part string, layer int, kind string) string { return fmt.Sprintf("%s.%d.%s", part, layer, kind) }
		weight, bias := t[name("classifier", i, "weight")], t[name("classifier", i, "bias")]
		if i > 0 {
			last++
			encoder = append(slices.Clone(encoder), width)
			t[name("encoder", last, "weight")], t[name("encoder", last, "bias")] = weight, bias
			continue
		}
		p := nn.NewPool(1)
		joined, shift := nn.NewMatrix(t[name("encoder", last, "weight")].Rows, width), bias.Clone()
		p.Mul(joined, t[name("encoder", last, "weight")], weight)
		p.AddMul(shift, t[name("encoder", last, "bias")], weight)
		encoder = append(slices.Clone(encoder[:last]), width)
		t[name("encoder", last, "weight")], t[name("encoder", last, "bias")] = joined, shift
	}
	for i := range a.Classifier {
		delete(t, fmt.Sprintf("classifier.%d.weight", i))
		delete(t, fmt.Sprintf("classifier.%d.bias", i))
	}
	f := &Model{architecture: a, shift: m.shift, scale: m.scale}
	f.architecture.Encoder, f.architecture.Classifier = encoder, nil
	take := taker{left: t}
	f.encoder = take.layers("encoder", a.Inputs, encoder)
	if len(hidden) > 0 { // what the last layer saw was behind a ReLU
		f.encoder = append(f.encoder, &nn.ReLU{})
	}
	return f
}

// With returns the model that multiplies the output of m, a front, by a matrix
// and classifies the product.
func (m *Model) With(projection nn.Matrix, head *nn.Dense, kept Progress, classes int) (*Model, error) {
	a, t := m.architecture, m.Tensors()
	last := len(a.Encoder) - 1
	_, rectified := m.encoder[len(m.encoder)-1].(*nn.ReLU)
	if rectified {
		a.Encoder = append(slices.Clone(a.Encoder), projection.Cols)
		t[fmt.Sprintf("encoder.%d.weight", last+1)] = projection
		t[fmt.Sprintf("encoder.%d.bias", last+1)] = nn.NewMatrix(1, projection.Cols)
	} else {
		p := nn.NewPool(1)
		for _, kind := range []string{"weight", "bias"} {
			name := fmt.Sprintf("encoder.%d.%s", last, kind)
			product := nn.NewMatrix(t[name].Rows, projection.Cols)
			p.Mul(product, t[name], projection)
			t[name] = product
		}
	}
	a.Classes, a.Classifier = classes, []int{classes}
	t["classifier.0.weight"], t["classifier.0.bias"] = head.Params()[0].Value, head.Params()[1].Value
	whole, err := New(a, t)
	if err != nil {
		return nil, err
	}
	whole.Kept = kept
	return whole, nil
}
