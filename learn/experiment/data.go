package experiment

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"slices"
	"sync"

	"sotto/compute/nn"
	"sotto/data/dataset"
	"sotto/learn/model"
	"sotto/learn/train"
	"sotto/text/encode"
	"sotto/text/encode/catalogue"
)

// This part of the package makes numbers of what is learnt from: it loads a data set or a
// file of one's own, encodes its texts, and takes its parts, as the record of a
// model names them.
//
// It trains nothing and measures nothing. The smallest use is
//
//	set, err := makeSet(ctx, model.DataRecord{Name: "reviews"}, "", 2)
//	fmt.Println(set.X.Rows, len(set.Train), len(set.Test))

// TrainingSet is a data set as numbers, which others may share: it is only read.
type TrainingSet struct {
	train.Data
	Test   []int // rows to measure on
	Record model.DataRecord
	Notes  []string

	// Saw returns what a training on these rows sees, computed when it is first asked.
	Saw func() (model.Saw, error)

	Standardise bool // its columns have scales of their own

	// What the set knows of its rows, protected or not.
	Labels     []dataset.Column // the first one first
	Unknown    []dataset.Column // unseen in training
	Attributes []dataset.Column
}

// carved is the share of the training part that validates where a data set has
// no validation part of its own.
const carved = 0.1

// makeSet loads what a record names, as far as it names it, from the file if it
// is of one, and makes numbers of it. The encoder may lie anywhere: a caller who has the
// record from a file asks [catalogue.Roots.Allow] first.
func makeSet(ctx context.Context, r model.DataRecord, file Path, workers int) (*TrainingSet, error) {
	d, set, err := outline(ctx, r, file)
	if err != nil {
		return nil, err
	}
	if err := d.vectors(ctx, set, r, workers); err != nil {
		return nil, err
	}
	d.bound(r.Limit)
	if err := d.reserve(r.Reserve); err != nil {
		return nil, err
	}
	d.Saw = sync.OnceValues(func() (model.Saw, error) { return d.saw(ctx, set) })
	return d, d.Validate()
}

// outlineSet loads what a record names and takes its parts, but makes no vectors of
// texts: X is empty, and nothing is reserved.
func outlineSet(ctx context.Context, r model.DataRecord, file Path) (*TrainingSet, *dataset.Set, error) {
	d, set, err := outline(ctx, r, file)
	if err == nil {
		d.bound(r.Limit)
	}
	return d, set, err
}

// Blank gives the rows zeros in place of vectors of so many numbers, which are yet to
// be made, beside the numbers that the data has.
func (d *TrainingSet) Blank(set *dataset.Set, columns int) {
	d.X = nn.NewMatrix(len(d.Y), columns)
	if set.Features != nil {
		d.X = d.X.Beside(d.numbers(set))
	}
}

// outline is Outline without a limit of rows.
func outline(ctx context.Context, r model.DataRecord, file Path) (*TrainingSet, *dataset.Set, error) {
	set, err := LoadSet(ctx, r, file)
	if err != nil {
		return nil, nil, err
	}
	if len(set.Label.Classes) < 2 {
		return nil, nil, fmt.Errorf("prepared: %s has a number as its label, must have classes", r.Name)
	}
	d := &TrainingSet{Notes: slices.Clone(set.Notes), Standardise: set.Text != nil || r.File != nil, Attributes: set.Attributes}
	known := len(set.More) - len(r.Unknown)
	d.Labels, d.Unknown = append([]dataset.Column{set.Label}, set.More[:known]...), set.More[known:]
	d.Record = model.DataRecord{Name: r.Name, Variant: set.Variant, Label: set.Label.Name, Classes: set.Label.Classes, Hash: set.Hash()}
	d.Record.Limit, d.Record.File = r.Limit, fileRecord(r.File, set)
	d.Y, d.Classes = set.Label.IDs, len(set.Label.Classes)
	d.Record.Unknown = r.Unknown
	for _, c := range d.Labels[1:] {
		d.More = append(d.More, train.Target{Y: c.IDs, Classes: len(c.Classes)})
		d.Record.More = append(d.Record.More, model.LabelRecord{Name: c.Name, Classes: c.Classes})
	}
	if err := d.protect(set, r.Attribute); err != nil {
		return nil, nil, err
	}
	d.split(set)
	if len(d.Test) == 0 {
		return nil, nil, fmt.Errorf("prepared: %s has no test part", r.Name)
	}
	return d, set, nil
}

