package shard

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"sotto/data/table"
	"sotto/data/textfile"
	"sotto/data/vecfile"
	"sotto/internal/regular"
)

// Chunk is a part of a file, which becomes a part of the output.
type Chunk struct {
	File string `json:"file"`
	Size int64  `json:"size"`  // of the file, in bytes
	Part string `json:"part"`  // name of the output, without its ending
	From int64  `json:"from"`  // byte at which lines begin, or row of NPY
	To   int64  `json:"to"`    // byte or row at which they end; 0 means all of the file
	Line int64  `json:"line"`  // lines before From
	Rows int    `json:"group"` // row group of Parquet, from 1; 0 means all
	// Digest is that of the file, under the secret, and Twin how many before it have its
	// name and its digest.
	Digest string `json:"digest,omitempty"`
	Twin   int    `json:"twin,omitempty"`
}

// Plan cuts the files of a spec into chunks: lines of JSON and of plain text at line
// ends, Parquet into its row groups, NPY into rows. A file that is compressed or
// elsewhere is one chunk, and so is one of CSV, whose fields may hold line ends. Each file
// is read once, for its digest.
func (w *Worker) Plan(ctx context.Context) ([]Chunk, error) {
	s, at := w.spec, w.at
	if len(s.In) == 0 {
		return nil, errors.New("shard: there is no input, must be a file or a pattern: --in")
	}
	if s.Out == "" {
		return nil, errors.New("shard: there is no folder for the output, must be one: --out")
	}
	names, err := list(ctx, s.In, at)
	if err != nil {
		return nil, err
	}
	digests, err := w.digests(ctx, names)
	if err != nil {
		return nil, fmt.Errorf("shard: %w", err)
	}
	var all []Chunk
	twins := map[string]int{}
	for i, name := range names {
		known := base(name) + "\x00" + digests[i]
		twin := twins[known]
		twins[known]++
		chunks, err := s.cut(ctx, name, at)
		if err != nil {
			return nil, fmt.Errorf("shard: %w", err)
		}
		for k, c := range chunks {
			c.File, c.Part = name, fmt.Sprintf("part-%05d-%05d", i, k)
			c.Digest, c.Twin = digests[i], twin
			all = append(all, c)
		}
	}
	return all, nil
}

// cut cuts one file.
func (s *Spec) cut(ctx context.Context, name string, at Elsewhere) ([]Chunk, error) {
	if remote(name) {
		files, err := at(ctx, name)
		if err != nil {
			return nil, err
		}
		size, err := files.Size(ctx, name)
		return []Chunk{{Size: size}}, err
	}
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file, must be one", name)
	}
	size := info.Size()
	whole := []Chunk{{Size: size}}
	if s.Vectors {
		return s.cutVectors(name, size)
	}
	format, err := s.format(name)
	switch {
	case err != nil:
		return nil, err
	case format == textfile.Parquet:
		groups, err := table.Groups(name)
		if err != nil || groups == 0 {
			return whole, err
		}
		chunks := make([]Chunk, groups)
		for i := range chunks {
			chunks[i] = Chunk{Size: size, Rows: i + 1}
		}
		return chunks, nil
	case format == textfile.JSONL, format == textfile.Text:
		return s.cutLines(name, size, s.ID == "")
	}
	return whole, nil
}

// format returns the format of a file of texts.
func (s *Spec) format(name string) (textfile.Format, error) {
	if s.Format != "" {
		return textfile.ParseFormat(s.Format)
	}
	f, err := textfile.ByName(name)
	if f == textfile.Text && s.Text != "" {
		return "", fmt.Errorf("%s is plain text, which has no column %s; say --input-format if it is another", name, s.Text)
	}
	return f, err
}

