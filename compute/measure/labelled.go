package measure

import (
	"errors"
	"fmt"

	"sotto/compute/nn"
)

// Labelled is rows with an attribute value each, negative where it is unknown.
type Labelled struct {
	X nn.Matrix // rows × columns
	Z []int     // one for each row
}

// Gather returns a copy of the given rows. It panics if there is no such row.
func (d Labelled) Gather(rows []int) Labelled {
	some := Labelled{X: d.X.Gather(rows), Z: make([]int, len(rows))}
	for k, i := range rows {
		some.Z[k] = d.Z[i]
	}
	return some
}

// knownRows returns the rows whose value is known, or an error if there are
// none or a number cannot be used. It panics if there is not one z a row.
func knownRows(data Labelled, classes int) ([]int, error) {
	sameLength("rows", data.X.Rows, len(data.Z))
	if classes < 2 {
		return nil, fmt.Errorf("measure: number of classes is %d, must be at least 2", classes)
	}
	if data.X.Cols < 1 {
		return nil, errors.New("measure: rows have no columns, must have at least one")
	}
	var known []int
	for i, z := range data.Z {
		if z < 0 {
			continue
		}
		if z >= classes {
			return nil, fmt.Errorf("measure: attribute of row %d is too large, must be below %d", i, classes)
		}
		if !finite(data.X.Row(i)) {
			return nil, fmt.Errorf("measure: row %d has a number that is NaN or infinite, must be finite", i)
		}
		known = append(known, i)
	}
	if len(known) == 0 {
		return nil, errors.New("measure: attribute is unknown in all rows, must be known in some")
	}
	return known, nil
}

// finite reports whether all numbers of a row are.
func finite(row []float32) bool {
	for _, v := range row {
		if v-v != 0 { // NaN for what is not finite
			return false
		}
	}
	return true
}
