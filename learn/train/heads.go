package train

import "cmp"

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
