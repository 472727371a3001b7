package table

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/klauspost/compress/zstd"

	"sotto/data/rowfile"
)

// sampleSize is how much of a file is looked at before it is read.
const sampleSize = 1 << 20

// input is the text that a file holds, unpacked and decoded.
type input struct {
	*rowfile.Input
	text    *bufio.Reader // UTF-8, but for damage
	sample  []byte        // how text begins; valid until text is read
	whole   bool          // the sample is all there is
	parquet bool          // the bytes are Parquet, and there is no text
	live    bool          // somebody may be typing, so nothing waits for more than a line
	notes   []string

	raw  io.Reader // what is hashed
	sum  hash.Hash
	dec  *decoder
	size int // of the sample asked for
}

// newInput looks at how a file begins. Its errors need the name of the file.
func newInput(in io.Reader, o Options) (*input, error) {
	p := &input{Input: rowfile.NewInput(in), sum: sha256.New(), size: sampleSize}
	p.live = p.At == nil && o.Format == Text
	if o.Format != "" && o.Format != JSONL { // which need a look at many rows
		p.size = sampleSize / 4
	}
	p.raw = io.TeeReader(in, p.sum)
	if o.Format == Parquet {
		p.parquet = true
		return p, nil
	}
	packed := bufio.NewReaderSize(p.raw, 1<<16)
	head, err := p.peek(packed, 1<<9)
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(head, []byte("PAR1")) && p.At != nil {
		p.parquet = true
		return p, nil
	}
	plain, err := p.unpack(packed, head)
	if plain == packed && p.At != nil { // a small file needs no large buffer
		p.size = int(min(int64(p.size), p.At.Size()+4096))
	}
	if err == nil {
		err = p.decode(plain, o)
	}
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// peek looks at up to n bytes ahead: at what there is if somebody may be typing.
func (p *input) peek(in *bufio.Reader, n int) ([]byte, error) {
	if p.live {
		if _, err := in.Peek(1); err == nil {
			n = min(n, in.Buffered())
		}
	}
	b, err := in.Peek(n)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return b, nil
}

// unpack returns what a compressed file holds, by its first bytes and whatever
// its name.
func (p *input) unpack(in *bufio.Reader, head []byte) (*bufio.Reader, error) {
	var out io.Reader
	switch {
	case bytes.HasPrefix(head, []byte("\x1f\x8b")):
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, errors.New("it begins as gzip and cannot be unpacked")
		}
		p.notes = append(p.notes, "it is compressed by gzip, and read as what it holds")
		out = &unpacking{z, "gzip"}
	case bytes.HasPrefix(head, []byte("\x28\xb5\x2f\xfd")):
		z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(64<<20))
		if err != nil {
			return nil, errors.New("it begins as Zstandard and cannot be unpacked")
		}
		p.OnClose(func() error { z.Close(); return nil })
		p.notes = append(p.notes, "it is compressed by Zstandard, and read as what it holds")
		out = &unpacking{z, "Zstandard"}
	default:
		return in, refuseMagic(head)
	}
	inner := bufio.NewReaderSize(out, 1<<16)
	head, err := p.peek(inner, 1<<9)
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(head, []byte("PAR1")) {
		return nil, errors.New("it is Parquet within a compressed file, must be unpacked first: the index of Parquet is at its end")
	}
	if bytes.HasPrefix(head, []byte("\x1f\x8b")) {
		return nil, errors.New("it is compressed twice, must be unpacked once first")
	}
	return inner, refuseMagic(head)
}

// unpacking says what is damaged where unpacking fails.
type unpacking struct {
	io.Reader
	how string
}

// Read implements [io.Reader].
func (p *unpacking) Read(b []byte) (int, error) {
	n, err := p.Reader.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		err = fmt.Errorf("what is compressed by %s is damaged or cut off: %w", p.how, err)
	}
	return n, err
}

