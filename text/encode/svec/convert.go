package svec

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	stdhash "hash"
	"io"
	"math"

	"sotto/internal/atomicfile"
	"sotto/text/encode/wordfile"
)

// maxWord is the most bytes that a word may have.
const maxWord = 1 << 12

// Options say what [Convert] makes of a file. The zero value keeps numbers as
// int8 and refuses a word that occurs twice.
type Options struct {
	Name    string // of the vectors
	Licence string // what may be done with them, in words
	Float32 bool   // keep numbers as they are: four times the size
	// Sorted says that the commonest word stands first, as in the files that
	// GloVe, word2vec and fastText write. Weighting words by how common they are
	// needs it, and nothing in the file itself tells.
	Sorted bool
	// KeepFirst takes the first of several rows for a word and counts the others.
	KeepFirst bool
}

// Converted says what [Convert] did.
type Converted struct {
	Info
	Duplicates int `json:"duplicates"` // rows left out, for words that had one
}

// Convert reads word vectors and writes them to a file at out, which appears
// whole or not at all. It holds the words in memory, and of the vectors one at a
// time. A row with fewer or more numbers than the first, a number that is not
// finite, and a word that occurs twice are errors that name the line and do not
// quote it. Now and then it calls progress, unless that is nil, with the number
// of rows read.
func Convert(ctx context.Context, in io.Reader, format wordfile.Format, out string, o Options, progress func(rows int)) (Converted, error) {
	c, err := convert(ctx, in, format, out, o, progress)
	if err != nil && ctx.Err() != nil {
		return Converted{}, ctx.Err()
	}
	if err != nil {
		return Converted{}, fmt.Errorf("svec: %w", err)
	}
	return c, nil
}

func convert(ctx context.Context, in io.Reader, format wordfile.Format, out string, o Options, progress func(rows int)) (Converted, error) {
	r, err := wordfile.NewReader(in, format)
	if err != nil {
		return Converted{}, err
	}
	file, err := atomicfile.Create(out)
	if err != nil {
		return Converted{}, err
	}
	defer file.Abort()
	file.Shared()
	// The header comes last, when everything is known.
	if _, err := file.Seek(headerSize, io.SeekStart); err != nil {
		return Converted{}, err
	}
	w := newWriter(file, o)
	if _, err := w.header.encode(); err != nil { // before the work, not after it
		return Converted{}, err
	}
	duplicates := 0
	for n := 1; ; n++ {
		word, row, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return Converted{}, err
		}
		switch earlier, reason := w.add(word, row, r.Line()); {
		case reason != "":
			return Converted{}, r.Errorf("%s", reason)
		case earlier > 0 && !o.KeepFirst:
			return Converted{}, r.Errorf("its word came at %d already, must come once", earlier)
		case earlier > 0:
			duplicates++
		}
		if n%4096 == 0 {
			if ctx.Err() != nil {
				return Converted{}, ctx.Err()
			}
			if progress != nil {
				progress(n)
			}
		}
	}
	if err := w.finish(file); err != nil {
		return Converted{}, err
	}
	return Converted{Info: w.header.Info, Duplicates: duplicates}, file.Commit()
}

// writer writes a file of word vectors.
type writer struct {
	header header
	out    *bufio.Writer // of the body; keeps its first error
	sum    stdhash.Hash  // of the body
	index  index
	lines  []int // of the input, for each row
	row    []byte
}

func newWriter(body io.Writer, o Options) *writer {
	w := &writer{header: header{Info: Info{Name: o.Name, Licence: o.Licence, Numbers: Int8, Sorted: o.Sorted}}, sum: sha256.New()}
	if o.Float32 {
		w.header.Numbers = Float32
	}
	w.index = newIndex()
	w.out = bufio.NewWriterSize(io.MultiWriter(body, w.sum), 1<<18)
	return w
}

// add writes a row, unless its word has one: then it returns the line of that.
func (w *writer) add(word []byte, row []float32, line int) (earlier int, reason string) {
	if len(word) > maxWord {
		return 0, fmt.Sprintf("its word has %d bytes, must have at most %d", len(word), maxWord)
	}
	if int64(len(w.index.letters)+len(word)) > math.MaxUint32 || len(w.lines) == maxWords {
		return 0, "there are too many words before it"
	}
	if at, there := w.index.add(word); there {
		return w.lines[at], ""
	}
	w.lines = append(w.lines, line)
	w.header.Words, w.header.Dim = len(w.lines), len(row)
	w.row = appendRow(w.row[:0], row, w.header.Numbers)
	w.out.Write(w.row)
	return 0, ""
}

// appendRow renders a row.
func appendRow(b []byte, row []float32, n Numbers) []byte {
	le := binary.LittleEndian
	if n == Float32 {
		for _, v := range row {
			b = le.AppendUint32(b, math.Float32bits(v))
		}
		return b
	}
	largest := float32(0)
	for _, v := range row {
		largest = max(largest, v, -v)
	}
	scale := largest / 127
	b = le.AppendUint32(b, math.Float32bits(scale))
	for _, v := range row {
		q := 0.0
		if scale > 0 { // it may be so small that it is none
			q = math.RoundToEven(float64(v) / float64(scale))
		}
		b = append(b, byte(int8(max(-127, min(127, q)))))
	}
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	return b
}

// finish writes what follows the rows, and then the header.
func (w *writer) finish(file io.WriterAt) error {
	h, le := &w.header, binary.LittleEndian
	h.slots, h.text, h.probes = int64(len(w.index.slots)), int64(len(w.index.letters)), w.index.probes()
	w.out.Write(make([]byte, -int64(h.Words)*h.stride()&7))
	var b [8]byte
	for _, s := range w.index.slots {
		le.PutUint64(b[:], s)
		w.out.Write(b[:])
	}
	for _, at := range w.index.offsets {
		le.PutUint32(b[:], at)
		w.out.Write(b[:4])
	}
	w.out.Write(w.index.letters)
	if err := w.out.Flush(); err != nil {
		return err
	}
	h.SHA256 = hex.EncodeToString(w.sum.Sum(nil))
	head, err := h.encode()
	if err != nil {
		return err
	}
	_, err = file.WriteAt(head, 0)
	return err
}
