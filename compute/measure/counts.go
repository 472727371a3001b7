package measure

import (
	"fmt"
	"slices"
)

// Counts returns what was counted as whole numbers, in a form that [Confusion.Merge]
// takes: answers can be counted in many places and added up in one. It panics if some
// counts are expectations, which are no whole numbers.
func (c *Confusion) Counts() []int64 {
	if c.law {
		panic("measure: Counts of expectations, must be of answers that were given")
	}
	all := slices.Concat(c.rows, c.told, c.right, c.cells)
	counts := make([]int64, len(all))
	for i, n := range all {
		counts[i] = int64(n)
	}
	return counts
}

// mostRows is how many rows are counted at most: a float64 holds every whole number up
// to it.
const mostRows = 1 << 53

// Merge adds what [Confusion.Counts] returned for as many classes. It refuses counts
// that contradict each other, and then adds nothing.
func (c *Confusion) Merge(counts []int64) error {
	parts := [][]float64{c.rows, c.told, c.right, c.cells}
	total := 0
	for _, p := range parts {
		total += len(p)
	}
	if len(counts) != total {
		return fmt.Errorf("measure: there are %d counts of answers, must be %d for %d classes", len(counts), total, len(c.rows))
	}
	k, rows, told := len(c.rows), int64(0), int64(0)
	for i, n := range counts {
		if n < 0 || n > mostRows {
			return fmt.Errorf("measure: a count of answers is %d, must be from 0 to 2⁵³", n)
		}
		if i < k {
			rows, told = rows+n, told+counts[k+i]
			if counts[2*k+i] > min(n, counts[k+i]) {
				return fmt.Errorf("measure: of %d rows of a class %d are told rightly, must be no more", n, counts[2*k+i])
			}
		}
	}
	if told > rows {
		return fmt.Errorf("measure: there are %d answers to %d rows, must be no more", told, rows)
	}
	for _, p := range parts {
		for i := range p {
			p[i] += float64(counts[i])
		}
		counts = counts[len(p):]
	}
	return nil
}

// Rows returns how many rows each class has.
func (c *Confusion) Rows() []int {
	rows := make([]int, len(c.rows))
	for i, n := range c.rows {
		rows[i] = int(n)
	}
	return rows
}
