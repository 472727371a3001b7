// Package vectorise turns a file of texts into a file of vectors in one pass:
// masked, encoded and, if there is a mechanism, released, in constant memory and
// with nothing raw on the disk in between.
//
// It is the inside of "sotto encode". It opens no files and does not decide
// whether raw vectors may be written.
//
// Commands and the module batch share it.
package vectorise

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"sync"

	"sotto/compute/nn"
	"sotto/data/table"
	"sotto/data/textfile"
	"sotto/data/vecfile"
	"sotto/promise/dp"
	"sotto/promise/noise"
	"sotto/text"
	"sotto/text/encode"
	"sotto/text/encode/bert"
)

// Job is what to do.
type Job struct {
	In      *textfile.Reader // of which the form was declared: see [textfile.Declare]
	Encoder encode.Source
	Out     *vecfile.Writer

	Drop    func(masked []bool) // word dropout, as mech.DrawMasks draws it; nil for none
	Maskers []text.Masker       // that mask more
	Seen    func(s string)      // is called with each text that takes part; nil for nothing
	// Masked, if not nil, is called for each text with masked words, in order,
	// so that the user can see what was masked. It is not for anybody else.
	Masked func(line int64, s string, k text.Masking) error

	Mechanism dp.Vector // nil: vectors are written as they are, raw
	// Noise, if not nil, returns what the noise of a row is drawn from, by its place
	// among the rows that took part and its raw vector, which it may not keep. It is
	// called by several goroutines. Else noise is fresh, of the operating system's.
	Noise func(place int64, vector []float32) rand.Source
	Model Releaser // releases in place of Mechanism; nil for none
	// Row, if not nil, is asked of each row, in order, whether it takes part, and for
	// the fields that are written beside its vector. It goes by the columns beside the
	// text; by the text it may leave out nothing but what a model was trained on. An error
	// that is [Unfit] is the row's own, like that of a row that cannot be read.
	Row func(text string, beside []table.Value) (fields []vecfile.Field, take bool, err error)
	// Numbers, if not nil, returns the numbers of a row, by its columns beside the
	// text, that stand behind those of the encoder: as many with an error as without,
	// which a bad row has.
	Numbers func(beside []table.Value) ([]float32, error)
	// Written, if not nil, is called with each vector that is written, in order, its
	// place among the rows that took part, and what the vector was before its release.
	// It may keep neither.
	Written  func(place int64, raw []float32, vector []float64)
	SkipBad  bool // leave out rows that are unfit or that the mechanism refuses, and count them
	Workers  int  // at least 1
	Progress func(rows int64)
}

// Unfit says why a row takes no part, by its own columns: it is a bad row.
type Unfit string

// Error implements error.
func (u Unfit) Error() string { return string(u) }

// Releaser releases many rows at a time, with fresh noise.
type Releaser interface {
	// Shape returns the numbers of a row and of a release.
	Shape() (in, out int)
	// Release returns a release of each row, one after the other, and why a row
	// has none, for each.
	Release(x nn.Matrix) (rows []float64, refused []error, err error)
}

// Summary counts what was done.
type Summary struct {
	Rows      int64            `json:"rows"`               // vectors written
	Skipped   int64            `json:"skipped"`            // bad rows left out
	Declined  int64            `json:"declined,omitempty"` // rows left out by what Job.Row said
	Invalid   int64            `json:"invalid"`            // texts with bytes that are not of the file's encoding
	Empty     int64            `json:"empty"`              // texts whose vector is zero: no word of them is known
	Truncated int64            `json:"truncated"`          // texts of which the encoder took the beginning only
	Words     int64            `json:"words"`              // of all texts, if any are masked
	Masked    map[string]int64 `json:"masked,omitempty"`
	Notes     []string         `json:"notes,omitempty"` // what was found out about the file

	taken int64 // rows that took part so far
}

// blockRows is the number of texts in memory at a time.
const blockRows = 2048

