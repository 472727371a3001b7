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
	"strconv"
	"strings"

	"sotto/dataset"
	"sotto/encode"
	"sotto/encode/bert"
	"sotto/encode/catalogue"
	"sotto/mech"
	"sotto/nn"
	"sotto/text"
	"sotto/train"
)

// prepared is a data set as numbers.
type prepared struct {
	train.Data
	test   []int
	text   bool // its vectors were made of texts
	record train.DataRecord
	notes  []string

	// What the set knows of its rows, protected or not.
	label      dataset.Column
	attributes []dataset.Column
}

// carved is the share of the training part that validates where a data set has
// no validation part of its own.
const carved = 0.1

// prepare loads what a record names, as far as it names it, and makes numbers
// of it.
func prepare(ctx context.Context, r train.DataRecord, workers int) (*prepared, error) {
	set, limit, err := load(r)
	if err != nil {
		return nil, err
	}
	if len(set.Label.Classes) < 2 {
		return nil, fmt.Errorf("experiment: %s has a number as its label, must have classes", r.Name)
	}
	d := &prepared{notes: slices.Clone(set.Notes), text: set.Text != nil, label: set.Label, attributes: set.Attributes}
	d.record = train.DataRecord{Name: r.Name, Variant: set.Variant, Label: set.Label.Name, Classes: set.Label.Classes, Hash: set.Hash()}
	if limit > 0 {
		d.record.Variant += fmt.Sprintf("%s%d", limitMark, limit)
	}
	d.Y, d.Classes = set.Label.IDs, len(set.Label.Classes)
	if err := d.protect(set, r.Attribute); err != nil {
		return nil, err
	}
	if err := d.vectors(ctx, set, r.Encoder, workers); err != nil {
		return nil, err
	}
	d.split(set)
	d.bound(limit)
	if len(d.test) == 0 {
		return nil, fmt.Errorf("experiment: %s has no test part", r.Name)
	}
	return d, d.Validate()
}

// limitMark stands in the name of a variant before the number of rows to which
// it is bounded: see [Spec.Limit].
const limitMark = ":"

// load reads the data set that a record names, with the bound of its rows, 0
// for none.
func load(r train.DataRecord) (set *dataset.Set, limit int, err error) {
	variant, rows, bounded := strings.Cut(r.Variant, limitMark)
	if bounded {
		if limit, err = strconv.Atoi(rows); err != nil || limit < 1 {
			return nil, 0, fmt.Errorf("experiment: variant is %q, must have a number of rows behind the colon", r.Variant)
		}
	}
	options := dataset.Options{Variant: variant}
	if r.Name == "celeba" { // any of its attributes can play either part
		options.Label = r.Label
		if r.Attribute != "" && r.Attribute != "none" {
			options.Attributes = []string{r.Attribute}
		}
	}
	set, err = dataset.Load(r.Name, options)
	return set, limit, err
}

// bound leaves out rows, evenly, beyond the limit of each part.
func (d *prepared) bound(limit int) {
	if limit == 0 {
		return
	}
	few := func(rows []int, most int) []int {
		if len(rows) <= most {
			return rows
		}
		some := make([]int, most)
		for i := range some {
			some[i] = rows[i*len(rows)/most]
		}
		return some
	}
	d.Train, d.Validation, d.test = few(d.Train, limit), few(d.Validation, max(1, limit/4)), few(d.test, max(1, limit/4))
	d.notes = append(d.notes, fmt.Sprintf("rows were limited to %d to train, %d to validate and %d to test", len(d.Train), len(d.Validation), len(d.test)))
}

// maxNamed is the number of groups up to which a record names them.
const maxNamed = 32

// protect chooses the attribute.
func (d *prepared) protect(set *dataset.Set, name string) error {
	if name == "none" || name == "" && len(set.Attributes) == 0 {
		return nil
	}
	column := dataset.Column{}
	if name == "" {
		column = set.Attributes[0]
	} else {
		var err error
		if column, err = set.Attribute(name); err != nil {
			return err
		}
	}
	if len(column.Classes) < 2 {
		return fmt.Errorf("experiment: attribute %s has %d groups, must have at least 2", column.Name, len(column.Classes))
	}
	d.Z, d.Groups = column.IDs, len(column.Classes)
	d.record.Attribute, d.record.GroupCount = column.Name, len(column.Classes)
	if len(column.Classes) <= maxNamed { // more are likely to name persons
		d.record.Groups = column.Classes
	}
	return nil
}

// vectors takes the table, or encodes the texts.
func (d *prepared) vectors(ctx context.Context, set *dataset.Set, encoder string, workers int) error {
	if set.Text == nil {
		if encoder != "" {
			return fmt.Errorf("experiment: %s is a table, so encoder %q has no meaning", set.Name, encoder)
		}
		d.X = nn.Matrix{Rows: set.Rows, Cols: set.Width, Data: set.Features}
		return nil
	}
	e, err := openEncoder(ctx, cmp.Or(encoder, defaultEncoder))
	if err != nil {
		return err
	}
	d.record.Encoder = e.Name()
	if set.Second != nil {
		d.X, err = encode.Pairs(ctx, e, set.Text, set.Second, workers)
	} else {
		d.X, err = encode.Texts(ctx, e, set.Text, workers)
	}
	d.record.Vectors = digest(d.X)
	return err
}

// defaultEncoder is that of a spec which names none.
const defaultEncoder = "default"

// dropoutPrefix begins the name of an encoder that masks words first: behind it
// follow the rate, the seed of the masks and the encoder proper, with colons
// between them.
const dropoutPrefix = "dropout:"

