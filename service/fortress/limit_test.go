//go:build linux

package fortress_test

import (
	"syscall"
	"unsafe"
)

// limitFiles sets how large a file may be that another process writes.
func limitFiles(s *scene, pid int, most uint64) {
	s.Helper()
	limit := syscall.Rlimit{Cur: most, Max: most}
	_, _, code := syscall.RawSyscall6(syscall.SYS_PRLIMIT64, uintptr(pid), syscall.RLIMIT_FSIZE, uintptr(unsafe.Pointer(&limit)), 0, 0, 0)
	if code != 0 {
		s.Skipf("no limit can be set: %v", code)
	}
}
