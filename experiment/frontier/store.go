package frontier

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"sotto/experiment"
)

// ErrDamaged is wrapped by the errors of [Compute] and [Collect] for an entry of
// the store that is not what it should be.
var ErrDamaged = errors.New("frontier: an entry of the store is damaged")

func damaged(path string, why error) error {
	return fmt.Errorf("%w: %s: %w; remove its folder to compute it again", ErrDamaged, path, why)
}

// store is the folder of finished experiments.
type store struct {
	dir  string
	keys map[string]string // of the data of each task
}

func newStore(dir string) *store { return &store{dir, map[string]string{}} }

// folder returns where the experiment of a job lies: under the hash of its
// filled spec with the key of the task's data. That covers what
// experiment.Spec.Key covers, but the data of a task is loaded once for all its
// experiments.
func (s *store) folder(j job) (string, error) {
	key, ok := s.keys[j.task.Name]
	if !ok {
		var err error
		data := experiment.Spec{Data: j.task.Data, Labels: j.task.Labels, Unknown: j.task.Unknown, Methods: []string{"majority"}}
		if key, err = data.Key(); err != nil {
			return "", err
		}
		s.keys[j.task.Name] = key
	}
	filled, err := j.spec.Filled()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(key + " " + filled.Hash()))
	return filepath.Join(s.dir, hex.EncodeToString(sum[:])), nil
}

// begun reports whether the folder holds the spec of an experiment, so that it
// can go on.
func begun(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, experiment.SpecFile))
	return err == nil
}

// result reads the complete result of a spec; nil if there is none.
func result(dir string, s experiment.Spec) (*experiment.Result, error) {
	path := filepath.Join(dir, experiment.ResultsFile)
	var r experiment.Result
	if found, err := readJSON(path, &r); err != nil || !found {
		return nil, err
	}
	filled, err := s.Filled()
	if err != nil {
		return nil, err
	}
	switch {
	case r.Format != experiment.ResultsFormat || r.Spec.Hash() != filled.Hash():
		return nil, damaged(path, errors.New("it is not the result of its spec"))
	case r.Interrupted:
		return nil, nil //nolint:nilnil // nothing complete is no error
	case len(r.Configurations) != 1:
		return nil, damaged(path, errors.New("it has not one configuration"))
	}
	return &r, nil
}

// readJSON reads a file strictly, and reports whether it is there.
func readJSON(path string, v any) (bool, error) {
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	} else if err != nil {
		return false, fmt.Errorf("frontier: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(content))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return false, damaged(path, err)
	}
	return true, nil
}

// dropModels removes the models of a complete experiment, which take far more
// room than its numbers, and can be trained again to the same bytes.
func dropModels(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("frontier: %w", err)
	}
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
			return fmt.Errorf("frontier: %w", err)
		}
	}
	return nil
}
