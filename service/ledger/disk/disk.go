// Package disk is what a ledger asks of file systems: few calls, so that a test can
// put another disk in their place that loses, tears and reorders what was not
// synced.
//
// It is apart because it differs by operating system, and because package disktest puts a
// disk in its place that loses what was not synced.
package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"sotto/internal/atomicfile"
	"sotto/internal/regular"
)

// Disk opens files and changes their names. What it does to a name is durable when
// the folder is synced.
type Disk interface {
	// OpenFile opens a file as [os.OpenFile] does.
	OpenFile(name string, flag int, mode fs.FileMode) (File, error)
	// Temp makes an empty file in a folder, under a name that nobody else uses. What
	// root makes belongs to whom the folder does: others go on writing it.
	Temp(dir, pattern string) (File, error)
	Stat(name string) (fs.FileInfo, error)
	// Same reports whether two descriptions are of the same file.
	Same(a, b fs.FileInfo) bool
	Link(from, to string) error
	Rename(from, to string) error
	Remove(name string) error
	SyncDir(dir string) error
}

// File is an open file.
type File interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Name() string
	Stat() (fs.FileInfo, error)
	Truncate(size int64) error
	// Sync waits until content and size are on disk.
	Sync() error
	// Lock takes the file for this process alone, and reports false if another has
	// it. Whoever reads need not ask.
	Lock() (bool, error)
}

// Machine is the disk of this machine.
var Machine Disk = machine{}

// Or returns a disk, and that of this machine if it is nil.
func Or(d Disk) Disk {
	if d == nil {
		return Machine
	}
	return d
}

type machine struct{}

func (machine) OpenFile(name string, flag int, mode fs.FileMode) (File, error) {
	f, err := os.OpenFile(name, flag|regular.Unblocked, mode)
	if err != nil {
		return nil, err
	}
	// A pipe would be waited for, and a device has no end.
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no regular file, must be one", name)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return file{f}, nil
}

func (machine) Temp(dir, pattern string) (File, error) {
	f, err := os.CreateTemp(dir, pattern) // which nobody else may read
	if err != nil {
		return nil, err
	}
	if os.Geteuid() == 0 {
		if err = atomicfile.SameOwner(f.Name(), dir); err != nil {
			return nil, errors.Join(err, f.Close(), os.Remove(f.Name()))
		}
	}
	return file{f}, nil
}

func (machine) Stat(name string) (fs.FileInfo, error) { return os.Stat(name) }
func (machine) Same(a, b fs.FileInfo) bool            { return os.SameFile(a, b) }
func (machine) Link(from, to string) error            { return os.Link(from, to) }
func (machine) Rename(from, to string) error          { return os.Rename(from, to) }
func (machine) Remove(name string) error              { return os.Remove(name) }
func (machine) SyncDir(dir string) error              { return atomicfile.SyncDir(dir) }

// file is a file of the machine.
type file struct{ *os.File }

func (f file) Sync() error         { return sync(f.File) }
func (f file) Lock() (bool, error) { return tryLock(f.File) }
