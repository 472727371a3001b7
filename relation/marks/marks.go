// Package marks says which relation two arguments of a sentence have, by a transformer of
// the BERT family that reads the sentence with marks around both: the vectors of the marks,
// one behind the other, are what a layer tells the relation by (Baldini Soares and others,
// Matching the Blanks, ACL 2019). Marks also tell types of arguments, where they are known.
// Package tune trains it, with the same loop, settings and checkpoints as encoders.
//
// Words come in and relations go out. What it learnt from is covered by no guarantee: see
// package encode. The smallest use is
//
//	info, err := marks.Train(ctx, parent, out, marks.Data{Train: some, Validation: others}, tune.Settings{}, tune.Options{})
//	m, err := marks.Open(out)
//	said, err := m.Classify(ctx, sentences, 2)
package marks

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"sotto/encode/bert"
	"sotto/encode/bert/tune"
	"sotto/internal/regular"
	"sotto/internal/safetensors"
	"sotto/nn"
)

// Labelled is a sentence and the relation of its arguments.
type Labelled struct {
	Sentence
	Relation string
}

// Data is what is learnt from.
type Data struct {
	Name       string // of the data, for the manifest
	Hash       string // of the data, for the manifest
	Train      []Labelled
	Validation []Labelled // tell which epoch is the best
}

// Result is what a training came to.
type Result struct {
	Manifest bert.Manifest
	Epoch    int     // that is kept, from 1
	Accuracy float64 // of it on the validation sentences
}

// Train trains the transformer in one folder to tell relations, and writes it to another,
// whole or not at all. Relations and types are those of the sentences to train on; a
// relation that validation sentences alone have is an error.
func Train(ctx context.Context, parent, out string, d Data, s tune.Settings, o tune.Options) (*Result, error) {
	f, err := bert.Read(parent)
	if err != nil {
		return nil, err
	}
	h, data, err := d.prepare(f, s)
	if err != nil {
		return nil, err
	}
	data.Head = h
	t, err := tune.New(f, data, s)
	if err != nil {
		return nil, err
	}
	info, err := t.Make(ctx, out, bert.Manifest{Data: d.Name, DataHash: d.Hash}, o)
	if err != nil {
		return nil, err
	}
	kept, epoch := t.Kept()
	return &Result{info, epoch, kept.Accuracy}, nil
}

// prepare makes tokens of the sentences, and the head that is to learn from them.
func (d Data) prepare(f *bert.Folder, s tune.Settings) (*head, tune.Data, error) {
	data := tune.Data{Weights: []float64{1}}
	about := know(d.Train)
	limit, err := f.Limit(s.Length)
	if err != nil {
		return nil, data, err
	}
	if s.Length == 0 {
		limit = min(limit, defaultLength)
	}
	m, err := newMarker(f.Tokeniser, about.Types, limit)
	if err != nil {
		return nil, data, err
	}
	dropout := s.Dropout
	if dropout == 0 {
		dropout = defaultDropout
	}
	h, err := newHead(f.Shape().Hidden, len(about.Relations), dropout, s.Seed)
	if err != nil {
		return nil, data, err
	}
	h.about = about
	for i, x := range slices.Concat(d.Train, d.Validation) {
		if err := x.check(); err != nil {
			return nil, data, fmt.Errorf("sentence %d: %w", i+1, err)
		}
		class, ok := slices.BinarySearch(about.Relations, x.Relation)
		if !ok {
			return nil, data, fmt.Errorf("marks: relation %.40q is in validation sentences alone, must be in sentences to train on too", x.Relation)
		}
		tokens, marks := m.sequence(x.Sentence)
		data.Tokens = append(data.Tokens, tokens)
		h.add(&data, class, marks)
		if i < len(d.Train) {
			data.Train = append(data.Train, i)
		} else {
			data.Validation = append(data.Validation, i)
		}
	}
	data.Labels, data.Classes = [][]int{h.labels}, []int{len(about.Relations)}
	return h, data, nil
}

const (
	defaultLength  = 128 // as package tune has it
	defaultDropout = 0.1
)

// knowledge is what a folder says of a model beside its numbers.
type knowledge struct {
	Relations []string `json:"relations"` // in order
	Types     []string `json:"types"`     // of arguments, in order; "" is one of them
}

// know returns the relations and types of sentences.
func know(all []Labelled) knowledge {
	relations, types := map[string]bool{}, map[string]bool{"": true}
	for _, x := range all {
		relations[x.Relation] = true
		types[x.Types[0]], types[x.Types[1]] = true, true
	}
	return knowledge{slices.Sorted(maps.Keys(relations)), slices.Sorted(maps.Keys(types))}
}

// headFile is the file of the layer and of what it is about, and aboutKey where in it the
// latter stands.
const (
	headFile = "relations.safetensors"
	aboutKey = "relations"
	mostHead = 1 << 28 // bytes of that file
)

