package ledger

import (
	"errors"
	"fmt"
	"io/fs"

	"sotto/service/ledger/disk"
)

// This part of the package has what a ledger stands on, and how it gives way: a file that
// is deleted or cut off while it is open, a connection on which nothing is heard
// any more, a call that does not come back.

// errCut is wrapped by the error of a file that was cut off.
var errCut = errors.New("cut off")

// openHeld is a file that is open, and up to where it counts, which never shrinks.
type openHeld interface {
	Stat() (fs.FileInfo, error)
	End() int64
}

// heldFile is an open file and the name under which it must be found again.
type heldFile struct {
	path string
	on   disk.Disk
	file openHeld
}

// HoldFile returns an open file with its name on a disk, nil for that of the machine.
func HoldFile(path string, on disk.Disk, open openHeld) *heldFile {
	return &heldFile{path, disk.Or(on), open}
}

// InPlace refuses a file that was deleted, replaced or cut off since it was
// opened. The system answers that from memory.
func (f *heldFile) InPlace() error {
	end := f.file.End() // first: others may let it grow meanwhile
	open, err := f.file.Stat()
	if err != nil {
		return err
	}
	there, err := f.on.Stat(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s was deleted while it was open", f.path)
	case err != nil:
		return err
	case !f.on.Same(open, there):
		return fmt.Errorf("%s was replaced by another file while it was open", f.path)
	case open.Size() < end:
		return fmt.Errorf("%s was %w from %d to %d bytes while it was open", f.path, errCut, end, open.Size())
	}
	return nil
}
