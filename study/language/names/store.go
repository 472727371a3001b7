package names

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"sotto/study/language"
)

// magic begins the file of a model.
const magic = "sotto names 1\n"

// header is the part of a file that people can read.
type header struct {
	Types    []language.Type `json:"types"`
	Trained  []string        `json:"trained_on"`
	Licence  string          `json:"licence"`
	Step     float64         `json:"step"`
	Slope    float64         `json:"slope"`
	Shift    float64         `json:"shift"`
	Lean     float64         `json:"lean"`
	Features int             `json:"features"`
	Weights  int             `json:"weights"`
	Clusters int             `json:"clusters"`
	Listed   int             `json:"listed"`
}

// licence is that of the shipped model: the strictest of what it was trained on.
const licence = "CC BY-SA 4.0; see NOTICE of package study/language/names"

// Write writes a model.
func (m *Model) Write(w io.Writer) error {
	tags := m.chain.tags
	h := header{
		Types: m.types, Trained: m.trained, Licence: licence, Step: m.step, Slope: m.slope, Shift: m.shift, Lean: m.lean,
		Features: len(m.index.keys), Clusters: m.clusters.filled, Listed: m.lists.filled,
	}
	var hashes, counts, tagged, weights []byte
	last := uint32(0)
	for row, key := range m.index.keys {
		hashes = binary.AppendUvarint(hashes, uint64(key-last))
		last = key
		n := 0
		for t, v := range m.rows[row*tags : (row+1)*tags] {
			if v != 0 {
				tagged, weights = append(tagged, byte(t)), append(weights, byte(v))
				n++
			}
		}
		counts = append(counts, byte(n))
	}
	h.Weights = len(weights)
	head, err := json.Marshal(h)
	if err != nil {
		return err
	}
	var body bytes.Buffer
	z, err := gzip.NewWriterLevel(&body, gzip.BestCompression)
	if err != nil {
		return err
	}
	for _, list := range [][]float64{m.chain.first, m.chain.last, m.chain.move} {
		for _, v := range list {
			if err = binary.Write(z, binary.LittleEndian, float32(v)); err != nil {
				return err
			}
		}
	}
	for _, part := range [][]byte{hashes, counts, tagged, weights, m.clusters.bytes(), m.lists.bytes()} {
		if _, err = z.Write(part); err != nil {
			return err
		}
	}
	if err = z.Close(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s%s\n%s", magic, head, body.Bytes())
	return err
}

// bytes returns a table in the order of its keys.
func (t *lookup) bytes() []byte {
	var keys []uint32
	for i, v := range t.values {
		if v != 0 {
			keys = append(keys, t.keys[i])
		}
	}
	slices.Sort(keys)
	var hashes, values []byte
	last := uint32(0)
	for _, k := range keys {
		hashes = binary.AppendUvarint(hashes, uint64(k-last))
		last = k
		values = binary.LittleEndian.AppendUint16(values, t.find(k))
	}
	return append(hashes, values...)
}

// errFile is why a file is refused whose length or numbers are wrong.
var errFile = errors.New("names: file is damaged or no model of names")

// Limits on what a file may ask for, so that a damaged one cannot fill memory.
const (
	mostTypes = 32
	mostItems = 1 << 23
)

// Read reads a model that Write wrote, and refuses everything else.
func Read(r io.Reader) (*Model, error) {
	buffered := bufio.NewReader(r)
	begin := make([]byte, len(magic))
	if _, err := io.ReadFull(buffered, begin); err != nil || string(begin) != magic {
		return nil, errFile
	}
	line, err := buffered.ReadSlice('\n')
	if err != nil {
		return nil, errFile
	}
	var h header
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.DisallowUnknownFields()
	if err = decoder.Decode(&h); err != nil {
		return nil, fmt.Errorf("%w: %w", errFile, err)
	}
	if err = h.validate(); err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(buffered)
	if err != nil {
		return nil, errFile
	}
	body := bufio.NewReader(z)
	m := &Model{types: h.Types, trained: h.Trained, step: h.Step, slope: h.Slope, shift: h.Shift, lean: h.Lean, chain: newChain(len(h.Types))}
	if err = m.readChain(body); err != nil {
		return nil, err
	}
	if err = m.readWeights(body, h); err != nil {
		return nil, err
	}
	if m.clusters, err = readLookup(body, h.Clusters); err != nil {
		return nil, err
	}
	if m.lists, err = readLookup(body, h.Listed); err != nil {
		return nil, err
	}
	if _, err := body.ReadByte(); !errors.Is(err, io.EOF) {
		return nil, errFile
	}
	return m, nil
}

// validate refuses numbers that no model has.
func (h header) validate() error {
	for _, v := range []float64{h.Step, h.Slope, h.Shift, h.Lean} {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return errFile
		}
	}
	for _, n := range []int{h.Features, h.Weights, h.Clusters, h.Listed} {
		if n < 0 || n > mostItems {
			return errFile
		}
	}
	if len(h.Types) == 0 || len(h.Types) > mostTypes || !(h.Step > 0) || !(h.Slope > 0) || slices.Contains(h.Types, "") {
		return errFile
	}
	return nil
}