// magics are how files begin that hold no rows of text.
var magics = []struct{ begin, what string }{
	{"PK\x03\x04", "a ZIP archive or an Excel workbook (.xlsx): export it as CSV, or unpack it"},
	{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office file (.xls or .doc): export it as CSV"},
	{"%PDF-", "a PDF: export its text as CSV"},
	{"\x89PNG", "a PNG image: export the texts as CSV"},
	{"\xff\xd8\xff", "a JPEG image: export the texts as CSV"},
	{"GIF8", "a GIF image: export the texts as CSV"},
	{"SQLite format 3\x00", "an SQLite database: export the table as CSV"},
	{"BZh", "compressed by bzip2: unpack it, or compress it by gzip"},
	{"\xfd7zXZ\x00", "compressed by xz: unpack it, or compress it by gzip"},
	{"7z\xbc\xaf\x27\x1c", "a 7-Zip archive: unpack it"},
	{"\x93NUMPY", "a NumPy array, which holds no text: export it as CSV"},
	{"ARROW1", "an Arrow file: export it as Parquet or CSV"},
	{"\x7fELF", "a program"},
	{"\x80\x02", "a Python pickle: export it as CSV"},
	{"\x80\x03", "a Python pickle: export it as CSV"},
	{"\x80\x04", "a Python pickle: export it as CSV"},
	{"\x80\x05", "a Python pickle: export it as CSV"},
	{"PAR1", "Parquet in a stream, must be a file: the index of Parquet is at its end"},
}

// refuseMagic returns an error for files that are known not to be text.
func refuseMagic(head []byte) error {
	for _, m := range magics {
		if bytes.HasPrefix(head, []byte(m.begin)) {
			return fmt.Errorf("it is %s", m.what)
		}
	}
	if len(head) > 262 && string(head[257:262]) == "ustar" {
		return errors.New("it is a tar archive: unpack it, and name the folder")
	}
	return nil
}

// decode finds the encoding and takes the sample.
func (p *input) decode(plain *bufio.Reader, o Options) error {
	var err error
	if p.dec, err = newDecoder(plain, p, o.Encoding); err != nil {
		return err
	}
	p.text = bufio.NewReaderSize(p.dec, p.size)
	if p.sample, err = p.peek(p.text, p.size); err != nil {
		return err
	}
	p.whole = len(p.sample) < p.size && !p.live
	if bytes.IndexByte(p.sample, '\n') < 0 && bytes.IndexByte(p.sample, '\r') >= 0 && !p.live {
		p.notes = append(p.notes, "its lines end by a carriage return alone")
		p.text = bufio.NewReaderSize(&oldLines{p.text}, p.size)
		if p.sample, err = p.peek(p.text, p.size); err != nil {
			return err
		}
	}
	return refuseBinary(p.sample)
}

// oldLines makes a carriage return, which ended lines once, a line feed.
type oldLines struct{ in io.Reader }

// Read implements [io.Reader].
func (l *oldLines) Read(b []byte) (int, error) {
	n, err := l.in.Read(b)
	for i, c := range b[:n] {
		if c == '\r' {
			b[i] = '\n'
		}
	}
	return n, err
}

// refuseBinary returns an error for bytes that no text has: more than one in a
// thousand zeros, or one in a hundred control characters. Fewer are damage, which
// the rows show.
func refuseBinary(sample []byte) error {
	if bytes.Count(sample, []byte{0})*1000 > len(sample) {
		return fmt.Errorf("byte %d is zero, which no text has: it is no text file, or its encoding must be given (such as utf-16le); of a table, export it as CSV", bytes.IndexByte(sample, 0)+1)
	}
	sample = sample[:min(len(sample), 1<<14)]
	controls := 0
	for _, c := range sample {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != '\v' && c != 0x1b {
			controls++
		}
	}
	if controls > len(sample)/100+1 {
		return fmt.Errorf("%d of its first %d bytes are control characters, so it is no text file: export it as CSV", controls, len(sample))
	}
	return nil
}

// hash reads to the end and returns the hash of all.
func (p *input) hash() (string, error) {
	if p.parquet {
		if p.At == nil {
			return "", errors.New("table: a stream of Parquet has no hash")
		}
		if _, err := io.Copy(p.sum, io.NewSectionReader(p.At, 0, p.At.Size())); err != nil {
			return "", err
		}
		p.parquet = false // do not count it twice
	} else if _, err := io.Copy(io.Discard, p.raw); err != nil {
		return "", err
	}
	return hex.EncodeToString(p.sum.Sum(nil)), nil
}
