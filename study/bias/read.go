package bias

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"sotto/internal/regular"
	"sotto/text/encode/svec"
	"sotto/text/encode/wordfile"
)

// Format is a format of word vectors. Its value is its name. Besides those
// below there are all of package wordfile.
type Format string

// The formats that package wordfile does not know.
const (
	// SVec is the mapped format of package svec.
	SVec Format = "svec"
	// JSON is one object, with a list of numbers for each word.
	JSON Format = "json"
	// CSV has a line of names, among them translation or word, and numbered
	// columns such as V2 to V301, the last of the table. A row with a number
	// that is NA is left out.
	CSV Format = "csv"
)

// ParseFormat returns the format with the given name.
func ParseFormat(name string) (Format, error) {
	switch f := Format(strings.ToLower(name)); f {
	case SVec, JSON, CSV:
		return f, nil
	}
	f, err := wordfile.ParseFormat(name)
	if err != nil {
		return "", fmt.Errorf("bias: format is %.40q, must be text, glove, word2vec, fasttext, word2vec-bin, svec, json or csv", name)
	}
	return Format(f), nil
}

// FormatByName returns the format that a file's name tells: text unless its ending is
// one of another.
func FormatByName(path string) Format {
	switch filepath.Ext(strings.TrimSuffix(strings.ToLower(path), ".gz")) {
	case ".svec":
		return SVec
	case ".json":
		return JSON
	case ".csv":
		return CSV
	case ".bin":
		return Format(wordfile.Word2vecBinary)
	}
	return Format(wordfile.Text)
}

// Options say what Read takes from a file. The zero value takes every word.
type Options struct {
	// Words are those that are wanted, each with all of its Spellings: what else
	// the file holds is passed over, which is fast. Nil means every word.
	Words []string
	// Format is that of the file; "" tells it by the file's name.
	Format Format
	// Progress is called now and then with the rows passed of a text or binary
	// file; nil for nobody.
	Progress func(rows int)
}

// Counts say what Read met in a file.
type Counts struct {
	Rows       int `json:"rows"`       // in the file; of an svec file, its words
	Words      int `json:"words"`      // taken
	Duplicates int `json:"duplicates"` // rows left out, for words that had one
	Absent     int `json:"absent"`     // rows left out, for numbers that are NA
}

// Read reads word vectors from a file, compressed by gzip or not. Where a word
// has several rows the first counts. Errors name the file and the row, and do
// not quote it.
func Read(path string, o Options) (*Table, Counts, error) {
	f := o.Format
	if f == "" {
		f = FormatByName(path)
	}
	if _, err := ParseFormat(string(f)); err != nil {
		return nil, Counts{}, err
	}
	b := newBuilder(o)
	if err := b.read(path, f); err != nil {
		return nil, Counts{}, fmt.Errorf("bias: %w", err)
	}
	b.counts.Words = len(b.words)
	if b.dim == 0 {
		return nil, b.counts, fmt.Errorf("bias: %s: it holds no word vectors, must hold at least one", path)
	}
	t, err := NewTable(b.dim, b.words, b.rows)
	return t, b.counts, err
}

// builder collects the rows of a table.
type builder struct {
	want   map[string]bool // nil if every word is wanted
	dim    int             // 0 until it is known
	words  []string
	seen   map[string]bool
	rows   []float64
	counts Counts

	progress func(rows int) // nil for nobody
}

func newBuilder(o Options) *builder {
	b := &builder{seen: map[string]bool{}, progress: o.Progress}
	if o.Words != nil {
		b.want = AllSpellings(o.Words)
	}
	return b
}

func (b *builder) wanted(word []byte) bool { return b.want == nil || b.want[string(word)] }

// add copies a row, unless its word has one.
func add[F float32 | float64](b *builder, word string, row []F) {
	if b.seen[word] {
		b.counts.Duplicates++
		return
	}
	b.seen[word] = true
	b.words = append(b.words, word)
	for _, v := range row {
		b.rows = append(b.rows, float64(v))
	}
}

func (b *builder) read(path string, f Format) error {
	if f == SVec {
		return b.readMapped(path)
	}
	file, _, err := regular.Open(path, regular.Most)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // it was only read
	switch f {
	case JSON:
		err = plain(file, b.readJSON)
	case CSV:
		err = plain(file, b.readCSV)
	default:
		err = b.readWords(file, wordfile.Format(f))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// plain reads what a file holds, uncompressed.
func plain(file io.Reader, read func(io.Reader) error) error {
	in := bufio.NewReaderSize(file, 1<<16)
	if magic, _ := in.Peek(2); string(magic) != "\x1f\x8b" {
		return read(in)
	}
	z, err := gzip.NewReader(in)
	if err != nil {
		return err
	}
	return read(z)
}

// readWords reads the formats of package wordfile.
func (b *builder) readWords(in io.Reader, f wordfile.Format) error {
	r, err := wordfile.NewReader(in, f)
	if err != nil {
		return err
	}
	r.Select(func(word []byte) bool {
		if n := r.Rows(); b.progress != nil && n%8192 == 0 {
			b.progress(n)
		}
		return b.wanted(word)
	})
	for {
		word, row, err := r.Next()
		b.dim, b.counts.Rows = r.Dim(), r.Rows()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		add(b, string(word), row)
	}
}

// readMapped takes words from an svec file: all of them, or those wanted.
func (b *builder) readMapped(path string) error {
	f, err := svec.Open(path)
	if err != nil {
		return err
	}
	info := f.Info()
	b.dim, b.counts.Rows = info.Dim, info.Words
	var rows []int
	if b.want == nil {
		for i := range info.Words {
			rows = append(rows, i)
		}
	}
	for word := range b.want {
		if i, ok := f.Find(word); ok {
			rows = append(rows, i)
		}
	}
	slices.Sort(rows)
	row := make([]float32, info.Dim)
	for _, i := range rows {
		clear(row)
		f.AddTo(row, i, 1)
		add(b, f.Word(i), row)
	}
	return nil
}