// cutVectors cuts a file of vectors.
func (s *Spec) cutVectors(name string, size int64) ([]Chunk, error) {
	r, err := vecfile.Open(name, s.vectors(name))
	if err != nil {
		return nil, err
	}
	defer r.Close() //nolint:errcheck // it was only read
	rows := r.Rows()
	if r.Format() != vecfile.NPY || rows < 1 {
		return []Chunk{{Size: size}}, nil
	}
	each := max(s.SplitBytes/max(size/rows, 1), 1)
	var chunks []Chunk
	for from := int64(0); from < rows; from += each {
		chunks = append(chunks, Chunk{Size: size, From: from, To: min(from+each, rows), Line: from})
	}
	return chunks, nil
}

// cutLines cuts a file at line ends near multiples of SplitBytes, so that where it is
// cut follows from the file alone. Lines are counted where ids are made of them.
func (s *Spec) cutLines(name string, size int64, count bool) ([]Chunk, error) {
	f, _, err := regular.Open(name, regular.Most)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	if !s.plain(name) || size <= s.SplitBytes {
		return []Chunk{{Size: size}}, nil
	}
	var chunks []Chunk
	from, lines := int64(0), int64(0)
	for from < size {
		to, err := lineEnd(f, min(from+s.SplitBytes, size), size)
		if err != nil {
			return nil, err
		}
		chunks = append(chunks, Chunk{Size: size, From: from, To: to, Line: lines})
		if count {
			n, err := countLines(io.NewSectionReader(f, from, to-from))
			if err != nil {
				return nil, err
			}
			lines += n
		}
		from = to
	}
	return chunks, nil
}

// plain reports whether a file has line ends where its bytes say so: it is neither
// compressed nor of two bytes a character, as its name and the spec say. No byte of it
// is looked at, which might be a row's.
func (s *Spec) plain(name string) bool {
	name = strings.ToLower(name)
	return !strings.Contains(s.Encoding, "16") && !strings.HasSuffix(name, ".gz") && !strings.HasSuffix(name, ".zst")
}

// lineEnd returns where the line ends that the byte before at is in.
func lineEnd(f io.ReaderAt, at, size int64) (int64, error) {
	if at >= size {
		return size, nil
	}
	buffer := make([]byte, 1<<16)
	for from := at - 1; from < size; {
		n, err := f.ReadAt(buffer, from)
		if i := bytes.IndexByte(buffer[:n], '\n'); i >= 0 {
			return from + int64(i) + 1, nil
		}
		if errors.Is(err, io.EOF) {
			return size, nil
		} else if err != nil {
			return 0, err
		}
		from += int64(n)
	}
	return size, nil
}

func countLines(r io.Reader) (n int64, err error) {
	buffer := make([]byte, 1<<18)
	for {
		k, err := r.Read(buffer)
		n += int64(bytes.Count(buffer[:k], []byte{'\n'}))
		if errors.Is(err, io.EOF) {
			return n, nil
		} else if err != nil {
			return 0, err
		}
	}
}

// texts say in which form the texts of a chunk are. Each chunk is read by itself, so that
// nothing may depend on how a file begins.
func (s *Spec) texts(c Chunk) (textfile.Declared, error) {
	return textfile.Declare(c.File, textfile.Options{
		Name: c.name(), Format: textfile.Format(s.Format), Column: s.Text, Beside: s.read(), Group: c.Rows, Inside: c.From > 0,
		Encoding: s.Encoding, Delimiter: s.Delimiter, NoHeader: s.NoHeader, SkipBad: s.SkipBad,
	})
}

// vectors are the options with which a file of vectors is read.
func (s *Spec) vectors(name string) vecfile.Options {
	return vecfile.Options{Name: name, Format: vecfile.Format(s.Format), Width: s.Mechanism.Width(), SkipBad: s.SkipBad, Declared: true, Header: s.Header}
}

// name says in errors where a chunk is.
func (c Chunk) name() string {
	if c.From == 0 {
		return c.File
	}
	return fmt.Sprintf("%s from byte %d", c.File, c.From)
}
