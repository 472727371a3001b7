package estimate

import "sotto/promise/dp"

// Descend sets the gradient of the loss of a row with respect to its scores.
func Descend(d *TrainingData, grad, scores []float32, row int) float64 {
	d.ratio, d.known = d.Labels.(dp.Distinguisher), map[string][]float64{}
	return d.descend(grad, scores, row, 1, TrainingOptions{})
}
