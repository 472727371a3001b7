package disk

import (
	"errors"
	"os"
	"syscall"
	"unsafe"
)

var lockFileEx = syscall.NewLazyDLL("kernel32.dll").NewProc("LockFileEx")

// tryLock takes the file for this process alone, and reports false if another
// has it. What is locked is a byte far behind the end, because Windows lets
// nobody else read what is.
func tryLock(f *os.File) (bool, error) {
	const exclusive, failImmediately, violation = 2, 1, syscall.Errno(33)
	at := syscall.Overlapped{OffsetHigh: 1 << 30}
	ok, _, err := lockFileEx.Call(f.Fd(), exclusive|failImmediately, 0, 1, 0, uintptr(unsafe.Pointer(&at)))
	if ok != 0 {
		return true, nil
	}
	if errors.Is(err, violation) {
		return false, nil
	}
	return false, err
}
