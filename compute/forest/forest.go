package forest

import (
	"context"
	"fmt"
	"math"
	weakrand "math/rand/v2"

	"sotto/compute/nn"
)

// Options says how a forest grows. The zero value uses the defaults, which are those
// of scikit-learn.
type Options struct {
	Trees    int    `json:"trees"`    // 0 means 100
	Features int    `json:"features"` // looked at for a split; 0 means the root of their number
	MinLeaf  int    `json:"min_leaf"` // fewest rows of a leaf; 0 means 1
	Depth    int    `json:"depth"`    // of the deepest leaf; 0 means without limit
	Seed     uint64 `json:"seed"`
}

// filled returns the options with the defaults for so many columns.
func (o Options) filled(columns int) (Options, error) {
	if o.Trees < 0 || o.Trees > 100_000 || o.Features < 0 || o.MinLeaf < 0 || o.Depth < 0 {
		return o, fmt.Errorf("forest: trees, features, min_leaf and depth are %d, %d, %d and %d, must not be below 0 nor trees above 100000", o.Trees, o.Features, o.MinLeaf, o.Depth)
	}
	if o.Trees == 0 {
		o.Trees = 100
	}
	if o.Features == 0 {
		o.Features = max(1, int(math.Sqrt(float64(columns))))
	}
	o.MinLeaf = max(1, o.MinLeaf)
	return o, nil
}

// Forest tells how likely a row is positive. It does not change and may be used by
// several goroutines.
type Forest struct {
	options  Options
	columns  int
	trees    []tree
	decrease []float64

	// Of the training, unless the forest was read from a file.
	rows []int
	out  [][]bool // out[tree][place in rows]: not in the sample of the tree
}

// Fit grows a forest on some rows of a table; y says of every row of the table
// whether it is positive. It stops with ctx's error when ctx is done, and panics if
// there is no row.
func (o Options) Fit(ctx context.Context, m *Matrix, rows []int, y []bool, workers int) (*Forest, error) {
	if len(y) != m.Rows() || len(rows) == 0 {
		panic(fmt.Sprintf("forest: %d rows and %d labels of a table of %d rows", len(rows), len(y), m.Rows()))
	}
	o, err := o.filled(m.Columns())
	if err != nil {
		return nil, err
	}
	f := &Forest{options: o, columns: m.Columns(), trees: make([]tree, o.Trees), rows: rows, out: make([][]bool, o.Trees)}
	columns := m.only(rows)
	decrease := make([][]float64, o.Trees)
	growers := make([]*grower, max(1, workers))
	nn.NewPool(len(growers)).Each(o.Trees, func(w, t int) {
		if ctx.Err() != nil {
			return
		}
		if growers[w] == nil {
			growers[w] = newGrower(m, columns, y, o)
		}
		var drawn []int32
		f.trees[t], decrease[t], drawn = growers[w].grow(rows, weakrand.New(weakrand.NewPCG(o.Seed, uint64(t))))
		f.out[t] = outside(m, rows, drawn)
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f.decrease = make([]float64, f.columns)
	for _, d := range decrease {
		for j, v := range d {
			f.decrease[j] += v
		}
	}
	for j := range f.decrease {
		f.decrease[j] /= float64(o.Trees)
	}
	return f, nil
}

// outside tells which of the rows are not among those drawn.
func outside(m *Matrix, rows []int, drawn []int32) []bool {
	in := make([]bool, m.Rows())
	for _, i := range drawn {
		in[i] = true
	}
	out := make([]bool, len(rows))
	for k, i := range rows {
		out[k] = !in[i]
	}
	return out
}

// Options returns how the forest grew, with the defaults filled in.
func (f *Forest) Options() Options { return f.options }

// Columns returns how many features the forest knows.
func (f *Forest) Columns() int { return f.columns }

// Nodes returns how many nodes the trees have in all.
func (f *Forest) Nodes() int {
	n := 0
	for _, t := range f.trees {
		n += len(t)
	}
	return n
}

// Predict returns, for some rows of a table, how likely each is positive. It panics
// if the table has other columns than that of the training.
func (f *Forest) Predict(m *Matrix, rows []int, workers int) []float64 {
	f.mustFit(m)
	p := make([]float64, len(rows))
	each(len(rows), f.columns, workers, func(k int, x []float64) {
		r := m.rows[rows[k]]
		spread(x, r)
		sum := 0.0
		for _, t := range f.trees {
			sum += t[t.find(x)].value
		}
		p[k] = sum / float64(len(f.trees))
		clean(x, r)
	})
	return p
}

// OutOfBag returns how likely each row of the training is positive by those trees
// that did not see it, NaN where all did. It panics if the forest was read from a
// file, or m is not the table of the training.
func (f *Forest) OutOfBag(m *Matrix, workers int) []float64 {
	f.mustFit(m)
	if f.rows == nil {
		panic("forest: out of bag of a forest that was read")
	}
	p := make([]float64, len(f.rows))
	each(len(f.rows), f.columns, workers, func(k int, x []float64) {
		r := m.rows[f.rows[k]]
		spread(x, r)
		sum, n := 0.0, 0
		for i, t := range f.trees {
			if f.out[i][k] {
				sum += t[t.find(x)].value
				n++
			}
		}
		p[k] = sum / float64(n)
		clean(x, r)
	})
	return p
}

// Contributions says how the answer to a row came about: it is base, the share of
// positive rows of the training, and what each feature that was asked for added to
// it on the way to the leaves, the mean over trees (Saabas' decomposition). It says
// what the forest did, not what would be if the feature were another.
func (f *Forest) Contributions(r Row) (base float64, by Row) {
	x, sum, asked := make([]float64, f.columns), make([]float64, f.columns), make([]bool, f.columns)
	spread(x, r)
	for _, t := range f.trees {
		base += t[0].value
		for at := int32(0); t[at].feature >= 0; {
			n := &t[at]
			next := n.right
			if x[n.feature] <= n.threshold {
				next = n.left
			}
			sum[n.feature] += t[next].value - n.value
			asked[n.feature] = true
			at = next
		}
	}
	many := float64(len(f.trees))
	for j, v := range sum {
		if asked[j] && v != 0 {
			by = append(by, Cell{j, v / many})
		}
	}
	return base / many, by
}

func (f *Forest) mustFit(m *Matrix) {
	if m.Columns() != f.columns {
		panic(fmt.Sprintf("forest: a table of %d columns, must have %d", m.Columns(), f.columns))
	}
}

// each calls f for each item below n with a row of numbers, all 0, which it leaves so.
func each(n, columns, workers int, f func(item int, x []float64)) {
	const block = 64
	scratch := make([][]float64, max(1, workers))
	nn.NewPool(len(scratch)).Each((n+block-1)/block, func(w, b int) {
		if scratch[w] == nil {
			scratch[w] = make([]float64, columns)
		}
		for i := b * block; i < min(n, (b+1)*block); i++ {
			f(i, scratch[w])
		}
	})
}
