package errors

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"sotto/compute/measure"
	"sotto/internal/layout"
)

// HeatMap is how often answers are wrong by two features at once.
type HeatMap struct {
	Rows    Axis     `json:"rows"`
	Columns Axis     `json:"columns"`
	Cells   [][]Heat `json:"cells"` // by row and column
}

// Axis is a feature in ranges.
type Axis struct {
	Feature string      `json:"feature"`
	Ranges  []Condition `json:"ranges"`
	Names   []string    `json:"names"` // of the ranges
}

// Heat is a cell of a heat map.
type Heat struct {
	Rows      int            `json:"rows"`
	Errors    int            `json:"errors"`
	ErrorRate measure.Number `json:"error_rate"`
}

// ranges is into how many ranges the numbers of a feature that are not 0 are divided,
// each with about as many rows.
const ranges = 4

// NewHeatMap counts errors by two features of x.
func NewHeatMap(x *Features, wrong []bool, a, b string) (*HeatMap, error) {
	var axes [2]Axis
	var columns [2]int
	for k, name := range []string{a, b} {
		if columns[k] = slices.Index(x.Names, name); columns[k] < 0 {
			return nil, fmt.Errorf("errors: the feature %q is not there%s", name, layout.Hint(name, x.Names))
		}
		axes[k] = axis(x, columns[k])
	}
	if a == b {
		return nil, fmt.Errorf("errors: both features of the heat map are %q, must differ", a)
	}
	h := &HeatMap{Rows: axes[0], Columns: axes[1], Cells: make([][]Heat, len(axes[0].Ranges))}
	for i := range h.Cells {
		h.Cells[i] = make([]Heat, len(axes[1].Ranges))
	}
	for i, row := range x.Rows {
		cell := &h.Cells[axes[0].place(row.At(columns[0]))][axes[1].place(row.At(columns[1]))]
		cell.Rows++
		if wrong[i] {
			cell.Errors++
		}
	}
	for _, line := range h.Cells {
		for k := range line {
			line[k].ErrorRate = ratio(line[k].Errors, line[k].Rows)
		}
	}
	return h, nil
}

// place returns the range of a number.
func (a *Axis) place(v float64) int {
	for k, c := range a.Ranges {
		if c.AtMost == nil || v <= *c.AtMost {
			return k
		}
	}
	return len(a.Ranges) - 1
}

// axis divides a feature: zeros, and the others by their quantiles.
func axis(x *Features, column int) Axis {
	var values []float64
	zeros := false
	for _, row := range x.Rows {
		v := row.At(column)
		if v == 0 {
			zeros = true
			continue
		}
		values = append(values, v)
	}
	slices.SortFunc(values, cmp.Compare[float64])
	var ends []float64 // the end of each range but the last
	if zeros && len(values) > 0 && values[0] > 0 {
		ends = append(ends, 0)
	}
	for k := 1; k < ranges && len(values) > 0; k++ {
		at := k * len(values) / ranges
		low := values[max(0, at-1)]
		high, more := slices.BinarySearch(values, low)
		for more && high < len(values) && values[high] == low {
			high++
		}
		if high == len(values) {
			break // nothing is above
		}
		end := between(low, values[high])
		if end == 0 && low > 0 {
			end = low
		}
		if len(ends) == 0 || end > ends[len(ends)-1] {
			ends = append(ends, end)
		}
	}
	a := Axis{Feature: x.Names[column]}
	var last *float64
	for _, e := range ends {
		a.add(last, &e)
		last = &e
	}
	a.add(last, nil)
	return a
}

// add adds a range above one number and at most another.
func (a *Axis) add(above, atMost *float64) {
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	name := "all"
	switch {
	case above == nil && atMost != nil && *atMost == 0:
		name = "none"
	case above != nil && atMost == nil && *above == 0:
		name = "some"
	case above == nil && atMost != nil:
		name = "≤ " + number(*atMost)
	case above != nil && atMost == nil:
		name = "> " + number(*above)
	case above != nil:
		name = number(*above) + "–" + number(*atMost)
	}
	a.Ranges = append(a.Ranges, Condition{Feature: a.Feature, Above: above, AtMost: atMost})
	a.Names = append(a.Names, name)
}
