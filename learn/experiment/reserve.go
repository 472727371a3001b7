package experiment

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"sotto/learn/train"
)

// reserved is how many principal components stand in for labels that nobody
// knows yet.
const reserved = 3

// reserve adds what the vectors tell most of as further labels, with the given
// share of the weight. They are trained for and not measured.
func (d *TrainingSet) reserve(share float64) error {
	if share == 0 {
		return nil
	}
	d.Record.Reserve = share
	rows := train.Evenly(d.Train, 5000)
	x := mat.NewDense(len(rows), d.X.Cols, nil)
	for i, row := range rows {
		for j, v := range d.X.Row(row) {
			x.Set(i, j, float64(v))
		}
	}
	var pc stat.PC
	if !pc.PrincipalComponents(x, nil) {
		return errors.New("prepared: the vectors have no principal components to reserve a part of the release for")
	}
	var vectors mat.Dense
	pc.VectorsTo(&vectors)
	_, components := vectors.Dims()
	labels := float64(1 + len(d.More))
	for k := range min(reserved, components) {
		mean := 0.0
		along := func(row int) float64 {
			sum := 0.0
			for j, v := range d.X.Row(row) {
				sum += float64(v) * vectors.At(j, k)
			}
			return sum
		}
		for _, row := range rows {
			mean += along(row) / float64(len(rows))
		}
		y := make([]int, d.X.Rows)
		for row := range y {
			if along(row) > mean {
				y[row] = 1
			}
		}
		weight := labels * share / (1 - share) / float64(min(reserved, components))
		d.More = append(d.More, train.Target{Y: y, Classes: 2, Weight: weight})
	}
	d.Notes = append(d.Notes, fmt.Sprintf("%v of the release is reserved for labels unknown in training", share))
	return nil
}
