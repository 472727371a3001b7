package table

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"

	"sotto/data/rowfile"
	"sotto/internal/regular"
)

// Declared is in which form rows stand in a file, as its name and options say before
// anybody has looked into it. Only [Declare] makes one.
//
// Its readers find nothing out: where one row holds other bytes, all others are read as
// before, bit for bit. What is not UTF-8 in a row becomes U+FFFD in that row, and a row
// that does not parse is an error of its own. Two things refuse the whole file, since
// nobody can say where the next row begins: quotes of CSV that do not fit, and a row of
// CSV that is longer than 16 MiB. The header of CSV, the schema of Parquet and the marks
// of gzip are the file's and no row's, and what is wrong with them refuses the file.
type Declared struct {
	path   string
	o      Options
	packed packed
}

// packed says how a file is compressed.
type packed string

// The ways to compress, by the ends of names.
const (
	unpacked packed = ""
	gzipped  packed = ".gz"
	zstded   packed = ".zst"
)

// packing returns how a file of a name is compressed.
func packing(name string) packed {
	for _, p := range []packed{gzipped, zstded} {
		if strings.HasSuffix(strings.ToLower(name), string(p)) {
			return p
		}
	}
	return unpacked
}

// Declare says in which form the file, the folder or the stream of a name is: in that of
// the options, and where these are empty in the format and the compression that the name
// ends in, as UTF-8, and with commas between fields. In TSV a quote is a character like
// any other; CSV with a tab for its delimiter has quotes. What neither name nor options
// say is an error that names the flag which does.
func Declare(path string, o Options) (Declared, error) {
	d := Declared{path: path, o: o, packed: packing(path)}
	d.o.Name = cmp.Or(o.Name, path)
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		d.o.Format, d.packed = cmp.Or(o.Format, Folder), unpacked
	}
	d.o.Format = cmp.Or(d.o.Format, ByName(path), textByName(path))
	switch {
	case d.o.Format == "":
		return d, fmt.Errorf("%s: its name does not tell its format, must be told (--in-format csv, tsv, jsonl, parquet, text, fasttext or folder): nothing is guessed from rows that are to be private", d.o.Name)
	case d.o.Format == Parquet && d.packed != unpacked:
		return d, fmt.Errorf("%s: it is Parquet within a compressed file, must be unpacked first: the index of Parquet is at its end", d.o.Name)
	}
	if err := d.o.Validate(); err != nil {
		return d, err
	}
	name, err := findEncoding(o.Encoding)
	if d.o.Encoding = cmp.Or(name, utf8Name); d.o.Delimiter == 0 {
		switch d.o.Format {
		case CSV:
			d.o.Delimiter = ','
		case TSV:
			d.o.Delimiter = '\t'
		default: // the others have none
		}
	}
	return d, err
}

// textByName returns [Text] for what ends as texts do.
func textByName(path string) Format {
	switch filepath.Ext(strings.TrimSuffix(strings.ToLower(path), string(packing(path)))) {
	case ".txt", ".text":
		return Text
	}
	return ""
}

// Format returns the format.
func (d Declared) Format() Format { return d.o.Format }

// Open opens the file or the folder of the name.
func (d Declared) Open() (*Reader, error) {
	info, err := os.Stat(d.path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() || d.o.Format == Folder {
		return openFolder(d.path, info, d.o, true)
	}
	f, _, err := regular.Open(d.path, regular.Most)
	if err != nil {
		return nil, err
	}
	r, err := d.Read(f)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	r.in.OnClose(f.Close)
	return r, nil
}

// Read reads from in, which the caller closes and which holds what the name stands for.
// Parquet needs a regular file or a [bytes.Reader], because its index is at its end.
func (d Declared) Read(in io.Reader) (*Reader, error) {
	r := &Reader{opt: d.o, labelled: -1, declared: true}
	var err error
	if r.in, err = declaredInput(in, d.o, d.packed); err != nil {
		return nil, r.errorf("%w", err)
	}
	switch d.o.Format {
	case CSV, TSV:
		r.src, err = openCSV(r, d.o.Delimiter, d.o.Format == TSV && d.o.Delimiter == '\t')
	case JSONL:
		r.src = openJSONL(r)
	case Parquet:
		r.src, err = newParquet(r)
	case FastText:
		r.src = newFastText(r)
	case Text:
		r.src = newText(r)
	default:
		err = r.errorf("it is a stream and format is %s, must be a folder", d.o.Format)
	}
	if err != nil {
		return nil, errors.Join(err, r.in.Close())
	}
	r.selectAll()
	return r, nil
}

// declaredInput unpacks and decodes as it is told.
func declaredInput(in io.Reader, o Options, how packed) (*input, error) {
	p := &input{Input: rowfile.NewInput(in), sum: sha256.New()}
	p.raw = io.TeeReader(in, p.sum)
	if o.Format == Parquet {
		p.parquet = true
		return p, nil
	}
	plain := bufio.NewReaderSize(p.raw, 1<<16)
	var err error
	switch how {
	case gzipped:
		var z *gzip.Reader
		if z, err = gzip.NewReader(plain); err == nil {
			plain = bufio.NewReaderSize(&unpacking{z, "gzip"}, 1<<16)
		}
	case zstded:
		var z *zstd.Decoder
		if z, err = zstd.NewReader(plain, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(64<<20)); err == nil {
			p.OnClose(func() error { z.Close(); return nil })
			plain = bufio.NewReaderSize(&unpacking{z, "Zstandard"}, 1<<16)
		}
	case unpacked:
	}
	if err != nil {
		return nil, fmt.Errorf("its name ends in %s, and it is not compressed so or damaged", how)
	}
	name, err := mark(plain, cmp.Or(o.Encoding, utf8Name), o.Inside)
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	p.dec = &decoder{in: plain, from: p, given: true}
	p.dec.decide(name)
	p.text = bufio.NewReaderSize(p.dec, 1<<16)
	return p, nil
}

// mark takes the byte order mark of an encoding away, if there is one where a file
// begins, and returns the encoding. It waits for no byte that no mark needs.
func mark(in *bufio.Reader, name string, inside bool) (string, error) {
	if inside {
		return name, nil
	}
	has := func(mark string) bool {
		for n := 1; n <= len(mark); n++ {
			if b, err := in.Peek(n); err != nil || b[n-1] != mark[n-1] {
				return false
			}
		}
		in.Discard(len(mark)) //nolint:errcheck // they were peeked at
		return true
	}
	switch name {
	case utf8Name:
		has("\xef\xbb\xbf")
	case utf16Little:
		has("\xff\xfe")
	case utf16Big:
		has("\xfe\xff")
	case "utf-16":
		switch {
		case has("\xff\xfe"):
			return utf16Little, nil
		case has("\xfe\xff"):
			return utf16Big, nil
		}
		return name, errors.New("it is UTF-16 without the mark that says which byte comes first, must be told: --encoding utf-16le or utf-16be")
	}
	return name, nil
}
