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

	"sotto/dataset"
	"sotto/encode"
	"sotto/encode/catalogue"
	"sotto/nn"
	"sotto/train"
	"sotto/train/model"
)

// prepared is a data set as numbers.
type prepared struct {
	train.Data
	test   []int
	record model.DataRecord
	notes  []string

	standardise bool // its columns have scales of their own

	// What the set knows of its rows, protected or not.
	labels     []dataset.Column // the first one first
	unknown    []dataset.Column // unseen in training
	attributes []dataset.Column
}

// carved is the share of the training part that validates where a data set has
// no validation part of its own.
const carved = 0.1

// prepare loads what a record names, as far as it names it, from the file if it
// is of one, and makes numbers of it.
func prepare(ctx context.Context, r model.DataRecord, file Path, workers int) (*prepared, error) {
	set, err := load(ctx, r, file)
	if err != nil {
		return nil, err
	}
	if len(set.Label.Classes) < 2 {
		return nil, fmt.Errorf("experiment: %s has a number as its label, must have classes", r.Name)
	}
	d := &prepared{notes: slices.Clone(set.Notes), standardise: set.Text != nil || r.File != nil, attributes: set.Attributes}
	known := len(set.More) - len(r.Unknown)
	d.labels, d.unknown = append([]dataset.Column{set.Label}, set.More[:known]...), set.More[known:]
	d.record = model.DataRecord{Name: r.Name, Variant: set.Variant, Label: set.Label.Name, Classes: set.Label.Classes, Hash: set.Hash()}
	d.record.Limit, d.record.File = r.Limit, fileRecord(r.File, set)
	d.Y, d.Classes = set.Label.IDs, len(set.Label.Classes)
	d.record.Unknown = r.Unknown
	for _, c := range d.labels[1:] {
		d.More = append(d.More, train.Target{Y: c.IDs, Classes: len(c.Classes)})
		d.record.More = append(d.record.More, model.LabelRecord{Name: c.Name, Classes: c.Classes})
	}
	if err := d.protect(set, r.Attribute); err != nil {
		return nil, err
	}
	d.split(set)
	if err := d.vectors(ctx, set, r, workers); err != nil {
		return nil, err
	}
	d.bound(r.Limit)
	if err := d.reserve(r.Reserve); err != nil {
		return nil, err
	}
	if len(d.test) == 0 {
		return nil, fmt.Errorf("experiment: %s has no test part", r.Name)
	}
	return d, d.Validate()
}

// load reads the data set that a record names, or the file.
func load(ctx context.Context, r model.DataRecord, file Path) (*dataset.Set, error) {
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
		return nil, fmt.Errorf("experiment: in is a file and the data is %s, must be one of them", r.Name)
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
func (d *prepared) bound(limit int) {
	if limit == 0 {
		return
	}
	quarter := max(1, limit/4)
	d.Train, d.Validation, d.test = train.Evenly(d.Train, limit), train.Evenly(d.Validation, quarter), train.Evenly(d.test, quarter)
	d.notes = append(d.notes, fmt.Sprintf("rows were limited to %d to train, %d to validate and %d to test", len(d.Train), len(d.Validation), len(d.test)))
}

// protect chooses the attribute.
func (d *prepared) protect(set *dataset.Set, name string) error {
	if name == "none" || name == "" && len(set.Attributes) == 0 {
		return nil
	}
	column, err := set.Attribute(name)
	if err != nil {
		return err
	}
	if len(column.Classes) < 2 {
		return fmt.Errorf("experiment: attribute %s has %d groups, must have at least 2", column.Name, len(column.Classes))
	}
	d.Z, d.Groups = column.IDs, len(column.Classes)
	d.record.Attribute, d.record.GroupCount = column.Name, len(column.Classes)
	d.record.Groups = column.Names()
	return nil
}

// vectors takes the table, or encodes the texts.
func (d *prepared) vectors(ctx context.Context, set *dataset.Set, r model.DataRecord, workers int) error {
	if set.Text == nil {
		if r.Encoder != "" || r.Dropout != 0 {
			return fmt.Errorf("experiment: %s is a table, so encoder %q and dropout %v have no meaning", set.Name, r.Encoder, r.Dropout)
		}
		d.X = d.numbers(set)
		return nil
	}
	e, err := catalogue.Open(ctx, cmp.Or(r.Encoder, "default"), dataset.Dir())
	if err != nil {
		return err
	}
	d.record.Encoder, d.record.Dropout, d.record.MaskSeed = e.Name(), r.Dropout, r.MaskSeed
	if r.Dropout > 0 {
		e = masking{e, r.Dropout, r.MaskSeed}
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
		d.X = beside(d.X, d.numbers(set))
	}
	d.record.Vectors = digest(d.X)
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
func (d *prepared) split(set *dataset.Set) {
	known := func(rows []int) []int {
		return slices.DeleteFunc(rows, func(row int) bool { return d.Y[row] < 0 })
	}
	d.Train = known(set.Indices(dataset.Train))
	d.Validation = known(set.Indices(dataset.Validation))
	d.test = known(set.Indices(dataset.Test))
	if len(d.Validation) > 0 || len(d.Train) < 2 {
		return
	}
	rng := weakrand.New(weakrand.NewPCG(0, 0))
	rng.Shuffle(len(d.Train), func(i, j int) { d.Train[i], d.Train[j] = d.Train[j], d.Train[i] })
	n := max(1, int(carved*float64(len(d.Train))))
	d.Validation, d.Train = slices.Clone(d.Train[:n]), slices.Clone(d.Train[n:])
	slices.Sort(d.Validation)
	slices.Sort(d.Train)
	d.notes = append(d.notes, fmt.Sprintf("%s has no validation part: %d rows of its training part serve as one", set.Name, n))
}

// numerics is raised by every change of this module that changes what a spec
// gives, so that stored results of before are not taken for those of now.
const numerics = "4"

// Key identifies what s decides on the data as it lies here: the hash of the
// filled spec with that of the data set's content, which is loaded for it, and
// the version of the numerics.
func (s Spec) Key() (string, error) {
	s, err := s.Filled()
	if err != nil {
		return "", err
	}
	set, err := load(context.Background(), s.wants(), s.In)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(numerics + " " + s.Hash() + " " + set.Hash()))
	return hex.EncodeToString(sum[:]), nil
}

// wants is what a filled spec says of its data.
func (s Spec) wants() model.DataRecord {
	r := model.DataRecord{Name: s.Data, Variant: s.DataVariant, Label: s.Label, Attribute: s.Attribute, Encoder: s.Encoder, Dropout: s.Dropout, Limit: s.Limit, Reserve: s.Reserve, Unknown: s.Unknown}
	if len(s.Labels) > 0 {
		r.Label = s.Labels[0]
		for _, name := range s.Labels[1:] {
			r.More = append(r.More, model.LabelRecord{Name: name})
		}
	}
	if s.Dropout > 0 {
		r.MaskSeed = s.FirstSeed
	}
	if s.ofFile() {
		r.File = &model.FileRecord{Layout: s.Layout}
	}
	return r
}
