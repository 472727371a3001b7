package reproduce

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	weakrand "math/rand/v2"
	"path/filepath"

	"sotto/compute/measure"
	"sotto/compute/nn"
	"sotto/data/dataset"
)

// SpecDraw measures the description length of an attribute given vectors that know
// nothing of it: independent standard normal numbers. The attribute is that of
// the validation and test parts of a data set, or is drawn itself.
type SpecDraw struct {
	Data        string  `json:"data,omitempty"`
	DataVariant string  `json:"data_variant,omitempty"`
	Attribute   string  `json:"attribute,omitempty"` // "" means the set's first
	Rows        int     `json:"rows,omitempty"`      // without data: how many
	Share       float64 `json:"share,omitempty"`     // without data: of the second of two values
	Width       int     `json:"width"`               // of the vectors
	Seeds       int     `json:"seeds"`
}

// Validate reports the first field that makes no sense.
func (d SpecDraw) Validate() error {
	switch drawn := d.Data == ""; {
	case drawn && (d.Rows < 1000 || d.Rows > 1_000_000 || !(d.Share > 0 && d.Share < 1)):
		return fmt.Errorf("declared: draw has %d rows and a share of %v, must have 1,000 to 1,000,000 rows and a share between 0 and 1", d.Rows, d.Share)
	case drawn && (d.DataVariant != "" || d.Attribute != ""):
		return errors.New("declared: data_variant and attribute have no meaning without data")
	case !drawn && (d.Rows != 0 || d.Share != 0):
		return errors.New("declared: rows and share have no meaning with data")
	case d.Width < 1 || d.Width > 10_000 || d.Seeds < 1 || d.Seeds > 1000:
		return fmt.Errorf("declared: draw has width %d and %d seeds, must have a width of 1 to 10,000 and 1 to 1,000 seeds", d.Width, d.Seeds)
	}
	if d.Data != "" {
		if _, err := dataset.Find(d.Data, ""); err != nil {
			return err
		}
	}
	return nil
}

const (
	drawFormat = "sotto-draw-1"
	drawFile   = "draw.json"
)

// drawn is what is stored of a draw.
type drawn struct {
	Format string    `json:"format"`
	Draw   SpecDraw  `json:"draw"`
	Kbit   []float64 `json:"kbit"` // by seed, from 1
}

// doDraw does a run that draws. Each seed is stored when it is done.
func (w *worker) doDraw(ctx context.Context) (*outcome, error) {
	d, err := w.run.draw(w.Quick)
	if err != nil {
		return nil, err
	}
	if w.Seeds > 0 {
		d.Seeds = w.Seeds
	}
	attribute, hash, err := d.attribute()
	if err != nil {
		return nil, err
	}
	content, err := json.Marshal(d)
	if err != nil {
		return nil, fmt.Errorf("declared: %w", err)
	}
	sum := sha256.Sum256(append(content, hash...))
	entry := &CacheEntry{Dir: filepath.Join(w.Store, hex.EncodeToString(sum[:]))}
	done, err := w.storedDraw(entry, d)
	if err != nil {
		return nil, err
	}
	w.told = 0
	if len(done.Kbit) == d.Seeds {
		w.tell("re-used", 1)
	}
	for len(done.Kbit) < d.Seeds {
		seed := uint64(len(done.Kbit)) + 1
		w.tell(fmt.Sprintf("seed %d", seed), float64(seed)/float64(d.Seeds+1))
		l, err := d.measure(ctx, attribute, seed, w.Workers)
		if err != nil {
			return nil, interrupted(ctx, err)
		}
		done.Kbit = append(done.Kbit, l)
		if err := entry.Write(drawFile, done); err != nil {
			return nil, err
		}
	}
	return &outcome{configurations: []*declaredFigures{{values: map[string][]float64{"mdl": done.Kbit}}}}, nil
}

// storedDraw reads what was drawn before.
func (w *worker) storedDraw(entry *CacheEntry, d SpecDraw) (drawn, error) {
	none := drawn{Format: drawFormat, Draw: d}
	if w.Again {
		return none, entry.Remove()
	}
	var s drawn
	found, err := entry.Read(drawFile, &s)
	if err != nil || !found {
		return none, err
	}
	if s.Format != drawFormat || s.Draw != d || len(s.Kbit) > d.Seeds {
		return none, entry.Damaged(drawFile, errors.New("it is not what its name says"))
	}
	return s, nil
}

// attribute returns the values that a data set has, with the set's hash; none
// where they are to be drawn.
func (d SpecDraw) attribute() (dataset.Column, string, error) {
	if d.Data == "" {
		return dataset.Column{Classes: make([]string, 2)}, "", nil
	}
	set, err := dataset.Load(d.Data, dataset.Options{Variant: d.DataVariant})
	if err != nil {
		return dataset.Column{}, "", err
	}
	if len(set.Attributes) == 0 {
		return dataset.Column{}, "", fmt.Errorf("declared: %s has no attribute, must have one to draw", d.Data)
	}
	c, err := set.Attribute(d.Attribute)
	if err != nil {
		return c, "", err
	}
	some := dataset.Column{Name: c.Name, Classes: c.Classes}
	for _, part := range []dataset.Part{dataset.Validation, dataset.Test} {
		for _, row := range set.Indices(part) {
			some.IDs = append(some.IDs, c.IDs[row])
		}
	}
	return some, set.Hash(), nil
}

// measure draws with a seed and returns the length in kbit.
func (d SpecDraw) measure(ctx context.Context, c dataset.Column, seed uint64, workers int) (float64, error) {
	rng := weakrand.New(weakrand.NewPCG(seed, 0x64726177)) // apart from other streams of the seed
	z := c.IDs
	if z == nil {
		z = make([]int, d.Rows)
		for i := range z {
			if rng.Float64() < d.Share {
				z[i] = 1
			}
		}
	}
	x := nn.NewMatrix(len(z), d.Width)
	for i := range x.Rows {
		for j := range x.Row(i) {
			x.Row(i)[j] = float32(rng.NormFloat64())
		}
	}
	l, err := measure.Probe{Seed: seed}.DescriptionLength(ctx, nn.NewPool(workers), measure.Labelled{X: x, Z: z}, len(c.Classes), measure.PrefixCoding)
	return l.Kbit, err
}
