//go:build unix

package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// KeepOwner gives the file the owner and the group of the one that it replaces, if
// there is one. Only root may give files away; the error says so.
func (f *File) KeepOwner() error {
	if _, err := os.Stat(f.path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return SameOwner(f.tmp.Name(), f.path)
}

// Leave is for root, who writes a file that others go on writing: it gives it the
// owner and the group of the one that it replaces, or of the folder if there is
// none. Nobody else can give files away, and for them it does nothing.
func (f *File) Leave() error {
	if os.Geteuid() != 0 {
		return nil
	}
	like := f.path
	if _, err := os.Stat(like); errors.Is(err, fs.ErrNotExist) {
		like = filepath.Dir(like)
	}
	return SameOwner(f.tmp.Name(), like)
}

// SameOwner gives a file the owner and the group of another. Only root may give
// files away; the error says so.
func SameOwner(path, like string) error {
	own, err := os.Stat(path)
	other, failed := os.Stat(like)
	if err = errors.Join(err, failed); err != nil {
		return fmt.Errorf("atomicfile: %w", err)
	}
	is, want := own.Sys().(*syscall.Stat_t), other.Sys().(*syscall.Stat_t)
	if is.Uid == want.Uid && is.Gid == want.Gid {
		return nil
	}
	if err := os.Lchown(path, int(want.Uid), int(want.Gid)); err != nil {
		return fmt.Errorf("atomicfile: %s belongs to user %d and group %d, and must be replaced by these or by root: %w", like, want.Uid, want.Gid, err)
	}
	return nil
}