// LoadSet reads the data set that a record names, or the file.
func LoadSet(ctx context.Context, r model.DataRecord, file Path) (*dataset.Set, error) {
	var labels []string
	if r.Label != "" {
		labels = []string{r.Label}
	}
	for _, more := range r.More {
		labels = append(labels, more.Name)
	}
	if r.File != nil {
		return loadFile(ctx, r, file, append(labels, r.Unknown...))
	}
	if file != "" {
		return nil, fmt.Errorf("prepared: in is a file and the data is %s, must be one of them", r.Name)
	}
	info, err := dataset.Find(r.Name, "")
	if err != nil {
		return nil, err
	}
	if len(r.Unknown) > 0 { // they leave the vectors, as labels do
		if r.Label == "" {
			labels = info.Labels[:1]
		}
		labels = append(labels, r.Unknown...)
	}
	options := dataset.Options{Variant: r.Variant, Labels: labels}
	if info.AnyAttribute && r.Attribute != "" && r.Attribute != "none" {
		options.Attributes = []string{r.Attribute}
	}
	return dataset.Load(r.Name, options)
}

// bound leaves out rows, evenly, beyond the limit of each part.
func (d *TrainingSet) bound(limit int) {
	if limit == 0 {
		return
	}
	quarter := max(1, limit/4)
	d.Train, d.Validation, d.Test = train.Evenly(d.Train, limit), train.Evenly(d.Validation, quarter), train.Evenly(d.Test, quarter)
	d.Notes = append(d.Notes, fmt.Sprintf("rows were limited to %d to train, %d to validate and %d to test", len(d.Train), len(d.Validation), len(d.Test)))
}

// protect chooses the attribute.
func (d *TrainingSet) protect(set *dataset.Set, name string) error {
	if name == "none" || name == "" && len(set.Attributes) == 0 {
		return nil
	}
	column, err := set.Attribute(name)
	if err != nil {
		return err
	}
	if len(column.Classes) < 2 {
		return fmt.Errorf("prepared: attribute %s has %d groups, must have at least 2", column.Name, len(column.Classes))
	}
	d.Z, d.Groups = column.IDs, len(column.Classes)
	d.Record.Attribute, d.Record.GroupCount = column.Name, len(column.Classes)
	d.Record.Groups = column.Names()
	return nil
}

// vectors takes the table, or encodes the texts.
func (d *TrainingSet) vectors(ctx context.Context, set *dataset.Set, r model.DataRecord, workers int) error {
	if set.Text == nil {
		if r.Encoder != "" || r.Dropout != 0 || r.Mask != "" {
			return fmt.Errorf("prepared: %s is a table, so encoder %q, dropout %v and masks %q have no meaning", set.Name, r.Encoder, r.Dropout, r.Mask)
		}
		d.X = d.numbers(set)
		return nil
	}
	e, err := catalogue.OpenNamed(ctx, cmp.Or(r.Encoder, "default"), catalogue.Anywhere("a manifest or a spec", dataset.Dir()))
	if err != nil {
		return err
	}
	d.Record.Encoder, d.Record.Dropout, d.Record.MaskSeed = catalogue.Name(e.Name()), r.Dropout, r.MaskSeed
	if r.Dropout > 0 || r.Mask != "" {
		m, failed := newMasking(ctx, e, r)
		if failed != nil {
			return failed
		}
		if m.masker != nil {
			d.Record.Mask = m.masker.Rule()
		}
		e = m
	}
	if set.Second != nil {
		d.X, err = encode.Pairs(ctx, e, set.Text, set.Second, workers)
	} else {
		d.X, err = encode.Texts(ctx, e, set.Text, workers)
	}
	if err != nil {
		return err
	}
	if set.Features != nil {
		d.X = d.X.Beside(d.numbers(set))
	}
	d.Record.Vectors = digest(d.X)
	return nil
}

// digest is the SHA-256 of a matrix: an encoder is known by its name, and what
// it makes of the texts by this.
func digest(x nn.Matrix) string {
	h := sha256.New()
	row := make([]byte, 0, 4*x.Cols)
	for i := range x.Rows {
		row = row[:0]
		for _, v := range x.Row(i) {
			row = binary.LittleEndian.AppendUint32(row, math.Float32bits(v))
		}
		h.Write(row)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// split takes the parts, without rows of unknown class. A set without
// validation part lends a tenth of its training part, always the same rows.
func (d *TrainingSet) split(set *dataset.Set) {
	known := func(rows []int) []int {
		return slices.DeleteFunc(rows, func(row int) bool { return d.Y[row] < 0 })
	}
	d.Train = known(set.Indices(dataset.Train))
	d.Validation = known(set.Indices(dataset.Validation))
	d.Test = known(set.Indices(dataset.Test))
	if len(d.Validation) > 0 || len(d.Train) < 2 {
		return
	}
	rng := weakrand.New(weakrand.NewPCG(0, 0))
	rng.Shuffle(len(d.Train), func(i, j int) { d.Train[i], d.Train[j] = d.Train[j], d.Train[i] })
	n := max(1, int(carved*float64(len(d.Train))))
	d.Validation, d.Train = slices.Clone(d.Train[:n]), slices.Clone(d.Train[n:])
	slices.Sort(d.Validation)
	slices.Sort(d.Train)
	d.Notes = append(d.Notes, fmt.Sprintf("%s has no validation part: %d rows of its training part serve as one", set.Name, n))
}
