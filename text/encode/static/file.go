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

// The first lines of files, which name what they hold and its version.
const (
	magic       = "sotto static encoder 1\n"
	magicHashed = "sotto hashed encoder 1\n"
)

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

// headerHashed is that of a table without a vocabulary.
type headerHashed struct {
	Name    string `json:"name"`
	Notice  string `json:"notice"`
	Grams   Grams  `json:"grams"`
	Buckets int    `json:"buckets"`
	Dim     int    `json:"dim"`
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
	return e.write(w, magic, header{e.name, e.notice, len(e.scales), e.dim, len(vocabulary)}, vocabulary)
}

// Write writes the encoder.
func (h *Hashed) Write(w io.Writer) error {
	return h.write(w, magicHashed, headerHashed{h.name, h.notice, h.grams, len(h.scales), h.dim}, nil)
}

// write writes a first line, a header, what stands before the numbers, and those.
func (t *table) write(w io.Writer, first string, about any, before []byte) error {
	head, err := json.Marshal(about)
	if err != nil {
		return fmt.Errorf("static: %w", err)
	}
	if len(head) > maxHeader {
		return fmt.Errorf("static: name and notice make a header of %d bytes, must be at most %d", len(head), maxHeader)
	}
	content := slices.Concat([]byte(first), head, []byte("\n"), before)
	for _, s := range t.scales {
		content = binary.LittleEndian.AppendUint32(content, math.Float32bits(s))
	}
	for _, q := range t.rows {
		content = append(content, byte(q))
	}
	sum := sha256.Sum256(content)
	if _, err := w.Write(append(content, sum[:]...)); err != nil {
		return fmt.Errorf("static: %w", err)
	}
	return nil
}

// Save writes the encoder to a file, which appears whole or not at all.
func (e *Encoder) Save(path string) error { return atomicfile.WriteShared(path, e.Write) }

// Save writes the encoder to a file, which appears whole or not at all.
func (h *Hashed) Save(path string) error { return atomicfile.WriteShared(path, h.Write) }

// Is reports whether content begins like a file of an [Encoder].
func Is(content []byte) bool { return bytes.HasPrefix(content, []byte(magic)) }

// IsHashed reports whether content begins like a file of a [Hashed].
func IsHashed(content []byte) bool { return bytes.HasPrefix(content, []byte(magicHashed)) }

// Load reads the encoder in a file.
func Load(path string) (*Encoder, error) { return load(path, Parse) }

// LoadHashed reads the encoder in a file.
func LoadHashed(path string) (*Hashed, error) { return load(path, ParseHashed) }

func load[E any](path string, parse func([]byte) (*E, error)) (*E, error) {
	content, err := regular.Read(path, maxFile)
	if err != nil {
		return nil, fmt.Errorf("static: %w", err)
	}
	e, err := parse(content)
	if err != nil {
		return nil, fmt.Errorf("%w (in %s)", err, path)
	}
	return e, nil
}

// Parse reads what Write wrote. Content of which a byte is wrong is refused.
func Parse(content []byte) (*Encoder, error) {
	var h header
	body, err := open(content, magic, &h)
	if err != nil {
		return nil, err
	}
	if h.Tokens < 1 || h.Tokens > maxVocabulary || h.Dim < 1 || h.Dim > maxDim || h.Bytes < 1 || h.Bytes > len(body) ||
		int64(len(body)-h.Bytes) != int64(h.Tokens)*int64(4+h.Dim) {
		return nil, errLength
	}
	words, err := text.ReadWordPiece(bytes.NewReader(body[:h.Bytes]))
	if err != nil {
		return nil, fmt.Errorf("static: %w", err)
	}
	tokens := words.Vocabulary()
	if len(tokens) != h.Tokens || !bytes.Equal(spell(tokens), body[:h.Bytes]) {
		return nil, fmt.Errorf("static: the vocabulary is not one of %d tokens, one a line", h.Tokens)
	}
	e := &Encoder{newTable(h.Name, h.Notice, h.Tokens, h.Dim), words}
	return e, e.read(body[h.Bytes:])
}

// ParseHashed reads what [Hashed.Write] wrote. Content of which a byte is wrong is
// refused.
func ParseHashed(content []byte) (*Hashed, error) {
	var h headerHashed
	body, err := open(content, magicHashed, &h)
	if err != nil {
		return nil, err
	}
	if h.Buckets < 1 || h.Buckets > maxBuckets || h.Dim < 1 || h.Dim > maxDim || int64(len(body)) != int64(h.Buckets)*int64(4+h.Dim) {
		return nil, errLength
	}
	if err := h.Grams.validate(); err != nil {
		return nil, err
	}
	e := &Hashed{newTable(h.Name, h.Notice, h.Buckets, h.Dim), h.Grams}
	return e, e.read(body)
}

var errLength = errors.New("static: the file is damaged: it has not the length that its header says")

// open checks the first line and the SHA-256 of a file, reads its header and returns
// what is behind that.
func open(content []byte, first string, h any) (body []byte, err error) {
	if !bytes.HasPrefix(content, []byte(first)) {
		return nil, errors.New("static: not a static encoder: the first line is another")
	}
	end := len(content) - sha256.Size
	if end < len(first) || sha256.Sum256(content[:end]) != [sha256.Size]byte(content[end:]) {
		return nil, errors.New("static: the file is damaged: its SHA-256 is not the one at its end")
	}
	line, body, ok := bytes.Cut(content[len(first):end], []byte("\n"))
	if !ok || len(line) > maxHeader {
		return nil, errors.New("static: the file is damaged: it has no header")
	}
	return body, parseHeader(line, h)
}

// read reads the numbers of a table, of which there are as many as it has room for.
func (t *table) read(numbers []byte) error {
	for i := range t.scales {
		t.scales[i] = math.Float32frombits(binary.LittleEndian.Uint32(numbers[4*i:]))
		if !(t.scales[i] >= 0 && t.scales[i] <= float32(maxSize/127.0)) {
			return errors.New("static: the file is damaged: a scale is out of range")
		}
	}
	for i, b := range numbers[4*len(t.scales):] {
		t.rows[i] = int8(b)
	}
	return nil
}

// parseHeader reads one JSON object and nothing behind it.
func parseHeader(line []byte, h any) error {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(h); err != nil {
		return fmt.Errorf("static: the header is damaged: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("static: the header is damaged: something stands behind it")
	}
	return nil
}
