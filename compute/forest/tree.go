package forest

// node is a place of a tree. Its children stand behind it.
type node struct {
	threshold float64 // rows with at most so much go left
	value     float64 // the share of positive rows
	feature   int32   // −1 for a leaf
	left      int32
	right     int32
}

// leaf is the feature of a node without children.
const leaf = -1

// tree is a decision tree; the first node is its root.
type tree []node

// find returns the leaf of a row, given by all its numbers.
func (t tree) find(x []float64) int32 {
	at := int32(0)
	for t[at].feature >= 0 {
		n := &t[at]
		if x[n.feature] <= n.threshold {
			at = n.left
		} else {
			at = n.right
		}
	}
	return at
}

// spread writes a row into x, which is 0, and clear takes it out again.
func spread(x []float64, r Row) {
	for _, c := range r {
		x[c.Column] = c.Value
	}
}

func clean(x []float64, r Row) {
	for _, c := range r {
		x[c.Column] = 0
	}
}
