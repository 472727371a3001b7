// Package footing has what a ledger stands on, and how it gives way: a file that
// is deleted or cut off while it is open, a connection on which nothing is heard
// any more, a call that does not come back.
package footing

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync/atomic"
)

// ErrCut is wrapped by the error of a file that was cut off.
var ErrCut = errors.New("cut off")

// File is an open file and the name under which it must be found again.
type File struct {
	path string
	file interface{ Stat() (os.FileInfo, error) }
	size atomic.Int64 // that it had last; it never shrinks
}

// Hold returns an open file with its name.
func Hold(path string, open interface{ Stat() (os.FileInfo, error) }) *File {
	return &File{path: path, file: open}
}

// InPlace refuses a file that was deleted, replaced or cut off since it was
// opened. The system answers that from memory.
func (f *File) InPlace() error {
	size := f.size.Load() // first: others may let it grow meanwhile
	open, err := f.file.Stat()
	if err != nil {
		return err
	}
	there, err := os.Stat(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s was deleted while it was open", f.path)
	case err != nil:
		return err
	case !os.SameFile(open, there):
		return fmt.Errorf("%s was replaced by another file while it was open", f.path)
	case open.Size() < size:
		return fmt.Errorf("%s was %w from %d to %d bytes while it was open", f.path, ErrCut, size, open.Size())
	}
	f.size.CompareAndSwap(size, open.Size())
	return nil
}
