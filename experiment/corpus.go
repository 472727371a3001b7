package experiment

import (
	"context"
	"encoding/binary"
	"fmt"
	weakrand "math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"

	"sotto/dataset"
	"sotto/dp"
	"sotto/encode"
	"sotto/mech"
	"sotto/nn"
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
func NewCorpus(ctx context.Context, source string, texts []string, e encode.Source, most int, o AttemptOptions) (*Corpus, error) {
	return (&Corpus{Source: source, Texts: texts, Encoder: e}).some(len(texts), most, o.Seed).encoded(ctx, o)
}

// DataCorpus encodes the texts of a data set, or takes its numbers if it is a
// table, for which e may be nil. Rows are drawn from all parts, at most the
// given number if that is positive. An empty attribute is the first.
func DataCorpus(ctx context.Context, name, attribute string, e encode.Source, most int, o AttemptOptions) (*Corpus, error) {
	set, err := dataset.Load(name, dataset.Options{})
	if err != nil {
		return nil, err
	}
	if set.Second != nil {
		return nil, fmt.Errorf("experiment: %s has pairs of texts, must have single ones to attack", name)
	}
	c := &Corpus{Source: name, Texts: set.Text, Encoder: e}
	if attribute != "" || len(set.Attributes) > 0 {
		column := dataset.Column{}
		if attribute == "" {
			column = set.Attributes[0]
		} else if column, err = set.Attribute(attribute); err != nil {
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
	d.Z = pick(c.Z, order)
	if c.Texts != nil {
		d.Texts = make([]string, len(order))
		for k, i := range order {
			d.Texts[k] = c.Texts[i]
		}
		return &d
	}
	d.X = gather(c.X, order)
	return &d
}

func (c *Corpus) encoded(ctx context.Context, o AttemptOptions) (*Corpus, error) {
	_, pool, err := o.check()
	if err != nil || c.Texts == nil {
		return c, err
	}
	c.X, err = encode.Texts(ctx, c.Encoder, c.Texts, pool.Workers())
	return c, err
}

// validate reports a corpus that is too small or does not fit its mechanism.
func (c *Corpus) validate(m mech.Mechanism, least int) error {
	if c.X.Rows < least {
		return fmt.Errorf("experiment: %s has %d rows, must have at least %d", c.Source, c.X.Rows, least)
	}
	if m == nil {
		return nil
	}
	if p := m.Params(); mech.VariantOf(p).Form == mech.FormLabel {
		return fmt.Errorf("experiment: %s releases a label, must be a mechanism for vectors", p.Mechanism)
	}
	if in, _ := m.Shape(); in != c.X.Cols {
		return fmt.Errorf("experiment: the mechanism takes %d numbers, must be those of a row, %d", in, c.X.Cols)
	}
	return nil
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

// guaranteeOf returns what is proved of a mechanism, nil for none.
func guaranteeOf(m mech.Mechanism) *dp.Guarantee {
	if m == nil {
		return nil
	}
	g := m.Guarantee()
	return &g
}

// simulator releases rows with noise that depends on the seed, the row and the
// number of the release alone.
type simulator struct {
	m    mech.Mechanism // nil: rows are released as they are
	seed uint64
}

// release returns one release of each row, as floats of full precision: a
// likelihood is that of exact values.
func (s simulator) release(ctx context.Context, p *nn.Pool, x nn.Matrix, draw uint64) ([]float64, int, error) {
	width := x.Cols
	if s.m != nil {
		_, width = s.m.Shape()
	}
	y := make([]float64, x.Rows*width)
	var first atomic.Bool
	var fault error
	var mu sync.Mutex
	p.Each(x.Rows, func(_, i int) {
		if first.Load() {
			return
		}
		err := ctx.Err()
		if err == nil {
			err = s.one(y[i*width:(i+1)*width], x.Row(i), i, draw)
		}
		if err != nil {
			mu.Lock()
			fault = err
			mu.Unlock()
			first.Store(true)
		}
	})
	return y, width, fault
}

func (s simulator) one(dst []float64, row []float32, i int, draw uint64) error {
	in := widened(row)
	if s.m == nil {
		copy(dst, in)
		return nil
	}
	var key [32]byte
	for k, word := range []uint64{s.seed, uint64(i), draw, 0x72656c65617365} {
		binary.LittleEndian.PutUint64(key[8*k:], word)
	}
	return s.m.PrivatizeTo(dst, in, weakrand.NewChaCha8(key))
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

// gather returns the given rows.
func gather(x nn.Matrix, rows []int) nn.Matrix {
	some := nn.NewMatrix(len(rows), x.Cols)
	for k, i := range rows {
		copy(some.Row(k), x.Row(i))
	}
	return some
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
