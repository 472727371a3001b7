package channel

import "sotto/compute/nn"

// Posteriors returns the probabilities that scores stand for: the softmax over
// the classes of each label. A row holds the scores of the first label's
// classes, then of the second's, and so on; columns beyond are left out. Scores
// that are not finite give probabilities that are not.
func Posteriors(scores nn.Matrix, classes []int) nn.Matrix {
	width := 0
	for _, c := range classes {
		width += c
	}
	out := nn.NewMatrix(scores.Rows, width)
	for i := range scores.Rows {
		row, to, column := scores.Row(i), out.Row(i), 0
		for _, c := range classes {
			nn.Softmax(to[column:column+c], row[column:column+c])
			column += c
		}
	}
	return out
}
