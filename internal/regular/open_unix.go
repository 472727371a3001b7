//go:build unix

package regular

import (
	"os"
	"syscall"
)

// Unblocked is the flag with which nobody waits for the other end of a pipe. It
// does nothing to regular files.
const Unblocked = syscall.O_NONBLOCK

// lent reports whether a file is root's, and a group may read it, which is not root.
func lent(info os.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && s.Uid == 0 && s.Gid != 0 && os.Geteuid() != 0 && info.Mode().Perm()&^0o640 == 0
}
