package experiment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"sotto/learn/model"
	"sotto/learn/train"
	"sotto/text/encode/bert"
	"sotto/text/encode/bert/tune"
	"sotto/text/encode/catalogue"
)

// TunedEncoders are those that are tuned for the trainings of one experiment, by their
// folders, with what they make of its data. All but Tune and Close may be called
// concurrently.
type TunedEncoders struct {
	dir       string // where their folders lie
	temporary bool   // that it is gone in the end
	record    model.DataRecord
	file      Path
	workers   int

	long json.RawMessage // how the rule for long texts was chosen, for the first

	mu     sync.Mutex
	failed map[string]error        // why some came to nothing
	sets   map[string]*TrainingSet // as far as they are at hand
	left   map[string]int          // trainings that are yet to use them
}

// NewTunedEncoders returns those of data, none of which is tuned yet. Their folders lie in
// dir, or, if that is "", in one that Close removes.
func NewTunedEncoders(dir string, r model.DataRecord, file Path, workers int) (*TunedEncoders, error) {
	e := &TunedEncoders{dir: dir, record: r, file: file, workers: workers, failed: map[string]error{}, sets: map[string]*TrainingSet{}, left: map[string]int{}}
	if dir == "" {
		e.temporary = true
		var err error
		if e.dir, err = os.MkdirTemp("", "sotto-tune-*"); err != nil {
			return nil, fmt.Errorf("tuned: %w", err)
		}
	}
	return e, nil
}

// Close removes what is not to be kept. It does nothing to nil.
func (e *TunedEncoders) Close() {
	if e != nil && e.temporary {
		os.RemoveAll(e.dir) //nolint:errcheck // it is gone, or nothing can be done
	}
}

// Need says that a training is to use an encoder, and reports whether it is the first.
func (e *TunedEncoders) Need(name string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.left[name]++
	return e.left[name] == 1
}

// Used says that a training is done with an encoder, so that what nobody needs any
// more is let go.
func (e *TunedEncoders) Used(name string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.left[name]--; e.left[name] <= 0 {
		delete(e.sets, name)
	}
}

// Tune tunes an encoder, as [Encoder] does. If it diverges, Of gives that error too.
func (e *TunedEncoders) Tune(ctx context.Context, name string, s tune.Settings, o TuneOptions) (*bert.Manifest, error) {
	o.Dir, o.Workers, o.Long = filepath.Join(e.dir, name), e.workers, e.long
	info, err := TuneEncoder(ctx, e.record, e.file, s, o)
	if err == nil {
		e.long = info.Long
	}
	runtime.GC() // what the training held is several times what comes next
	if errors.Is(err, tune.ErrDiverged) {
		e.failed[name] = err
	}
	return info, err
}

// Of returns the data as an encoder shows it, with what was trained behind that. If
// keep is not nil, it keeps the vectors for others.
func (e *TunedEncoders) Of(ctx context.Context, name string, keep *Sets) (*TrainingSet, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.failed[name]; err != nil {
		return nil, err
	}
	if d := e.sets[name]; d != nil {
		return d, nil
	}
	want := e.record
	dir := filepath.Join(e.dir, name)
	want.Encoder = catalogue.Name(dir)
	d, err := keep.Make(ctx, want, e.file, e.workers)
	if err != nil {
		return nil, err
	}
	about := *d // others may share it
	if err = behind(dir, &about); err != nil {
		return nil, err
	}
	e.sets[name] = &about
	return &about, nil
}

// behind gives data what was trained behind the encoder in a folder.
func behind(dir string, d *TrainingSet) error {
	tensors, err := tune.ReadNetwork(dir)
	if err != nil {
		return err
	}
	if scale, ok := tensors[tune.HeadScale]; ok {
		delete(tensors, tune.HeadScale)
		d.Start = &train.Start{Tensors: tensors, Scale: scale.Data}
		return nil
	}
	head, err := tune.ReadHead(dir)
	d.Head = (*model.Linear)(head)
	return err
}
