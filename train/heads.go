package train

import (
	"cmp"

	"sotto/nn"
)

// Target is a label that a release serves beside the first one of its data.
type Target struct {
	Y       []int   `json:"y"`                // class of each row, below Classes, or [Unknown]
	Classes int     `json:"classes"`          // at least 2
	Weight  float64 `json:"weight,omitempty"` // beside that of the first label, which is 1; 0 means 1
}

// classes returns the number of classes of each label, the first one first.
func (d Data) classes() []int {
	all := []int{d.Classes}
	for _, t := range d.More {
		all = append(all, t.Classes)
	}
	return all
}

// labels returns the classes of the rows for each label.
func (d Data) labels() [][]int {
	all := [][]int{d.Y}
	for _, t := range d.More {
		all = append(all, t.Y)
	}
	return all
}

// weights returns how much each label counts, with sum 1.
func (d Data) weights() []float64 {
	all, total := []float64{1}, 1.0
	for _, t := range d.More {
		w := cmp.Or(t.Weight, 1)
		all = append(all, w)
		total += w
	}
	for i := range all {
		all[i] /= total
	}
	return all
}

// tally counts right answers to each label.
type tally struct {
	right, known []int
}

func newTally(labels int) *tally { return &tally{make([]int, labels), make([]int, labels)} }

// add takes in the scores of one row.
func (t *tally) add(classes []int, scores []float32, labels func(label int) int) {
	column := 0
	for l, c := range classes {
		if y := labels(l); y != Unknown {
			t.known[l]++
			if nn.Argmax(scores[column:column+c]) == y {
				t.right[l]++
			}
		}
		column += c
	}
}

// accuracy is the weighted mean over labels of the share of right answers.
func (t *tally) accuracy(weights []float64) float64 {
	sum := 0.0
	for l, w := range weights {
		sum += w * float64(t.right[l]) / float64(max(t.known[l], 1))
	}
	return sum
}
