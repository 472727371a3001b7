package files

import (
	"encoding/binary"
	"hash/maphash"
	"math"
	"strings"
)

// How much of rows is held beside each other.
const (
	manyValues = 64   // of a field whose values are counted
	manyRows   = 64   // that are held beside the one that differs
	manyCells  = 8192 // of two files
	manyTables = 3    // that are held beside each other
	manySteps  = 1024 // of numbers of one row or record
	manyAside  = 16   // numbers of a row that are held beside those of the row that differs
)

// within makes fields of all rows of a file: they tell also where rows come in
// another order.
func (l *leaves) within(t *rows, changed int) {
	if len(t.cells) < 2 {
		return
	}
	type column struct {
		sum    float64
		number bool
		counts map[float64]int
	}
	columns, order := map[string]*column{}, []string(nil)
	seen, twice := map[uint64]bool{}, 0
	for _, row := range t.cells {
		for _, each := range row {
			c := columns[each.name.path]
			if c == nil {
				c = &column{number: true, counts: map[float64]int{}}
				columns[each.name.path] = c
				order = append(order, each.name.path)
			}
			c.number = c.number && !each.text
			c.sum += each.value
			if len(c.counts) <= manyValues {
				c.counts[each.value]++
			}
		}
		if h, ok := numbersOf(row); ok {
			if seen[h] {
				twice++
			}
			seen[h] = true
		}
	}
	for _, path := range order {
		c := columns[path]
		if c.number {
			l.number(name{file: t.file, path: of(sumOf, path)}, c.sum)
		}
		if len(c.counts) <= manyValues {
			for v, n := range c.counts {
				l.number(name{file: t.file, path: of(countOf, path), key: math.Float64bits(v)}, float64(n))
			}
		}
	}
	l.number(name{file: t.file, path: pathTwice}, float64(twice))
	if changed < 1 || changed > len(t.cells) {
		return
	}
	l.steps(t.cells[changed-1])
	if h, ok := numbersOf(t.cells[changed-1]); ok {
		for i := range min(manyRows, len(t.cells)) {
			if other, ok := numbersOf(t.cells[i]); ok && i != changed-1 {
				l.number(name{file: t.file, row: i + 1, path: sameAs + "the row that differs"}, truth(h == other))
				l.apart(t.cells[i], t.cells[changed-1])
			}
		}
	}
}

// steps holds numbers that follow each other beside each other: a draw that was added
// to both is gone from their difference.
func (l *leaves) steps(cells []leaf) {
	var before *leaf
	left := manySteps
	for i := range cells {
		each := &cells[i]
		if each.text || each.name.derived() {
			continue
		}
		if before != nil && left > 0 {
			n := each.name
			n.path = stepFrom + n.path
			l.number(n, float64(float32(each.value-before.value)))
			left--
		}
		before = each
	}
}

// apart holds a row beside the one that differs, which may have the same noise.
func (l *leaves) apart(row, changed []leaf) {
	for k := range min(len(row), len(changed), manyAside) {
		if u, v := row[k], changed[k]; !u.text && !v.text && u.name.path == v.name.path {
			n := u.name
			n.path = aside
			if u.name.path != "" {
				n.path += ", " + u.name.path
			}
			l.number(n, float64(float32(u.value-v.value)))
		}
	}
}

// of names what is made of a field, or of rows that are a field themselves.
func of(what, path string) string {
	if path == "" {
		return strings.TrimSuffix(what, " of ")
	}
	return what + path
}

// between holds rows of two files beside each other: noise that both have is gone
// from their difference.
func (l *leaves) between(tables []*rows) {
	tables = tables[:min(manyTables, len(tables))]
	for i, a := range tables {
		for _, b := range tables[:i] {
			left := manyCells
			for r := range min(len(a.cells), len(b.cells)) {
				x, okA := numbersOf(a.cells[r])
				y, okB := numbersOf(b.cells[r])
				if !okA || !okB {
					continue
				}
				l.number(name{file: a.file, row: r + 1, path: sameAs + b.file}, truth(x == y))
				for k := range min(len(a.cells[r]), len(b.cells[r])) {
					u, v := a.cells[r][k], b.cells[r][k]
					if left--; left < 0 || u.text || v.text || u.name.path != v.name.path {
						continue
					}
					path := lessThan + b.file
					if u.name.path != "" {
						path += ", " + u.name.path
					}
					l.number(name{file: a.file, row: r + 1, path: path}, float64(float32(u.value-v.value)))
				}
			}
		}
	}
}

// numbersOf tells rows with the same numbers from others.
func numbersOf(row []leaf) (uint64, bool) {
	var h maphash.Hash
	h.SetSeed(seed)
	some := false
	for _, each := range row {
		if !each.text {
			some = true
			var b [8]byte
			binary.LittleEndian.PutUint64(b[:], math.Float64bits(each.value))
			h.Write(b[:])
		}
	}
	return h.Sum64(), some
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
