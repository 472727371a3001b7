package forest

import (
	"math"
	weakrand "math/rand/v2"
	"slices"

	"sotto/compute/measure"
	"sotto/compute/nn"
)

// MeanDecrease returns, for each feature, which share it has in making nodes purer,
// the mean over trees. It prefers features of many different numbers, and counts
// what was learnt by heart.
func (f *Forest) MeanDecrease() []float64 { return slices.Clone(f.decrease) }

// Importance is how much worse a forest gets without knowing a feature.
type Importance struct {
	Mean      float64 `json:"mean"`
	Deviation float64 `json:"deviation"` // over the permutations
}

// change is by how much the answer of a tree to a row changes when a feature has the
// number of another row.
type change struct {
	feature, row int32 // row is a place in the rows of the training
	by           float64
}

// Permutation returns, for each feature, by how much the area under the curve of the
// answers out of bag falls when the numbers of the feature are permuted among the
// rows, the mean over so many permutations. It is near 0 for a feature whose work
// another can do. y is as in Fit; panics are those of [Forest.OutOfBag].
func (f *Forest) Permutation(m *Matrix, y []bool, repeats, workers int) []Importance {
	before := f.OutOfBag(m, workers)
	seen := make([]int, len(f.rows)) // how many trees answer to each row
	for _, out := range f.out {
		for k, o := range out {
			if o {
				seen[k]++
			}
		}
	}
	judged := slices.DeleteFunc(nn.Indices(len(f.rows)), func(k int) bool { return seen[k] == 0 })
	positive := make([]bool, len(judged))
	score := make([]float64, len(judged))
	at := make([]int, len(f.rows))
	for i, k := range judged {
		positive[i], score[i], at[k] = y[f.rows[k]], before[k], i
	}
	whole := measure.AUC(positive, score)
	drops := make([][]float64, f.columns) // by feature and repeat
	for r := range repeats {
		changes := f.changes(m, r, workers)
		nn.NewPool(max(1, workers)).Each(f.columns, func(_, j int) {
			drop := 0.0
			if some := changes[j]; len(some) > 0 {
				permuted := slices.Clone(score)
				for _, c := range some {
					permuted[at[c.row]] += c.by / float64(seen[c.row])
				}
				drop = whole - measure.AUC(positive, permuted)
			}
			drops[j] = append(drops[j], drop)
		})
	}
	all := make([]Importance, f.columns)
	for j, d := range drops {
		s := measure.Summarise(d)
		all[j] = Importance{Mean: float64(s.Mean), Deviation: float64(s.Deviation)}
		if math.IsNaN(all[j].Deviation) {
			all[j].Deviation = 0
		}
	}
	return all
}

// changes returns, by feature, what permuting it changes, in the order of trees. Only
// features on the way of a row to its leaf can change its answer.
func (f *Forest) changes(m *Matrix, repeat, workers int) [][]change {
	others := make([][]int32, f.columns) // whose number a row gets
	for j := range others {
		rng := weakrand.New(weakrand.NewPCG(f.options.Seed^uint64(repeat+1)<<40, uint64(j)))
		others[j] = make([]int32, len(f.rows))
		for k := range others[j] {
			others[j][k] = int32(k)
		}
		rng.Shuffle(len(others[j]), func(a, b int) { others[j][a], others[j][b] = others[j][b], others[j][a] })
	}
	byTree := make([][]change, len(f.trees))
	scratch := make([][]float64, max(1, workers))
	nn.NewPool(len(scratch)).Each(len(f.trees), func(w, t int) {
		if scratch[w] == nil {
			scratch[w] = make([]float64, f.columns)
		}
		byTree[t] = f.changesOf(m, t, others, scratch[w])
	})
	all := make([][]change, f.columns)
	for _, some := range byTree {
		for _, c := range some {
			all[c.feature] = append(all[c.feature], c)
		}
	}
	return all
}

// changesOf is changes of one tree, row by row.
func (f *Forest) changesOf(m *Matrix, t int, others [][]int32, x []float64) []change {
	var all []change
	var way []int32 // features asked for, each once
	tr := f.trees[t]
	for k, out := range f.out[t] {
		if !out {
			continue
		}
		r := m.rows[f.rows[k]]
		spread(x, r)
		way = way[:0]
		at := int32(0)
		for tr[at].feature >= 0 {
			n := &tr[at]
			if !slices.Contains(way, n.feature) {
				way = append(way, n.feature)
			}
			if x[n.feature] <= n.threshold {
				at = n.left
			} else {
				at = n.right
			}
		}
		for _, j := range way {
			own, other := x[j], m.rows[f.rows[others[j][k]]].At(int(j))
			if own == other {
				continue
			}
			x[j] = other
			if by := tr[tr.find(x)].value - tr[at].value; by != 0 {
				all = append(all, change{j, int32(k), by})
			}
			x[j] = own
		}
		clean(x, r)
	}
	return all
}