// Run reads all texts, and writes a vector for each in order. At the first row
// that the mechanism refuses it returns an error that says where the text
// stands, unless SkipBad is set; the caller then discards what was written.
func Run(ctx context.Context, j Job) (Summary, error) {
	s := Summary{}
	if !j.In.Declared() {
		return s, errors.New("vectorise: the form of the file was found by looking at its rows, must be declared: one row would change how others are read")
	}
	if j.masks() {
		s.Masked = map[string]int64{}
	}
	for {
		b, err := j.read(&s)
		if err != nil {
			return s, err
		}
		if len(b.texts) == 0 {
			s.Skipped += j.In.Skipped()
			s.Invalid, s.Notes = j.In.Invalid(), j.In.Notes()
			if m, ok := j.Encoder.(*bert.Model); ok {
				s.Truncated = m.Counts().Truncated
			}
			return s, nil
		}
		if err := j.block(ctx, b, &s); err != nil {
			return s, err
		}
		if j.Progress != nil {
			j.Progress(s.Rows)
		}
	}
}

// masks reports whether anything masks.
func (j Job) masks() bool { return j.Drop != nil || len(j.Maskers) > 0 }

// batch is some texts.
type batch struct {
	texts  []string
	lines  []int64
	masks  []text.Masking
	fields [][]vecfile.Field
	beside []float32 // what Job.Numbers returned, row by row
	unfit  []error   // of each row, why it has no such numbers; empty where there are none
	first  int64     // place of the first among the rows that took part
}

// read takes the next texts and masks them.
func (j Job) read(s *Summary) (batch, error) {
	b := batch{first: s.taken}
	for len(b.texts) < blockRows {
		t, err := j.In.Next()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return b, err
		}
		if j.Row != nil {
			fields, take, err := j.Row(t, j.In.Beside())
			if j.SkipBad && errors.As(err, new(Unfit)) {
				s.Skipped++
				continue
			}
			if err != nil {
				return b, fmt.Errorf("vectorise: the row on line %d: %w", j.In.Line(), err)
			}
			if !take {
				s.Declined++
				continue
			}
			b.fields = append(b.fields, fields)
		}
		if j.Numbers != nil {
			numbers, err := j.Numbers(j.In.Beside())
			if err != nil && !j.SkipBad {
				return b, fmt.Errorf("vectorise: the row on line %d: %w", j.In.Line(), err)
			}
			b.beside, b.unfit = append(b.beside, numbers...), append(b.unfit, err)
		}
		b.texts, b.lines = append(b.texts, t), append(b.lines, j.In.Line())
		s.taken++
		if j.Seen != nil {
			j.Seen(t)
		}
		var k text.Masking
		if j.masks() {
			k = text.Mask(t, j.Drop, j.Maskers...)
			s.Words += int64(k.Words)
		}
		b.masks = append(b.masks, k)
		for _, f := range k.Parts {
			s.Masked[string(f.Type)]++
		}
		if len(k.Parts) > 0 && j.Masked != nil {
			if err := j.Masked(j.In.Line(), t, k); err != nil {
				return b, err
			}
		}
	}
	return b, nil
}

// block encodes, releases and writes some texts.
func (j Job) block(ctx context.Context, b batch, s *Summary) error {
	x, rows, refused, err := j.vectors(ctx, b, s)
	if err != nil {
		return err
	}
	for i, why := range b.unfit {
		if why != nil {
			refused[i] = why
		}
	}
	width := len(rows) / x.Rows
	kept, fields := rows[:0], b.fields[:0]
	for i := range x.Rows {
		if why := refused[i]; why != nil {
			if !j.SkipBad {
				return fmt.Errorf("vectorise: the text on line %d: %w", b.lines[i], why)
			}
			s.Skipped++
			continue
		}
		if j.Written != nil {
			j.Written(b.first+int64(i), x.Row(i), rows[i*width:(i+1)*width])
		}
		kept = append(kept, rows[i*width:(i+1)*width]...)
		if b.fields != nil {
			fields = append(fields, b.fields[i])
		}
		s.Rows++
	}
	if b.fields != nil {
		return j.Out.WriteBeside(kept, fields)
	}
	return j.Out.WriteRows(kept)
}

