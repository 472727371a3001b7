//go:build unix

package disk

import (
	"errors"
	"os"
	"syscall"
)

// tryLock takes the file for this process alone, and reports false if another
// has it. Whoever reads need not ask.
func tryLock(f *os.File) (bool, error) {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) || errors.Is(err, syscall.EINTR) {
		return false, nil
	}
	return err == nil, err
}
