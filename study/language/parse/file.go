package parse

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"slices"

	"sotto/compute/nn"
)

// ErrFormat is returned by [Decode] for what is no model, or a damaged one.
var ErrFormat = errors.New("parse: not a model of tags and trees")

// header is what stands before the numbers of a stored model.
type header struct {
	Shape     Shape             `json:"shape"`
	Words     []string          `json:"words"`
	Given     []string          `json:"given"`
	GivenDim  int               `json:"given_dim"`
	OuterDim  int               `json:"encoder_dim,omitempty"`
	UPOS      []string          `json:"upos"`
	XPOS      []string          `json:"xpos"`
	Relations []string          `json:"relations"`
	Lemmas    map[string]string `json:"lemmas"`
}

// Encode returns a model as bytes: the length of a header, the header as JSON,
// and all numbers in a fixed order. Weights are a byte each, with a scale for
// each row, so that a model is a quarter of what it is in memory.
func (m *Model) Encode() ([]byte, error) {
	v := m.vocabulary
	head, err := json.Marshal(header{
		Shape: m.network.shape, Words: v.spellings, Given: m.vectors.words, GivenDim: m.vectors.dim, OuterDim: m.network.outer,
		UPOS: v.upos.names, XPOS: v.xpos.names, Relations: v.relations.names, Lemmas: m.lemmas.rules,
	})
	if err != nil {
		return nil, fmt.Errorf("parse: %w", err)
	}
	out := binary.LittleEndian.AppendUint32(nil, uint32(len(head)))
	out = append(out, head...)
	row := make([]int8, 4096)
	for _, w := range m.network.weights() {
		for i := range w.Rows {
			out = appendRow(out, row[:w.Cols], toBytes(row[:w.Cols], w.Row(i)))
			clear(row)
		}
	}
	for _, w := range m.network.small() {
		for _, x := range w.Data {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x))
		}
	}
	for i := range m.vectors.words {
		out = appendRow(out, m.vectors.bytes[i*m.vectors.dim:(i+1)*m.vectors.dim], m.vectors.scale[i])
	}
	return out, nil
}

// appendRow appends a scale and a row of bytes.
func appendRow(out []byte, row []int8, scale float32) []byte {
	out = binary.LittleEndian.AppendUint32(out, math.Float32bits(scale))
	for _, b := range row {
		out = append(out, byte(b))
	}
	return out
}

// weights are the large matrices, which are stored as bytes.
func (n *network) weights() []nn.Matrix {
	all := slices.Clone(n.tables[:])
	for _, l := range n.linears() {
		all = append(all, l.w)
	}
	return all
}

// small are those that are stored as they are.
func (n *network) small() []nn.Matrix {
	all := []nn.Matrix{n.root, n.relRoot}
	for _, l := range n.linears() {
		all = append(all, l.b)
	}
	for _, m := range n.norms() {
		all = append(all, m.scale, m.shift)
	}
	return all
}

// Decode returns the model of bytes that [Model.Encode] made. It refuses what
// has too few or too many bytes and numbers that are not finite.
func Decode(content []byte) (*Model, error) {
	if len(content) < 4 {
		return nil, ErrFormat
	}
	size := int(binary.LittleEndian.Uint32(content))
	content = content[4:]
	if size < 2 || size > len(content) {
		return nil, ErrFormat
	}
	var h header
	d := json.NewDecoder(bytes.NewReader(content[:size]))
	d.DisallowUnknownFields()
	if err := d.Decode(&h); err != nil {
		return nil, ErrFormat // the decoder's words could quote the file
	}
	if err := h.check(); err != nil {
		return nil, err
	}
	r := rows{left: content[size:]}
	v := &vocabulary{spellings: h.Words, given: make(map[string]int32, len(h.Given)), upos: newLabels(h.UPOS), xpos: newLabels(h.XPOS), relations: newLabels(h.Relations)}
	v.index()
	for i, word := range h.Given {
		v.given[word] = int32(i)
	}
	m := &Model{vocabulary: v, lemmas: &lemmas{rules: h.Lemmas}}
	m.network = newNetwork(h.Shape, v, h.GivenDim, h.OuterDim, weakrand.New(weakrand.NewPCG(0, 0)))
	for _, w := range m.network.weights() {
		for i := range w.Rows {
			bytes, scale := r.next(w.Cols)
			fromBytes(w.Row(i), bytes, scale)
		}
	}
	for _, w := range m.network.small() {
		for i := range w.Data {
			w.Data[i] = r.number()
		}
	}
	m.vectors = &vectors{dim: h.GivenDim, words: h.Given}
	for range h.Given {
		bytes, scale := r.next(h.GivenDim)
		m.vectors.bytes, m.vectors.scale = append(m.vectors.bytes, bytes...), append(m.vectors.scale, scale)
	}
	if r.failed || len(r.left) != 0 {
		return nil, ErrFormat
	}
	m.network.pack()
	return m, nil
}

// check refuses a header that cannot be of a model.
func (h *header) check() error {
	if err := h.Shape.Validate(); err != nil {
		return err
	}
	const most = 1 << 20
	if len(h.UPOS) == 0 || len(h.XPOS) == 0 || len(h.Relations) == 0 || h.GivenDim < 0 || h.GivenDim > 1024 || h.OuterDim < 0 || h.OuterDim > MaxDim ||
		len(h.UPOS) > 1024 || len(h.XPOS) > 1024 || len(h.Relations) > 1024 || len(h.Words) > most || len(h.Given) > most {
		return ErrFormat
	}
	return nil
}

// pack lays the weights out for products: the network is trained no more.
func (n *network) pack() {
	p := nn.NewPool(1)
	for _, l := range n.linears() {
		l.packed = p.Pack(l.w)
	}
}

// rows reads the numbers of a model.
type rows struct {
	left   []byte
	failed bool
	buffer []int8
}

// number returns the next number, which must be finite.
func (r *rows) number() float32 {
	if len(r.left) < 4 {
		r.failed = true
		return 0
	}
	x := math.Float32frombits(binary.LittleEndian.Uint32(r.left))
	r.left = r.left[4:]
	if !(math.Abs(float64(x)) <= math.MaxFloat32) {
		r.failed = true
		return 0
	}
	return x
}

// next returns the next row of n bytes and its scale.
func (r *rows) next(n int) ([]int8, float32) {
	scale := r.number()
	if cap(r.buffer) < n {
		r.buffer = make([]int8, n)
	}
	row := r.buffer[:n]
	if len(r.left) < n {
		r.failed, r.left = true, nil
		clear(row)
		return row, 0
	}
	for i, b := range r.left[:n] {
		row[i] = int8(b)
	}
	r.left = r.left[n:]
	return row, scale
}
