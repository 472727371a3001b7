package static

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"sotto/internal/atomicfile"
	"sotto/internal/regular"
	"sotto/text"
)

// magic begins every file, and names its version.
const magic = "sotto static encoder 1\n"

// header is the second line of a file, as JSON. Behind it stand the vocabulary,
// one token a line; the scales, four bytes each with the lowest first; the rows,
// a byte a number; and the SHA-256 of everything before it, the header too.
type header struct {
	Name   string `json:"name"`
	Notice string `json:"notice"`
	Tokens int    `json:"tokens"`
	Dim    int    `json:"dim"`
	Bytes  int    `json:"vocabulary_bytes"`
}

// Bounds of what is read.
const (
	maxVocabulary       = 1 << 20
	maxDim              = 1 << 14
	maxFile       int64 = 1 << 31
	maxHeader           = 1 << 20
)

// Write writes the encoder.
func (e *Encoder) Write(w io.Writer) error {
	vocabulary := spell(e.words.Vocabulary())
	head, err := json.Marshal(header{e.name, e.notice, len(e.scales), e.dim, len(vocabulary)})
	if err != nil {
		return fmt.Errorf("static: %w", err)
	}
	if len(head) > maxHeader {
		return fmt.Errorf("static: name and notice make a header of %d bytes, must be at most %d", len(head), maxHeader)
	}
	content := slices.Concat([]byte(magic), head, []byte("\n"), vocabulary)
	for _, s := range e.scales {
		content = binary.LittleEndian.AppendUint32(content, math.Float32bits(s))
	}
	for _, q := range e.rows {
		content = append(content, byte(q))
	}
	sum := sha256.Sum256(content)
	if _, err := w.Write(append(content, sum[:]...)); err != nil {
		return fmt.Errorf("static: %w", err)
	}
	return nil
}

// Save writes the encoder to a file, which appears whole or not at all.
func (e *Encoder) Save(path string) error { return atomicfile.Write(path, e.Write) }

// Is reports whether content begins like a file of this package.
func Is(content []byte) bool { return bytes.HasPrefix(content, []byte(magic)) }

// Load reads the encoder in a file.
func Load(path string) (*Encoder, error) {
	content, err := regular.Read(path, maxFile)
	if err != nil {
		return nil, fmt.Errorf("static: %w", err)
	}
	e, err := Parse(content)
	if err != nil {
		return nil, fmt.Errorf("%w (in %s)", err, path)
	}
	return e, nil
}

// Parse reads what Write wrote. Content of which a byte is wrong is refused.
func Parse(content []byte) (*Encoder, error) {
	if !Is(content) {
		return nil, errors.New("static: not a static encoder: the first line is another")
	}
	end := len(content) - sha256.Size
	if end < len(magic) || sha256.Sum256(content[:end]) != [sha256.Size]byte(content[end:]) {
		return nil, errors.New("static: the file is damaged: its SHA-256 is not the one at its end")
	}
	line, body, ok := bytes.Cut(content[len(magic):end], []byte("\n"))
	if !ok || len(line) > maxHeader {
		return nil, errors.New("static: the file is damaged: it has no header")
	}
	h, err := parseHeader(line)
	if err != nil {
		return nil, err
	}
	if h.Tokens < 1 || h.Tokens > maxVocabulary || h.Dim < 1 || h.Dim > maxDim || h.Bytes < 1 || h.Bytes > len(body) ||
		int64(len(body)-h.Bytes) != int64(h.Tokens)*int64(4+h.Dim) {
		return nil, errors.New("static: the file is damaged: it has not the length that its header says")
	}
	words, err := text.ReadWordPiece(bytes.NewReader(body[:h.Bytes]))
	if err != nil {
		return nil, fmt.Errorf("static: %w", err)
	}
	tokens := words.Vocabulary()
	if len(tokens) != h.Tokens || !bytes.Equal(spell(tokens), body[:h.Bytes]) {
		return nil, fmt.Errorf("static: the vocabulary is not one of %d tokens, one a line", h.Tokens)
	}
	e := &Encoder{name: h.Name, notice: h.Notice, words: words, dim: h.Dim, scales: make([]float32, h.Tokens), rows: make([]int8, h.Tokens*h.Dim)}
	numbers := body[h.Bytes:]
	for i := range e.scales {
		e.scales[i] = math.Float32frombits(binary.LittleEndian.Uint32(numbers[4*i:]))
		if !(e.scales[i] >= 0 && e.scales[i] <= float32(maxSize/127.0)) {
			return nil, errors.New("static: the file is damaged: a scale is out of range")
		}
	}
	for i, b := range numbers[4*h.Tokens:] {
		e.rows[i] = int8(b)
	}
	return e, nil
}

// parseHeader reads one JSON object and nothing behind it.
func parseHeader(line []byte) (header, error) {
	var h header
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&h); err != nil {
		return h, fmt.Errorf("static: the header is damaged: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return h, errors.New("static: the header is damaged: something stands behind it")
	}
	return h, nil
}
