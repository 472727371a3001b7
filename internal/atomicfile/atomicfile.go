// Package atomicfile writes a file so that its path holds either the old
// content or the whole new content, never a part. Until it is committed, the
// new content is readable by its owner alone.
//
// It is for results that a reader may open at any moment, not for logs or
// files that grow. The smallest use is
//
//	f, err := atomicfile.Create(path)
//	if err != nil {
//		return err
//	}
//	defer f.Abort()
//	if _, err := f.Write(data); err != nil {
//		return err
//	}
//	return f.Commit()
package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// File is a file being written. It is not safe for concurrent use.
type File struct {
	tmp  *os.File
	path string      // where Commit puts it, with links resolved
	mode fs.FileMode // of the file to be replaced; 0 if there is none
	done bool        // committed or aborted

	shared bool // others may read it once it is there
}

// Create starts a file that will appear at path when it is committed. If path
// is a symbolic link, the file that it points to is replaced. A path that
// exists and is no regular file is refused, because renaming over it would
// destroy a device or a pipe.
func Create(path string) (*File, error) {
	f := &File{path: path}
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		f.path = resolved
	}
	switch info, err := os.Stat(f.path); {
	case err == nil && !info.Mode().IsRegular():
		return nil, fmt.Errorf("atomicfile: %s is a %s, must be a regular file", path, kind(info.Mode()))
	case err == nil:
		f.mode = info.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("atomicfile: %w", err)
	}
	// The same directory, because a rename is atomic only within a file system.
	tmp, err := temporary(filepath.Dir(f.path), ".sotto-*.tmp")
	if err != nil {
		return nil, fmt.Errorf("atomicfile: %w", err)
	}
	f.tmp = tmp
	return f, nil
}

// Write implements [io.Writer].
func (f *File) Write(p []byte) (int, error) { return f.tmp.Write(p) }

// WriteAt implements [io.WriterAt].
func (f *File) WriteAt(p []byte, off int64) (int, error) { return f.tmp.WriteAt(p, off) }

// Read implements [io.Reader], for whoever looks at what was written.
func (f *File) Read(p []byte) (int, error) { return f.tmp.Read(p) }

// Seek implements [io.Seeker].
func (f *File) Seek(offset int64, whence int) (int64, error) { return f.tmp.Seek(offset, whence) }

// Commit makes the content durable and moves it to its path. The file then has
// the mode of the file that it replaced. A new one is readable by its owner alone,
// unless it is [File.Shared]. On error the
// path is as it was, unless only the directory could not be synced: then the
// new file is in place but might not survive a power failure. Once the file
// is committed or aborted, Commit returns an error wrapping [fs.ErrClosed].
func (f *File) Commit() error {
	if f.done {
		return fmt.Errorf("atomicfile: %s: %w", f.path, fs.ErrClosed)
	}
	defer f.Abort()
	mode := f.mode
	switch {
	case mode == 0 && f.shared:
		var err error
		if mode, err = f.newFileMode(); err != nil {
			return fmt.Errorf("atomicfile: %w", err)
		}
	case mode == 0:
		mode = 0o600
	}
	if err := errors.Join(f.tmp.Chmod(mode), f.tmp.Sync(), f.tmp.Close()); err != nil {
		return fmt.Errorf("atomicfile: %w", err)
	}
	if err := os.Rename(f.tmp.Name(), f.path); err != nil {
		return fmt.Errorf("atomicfile: %w", err)
	}
	f.done = true
	if err := SyncDir(filepath.Dir(f.path)); err != nil {
		return fmt.Errorf("atomicfile: %w", err)
	}
	return nil
}

// Shared makes a file that replaces none readable by others, as far as the umask
// allows: what may leave, and what holds nothing of anybody. Before it is committed,
// it is its owner's alone all the same.
func (f *File) Shared() { f.shared = true }

// Private takes Shared back.
func (f *File) Private() error { f.shared = false; return nil }

// Write makes a file of what write writes, whole or not at all.
func Write(path string, write func(w io.Writer) error) error {
	return writeAs(path, false, write)
}

// WriteShared is Write of a file that others may read.
func WriteShared(path string, write func(w io.Writer) error) error {
	return writeAs(path, true, write)
}

func writeAs(path string, shared bool, write func(w io.Writer) error) error {
	f, err := Create(path)
	if err != nil {
		return err
	}
	defer f.Abort()
	f.shared = shared
	if err := write(f); err != nil {
		return err
	}
	return f.Commit()
}

// Abort discards the file. It does nothing after Commit or Abort, so that it
// can be deferred.
func (f *File) Abort() {
	if f.done {
		return
	}
	f.done = true
	// Nothing can be done about a leftover, and the caller is already
	// reporting the error that led here.
	_ = f.tmp.Close()
	_ = os.Remove(f.tmp.Name())
}

// newFileMode returns 0644 less the umask, found by creating an empty file:
// asking for the umask means setting it, for the whole process. Creating the
// file itself with that mode would let others open it before it is ready.
func (f *File) newFileMode() (fs.FileMode, error) {
	probe, err := os.OpenFile(f.tmp.Name()+".mode", os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return 0, err
	}
	info, err := probe.Stat()
	if err = errors.Join(err, probe.Close(), os.Remove(probe.Name())); err != nil {
		return 0, err
	}
	return info.Mode().Perm(), nil
}

// SyncDir makes names within dir durable, such as that of a new file. Windows has no such call.
func SyncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// kind names what is not a regular file.
func kind(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "directory"
	case m&fs.ModeNamedPipe != 0:
		return "pipe"
	case m&fs.ModeSocket != 0:
		return "socket"
	}
	return "device"
}
