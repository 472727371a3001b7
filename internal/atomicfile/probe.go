package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Probe reports why nothing could be written into a folder, which need not be
// there yet, so that hours of work need not end with that. It leaves nothing
// behind.
func Probe(dir string) error {
	dir = filepath.Clean(dir)
	info, err := os.Stat(dir)
	for errors.Is(err, fs.ErrNotExist) && filepath.Dir(dir) != dir {
		dir = filepath.Dir(dir)
		info, err = os.Stat(dir)
	}
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is no folder, must be one to write into", dir)
	}
	f, err := os.CreateTemp(dir, ".sotto-probe-*")
	if err != nil {
		return fmt.Errorf("nothing can be written into %s: %w", dir, errors.Unwrap(err))
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}
