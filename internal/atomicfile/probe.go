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
	f, err := temporary(dir, ".sotto-probe-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// ProbeFile reports why no file could appear at path, as [Create] would. It leaves
// nothing behind.
func ProbeFile(path string) error {
	f, err := Create(path)
	if err != nil {
		return err
	}
	f.Abort()
	return nil
}

// temporary makes a file of mode 0600 in a folder. Its error names the folder and
// not the file, which nobody has heard of.
func temporary(dir, pattern string) (*os.File, error) {
	f, err := os.CreateTemp(dir, pattern)
	if cause := errors.Unwrap(err); cause != nil {
		err = fmt.Errorf("nothing can be written into %s: %w", dir, cause)
	}
	return f, err
}
