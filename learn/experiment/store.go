package experiment

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"sotto/internal/atomicfile"
	"sotto/internal/regular"
	"sotto/learn/model"
	"sotto/learn/train"
)

// The files of a result's folder, beside the models' folders.
const (
	SpecFile    = "spec.json"
	ResultsFile = "results.json"
	statesDir   = "unfinished"
	// ReferenceDir holds the model without protection.
	ReferenceDir = "reference"
)

// store is the folder of a result; the zero value keeps nothing.
type store struct {
	dir    string
	id     string // hash of the spec
	resume bool
}

// openStore looks at the folder, which must be new, empty or of the same spec.
func openStore(dir string, s Spec, resume bool) (store, error) {
	st := store{dir: dir, id: s.Hash(), resume: resume}
	if dir == "" {
		if resume {
			return st, errors.New("experiment: nothing to resume without the folder of the result")
		}
		return st, nil
	}
	if err := atomicfile.Probe(dir); err != nil { // found now, not after hours
		return st, fmt.Errorf("experiment: %w", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return st, fmt.Errorf("experiment: %w", err)
	}
	var before Spec
	err = atomicfile.ReadJSON(filepath.Join(dir, SpecFile), &before)
	switch {
	case err == nil && before.Hash() != st.id:
		return st, fmt.Errorf("experiment: %s holds the result of another command, must be empty or of the same one", dir)
	case err == nil:
	case len(entries) > 0:
		return st, fmt.Errorf("experiment: %s is not empty and holds no result, must be a new folder", dir)
	case resume:
		return st, fmt.Errorf("experiment: %s holds nothing to resume", dir)
	}
	return st, nil
}

// begin makes the folder, once nothing is left that could refuse the spec.
func (st store) begin(s Spec) error {
	if st.dir == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Join(st.dir, statesDir), 0o755); err != nil { //nolint:gosec // results are meant to be read by others
		return fmt.Errorf("experiment: %w", err)
	}
	return atomicfile.WriteJSON(filepath.Join(st.dir, SpecFile), s)
}

// saveModel writes the model of a job. What an interrupted training has so far
// does not take the place of a finished one.
func (st store) saveModel(folder string, m *model.Model, info model.Manifest, saw func() (model.Saw, error)) error {
	if st.dir == "" {
		return nil
	}
	path := filepath.Join(st.dir, folder)
	if _, before, err := model.Load(path); info.Interrupted && err == nil && !before.Interrupted {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // see openStore
		return fmt.Errorf("experiment: %w", err)
	}
	seen, err := saw()
	if err != nil {
		return err
	}
	own := model.Trusted{Saw: &seen}
	if st.resume { // the same training, so the same secret
		if own.Secret, err = model.ReadSecret(path); err != nil && !errors.Is(err, model.ErrNoSecret) {
			return fmt.Errorf("experiment: %w", err)
		}
	}
	return m.SaveTrusted(path, info, own)
}

// finished loads the model of a job that was trained to its end before: by the
// same method with the same settings and seed, on the same data.
func (st store) finished(folder string, want model.Manifest) (*model.Model, bool) {
	if !st.resume {
		return nil, false
	}
	m, info, err := model.Load(filepath.Join(st.dir, folder))
	same := err == nil && !info.Interrupted && info.Method == want.Method && info.Seed == want.Seed &&
		equalJSON(info.Settings, want.Settings) && equalJSON(info.Data, want.Data)
	return m, same
}

// equalJSON reports whether two values are written alike.
func equalJSON(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// state is where a job's unfinished training lies.
func (st store) state(job string) string {
	return filepath.Join(st.dir, statesDir, job+".safetensors")
}

// saveState keeps an unfinished training, so that it can go on; nil is nothing
// to keep.
func (st store) saveState(job string, s *train.State) error {
	if st.dir == "" || s == nil {
		return nil
	}
	return atomicfile.Write(st.state(job), func(w io.Writer) error { return s.Write(w, st.id+" "+job) })
}

// loadState returns the unfinished training of a job, nil if there is none.
func (st store) loadState(job string) (*train.State, error) {
	if !st.resume {
		return nil, nil //nolint:nilnil // nothing to resume is no error
	}
	content, err := regular.Read(st.state(job), 1<<30)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // see above
	} else if err != nil {
		return nil, fmt.Errorf("experiment: %w", err)
	}
	s, err := train.ParseState(content, st.id+" "+job)
	if err != nil {
		return nil, fmt.Errorf("experiment: %s: %w; remove it to train from the start", st.state(job), err)
	}
	return s, nil
}

// dropState removes what is no longer needed.
func (st store) dropState(job string) error {
	if st.dir == "" {
		return nil
	}
	if err := os.Remove(st.state(job)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("experiment: %w", err)
	}
	return nil
}

// finish writes the result and, once nothing is unfinished, removes the folder
// of states.
func (st store) finish(r *Result) error {
	if st.dir == "" {
		return nil
	}
	path := filepath.Join(st.dir, ResultsFile)
	if r.Interrupted {
		var before Result
		if content, err := regular.Read(path, 1<<30); err == nil && json.Unmarshal(content, &before) == nil && !before.Interrupted {
			return nil // a whole result stays
		}
	} else {
		if err := os.Remove(filepath.Join(st.dir, statesDir)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("experiment: %w", err)
		}
	}
	return atomicfile.WriteJSON(path, r)
}
