package experiment

import (
	"context"
	"fmt"

	"sotto/compute/nn"
	"sotto/data/dataset"
	"sotto/data/own"
	"sotto/learn/model"
)

// Path is where a file of one's own lies. It is read from JSON and never written
// to it: what is stored knows a file by the hash of its content.
type Path string

// IsZero reports true, so that JSON leaves every path out.
func (Path) IsZero() bool { return true }

// MarshalText implements [encoding.TextMarshaler] by an empty text, wherever a
// path is not left out.
func (Path) MarshalText() ([]byte, error) { return nil, nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (p *Path) UnmarshalText(text []byte) error {
	*p = Path(text)
	return nil
}

// String returns the path, for errors and flags.
func (p *Path) String() string { return string(*p) }

// Set sets the path from a flag.
func (p *Path) Set(text string) error {
	*p = Path(text)
	return nil
}

// Type says what a flag takes.
func (*Path) Type() string { return "file" }

// loadFile reads the file that a record describes.
func loadFile(ctx context.Context, r model.DataRecord, file Path, labels []string) (*dataset.Set, error) {
	if file == "" {
		return nil, fmt.Errorf("prepared: %s is a file of your own, whose place is stored nowhere; give it with --in", r.Name)
	}
	return own.Load(ctx, string(file), own.Options{Layout: r.File.Layout, Name: r.Name, Labels: labels})
}

// fileRecord completes what a record says of a file; nil stays nil.
func fileRecord(r *model.FileRecord, set *dataset.Set) *model.FileRecord {
	if r == nil {
		return nil
	}
	f := &model.FileRecord{Layout: r.Layout, Rows: set.Rows, LeftOut: set.LeftOut, Linked: set.Linked}
	f.Persons, f.MostRows = set.RowsOfPersons()
	return f
}

// numbers are the columns of numbers of a set. Those of a file are scaled by the
// rows that train, and the record says how.
func (d *TrainingSet) numbers(set *dataset.Set) nn.Matrix {
	raw := nn.Matrix{Rows: set.Rows, Cols: set.Width, Data: set.Features}
	if d.Record.File == nil {
		return raw
	}
	x := nn.NewMatrix(raw.Rows, raw.Cols)
	for k := range raw.Cols {
		column := make([]float32, len(d.Train))
		for i, row := range d.Train {
			column[i] = raw.Row(row)[k]
		}
		scale := model.ScaleOf(column)
		d.Record.File.Scales = append(d.Record.File.Scales, scale)
		for i := range x.Rows {
			x.Row(i)[k] = scale.Apply(raw.Row(i)[k])
		}
	}
	return x
}
