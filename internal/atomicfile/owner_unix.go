//go:build unix

package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// KeepOwner gives the file the owner and the group of the one that it replaces, if
// there is one. Only root may give files away; the error says so.
func (f *File) KeepOwner() error {
	old, err := os.Stat(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	own, failed := f.tmp.Stat()
	if err = errors.Join(err, failed); err != nil {
		return fmt.Errorf("atomicfile: %w", err)
	}
	is, want := own.Sys().(*syscall.Stat_t), old.Sys().(*syscall.Stat_t)
	if is.Uid == want.Uid && is.Gid == want.Gid {
		return nil
	}
	if err := f.tmp.Chown(int(want.Uid), int(want.Gid)); err != nil {
		return fmt.Errorf("atomicfile: %s belongs to user %d and group %d, and must be replaced by these or by root: %w", f.path, want.Uid, want.Gid, err)
	}
	return nil
}
