package declared

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"sotto/experiment"
	"sotto/internal/atomicfile"
)

// measuresFile lies beside the results of an experiment.
const measuresFile = "measures.json"

// ErrDamaged is wrapped by the error of [Make] for an entry of the store that is
// not what it should be.
var ErrDamaged = errors.New("declared: an entry of the store is damaged")

func damaged(path string, why error) error {
	return fmt.Errorf("%w: %s: %w; remove its folder, or make the table with --again", ErrDamaged, path, why)
}

// obtain returns the result of an experiment and what the run wants measured of
// its models: from the store, or trained now and stored. What was begun before
// goes on.
func (w *worker) obtain(ctx context.Context, s experiment.Spec) (*experiment.Result, *measured, error) {
	key, err := s.Key()
	if err != nil {
		return nil, nil, err
	}
	dir := filepath.Join(w.Store, key)
	if w.Again {
		if err = os.RemoveAll(dir); err != nil {
			return nil, nil, fmt.Errorf("declared: %w", err)
		}
	}
	r, err := storedResult(dir, s)
	if err != nil {
		return nil, nil, err
	}
	more, err := storedMeasures(dir)
	if err != nil {
		return nil, nil, err
	}
	missing := slices.DeleteFunc(slices.Clone(w.run.Measures), func(m Measure) bool {
		return slices.Contains(more.Done, m) || m == MDL && s.Limit != 0 // it counts rows
	})
	if r != nil && len(missing) == 0 {
		w.told = 0
		w.tell("re-used", 1)
		return r, more, dropModels(dir) // which are there if it was trained elsewhere, or just before an interruption
	}
	models, err := folders(dir)
	if r == nil || err == nil && len(models) == 0 { // they go once a run is complete
		if r, err = w.train(ctx, s, dir, begun(dir)); err != nil {
			return nil, nil, err
		}
	}
	for _, m := range missing {
		if err = w.measure(ctx, dir, r, m, more); err != nil {
			return nil, nil, err
		}
		if err = atomicfile.WriteJSON(filepath.Join(dir, measuresFile), more); err != nil {
			return nil, nil, err
		}
	}
	return r, more, dropModels(dir)
}

// begun reports whether the folder holds the spec of an experiment, so that it
// can go on.
func begun(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, experiment.SpecFile))
	return err == nil
}

// storedResult reads the complete result of a spec; nil if there is none.
func storedResult(dir string, s experiment.Spec) (*experiment.Result, error) {
	path := filepath.Join(dir, experiment.ResultsFile)
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // nothing stored is no error
	} else if err != nil {
		return nil, fmt.Errorf("declared: %w", err)
	}
	var r experiment.Result
	if err = decodeStrictly(content, &r); err != nil {
		return nil, damaged(path, err)
	}
	filled, err := s.Filled()
	if err != nil {
		return nil, err
	}
	grid, err := filled.Grid()
	if err != nil {
		return nil, err
	}
	switch {
	case r.Format != experiment.ResultsFormat || r.Spec.Hash() != filled.Hash():
		return nil, damaged(path, errors.New("it is not the result of its spec"))
	case r.Interrupted:
		return nil, nil //nolint:nilnil // see above
	case len(r.Configurations) != len(grid):
		return nil, damaged(path, errors.New("configurations are missing"))
	}
	return &r, nil
}

// storedMeasures reads what was measured before; nothing if nothing was.
func storedMeasures(dir string) (*measured, error) {
	path := filepath.Join(dir, measuresFile)
	more := &measured{Format: measuredFormat}
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return more, nil
	} else if err != nil {
		return nil, fmt.Errorf("declared: %w", err)
	}
	if err := decodeStrictly(content, more); err != nil {
		return nil, damaged(path, err)
	}
	if more.Format != measuredFormat {
		return nil, damaged(path, errors.New("its format is not known"))
	}
	return more, nil
}

// folders lists the folders below dir, which hold models and what was begun.
func folders(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("declared: %w", err)
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// dropModels removes the models of a complete run, which take far more room
// than its numbers, and can be trained again to the same bytes.
func dropModels(dir string) error {
	names, err := folders(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			return fmt.Errorf("declared: %w", err)
		}
	}
	return nil
}
