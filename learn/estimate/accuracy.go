package estimate

import (
	"fmt"

	"sotto/compute/measure"
	"sotto/promise/mech"
)

// TrainedAccuracy is how many true labels are told rightly.
type TrainedAccuracy struct {
	Value float64        `json:"value"`
	Low   measure.Number `json:"low"` // undefined where somebody has several of the rows
	High  measure.Number `json:"high"`
	Rows  int            `json:"rows"` // held out
}

// confidence of the interval of an accuracy.
const confidence = 0.95

// accuracy tells from released labels how often the true one is predicted. A release
// names the predicted class with probability Least + Rise·1{it is true}, so that
// whether it does is a release of whether the prediction is right.
func (d *TrainingData) accuracy(m *ReleasedModel, rows []int) (TrainedAccuracy, error) {
	answering, ok := d.Labels.(mech.Answering)
	if !ok {
		return TrainedAccuracy{}, fmt.Errorf("forward: labels by %s tell no accuracy", d.Labels.Params().Mechanism)
	}
	law, err := answering.Law()
	if err != nil {
		return TrainedAccuracy{}, err
	}
	predicted := m.Predict(d.X.Gather(rows))
	counts, agree := make([]int, d.Classes), 0
	for i, row := range rows {
		clear(counts)
		if err = answering.Mark(counts, d.Y[row]); err != nil {
			return TrainedAccuracy{}, err
		}
		agree += counts[predicted[i]]
	}
	value, low, high := Binary(agree, len(rows), law.Least[0], law.Rise, confidence)
	return TrainedAccuracy{Value: value, Low: measure.Number(low), High: measure.Number(high), Rows: len(rows)}, nil
}
