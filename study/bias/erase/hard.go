package erase

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"sotto/compute/nn"
	"sotto/study/bias"
)

// NewHard returns hard debiasing (Bolukbasi et al., NeurIPS 2016) on the space
// that the given directions span, mostly one, the gender direction. It removes
// that space from every word but the specific ones, which mean the concept, such
// as mother; makes each vector of length 1; and then equalises the pairs, in
// their order: with μ the mean of the two and μ_B its part in the space,
//
//	ν = μ − μ_B,  e ↦ ν + √(1−‖ν‖²)·(e_B − μ_B)/‖e_B − μ_B‖,
//
// after which both members are as far from every other word. It is for words:
// rows without a word are only neutralised.
func NewHard(directions [][]float64, specific []string, pairs [][2]string) (*Eraser, error) {
	if len(directions) == 0 {
		return nil, fmt.Errorf("erase: there are no directions, must be at least one")
	}
	var basis [][]float64
	for i, v := range directions {
		if len(v) != len(directions[0]) || len(v) == 0 || !finite(v) || norm(v) == 0 {
			return nil, fmt.Errorf("erase: direction %d is zero, not finite or has another width, must be as wide as the first", i+1)
		}
		basis = extend(basis, v)
	}
	dim := len(directions[0])
	return newEraser(Eraser{
		method: MethodHard, dim: dim, mean: make([]float64, dim), away: basis, by: basis,
		specific: slices.Clone(specific), pairs: slices.Clone(pairs),
	})
}

// Changes count what was done to the words of a table.
type Changes struct {
	Words     int `json:"words"`
	Kept      int `json:"kept"`       // specific words, left alone but for their length
	Pairs     int `json:"pairs"`      // equalised
	LostPairs int `json:"lost_pairs"` // not equalised: a word is missing, or both lie alike in the space
}

// ApplyTable returns the table without the concept. The specific words and the
// pairs of hard debiasing are looked up as by [bias.Table.Index].
func (e *Eraser) ApplyTable(p *nn.Pool, t *bias.Table) (*bias.Table, Changes, error) {
	if t.Dim() != e.dim {
		return nil, Changes{}, fmt.Errorf("erase: vectors have %d numbers, must have those of the eraser, %d", t.Dim(), e.dim)
	}
	words, rows := make([]string, t.Len()), make([]float64, t.Len()*t.Dim())
	for i := range words {
		words[i] = t.Word(i)
		copy(rows[i*e.dim:], t.Row(i))
	}
	e.Apply(p, rows)
	done := Changes{Words: len(words)}
	row := func(i int) []float64 { return rows[i*e.dim : (i+1)*e.dim] }
	kept := map[int]bool{}
	for _, w := range e.specific {
		if i, ok := t.Index(w); ok && !kept[i] {
			kept[i] = true
			copy(row(i), t.Row(i))
			bias.Normalise(row(i))
		}
	}
	done.Kept = len(kept)
	for _, pair := range e.pairs {
		i, first := t.Index(pair[0])
		j, second := t.Index(pair[1])
		// Both are taken as they were, since a member that is not specific has
		// nothing left by which it could be told from the other.
		if first && second && i != j && e.equalise(row(i), row(j), t.Row(i), t.Row(j)) {
			done.Pairs++
		} else {
			done.LostPairs++
		}
	}
	erased, err := bias.NewTable(e.dim, words, rows)
	return erased, done, err
}

// equalise sets both rows to those of a pair with the given vectors, and reports
// whether these differ in the space that is removed.
func (e *Eraser) equalise(a, b, first, second []float64) bool {
	x, y := slices.Clone(first), slices.Clone(second)
	bias.Normalise(x)
	bias.Normalise(y)
	middle, half := make([]float64, e.dim), make([]float64, e.dim)
	for j := range middle {
		middle[j] = (x[j] + y[j]) / 2
	}
	for _, v := range e.by {
		floats.AddScaled(middle, -floats.Dot(v, middle), v) // ν
		// e_B − μ_B is half the difference of the two in the space, and its
		// opposite for the second.
		floats.AddScaled(half, (floats.Dot(v, x)-floats.Dot(v, y))/2, v)
	}
	size, rest := norm(half), 1-floats.Dot(middle, middle)
	if !(size > 1e-12) {
		return false
	}
	// Both have length 1 and ν is no longer than their mean, so rest is negative
	// by rounding alone.
	scale := math.Sqrt(max(rest, 0)) / size
	for j := range a {
		a[j] = middle[j] + scale*half[j]
		b[j] = middle[j] - scale*half[j]
	}
	return true
}
