package experiment

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"sotto/train/model"
)

// Sets keeps data sets as numbers, so that runs, evaluations and attacks of the
// same data load and encode it once. The zero value keeps what it is first asked
// for, nil keeps nothing. It is safe for concurrent use.
type Sets struct {
	mu  sync.Mutex
	all map[string]*prepared // by what was asked for
}

// prepare returns what a record names, as [prepare] does.
func (s *Sets) prepare(ctx context.Context, r model.DataRecord, file Path, workers int) (*prepared, error) {
	if s == nil {
		return prepare(ctx, r, file, workers)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if d := s.all[nameOf(r, file)]; d != nil {
		return d, nil
	}
	d, err := prepare(ctx, r, file, workers)
	if err != nil {
		return nil, err
	}
	if s.all == nil {
		s.all = map[string]*prepared{}
	}
	// A model that was trained on it asks for it by its record, which has the hash
	// of a file, and so needs no path.
	s.all[nameOf(r, file)], s.all[nameOf(wanted(d.record), "")] = d, d
	return d, nil
}

// nameOf tells records apart, and files.
func nameOf(r model.DataRecord, file Path) string {
	b, err := json.Marshal(r)
	if err != nil { // numbers that JSON has no name for, which no spec has
		return fmt.Sprintf("%#v %q", r, file)
	}
	return string(b) + " " + string(file)
}
