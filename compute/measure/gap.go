package measure

import (
	"fmt"
	"math"
)

// Cell counts the rows of one class in one group, and those of them whose
// prediction is right.
type Cell struct {
	Rows int `json:"rows"`
	Hits int `json:"hits"`
}

func (c *Cell) add(hit bool) {
	c.Rows++
	if hit {
		c.Hits++
	}
}

// Rate is the share of right predictions, NaN for a cell without rows: not
// defined is not 0.
func (c Cell) Rate() float64 { return float64(c.Hits) / float64(c.Rows) }

// Table holds a [Cell] for each class and group, as table[class][group]. The
// rate of a cell is the true positive rate P(ŷ = y | y, g) of class y in group g.
type Table [][]Cell

// TruePositives counts, for each class and each group, the rows and the right
// predictions. Rows whose label or group is unknown do not count. It panics if
// the lengths differ, if a label or group is not below classes or groups, or if
// there are fewer than two groups.
func TruePositives(want, got, group []int, classes, groups int) Table {
	sameLength("predictions", len(got), len(want))
	sameLength("groups", len(group), len(want))
	if classes < 1 || groups < 2 {
		panic(fmt.Sprintf("measure: %d classes and %d groups, must be at least 1 and 2", classes, groups))
	}
	t := newTable(classes, groups)
	for i, y := range want {
		g := group[i]
		if y >= classes || g >= groups {
			panic(fmt.Sprintf("measure: row %d has a label or group outside the %d classes and %d groups", i, classes, groups))
		}
		if y >= 0 && g >= 0 {
			t[y][g].add(got[i] == y)
		}
	}
	return t
}

// Gap is the largest difference between two groups' true positive rates of a
// class, in [0, 1], 0 being fair. Groups without a row of the class are left
// out; with fewer than two others the gap is not defined, and Gap returns NaN
// and false. It panics if there is no such class.
//
// For a label of two classes, Gap(1), the gap of the positive class, is what
// the FEDERATE tables call TPR-gap; [Table.GRMS] takes both classes.
func (t Table) Gap(class int) (gap float64, ok bool) {
	difference, _ := contrast(t[class])
	return float64(difference), !math.IsNaN(float64(difference))
}

// GRMS is the root of the mean of the squared gaps, over the classes whose gap
// is defined, and the number of these classes; the other len(t) − defined are
// left out. It is in [0, 1], 0 being fair, and NaN if no gap is defined.
func (t Table) GRMS() (value float64, defined int) {
	sum := 0.0
	for class := range t {
		if gap, ok := t.Gap(class); ok {
			sum += gap * gap
			defined++
		}
	}
	return math.Sqrt(sum / float64(defined)), defined
}
