// Package regular opens files of which nothing is known but a path, so that a
// wrong path is an error at once and never a process that waits or grows: what is
// no regular file, such as a pipe or a device, is refused without waiting for it,
// and so is what is larger than it may be, also if no byte of it is on disk.
//
// Links are followed: it is the file at their end that must be regular. Systems
// that put settings, keys and models into place do it by links.
//
//	content, err := regular.Read(path, 1<<20)
package regular

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
)

// Most is for files that may have any size, since nobody reads them whole.
const Most = 1<<63 - 1

// Open opens a regular file of at most so many bytes to read, and returns its
// size. The error for a file that is not there wraps io/fs.ErrNotExist.
func Open(path string, most int64) (f *os.File, size int64, err error) {
	f, err = os.OpenFile(path, os.O_RDONLY|Unblocked, 0) // a pipe that nobody writes is not waited for
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat() // of what is open, whatever lies at the path by now
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = fmt.Errorf("%s is no regular file, must be one", path)
	case info.Size() > most:
		err = fmt.Errorf("%s has %d bytes, must have at most %d", path, info.Size(), most)
	default:
		return f, info.Size(), nil
	}
	return nil, 0, errors.Join(err, f.Close())
}

// Read returns the content of a regular file of at most so many bytes. A file
// that changes its size meanwhile is an error.
func Read(path string, most int64) ([]byte, error) {
	f, size, err := Open(path, most)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	content := make([]byte, size+1)
	n, err := io.ReadFull(f, content)
	switch {
	case err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return nil, err
	case int64(n) != size:
		return nil, fmt.Errorf("%s changed its size while it was read, must be complete", path)
	}
	return content[:n], nil
}

// List returns the names in a folder, in order. One of more than so many is an
// error.
func List(dir string, most int) ([]string, error) {
	f, err := os.OpenFile(dir, os.O_RDONLY|Unblocked, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	names, err := f.Readdirnames(most + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if len(names) > most {
		return nil, fmt.Errorf("%s holds more than %d files, must hold fewer", dir, most)
	}
	slices.Sort(names)
	return names, nil
}

// OpenSecret is [Open] of a file that nobody but its owner may read. One of root's
// may be read by a group as well, where this process is another user's: that is how
// containers are given secrets, and PostgreSQL takes keys so, too.
func OpenSecret(path string, most int64) (*os.File, error) {
	f, _, err := Open(path, most)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	// On Windows who may read a file stands in its access list, and Go's mode is made up.
	if err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 && !lent(info) {
		err = fmt.Errorf("the secret %s has mode %#o, must be readable by its owner alone (0600)", path, info.Mode().Perm())
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
