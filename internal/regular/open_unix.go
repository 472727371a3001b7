//go:build unix

package regular

import "syscall"

// unblocked is the flag with which nobody waits for the other end of a pipe. It
// does nothing to regular files.
const unblocked = syscall.O_NONBLOCK