// vectors encodes and releases some texts, and says what was released.
func (j Job) vectors(ctx context.Context, b batch, s *Summary) (x nn.Matrix, rows []float64, refused []error, err error) {
	if x, err = encode.Masked(ctx, j.Encoder, b.texts, b.masks, j.Workers); err != nil {
		return x, nil, nil, err
	}
	for i := range x.Rows {
		if !slices.ContainsFunc(x.Row(i), func(v float32) bool { return v != 0 }) {
			s.Empty++
		}
	}
	if n := len(b.beside) / x.Rows; n > 0 {
		x = x.Beside(nn.Matrix{Rows: x.Rows, Cols: n, Data: b.beside})
	}
	rows, refused, err = j.release(x, b.first)
	return x, rows, refused, err
}

// Texts is [Run] of texts that are in memory: it masks, encodes and releases each by the
// job's encoder, maskers, and mechanism or model, and returns a vector for each. It
// refuses a job without a mechanism or model. If a text is refused, there is no vector at
// all, and the error says which text it was by its place, from 1.
func (j Job) Texts(ctx context.Context, texts []string) ([][]float64, error) {
	if j.Mechanism == nil && j.Model == nil {
		return nil, errors.New("vectorise: the job has no mechanism and no model, must have one: raw vectors promise nothing")
	}
	if len(texts) == 0 {
		return nil, nil
	}
	b := batch{texts: texts, masks: make([]text.Masking, len(texts))}
	if j.masks() {
		for i, t := range texts {
			b.masks[i] = text.Mask(t, j.Drop, j.Maskers...)
		}
	}
	_, rows, refused, err := j.vectors(ctx, b, new(Summary))
	if err != nil {
		return nil, err
	}
	vectors, width := make([][]float64, len(texts)), len(rows)/len(texts)
	for i := range vectors {
		if refused[i] != nil {
			return nil, fmt.Errorf("vectorise: text %d of %d: %w", i+1, len(texts), refused[i])
		}
		vectors[i] = rows[i*width : (i+1)*width : (i+1)*width]
	}
	return vectors, nil
}

// release sends rows, of which the first has the given place, through the mechanism,
// or widens them where there is none. A row that is refused has an error and zeros.
func (j Job) release(x nn.Matrix, first int64) (rows []float64, refused []error, err error) {
	if j.Model != nil {
		if in, _ := j.Model.Shape(); in != x.Cols {
			return nil, nil, fmt.Errorf("vectorise: the model takes %d numbers, but the encoder makes %d", in, x.Cols)
		}
		return j.Model.Release(x)
	}
	refused = make([]error, x.Rows)
	if j.Mechanism == nil {
		rows = make([]float64, len(x.Data))
		for i, v := range x.Data {
			rows[i] = float64(v)
		}
		return rows, refused, nil
	}
	in, out := j.Mechanism.Shape()
	if in != x.Cols {
		return nil, nil, fmt.Errorf("vectorise: the mechanism takes %d numbers, but the encoder makes %d", in, x.Cols)
	}
	rows = make([]float64, x.Rows*out)
	var all sync.WaitGroup
	for w := range j.Workers {
		all.Go(func() {
			source, row := rand.Source(noise.Crypto()), make([]float64, in)
			for i := w; i < x.Rows; i += j.Workers {
				if j.Noise != nil {
					source = j.Noise(first+int64(i), x.Row(i))
				}
				for k, v := range x.Row(i) {
					row[k] = float64(v)
				}
				refused[i] = j.Mechanism.PrivatizeTo(rows[i*out:(i+1)*out], row, source)
			}
		})
	}
	all.Wait()
	return rows, refused, nil
}
