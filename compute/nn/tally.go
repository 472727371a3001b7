package nn

// Tally counts right answers to each label.
type Tally struct {
	right, known []int
}

// NewTally returns one of so many labels that has counted nothing.
func NewTally(labels int) *Tally { return &Tally{make([]int, labels), make([]int, labels)} }

// Add takes in the scores of one row, those of the first label's classes first. A label
// that is not known is negative.
func (t *Tally) Add(classes []int, scores []float32, labels func(label int) int) {
	column := 0
	for l, c := range classes {
		if y := labels(l); y >= 0 {
			t.known[l]++
			if Argmax(scores[column:column+c]) == y {
				t.right[l]++
			}
		}
		column += c
	}
}

// Accuracy is the weighted mean over labels of the share of right answers.
func (t *Tally) Accuracy(weights []float64) float64 {
	sum := 0.0
	for l, w := range weights {
		sum += w * float64(t.right[l]) / float64(max(t.known[l], 1))
	}
	return sum
}
