package experiment

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"runtime"
	"strings"

	"sotto/compute/nn"
	"sotto/data/dataset"
	"sotto/learn/attack"
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
		stored, all, first, pool, err := openModels(ctx, dir, o)
		if err != nil {
			yield(nil, err)
			return
		}
		s, several := newScorer(first), len(stored) > 1 || len(stored[0].models) > 1
		for _, c := range stored {
			for _, m := range c.models {
				d, err := all.Of(ctx, m.info.Data)
				if err != nil {
					yield(nil, err)
					return
				}
				r, err := s.releasedBy(pool, m, d, c.folder)
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

// openModels loads the models of a folder and what the first of them was trained on.
func openModels(ctx context.Context, dir string, o ReleaseOptions) ([]storedModels, *storedSet, *TrainingSet, *nn.Pool, error) {
	k := &storedSet{Dir: dir, File: o.In, Attribute: o.Attribute, Workers: cmp.Or(o.Workers, runtime.GOMAXPROCS(0)), Sets: o.Sets}
	if k.Workers < 1 {
		return nil, nil, nil, nil, fmt.Errorf("experiment: workers is %d, must be at least 1", k.Workers)
	}
	stored, err := findModels(dir)
	if err != nil {
		return nil, nil, nil, nil, err
	}
	record := stored[0].models[0].info.Data
	if o.Data != "" && o.Data != record.Name {
		return nil, nil, nil, nil, fmt.Errorf("experiment: %s: the model was trained on %s, must be attacked on the same data", dir, record.Name)
	}
	d, err := k.Of(ctx, record)
	return stored, k, d, nn.NewPool(k.Workers), err
}

// releasedBy makes the releases of one model again.
func (s *scorer) releasedBy(pool *nn.Pool, m storedModel, d *TrainingSet, folder string) (*Released, error) {
	g := m.model.Guarantee()
	was := m.info.Data
	was.Attribute, was.Groups, was.GroupCount = d.Record.Attribute, d.Record.Groups, d.Record.GroupCount // which may be another's to attack
	if !equalJSON(was, d.Record) || !sameRows(was, s.data.Record) {
		return nil, fmt.Errorf("experiment: %s: the models are of different data", folder)
	}
	if err := fits(d, m.model, folder); err != nil {
		return nil, err
	}
	validation, err := s.release(pool, m.model, d.X, d.Validation, m.info.Seed, "validation")
	if err != nil {
		return nil, err
	}
	test, err := s.release(pool, m.model, d.X, d.Test, m.info.Seed, "test")
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
