package files

import (
	"math"
	"slices"
)

// maxFields bounds how many fields are looked at singly.
const maxFields = 1 << 16

// A table holds the fields of the runs on which the audit learns.
type table struct {
	names  []name
	index  map[name]int
	rows   [][]float64 // of each run; NaN, or nothing at the end, where a run lacks a field
	texts  []bool      // of each field: some run has text there
	labels []uint8     // of each run: A or B
	lost   int         // fields of a run beyond maxFields, at most

	bounds  map[known]float64 // that were computed
	columns []column
	always  map[name]bool // groups of fields, and files, that every run has
}

// A column is a field of all runs, as small codes.
type column struct {
	coder
	codes    []uint8
	constant bool // one value in A, and another one in B
}

func newTable() *table { return &table{index: map[name]int{}, bounds: map[known]float64{}} }

func (t *table) add(which int, l *leaves) {
	row := slices.Repeat([]float64{math.NaN()}, len(t.names))
	lost := 0
	for _, each := range l.all {
		i, ok := t.index[each.name]
		if !ok {
			if len(t.names) >= maxFields {
				lost++
				continue
			}
			i = len(t.names)
			t.index[each.name] = i
			t.names, t.texts = append(t.names, each.name), append(t.texts, false)
			row = append(row, math.NaN())
		}
		row[i], t.texts[i] = each.value, t.texts[i] || each.text
	}
	t.rows, t.labels, t.lost = append(t.rows, row), append(t.labels, uint8(which)), max(t.lost, lost)
}

// count returns how many runs were on an input.
func (t *table) count(which uint8) int {
	n := 0
	for _, l := range t.labels {
		if l == which {
			n++
		}
	}
	return n
}

// learn turns values into codes, without a look at which run was on which input,
// and lets go of the values.
func (t *table) learn() {
	values := make([]float64, len(t.rows))
	t.columns = make([]column, len(t.names))
	has := make([]map[name]bool, len(t.rows))
	for r := range has {
		has[r] = map[name]bool{}
	}
	for i := range t.columns {
		group, file := t.names[i].group(), name{file: t.names[i].file}
		for r, row := range t.rows {
			if values[r] = math.NaN(); i < len(row) {
				values[r] = row[i]
			}
			if !math.IsNaN(values[r]) {
				has[r][group], has[r][file] = true, true
			}
		}
		c := &t.columns[i]
		c.coder, c.constant = newCoder(values, t.texts[i]), t.isConstant(values)
		c.codes = make([]uint8, len(values))
		for r, v := range values {
			c.codes[r] = c.code(v)
		}
	}
	t.always = has[0]
	for _, other := range has[1:] {
		for n := range t.always {
			if !other[n] {
				delete(t.always, n)
			}
		}
	}
	t.rows = nil
}

// isConstant reports whether A has one value in all runs, and B another.
func (t *table) isConstant(values []float64) bool {
	var first [2]uint64
	var seen [2]bool
	for r, v := range values {
		bits, l := math.Float64bits(v), t.labels[r]
		if v == 0 {
			bits = 0 // also of −0
		}
		if seen[l] && first[l] != bits {
			return false
		}
		first[l], seen[l] = bits, true
	}
	return first[0] != first[1]
}

// Codes of a field: 0 is that it is not there, the last that its value is rare.
const maxCodes = 18

// A coder turns the values of one field into codes.
type coder struct {
	values map[float64]uint8 // of each value that has a code of its own
	cuts   []float64         // or where one code ends and the next begins
}

// newCoder divides values into a few kinds: single values if these are few or
// texts, else ranges that are about equally frequent.
func newCoder(values []float64, text bool) coder {
	counts := map[float64]int{}
	for _, v := range values {
		if !math.IsNaN(v) {
			counts[v]++
		}
	}
	var distinct []float64
	for v := range counts {
		distinct = append(distinct, v)
	}
	slices.Sort(distinct)
	if len(distinct) > maxCodes-2 && !text {
		return coder{cuts: quantiles(values)}
	}
	if len(distinct) > maxCodes-2 {
		distinct = slices.DeleteFunc(distinct, func(v float64) bool { return counts[v] < 2 })
		slices.SortStableFunc(distinct, func(u, v float64) int { return counts[v] - counts[u] })
		distinct = distinct[:min(len(distinct), maxCodes-2)]
	}
	c := coder{values: make(map[float64]uint8, len(distinct))}
	for i, v := range distinct {
		c.values[v] = uint8(i + 1)
	}
	return c
}

func quantiles(values []float64) []float64 {
	there := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	slices.Sort(there)
	bins := min(maxCodes-2, max(4, len(there)/12))
	var cuts []float64
	for i := 1; i < bins; i++ {
		// A cut between two values tells them apart however near they are.
		at := i * len(there) / bins
		if v := there[at]; len(cuts) == 0 || v > cuts[len(cuts)-1] {
			cuts = append(cuts, v)
		}
	}
	return cuts
}

func (c *coder) code(v float64) uint8 {
	if math.IsNaN(v) {
		return 0
	}
	if c.cuts != nil {
		i, _ := slices.BinarySearchFunc(c.cuts, v, func(cut, v float64) int {
			if cut <= v {
				return -1
			}
			return 1
		})
		return uint8(i + 1)
	}
	if code, ok := c.values[v]; ok {
		return code
	}
	return maxCodes - 1
}
