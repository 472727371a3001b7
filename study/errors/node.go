package errors

import "sotto/compute/measure"

// Node is a place of the error tree whose leaves are the cohorts.
type Node struct {
	Rule      string         `json:"rule"` // what it asks beyond the node above, in words
	Size      int            `json:"size"`
	Errors    int            `json:"errors"`
	ErrorRate measure.Number `json:"error_rate"`
	Children  []*Node        `json:"children,omitempty"` // the one with more errors first
}

// ErrorTree returns the tree that [Cohorts] takes its leaves from, with counts of all
// rows.
func ErrorTree(x *Features, wrong []bool, o TreeOptions) (*Node, error) {
	all, _, err := o.tree(x, wrong)
	if err != nil {
		return nil, err
	}
	every := make([]int, len(wrong))
	for i := range every {
		every[i] = i
	}
	return all[0].node(x, wrong, every, allTexts), nil
}

// node counts some rows at a branch and divides them as it does.
func (b *branch) node(x *Features, wrong []bool, rows []int, rule string) *Node {
	n := &Node{Rule: rule, Size: len(rows)}
	for _, i := range rows {
		if wrong[i] {
			n.Errors++
		}
	}
	n.ErrorRate = ratio(n.Errors, n.Size)
	if b.leaf {
		return n
	}
	var low, high []int
	for _, i := range rows {
		if x.Rows[i].At(b.at.column) <= b.at.threshold {
			low = append(low, i)
		} else {
			high = append(high, i)
		}
	}
	name := x.Names[b.at.column]
	n.Children = []*Node{
		b.high.node(x, wrong, high, Rule(nil).and(name, true, b.at.threshold).String()),
		b.low.node(x, wrong, low, Rule(nil).and(name, false, b.at.threshold).String()),
	}
	if n.Children[1].ErrorRate > n.Children[0].ErrorRate {
		n.Children[0], n.Children[1] = n.Children[1], n.Children[0]
	}
	return n
}
