package disk

import (
	"os"
	"syscall"
)

// sync waits until the content is on disk, and the size, but not the time of
// the last change, which nobody asks for.
func sync(f *os.File) error {
	for {
		if err := syscall.Fdatasync(int(f.Fd())); err != syscall.EINTR {
			return os.NewSyscallError("fdatasync", err)
		}
	}
}
