package static

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"sotto/internal/atomicfile"
	"sotto/text"
)

// magic begins every file, and names its version.
const magic = "sotto static encoder 1\n"

// header is the second line of a file, as JSON. Behind it stand the vocabulary,
// one token a line, the scales, four bytes each with the lowest first, and the
// rows, a byte a number.
type header struct {
	Name   string `json:"name"`
	Notice string `json:"notice"`
	Tokens int    `json:"tokens"`
	Dim    int    `json:"dim"`
	Bytes  int    `json:"vocabulary_bytes"`
	SHA256 string `json:"sha256"` // of everything behind the header
}

// Bounds of what is read.
const (
	maxVocabulary = 1 << 20
	maxDim        = 1 << 14
	maxFile       = 1 << 31
	maxHeader     = 1 << 20
)

// Write writes the encoder.
func (e *Encoder) Write(w io.Writer) error {
	vocabulary := strings.Join(e.words.Vocabulary(), "\n") + "\n"
	body := bytes.NewBufferString(vocabulary)
	for _, s := range e.scales {
		body.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(s)))
	}
	for _, q := range e.rows {
		body.WriteByte(byte(q))
	}
	sum := sha256.Sum256(body.Bytes())
	head, err := json.Marshal(header{e.name, e.notice, len(e.scales), e.dim, len(vocabulary), hex.EncodeToString(sum[:])})
	if err != nil {
		return fmt.Errorf("static: %w", err)
	}
	for _, part := range [][]byte{[]byte(magic), append(head, '\n'), body.Bytes()} {
		if _, err := w.Write(part); err != nil {
			return fmt.Errorf("static: %w", err)
		}
	}
	return nil
}

// Save writes the encoder to a file, which appears whole or not at all.
func (e *Encoder) Save(path string) error {
	f, err := atomicfile.Create(path)
	if err != nil {
		return err
	}
	defer f.Abort()
	if err := e.Write(f); err != nil {
		return err
	}
	return f.Commit()
}

// Is reports whether content begins like a file of this package.
func Is(content []byte) bool { return bytes.HasPrefix(content, []byte(magic)) }

// Load reads the encoder in a file.
func Load(path string) (*Encoder, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("static: %w", err)
	}
	if info.Size() > maxFile {
		return nil, fmt.Errorf("static: %s has %d bytes, must have at most %d", path, info.Size(), maxFile)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("static: %w", err)
	}
	e, err := Parse(content)
	if err != nil {
		return nil, fmt.Errorf("%w (in %s)", err, path)
	}
	return e, nil
}

// Parse reads what Write wrote. Content that is damaged is refused.
func Parse(content []byte) (*Encoder, error) {
	rest, ok := bytes.CutPrefix(content, []byte(magic))
	if !ok {
		return nil, errors.New("static: not a static encoder: the first line is another")
	}
	line, body, ok := bytes.Cut(rest[:], []byte("\n"))
	if !ok || len(line) > maxHeader {
		return nil, errors.New("static: the file is damaged: it has no header")
	}
	var h header
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&h); err != nil {
		return nil, fmt.Errorf("static: the header is damaged: %w", err)
	}
	if h.Tokens < 1 || h.Tokens > maxVocabulary || h.Dim < 1 || h.Dim > maxDim || h.Bytes < 1 || h.Bytes > len(body) ||
		len(body)-h.Bytes != h.Tokens*(4+h.Dim) {
		return nil, errors.New("static: the file is damaged: it has not the length that its header says")
	}
	if sum := sha256.Sum256(body); hex.EncodeToString(sum[:]) != h.SHA256 {
		return nil, errors.New("static: the file is damaged: its SHA-256 is not the header's")
	}
	words, err := text.ReadWordPiece(bytes.NewReader(body[:h.Bytes]))
	if err != nil {
		return nil, fmt.Errorf("static: %w", err)
	}
	if n := len(words.Vocabulary()); n != h.Tokens {
		return nil, fmt.Errorf("static: the vocabulary has %d tokens, must have %d", n, h.Tokens)
	}
	e := &Encoder{name: h.Name, notice: h.Notice, words: words, dim: h.Dim, scales: make([]float32, h.Tokens), rows: make([]int8, h.Tokens*h.Dim)}
	numbers := body[h.Bytes:]
	for i := range e.scales {
		e.scales[i] = math.Float32frombits(binary.LittleEndian.Uint32(numbers[4*i:]))
		if !(e.scales[i] >= 0 && e.scales[i] <= math.MaxFloat32/128) {
			return nil, errors.New("static: the file is damaged: a scale is out of range")
		}
	}
	for i, b := range numbers[4*h.Tokens:] {
		e.rows[i] = int8(b)
	}
	return e, nil
}
