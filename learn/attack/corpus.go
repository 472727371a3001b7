package attack

import (
	"context"
	"encoding/binary"
	"fmt"
	weakrand "math/rand/v2"
	"slices"

	"sotto/compute/nn"
	"sotto/data/dataset"
	"sotto/promise/mech"
	"sotto/text/encode"
)

// Corpus is texts and their vectors, which an attack releases in simulation.
type Corpus struct {
	Source  string        // for a person
	Texts   []string      // nil if the rows are no texts
	X       nn.Matrix     // the vector of each
	Encoder encode.Source // that made them; nil if the rows are no texts

	// Attribute is what an attacker infers; Z holds its value of each row below
	// Classes, negative if unknown. There is none if Z is nil.
	Attribute string
	Classes   int
	Z         []int
}

// NewCorpus encodes texts; at most the given number of them, drawn by the seed,
// if that is positive.
func NewCorpus(ctx context.Context, source string, texts []string, e encode.Source, most int, o Options) (*Corpus, error) {
	return (&Corpus{Source: source, Texts: texts, Encoder: e}).some(len(texts), most, o.Seed).encoded(ctx, o)
}

// NewCorpusOf is [NewCorpus] of texts whose attribute is known.
func NewCorpusOf(ctx context.Context, source string, texts []string, attribute dataset.Column, e encode.Source, most int, o Options) (*Corpus, error) {
	c := &Corpus{Source: source, Texts: texts, Encoder: e, Attribute: attribute.Name, Classes: len(attribute.Classes), Z: attribute.IDs}
	return c.some(len(texts), most, o.Seed).encoded(ctx, o)
}

// DataCorpus encodes the texts of a data set, or takes its numbers if it is a
// table, for which e may be nil. Rows are drawn from all parts, at most the
// given number if that is positive. An empty attribute is the first.
func DataCorpus(ctx context.Context, name, attribute string, e encode.Source, most int, o Options) (*Corpus, error) {
	set, err := dataset.Load(name, dataset.Options{})
	if err != nil {
		return nil, err
	}
	if set.Second != nil {
		return nil, fmt.Errorf("attack: %s has pairs of texts, must have single ones to attack", name)
	}
	c := &Corpus{Source: name, Texts: set.Text, Encoder: e}
	if attribute != "" || len(set.Attributes) > 0 {
		column, err := set.Attribute(attribute)
		if err != nil {
			return nil, err
		}
		c.Attribute, c.Classes, c.Z = column.Name, len(column.Classes), column.IDs
	}
	if set.Text == nil {
		c.X = nn.Matrix{Rows: set.Rows, Cols: set.Width, Data: set.Features}
	}
	return c.some(set.Rows, most, o.Seed).encoded(ctx, o)
}

// some shuffles the rows and leaves out what is beyond most.
func (c *Corpus) some(rows, most int, seed uint64) *Corpus {
	// The second word keeps this stream apart from others of the same seed.
	order := weakrand.New(weakrand.NewPCG(seed, 0x636f72707573)).Perm(rows)
	if most > 0 && most < rows {
		order = order[:most]
	}
	d := *c
	d.Z = dataset.Select(c.Z, order)
	if c.Texts != nil {
		d.Texts = dataset.Select(c.Texts, order)
		return &d
	}
	d.X = c.X.Gather(order)
	return &d
}

func (c *Corpus) encoded(ctx context.Context, o Options) (*Corpus, error) {
	err := o.check()
	if err != nil || c.Texts == nil {
		return c, err
	}
	c.X, err = encode.Texts(ctx, c.Encoder, c.Texts, o.Workers)
	return c, err
}

// describe says what is attacked.
func (c *Corpus) describe(m mech.Mechanism) string {
	if m == nil {
		return fmt.Sprintf("%s, %d rows, raw vectors", c.Source, c.X.Rows)
	}
	a := m.Profile()
	return fmt.Sprintf("%s, %d rows, %s %s", c.Source, c.X.Rows, a.Mechanism, a.Variant)
}

// simulated is what every attempt on simulated releases says.
const simulated = "releases are simulated: their noise comes from the seed"

// release returns one release of each row by m, or the rows as they are if m is
// nil, as floats of full precision: a likelihood is that of exact values. The
// noise depends on the seed, the row and the number of the release alone.
func (o *Options) release(ctx context.Context, m mech.Mechanism, x nn.Matrix, draw uint64) (y []float64, width int, err error) {
	if m == nil {
		return widened(x.Data), x.Cols, nil
	}
	_, width = m.Shape()
	y = make([]float64, x.Rows*width)
	err = o.each(ctx, x.Rows, func(_ context.Context, i int) error {
		var key [32]byte
		for k, word := range []uint64{o.Seed, uint64(i), draw, 0x72656c65617365} {
			binary.LittleEndian.PutUint64(key[8*k:], word)
		}
		return m.PrivatizeTo(y[i*width:(i+1)*width], widened(x.Row(i)), weakrand.NewChaCha8(key))
	})
	return y, width, err
}

func widened(row []float32) []float64 {
	in := make([]float64, len(row))
	for j, v := range row {
		in[j] = float64(v)
	}
	return in
}

// narrowed is a matrix of what was released.
func narrowed(y []float64, width int) nn.Matrix {
	x := nn.NewMatrix(len(y)/width, width)
	for i, v := range y {
		x.Data[i] = float32(v)
	}
	return x
}

// halves splits the rows by the seed.
func halves(rows int, seed uint64) (first, second []int) {
	// The second word keeps this stream apart from others of the same seed.
	order := weakrand.New(weakrand.NewPCG(seed, 0x68616c766573)).Perm(rows)
	first, second = order[:rows/2], order[rows/2:]
	slices.Sort(first)
	slices.Sort(second)
	return first, second
}
