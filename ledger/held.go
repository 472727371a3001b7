package ledger

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync/atomic"
)

// held is an open file and the name under which it must be found again.
type held struct {
	path string
	file *os.File
	size atomic.Int64 // that it had last; it never shrinks
}

// open opens the file, as [os.OpenFile] does.
func (h *held) open(path string, flag int, mode os.FileMode) (f *os.File, err error) {
	h.file, err = os.OpenFile(path, flag, mode)
	return h.file, err
}

// inPlace refuses a file that was deleted, replaced or cut off since it was
// opened. The system answers that from memory.
func (h *held) inPlace() error {
	size := h.size.Load() // first: others may let it grow meanwhile
	open, err := h.file.Stat()
	if err != nil {
		return unavailable(err)
	}
	there, err := os.Stat(h.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: %s was deleted while it was open", ErrUnavailable, h.path)
	case err != nil:
		return unavailable(err)
	case !os.SameFile(open, there):
		return fmt.Errorf("%w: %s was replaced by another file while it was open", ErrUnavailable, h.path)
	case open.Size() < size:
		return damaged("%s was cut off from %d to %d bytes while it was open", h.path, size, open.Size())
	}
	h.size.CompareAndSwap(size, open.Size())
	return nil
}
