package reproduce

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"sotto/internal/atomicfile"
	"sotto/learn/experiment"
)

// This part of the package keeps computed experiments, each in a folder of its own that is
// named after what decides it, so that nothing is trained twice. What was begun
// goes on where it stopped. It is not for models: they are dropped when all that
// is asked of them has been measured, and can be trained again to the same bytes.
//
//	e, err := OpenCache(dir, spec)
//	if err != nil {
//		return err
//	}
//	r, err := e.Result()
//	if err == nil && r == nil {
//		r, err = e.Run(ctx, experiment.Options{})
//	}

// CacheDir returns the folder of computed experiments: the environment variable
// SOTTO_RESULTS, else sotto/results in the user's folder of caches.
func CacheDir() (string, error) {
	if dir := os.Getenv("SOTTO_RESULTS"); dir != "" {
		return dir, nil
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("cache: no folder for results, set SOTTO_RESULTS: %w", err)
	}
	return filepath.Join(dir, "sotto", "results"), nil
}

// ErrCacheDamaged is wrapped by the errors for what is stored and is not what it
// should be.
var ErrCacheDamaged = errors.New("cache: a stored experiment is damaged")

// CacheEntry is the folder of one experiment, which need not be there yet.
type CacheEntry struct {
	Dir   string
	spec  experiment.Spec // filled
	width int             // of its grid
}

// OpenCache returns the entry of a spec in a folder: under the spec's key.
func OpenCache(ctx context.Context, dir string, s experiment.Spec) (*CacheEntry, error) {
	key, err := s.Key(ctx)
	if err != nil {
		return nil, err
	}
	return CacheAt(ctx, filepath.Join(dir, key), s)
}

// CacheAt returns the entry of a spec whose folder the caller has named after what
// decides it.
func CacheAt(ctx context.Context, dir string, s experiment.Spec) (*CacheEntry, error) {
	filled, err := s.Filled(ctx)
	if err != nil {
		return nil, err
	}
	grid, err := filled.Grid(ctx)
	return &CacheEntry{dir, filled, len(grid)}, err
}

// Damaged returns the error for a file of the entry that is not what it should
// be. It wraps [ErrDamaged].
func (e *CacheEntry) Damaged(name string, why error) error {
	return fmt.Errorf("%w: %s: %w; remove its folder to compute it again", ErrCacheDamaged, filepath.Join(e.Dir, name), why)
}

// Remove forgets what is stored.
func (e *CacheEntry) Remove() error {
	if err := os.RemoveAll(e.Dir); err != nil {
		return fmt.Errorf("cache: %w", err)
	}
	return nil
}

// Result returns the complete result; nil if there is none.
func (e *CacheEntry) Result() (*experiment.Result, error) {
	var r experiment.Result
	if found, err := e.Read(experiment.ResultsFile, &r); err != nil || !found {
		return nil, err
	}
	switch {
	case r.Format != experiment.ResultsFormat || r.Spec.Hash() != e.spec.Hash():
		return nil, e.Damaged(experiment.ResultsFile, errors.New("it is not the result of its spec"))
	case r.Interrupted:
		return nil, nil //nolint:nilnil // nothing complete is no error
	case len(r.Configurations) != e.width:
		return nil, e.Damaged(experiment.ResultsFile, errors.New("configurations are missing"))
	}
	return &r, nil
}

// Run trains and measures, or goes on with what was begun. That single trainings
// came to nothing is no error: the result says so.
func (e *CacheEntry) Run(ctx context.Context, o experiment.Options) (*experiment.Result, error) {
	_, err := os.Stat(filepath.Join(e.Dir, experiment.SpecFile))
	o.Out, o.Resume = e.Dir, err == nil
	r, err := experiment.Run(ctx, e.spec, o)
	if r != nil && errors.Is(err, experiment.ErrFailed) && !errors.Is(err, experiment.ErrInterrupted) {
		return r, nil
	}
	return r, err
}

// Read reads a file of the entry strictly, and reports whether it is there.
func (e *CacheEntry) Read(name string, v any) (bool, error) {
	switch err := atomicfile.ReadJSON(filepath.Join(e.Dir, name), v); {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, e.Damaged(name, err)
	}
	return true, nil
}

// Write writes a file of the entry, whole or not at all.
func (e *CacheEntry) Write(name string, v any) error {
	if err := os.MkdirAll(e.Dir, 0o755); err != nil { //nolint:gosec // results are meant to be read by others
		return fmt.Errorf("cache: %w", err)
	}
	return atomicfile.WriteJSON(filepath.Join(e.Dir, name), v)
}

// Models lists the folders of the entry, which hold models and what was begun.
func (e *CacheEntry) Models() ([]string, error) {
	entries, err := os.ReadDir(e.Dir)
	if err != nil {
		return nil, fmt.Errorf("cache: %w", err)
	}
	var names []string
	for _, f := range entries {
		if f.IsDir() {
			names = append(names, f.Name())
		}
	}
	return names, nil
}

// DropModels removes the models, which take far more room than what was measured
// of them.
func (e *CacheEntry) DropModels() error {
	names, err := e.Models()
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := os.RemoveAll(filepath.Join(e.Dir, name)); err != nil {
			return fmt.Errorf("cache: %w", err)
		}
	}
	return nil
}
