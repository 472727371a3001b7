package train

import (
	"fmt"

	"sotto/compute/nn"
	"sotto/learn/model"
)

// Unknown is the group of a row whose attribute was not given. Such a row
// teaches an adversary nothing.
const Unknown = -1

// Data is a table of numbers with a label for each row. Methods read it and
// never change it, so that many can share one.
type Data struct {
	X       nn.Matrix
	Y       []int // class of each row, below Classes
	Classes int   // at least 2
	// More are further labels that the same release is to serve. Accuracy is
	// then the mean over all labels.
	More []Target `json:",omitempty"`

	Z      []int // group of each row, below Groups, or [Unknown]; nil if nothing is protected
	Groups int

	// Head, unless nil, says that X was trained by the rows of Train, and with which
	// classifier. Methods of the trusted side take that where it is better than their
	// own, and ask no row of Train what they may believe.
	Head *model.Linear `json:",omitempty"`
	// Start, unless nil, is where the network of the method begins that X was trained
	// together with.
	Start *Start `json:",omitempty"`

	Train      []int // rows to fit on
	Validation []int // rows that tell which epoch is the best
}

// Validate reports the first fault: sizes that do not fit, rows that do not
// exist, classes out of range, numbers that are not finite.
func (d Data) Validate() error {
	switch {
	case len(d.Y) != d.X.Rows:
		return fmt.Errorf("train: data has %d labels, must have one for each of %d rows", len(d.Y), d.X.Rows)
	case d.X.Cols < 1 || d.X.Cols > model.MaxInputs:
		return fmt.Errorf("train: data has %d columns, must have from 1 to %d", d.X.Cols, model.MaxInputs)
	case d.Classes < 2 || d.Classes > model.MaxClasses:
		return fmt.Errorf("train: label has %d classes, must have from 2 to %d", d.Classes, model.MaxClasses)
	case d.Z != nil && (len(d.Z) != d.X.Rows || d.Groups < 2):
		return fmt.Errorf("train: attribute has %d rows and %d groups, must have %d rows and at least 2 groups", len(d.Z), d.Groups, d.X.Rows)
	case len(d.Train) == 0 || len(d.Validation) == 0:
		return fmt.Errorf("train: data has %d rows to fit on and %d to validate, must have at least one each", len(d.Train), len(d.Validation))
	}
	for i, t := range d.More {
		if err := t.validate(d.X.Rows); err != nil {
			return fmt.Errorf("train: label %d: %w", i+2, err)
		}
	}
	for _, part := range [][]int{d.Train, d.Validation} {
		for _, row := range part {
			if row < 0 || row >= d.X.Rows {
				return fmt.Errorf("train: data has no row %d, must be below %d", row, d.X.Rows)
			}
			if d.Y[row] < 0 || d.Y[row] >= d.Classes {
				return fmt.Errorf("train: row %d has no known class, must be below %d", row, d.Classes)
			}
			if d.Z != nil && (d.Z[row] < Unknown || d.Z[row] >= d.Groups) {
				return fmt.Errorf("train: group of row %d is out of range, must be below %d", row, d.Groups)
			}
		}
	}
	return d.X.Finite()
}

// validate reports the first fault of a label of so many rows.
func (t Target) validate(rows int) error {
	switch {
	case len(t.Y) != rows:
		return fmt.Errorf("it has %d rows, must have %d", len(t.Y), rows)
	case t.Classes < 2 || t.Classes > model.MaxClasses:
		return fmt.Errorf("it has %d classes, must have from 2 to %d", t.Classes, model.MaxClasses)
	case !(t.Weight >= 0 && t.Weight <= 1e6):
		return fmt.Errorf("its weight is %v, must be positive and at most 1e6", t.Weight)
	}
	for row, y := range t.Y {
		if y < Unknown || y >= t.Classes {
			return fmt.Errorf("the class of row %d is out of range, must be below %d", row, t.Classes)
		}
	}
	return nil
}

// table is what batches are taken from: floats, or bits in a byte each.
type table interface {
	// width returns the number of columns.
	width() int
	// gather copies the given rows into the rows of dst.
	gather(dst nn.Matrix, rows []int)
}

// floats is a table of floats, shifted and scaled on the way if asked.
type floats struct {
	x            nn.Matrix
	shift, scale []float32 // nil, or one a column: (x − shift)·scale
}

// rows returns the rows of d as a network sees them.
func (t Training) rows(d Data) floats {
	f := floats{x: d.X}
	if t.Standardise {
		f.shift, f.scale = model.Moments(d.X, d.Train)
	}
	return f
}

func (t floats) width() int { return t.x.Cols }

func (t floats) gather(dst nn.Matrix, rows []int) {
	for i, row := range rows {
		to := dst.Row(i)
		copy(to, t.x.Row(row))
		model.Standardise(to, t.shift, t.scale)
	}
}

// bits is a table of zeros and ones, a byte each.
type bits struct {
	cols int
	data []byte
}

func (t bits) width() int { return t.cols }

func (t bits) gather(dst nn.Matrix, rows []int) {
	for i, row := range rows {
		to := dst.Row(i)
		for j, b := range t.data[row*t.cols : (row+1)*t.cols] {
			to[j] = float32(b)
		}
	}
}
