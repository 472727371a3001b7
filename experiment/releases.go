package experiment

import (
	"context"
	"fmt"

	"sotto/dataset"
	"sotto/nn"
)

// Released is what a stored model releases and answers, beside the truth.
type Released struct {
	Folder     string // of its configuration, below the folder of the result
	Seed       uint64
	Validation ReleasedPart
	Test       ReleasedPart
	// Label and Attributes are all columns of the data set, not of its parts.
	Label      dataset.Column
	Attributes []dataset.Column
}

// ReleasedPart is what is released of one part of a data set.
type ReleasedPart struct {
	Rows    []int     // of the data set
	Vectors nn.Matrix // released, one a row; none for a model that releases nothing
	Answers []int     // of the model to these
}

// Releases makes again, for each stored model that [Evaluate] finds in a
// folder, the releases of the validation and the test part, with the noise of
// the model's seed, and passes them to f. It ends with the first error of f.
func Releases(ctx context.Context, dir string, workers int, f func(Released) error) error {
	pool, err := AttackOptions{Workers: workers}.pool()
	if err != nil {
		return err
	}
	stored, err := findModels(dir)
	if err != nil {
		return err
	}
	record := stored[0].models[0].info.Data
	d, err := prepare(ctx, wanted(record), pool.Workers())
	if err != nil {
		return err
	}
	s := newScorer(d)
	for _, c := range stored {
		for _, m := range c.models {
			if !equalJSON(m.info.Data, d.record) {
				return fmt.Errorf("experiment: %s: the model is of other data", dir)
			}
			r := Released{Folder: c.folder, Seed: m.info.Seed, Label: d.labels[0], Attributes: d.attributes}
			for name, part := range map[string]*ReleasedPart{"validation": &r.Validation, "test": &r.Test} {
				rows := d.test
				if name == "validation" {
					rows = d.Validation
				}
				q, err := s.release(pool, m.model, rows, m.info.Seed, name)
				if err != nil {
					return err
				}
				*part = ReleasedPart{q.rows, q.released, q.answers[0]}
			}
			if err := f(r); err != nil {
				return err
			}
		}
	}
	return nil
}
