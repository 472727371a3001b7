package experiment

import (
	"context"
	"slices"

	"sotto/data/dataset"
	"sotto/learn/model"
	"sotto/text"
)

// saw lists the rows that a training learns or chooses from, as the model sees them,
// with the persons whose they are. Rows of the test part are not among them: they are
// measured on, after all that is stored of the model but its scores has been decided.
func (d *TrainingSet) saw(ctx context.Context, set *dataset.Set) (model.Saw, error) {
	var maskers []text.Masker
	if d.Record.Mask != "" {
		m, err := newMasking(ctx, nil, model.DataRecord{Mask: d.Record.Mask})
		if err != nil {
			return model.Saw{}, err
		}
		maskers = append(maskers, m.masker)
	}
	var saw model.Saw
	if set.Named != nil {
		saw.Persons = []dataset.Digest{}
	}
	for _, row := range slices.Concat(d.Train, d.Validation) {
		var numbers []float32
		if set.Features != nil {
			numbers = set.Row(row)
		}
		for _, texts := range [][]string{set.Text, set.Second} {
			if texts == nil {
				continue
			}
			k := text.Mask(texts[row], nil, maskers...)
			saw.Rows = append(saw.Rows, dataset.RowDigest(texts[row], k, numbers))
			if broken, ok := dataset.BrokenDigest(texts[row], k, numbers); ok {
				saw.Rows = append(saw.Rows, broken)
			}
		}
		if set.Text == nil {
			saw.Rows = append(saw.Rows, dataset.RowDigest("", text.Masking{}, numbers))
		}
		if set.Named != nil {
			saw.Persons = append(saw.Persons, set.Named[set.Persons[row]])
		}
	}
	return saw, nil
}