// openEncoder opens the encoder of that name.
func openEncoder(ctx context.Context, name string) (encode.Source, error) {
	masks, found := strings.CutPrefix(name, dropoutPrefix)
	if !found {
		return catalogue.Open(ctx, name, dataset.Dir())
	}
	parts := strings.SplitN(masks, ":", 3)
	if len(parts) < 3 {
		return nil, fmt.Errorf("experiment: encoder is %q, must be dropout:RATE:SEED:ENCODER", name)
	}
	rate, errRate := strconv.ParseFloat(parts[0], 64)
	seed, errSeed := strconv.ParseUint(parts[1], 10, 64)
	if errRate != nil || errSeed != nil || !(rate > 0 && rate < 1) {
		return nil, fmt.Errorf("experiment: encoder is %q, must have a rate above 0 and below 1, and a seed", name)
	}
	base, err := catalogue.Open(ctx, parts[2], dataset.Dir())
	return masking{base, rate, seed}, err
}

// masking is an encoder that masks each word with a probability before it
// encodes what is left. Masks follow from the seed and the text, so that equal
// texts have equal vectors. They serve to measure and protect nobody.
type masking struct {
	base encode.Source
	rate float64
	seed uint64
}

var _ encode.BatchEncoder = masking{}

// Name implements [encode.Source].
func (m masking) Name() string {
	return fmt.Sprintf("%s%v:%d:%s", dropoutPrefix, m.rate, m.seed, m.base.Name())
}

// Dim implements [encode.Source].
func (m masking) Dim() int { return m.base.Dim() }

// EncodeBatch implements [encode.BatchEncoder]. As in a real release, a
// transformer sees a mask token for each masked word, and any other encoder a
// text without them.
func (m masking) EncodeBatch(ctx context.Context, dst nn.Matrix, texts []string, workers int) error {
	if model, ok := m.base.(*bert.Model); ok {
		tokens := make([]text.Tokens, len(texts))
		for i, t := range texts {
			tokens[i] = model.WordPiece().EncodeMasked(t, m.mask(t).MaskedSpans(), model.Limit())
		}
		return model.EncodeTokens(ctx, dst, tokens, workers)
	}
	left := make([]string, len(texts))
	for i, t := range texts {
		left[i] = text.Apply(t, m.mask(t), " ")
	}
	x, err := encode.Texts(ctx, m.base, left, workers)
	if err != nil {
		return err
	}
	for i := range x.Rows {
		copy(dst.Row(i), x.Row(i))
	}
	return nil
}

// mask draws the masks of one text.
func (m masking) mask(t string) text.Masking {
	key := append(append(train.SimulationKey(m.seed), dropoutPrefix...), t...)
	source := weakrand.NewChaCha8(sha256.Sum256(key))
	return (&text.Masker{Draw: func(masked []bool) { mech.DrawMasks(masked, m.rate, mech.Bernoulli, source) }}).Mask(t)
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

// pick returns the values of the given rows; nil stays nil.
func pick(values, rows []int) []int {
	if values == nil {
		return nil
	}
	some := make([]int, len(rows))
	for i, row := range rows {
		some[i] = values[row]
	}
	return some
}

// Key identifies what s decides on the data as it lies here: the hash of the
// filled spec with that of the data set's content, which is loaded for it.
func (s Spec) Key() (string, error) {
	s, err := s.Filled()
	if err != nil {
		return "", err
	}
	set, _, err := load(s.wants())
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(s.Hash() + " " + set.Hash()))
	return hex.EncodeToString(sum[:]), nil
}

// wants is what a filled spec says of its data.
func (s Spec) wants() train.DataRecord {
	return train.DataRecord{Name: s.Data, Variant: s.DataVariant, Label: s.Label, Attribute: s.Attribute, Encoder: s.Encoder}
}

// Released is what a stored model releases and answers, beside the truth.
type Released struct {
	Folder     string // of its configuration, below the folder of the result
	Seed       uint64
	Validation ReleasedPart
	Test       ReleasedPart
	// Label and Attributes are all columns of the data set, not of its parts.
	Label      dataset.Column
	Attributes []dataset.Column
}

// ReleasedPart is what is released of one part of a data set.
type ReleasedPart struct {
	Rows    []int     // of the data set
	Vectors nn.Matrix // released, one a row; none for a model that releases nothing
	Answers []int     // of the model to these
}

// Releases makes again, for each stored model that [Evaluate] finds in a
// folder, the releases of the validation and the test part, with the noise of
// the model's seed, and passes them to f. It ends with the first error of f.
func Releases(ctx context.Context, dir string, workers int, f func(Released) error) error {
	pool, err := AttackOptions{Workers: workers}.pool()
	if err != nil {
		return err
	}
	stored, err := findModels(dir)
	if err != nil {
		return err
	}
	record := stored[0].models[0].info.Data
	d, err := prepare(ctx, wanted(record), pool.Workers())
	if err != nil {
		return err
	}
	s := newScorer(d)
	for _, c := range stored {
		for _, m := range c.models {
			if !equalJSON(m.info.Data, d.record) {
				return fmt.Errorf("experiment: %s: the model is of other data", dir)
			}
			r := Released{Folder: c.folder, Seed: m.info.Seed, Label: d.label, Attributes: d.attributes}
			for name, part := range map[string]*ReleasedPart{"validation": &r.Validation, "test": &r.Test} {
				rows := d.test
				if name == "validation" {
					rows = d.Validation
				}
				q, err := s.release(pool, m.model, rows, m.info.Seed, name)
				if err != nil {
					return err
				}
				*part = ReleasedPart{q.rows, q.released, q.answers}
			}
			if err := f(r); err != nil {
				return err
			}
		}
	}
	return nil
}