// readChain reads how tags follow one another, and checks that what cannot be is
// where it is in every model.
func (m *Model) readChain(r io.Reader) error {
	for _, list := range [][]float64{m.chain.first, m.chain.last, m.chain.move} {
		raw := make([]float32, len(list))
		if err := binary.Read(r, binary.LittleEndian, raw); err != nil {
			return errFile
		}
		for i, v := range raw {
			if math.IsNaN(float64(v)) || math.IsInf(float64(v), 1) || math.IsInf(float64(v), -1) != math.IsInf(list[i], -1) || v > 1e3 {
				return errFile
			}
			list[i] = float64(v)
		}
	}
	m.chain.prepare()
	return nil
}

// readKeys reads hashes that grow.
func readKeys(r io.ByteReader, n int) ([]uint32, error) {
	keys := make([]uint32, 0, min(n, 1<<16))
	last := uint64(0)
	for i := range n {
		d, err := binary.ReadUvarint(r)
		if err != nil || d > math.MaxUint32-last || i > 0 && d == 0 {
			return nil, errFile
		}
		last += d
		keys = append(keys, uint32(last))
	}
	return keys, nil
}

// readWeights reads features and their weights.
func (m *Model) readWeights(r *bufio.Reader, h header) error {
	tags := m.chain.tags
	keys, err := readKeys(r, h.Features)
	if err != nil {
		return err
	}
	counts := make([]byte, h.Features)
	tagged, weights := make([]byte, h.Weights), make([]byte, h.Weights)
	for _, part := range [][]byte{counts, tagged, weights} {
		if _, err := io.ReadFull(r, part); err != nil {
			return errFile
		}
	}
	m.rows = make([]int8, h.Features*tags)
	at := 0
	for row, n := range counts {
		if at+int(n) > len(tagged) {
			return errFile
		}
		for k := at; k < at+int(n); k++ {
			if int(tagged[k]) >= tags {
				return errFile
			}
			m.rows[row*tags+int(tagged[k])] = int8(weights[k])
		}
		at += int(n)
	}
	if at != len(tagged) {
		return errFile
	}
	m.index = newIndex(keys)
	return nil
}

// readLookup reads a table.
func readLookup(r *bufio.Reader, n int) (*lookup, error) {
	keys, err := readKeys(r, n)
	if err != nil {
		return nil, err
	}
	values := make([]byte, 2*n)
	if _, err := io.ReadFull(r, values); err != nil {
		return nil, errFile
	}
	t := newLookup(n)
	for i, k := range keys {
		v := binary.LittleEndian.Uint16(values[2*i:])
		if v == 0 {
			return nil, errFile
		}
		t.put(k, v)
	}
	return t, nil
}
