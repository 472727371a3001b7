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
	file *os.File
	size atomic.Int64 // that it had last; it never shrinks
}

// Open opens the file, as [os.OpenFile] does.
func (f *File) Open(path string, flag int, mode os.FileMode) (file *os.File, err error) {
	f.path = path
	f.file, err = os.OpenFile(path, flag, mode)
	return f.file, err
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
