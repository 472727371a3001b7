package experiment

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"sotto/data/dataset"
	"sotto/learn/model"
	"sotto/text/encode/catalogue"
)

// storedSet is what stored models were trained on, as the encoder of each shows it.
type storedSet struct {
	Dir       string // where the models lie, and their tuned encoders beside them or above
	File      Path   // that they were trained on, if it was one's own
	Attribute string // to take in place of theirs; "" takes theirs
	Workers   int
	Sets      *Sets // if not nil, keeps the data for others that use it

	all map[catalogue.Name]*TrainingSet // by the encoder
}

// Of returns what a model was trained on, or refuses data that is no longer that.
func (s *storedSet) Of(ctx context.Context, r model.DataRecord) (*TrainingSet, error) {
	d := s.all[r.Encoder]
	if d == nil {
		want := wanted(r)
		var err error
		if want.Encoder, err = catalogue.Near(r.Encoder, s.Dir); err != nil {
			return nil, err
		}
		if want.Encoder != "" { // else it was a table
			if err = catalogue.Beside(s.Dir, dataset.Dir()).Allow(ctx, want.Encoder); err != nil {
				return nil, err
			}
		}
		want.Attribute = cmp.Or(s.Attribute, want.Attribute)
		if d, err = s.Sets.Make(ctx, want, s.File, s.Workers); err != nil {
			return nil, err
		}
		if s.all == nil {
			s.all = map[catalogue.Name]*TrainingSet{}
		}
		s.all[r.Encoder] = d
	}
	switch {
	case d.Record.Hash != r.Hash && r.File != nil:
		return nil, fmt.Errorf("prepared: %s holds other rows than those the model in %s was trained on, whose hash is %.12s…; give the file as it was then", s.File, s.Dir, r.Hash)
	case d.Record.Hash != r.Hash:
		return nil, fmt.Errorf("prepared: %s: the data set %s is not the one the model was trained on, must have hash %.12s…", s.Dir, r.Name, r.Hash)
	case d.Record.Vectors != r.Vectors:
		return nil, fmt.Errorf("prepared: %s: the encoder %s makes other vectors than those the model was trained on", s.Dir, r.Encoder)
	}
	return d, nil
}

// sameRows reports whether two records name the same rows, whatever encoders of them.
func sameRows(a, b model.DataRecord) bool {
	a.Encoder, a.Vectors, b.Encoder, b.Vectors = "", "", "", ""
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && string(x) == string(y)
}
