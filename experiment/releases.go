package experiment

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"runtime"
	"strings"

	"sotto/attack"
	"sotto/dataset"
	"sotto/experiment/prepared"
	"sotto/nn"
)

// Released is what a stored model releases and answers, beside the truth: what
// attackers are fitted to is of the validation part, and what they are scored on
// of the test part. The columns are those of the data set, not of its parts.
type Released struct {
	attack.Released
	Label   dataset.Column
	Answers []int // of the model to the test part
}

// ReleaseOptions say which releases are made again.
type ReleaseOptions struct {
	Workers int    // cores; 0 means all
	Data    string // that the models must be of; empty: any
	In      Path   // the file that the models were trained on, if it was one
	// Attribute is what attribute inference guesses; empty means that of the
	// models.
	Attribute string
	Sets      *Sets // if not nil, keeps the data for others that use it
}

// Releases makes again, for each stored model that [Evaluate] finds in a
// folder, the releases of the validation and the test part, with the noise of
// the model's seed. A model that releases nothing has vectors without columns. It
// ends with the first error.
func Releases(ctx context.Context, dir string, o ReleaseOptions) iter.Seq2[*Released, error] {
	return func(yield func(*Released, error) bool) {
		stored, d, pool, err := openModels(ctx, dir, o)
		if err != nil {
			yield(nil, err)
			return
		}
		s, several := newScorer(d), len(stored) > 1 || len(stored[0].models) > 1
		for _, c := range stored {
			for _, m := range c.models {
				r, err := s.releasedBy(pool, m, c.folder)
				if err == nil && several {
					r.Name = strings.TrimPrefix(fmt.Sprintf("%s, seed %d", c.folder, m.info.Seed), ", ")
				}
				if !yield(r, err) || err != nil {
					return
				}
			}
		}
	}
}

// Attackable are the [Releases] of models that release something.
func Attackable(ctx context.Context, dir string, o ReleaseOptions) iter.Seq2[*attack.Released, error] {
	return func(yield func(*attack.Released, error) bool) {
		for r, err := range Releases(ctx, dir, o) {
			if err != nil {
				yield(nil, err)
				return
			}
			if r.Score.Vectors.Cols > 0 && !yield(&r.Released, nil) {
				return
			}
		}
	}
}

// openModels loads the models of a folder and what they were trained on.
func openModels(ctx context.Context, dir string, o ReleaseOptions) ([]storedModels, *prepared.Set, *nn.Pool, error) {
	workers := cmp.Or(o.Workers, runtime.GOMAXPROCS(0))
	if workers < 1 {
		return nil, nil, nil, fmt.Errorf("experiment: workers is %d, must be at least 1", workers)
	}
	stored, err := findModels(dir)
	if err != nil {
		return nil, nil, nil, err
	}
	record := stored[0].models[0].info.Data
	if o.Data != "" && o.Data != record.Name {
		return nil, nil, nil, fmt.Errorf("experiment: %s: the model was trained on %s, must be attacked on the same data", dir, record.Name)
	}
	want, err := near(dir, prepared.Wanted(record))
	if err != nil {
		return nil, nil, nil, err
	}
	want.Attribute = cmp.Or(o.Attribute, want.Attribute)
	d, err := o.Sets.Make(ctx, want, o.In, workers)
	if err != nil {
		return nil, nil, nil, err
	}
	if d.Record.Hash != record.Hash && record.File != nil {
		return nil, nil, nil, fmt.Errorf("experiment: %s holds other rows than those the model in %s was trained on, whose hash is %.12s…; give the file as it was then", o.In, dir, record.Hash)
	}
	if d.Record.Hash != record.Hash {
		return nil, nil, nil, fmt.Errorf("experiment: %s: the data set %s is not the one the model was trained on, must have hash %.12s…", dir, record.Name, record.Hash)
	}
	if d.Record.Vectors != record.Vectors {
		return nil, nil, nil, fmt.Errorf("experiment: %s: the encoder %s makes other vectors than those the model was trained on", dir, record.Encoder)
	}
	return stored, d, nn.NewPool(workers), nil
}

// releasedBy makes the releases of one model again.
func (s *scorer) releasedBy(pool *nn.Pool, m storedModel, folder string) (*Released, error) {
	d, g := s.data, m.model.Guarantee()
	was := m.info.Data
	was.Attribute, was.Groups, was.GroupCount = d.Record.Attribute, d.Record.Groups, d.Record.GroupCount // which may be another's to attack
	if !equalJSON(was, d.Record) {
		return nil, fmt.Errorf("experiment: %s: the models are of different data", folder)
	}
	if err := fits(d, m.model, folder); err != nil {
		return nil, err
	}
	validation, err := s.release(pool, m.model, d.Validation, m.info.Seed, "validation")
	if err != nil {
		return nil, err
	}
	test, err := s.release(pool, m.model, d.Test, m.info.Seed, "test")
	if err != nil {
		return nil, err
	}
	return &Released{
		Released: attack.Released{
			Folder: folder, Seed: m.info.Seed, Guarantee: &g, Columns: d.Attributes, Attribute: d.Record.Attribute,
			Fit: attack.Part{Rows: validation.rows, Vectors: validation.released}, Score: attack.Part{Rows: test.rows, Vectors: test.released},
		},
		Label: d.Labels[0], Answers: test.answers[0],
	}, nil
}
