package experiment

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sync"

	"sotto/learn/model"
	"sotto/learn/train"
)

// Sets keeps data sets as numbers, so that runs, evaluations and attacks of the
// same data load and encode it once. The zero value keeps what it is first asked
// for, nil keeps nothing. It is safe for concurrent use.
type Sets struct {
	// Teachers keeps what was trained on them, for runs that would train the same.
	Teachers train.Teachers

	mu  sync.Mutex
	all map[string]*TrainingSet // by what was asked for
}

// Make returns what a record names, as [Make] does.
func (s *Sets) Make(ctx context.Context, r model.DataRecord, file Path, workers int) (*TrainingSet, error) {
	if s == nil {
		return makeSet(ctx, r, file, workers)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if d := s.all[nameOf(r, file)]; d != nil {
		return d, nil
	}
	d, err := makeSet(ctx, r, file, workers)
	if err != nil {
		return nil, err
	}
	if s.all == nil {
		s.all = map[string]*TrainingSet{}
	}
	// A model that was trained on it asks for it by its record, which has the hash
	// of a file, and so needs no path.
	s.all[nameOf(r, file)], s.all[nameOf(wanted(d.Record), "")] = d, d
	return d, nil
}

// Len returns how many different data sets are kept.
func (s *Sets) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	different := map[*TrainingSet]bool{}
	for _, d := range s.all {
		different[d] = true
	}
	return len(different)
}

// nameOf tells records apart, and files, also from what they were before.
func nameOf(r model.DataRecord, file Path) string {
	if info, err := os.Stat(string(file)); err == nil {
		file += Path(fmt.Sprintf(" %d %d", info.Size(), info.ModTime().UnixNano()))
	}
	b, err := json.Marshal(r)
	if err != nil { // numbers that JSON has no name for, which no spec has
		return fmt.Sprintf("%#v %q", r, file)
	}
	return string(b) + " " + string(file)
}

// wanted is what to ask for so that a record is loaded again.
func wanted(r model.DataRecord) model.DataRecord {
	if r.Attribute == "" {
		r.Attribute = "none"
	}
	return r
}