// File implements [tune.Filed].
func (h *head) File() (name string, content []byte, err error) {
	about, err := json.Marshal(h.about)
	if err != nil {
		return "", nil, fmt.Errorf("marks: %w", err)
	}
	f := safetensors.File{Metadata: map[string]string{aboutKey: string(about)}}
	for _, q := range h.Params() {
		f.Tensors = append(f.Tensors, safetensors.Tensor{Name: q.Name, Shape: []int{q.Value.Rows, q.Value.Cols}, Data: q.Value.Data})
	}
	var b bytes.Buffer
	err = safetensors.Encode(&b, &f)
	return headFile, b.Bytes(), err
}

// Model tells relations. It is safe for concurrent use.
type Model struct {
	model        *bert.Model
	marker       *marker
	about        knowledge
	weight, bias nn.Matrix
}

// Open opens the folder of a model, which is checked against its manifest.
func Open(dir string) (*Model, error) {
	info, err := bert.ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	if info == nil || info.HeadFile != headFile {
		return nil, fmt.Errorf("marks: %s is no model of relations, must be a folder that was trained to tell relations", dir)
	}
	m := &Model{}
	if m.model, err = bert.Open(dir, bert.Options{}); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, headFile)
	content, err := regular.Read(path, mostHead)
	if err != nil {
		return nil, fmt.Errorf("marks: %w", err)
	}
	if err = tune.CheckHead(info, content); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if err = m.read(content); err != nil {
		return nil, fmt.Errorf("marks: %s: %w", path, err)
	}
	m.marker, err = newMarker(m.model.WordPiece(), m.about.Types, m.model.Limit())
	return m, err
}

// read takes the layer and what it is about from their file.
func (m *Model) read(content []byte) error {
	f, err := safetensors.Decode(content)
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader([]byte(f.Metadata[aboutKey])))
	d.DisallowUnknownFields()
	if err := d.Decode(&m.about); err != nil {
		return fmt.Errorf("what it says of relations is no JSON as it is written: %w", err)
	}
	for _, x := range f.Tensors {
		if len(x.Shape) != 2 {
			return fmt.Errorf("%s has %d dimensions, must have 2", x.Name, len(x.Shape))
		}
		y := nn.Matrix{Rows: x.Shape[0], Cols: x.Shape[1], Data: x.Data}
		switch x.Name {
		case "weight":
			m.weight = y
		case "bias":
			m.bias = y
		default:
			return fmt.Errorf("it holds %.40q, must hold weight and bias", x.Name)
		}
	}
	n := len(m.about.Relations)
	if n < 2 || m.weight.Rows != 2*m.model.Dim() || m.weight.Cols != n || m.bias.Rows != 1 || m.bias.Cols != n {
		return fmt.Errorf("its layer is %d×%d for %d relations, must be %d×%d", m.weight.Rows, m.weight.Cols, n, 2*m.model.Dim(), n)
	}
	if !slices.IsSorted(m.about.Relations) || !slices.Contains(m.about.Types, "") {
		return errors.New("its relations and types are not as they are written, in order and with the empty type")
	}
	return nil
}

// Relations returns the relations that it knows, in order.
func (m *Model) Relations() []string { return slices.Clone(m.about.Relations) }

// Classify returns the probability of each relation, in the order of Relations, for each
// sentence. Which sentences come together, and how many workers there are, changes nothing.
func (m *Model) Classify(ctx context.Context, sentences []Sentence, workers int) ([][]float32, error) {
	const together = 512 // sentences, whose vectors are in memory at a time
	all := make([][]float32, 0, len(sentences))
	p := nn.NewPool(1)
	for some := range slices.Chunk(sentences, together) {
		x, err := m.pairs(ctx, some, workers)
		if err != nil {
			return nil, err
		}
		scores := nn.NewMatrix(x.Rows, m.weight.Cols)
		p.Mul(scores, x, m.weight)
		for i := range scores.Rows {
			row := scores.Row(i)
			for j, b := range m.bias.Data {
				row[j] += b
			}
			nn.Softmax(row, row)
			all = append(all, row)
		}
	}
	return all, nil
}

// pairs returns the vectors of both marks of each sentence, one behind the other.
func (m *Model) pairs(ctx context.Context, sentences []Sentence, workers int) (nn.Matrix, error) {
	var data tune.Data
	for i, s := range sentences {
		if err := s.check(); err != nil {
			return nn.Matrix{}, fmt.Errorf("sentence %d: %w", i+1, err)
		}
		tokens, marks := m.marker.sequence(s)
		data.Tokens, data.Places = append(data.Tokens, tokens), append(data.Places, marks[:])
	}
	rows, err := m.model.EncodePlaces(ctx, data.Tokens, data.Places, workers)
	if err != nil {
		return nn.Matrix{}, err
	}
	x := nn.NewMatrix(len(sentences), 2*m.model.Dim())
	for i, r := range rows {
		copy(x.Row(i), r.Data)
	}
	return x, nil
}
