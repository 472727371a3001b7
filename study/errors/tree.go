package errors

import (
	"cmp"
	"fmt"
	"slices"
)

// TreeOptions says how cohorts are found. The zero value uses the defaults, which are
// those of the error tree of the Responsible AI toolbox.
type TreeOptions struct {
	Depth  int    `json:"depth"`    // 0 means 3
	Leaves int    `json:"leaves"`   // at most; 0 means 31
	Least  int    `json:"min_rows"` // rows of a leaf, in the half on which it is found; 0 means 20
	Seed   uint64 `json:"seed"`     // of the halves
}

func (o TreeOptions) filled() (TreeOptions, error) {
	if o.Depth < 0 || o.Leaves < 0 || o.Least < 0 || o.Depth > 20 {
		return o, fmt.Errorf("errors: depth, leaves and min_rows of the tree are %d, %d and %d, must not be below 0, nor depth above 20", o.Depth, o.Leaves, o.Least)
	}
	o.Depth, o.Leaves, o.Least = cmp.Or(o.Depth, 3), cmp.Or(o.Leaves, 31), cmp.Or(o.Least, 20)
	return o, nil
}

// branch is a node of an error tree while it grows.
type branch struct {
	rule  Rule
	rows  []int
	depth int
	leaf  bool
	gain  float64 // of the best split; 0 for none
	at    fork

	low, high *branch // nil for a leaf
}

// fork is a split of the rows of a node.
type fork struct {
	column    int
	threshold float64
}

// grow finds the rules that part rows into those of high and of low target, best split
// first: that which takes most from the sum of squares within, which for targets of 0
// and 1 is the Gini impurity. It returns all nodes, the root first.
func (o TreeOptions) grow(x *Features, rows []int, target []int) []*branch {
	root := &branch{rows: rows, leaf: true}
	all, leaves := []*branch{root}, 1
	o.search(x, target, root)
	for leaves < o.Leaves {
		var next *branch
		for _, b := range all {
			if b.leaf && b.gain > 0 && (next == nil || b.gain > next.gain) {
				next = b
			}
		}
		if next == nil {
			break
		}
		next.leaf = false
		low, high := &branch{depth: next.depth + 1, leaf: true}, &branch{depth: next.depth + 1, leaf: true}
		for _, i := range next.rows {
			if x.Rows[i].At(next.at.column) <= next.at.threshold {
				low.rows = append(low.rows, i)
			} else {
				high.rows = append(high.rows, i)
			}
		}
		low.rule = next.rule.and(x.Names[next.at.column], false, next.at.threshold)
		high.rule = next.rule.and(x.Names[next.at.column], true, next.at.threshold)
		o.search(x, target, low)
		o.search(x, target, high)
		next.low, next.high = low, high
		all, leaves = append(all, low, high), leaves+1
	}
	return all
}

// seen is a number of a feature and the target of its row.
type seen struct {
	value  float64
	target int
}

// search finds the best split of a node among all features; the first of equals.
func (o TreeOptions) search(x *Features, target []int, b *branch) {
	if b.depth >= o.Depth || len(b.rows) < 2*o.Least {
		return
	}
	by := make([][]seen, len(x.Names))
	sum := 0
	for _, i := range b.rows {
		sum += target[i]
		for _, c := range x.Rows[i] {
			by[c.Column] = append(by[c.Column], seen{c.Value, target[i]})
		}
	}
	whole := square(sum, len(b.rows))
	for column, some := range by {
		if len(some) == 0 {
			continue
		}
		rest := sum
		for _, s := range some {
			rest -= s.target
		}
		gain, threshold := o.cut(some, len(b.rows)-len(some), rest, whole)
		if gain > b.gain {
			b.gain, b.at = gain, fork{column, threshold}
		}
	}
}

// cut finds the best split by the numbers of a feature, those given and zeros.
func (o TreeOptions) cut(some []seen, zeros, zeroSum int, whole float64) (gain, threshold float64) {
	slices.SortFunc(some, func(a, b seen) int { return cmp.Compare(a.value, b.value) })
	rows, sum := len(some)+zeros, zeroSum
	for _, s := range some {
		sum += s.target
	}
	left, leftSum, last, present := 0, 0, 0.0, 0.0
	step := func(value float64, n, t int) {
		if left >= o.Least && rows-left >= o.Least {
			g := square(leftSum, left) + square(sum-leftSum, rows-left) - whole
			if last == 0 {
				present = g
			}
			if g > gain+1e-9 {
				gain, threshold = g, between(last, value)
			}
		}
		left, leftSum, last = left+n, leftSum+t, value
	}
	for lo := 0; lo < len(some); {
		hi, t := lo, 0
		for ; hi < len(some) && some[hi].value == some[lo].value; hi++ {
			t += some[hi].target
		}
		if some[lo].value > 0 && zeros > 0 {
			step(0, zeros, zeroSum)
			zeros = 0
		}
		step(some[lo].value, hi-lo, t)
		lo = hi
	}
	if zeros > 0 {
		step(0, zeros, zeroSum)
	}
	if present > 0 && present >= plainly*gain {
		return present, 0
	}
	return gain, threshold
}

// plainly is which share of the best split of a feature is enough for the one between
// rows that have it and rows that have not, which is easier to say.
const plainly = 0.9

// square is sum²/n, in whole numbers as long as that goes.
func square(sum, n int) float64 { return float64(sum*sum) / float64(n) }
