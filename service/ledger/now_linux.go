package ledger

import (
	"os"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

const clockBoottime = 7 // counts since the machine's start, sleep included

// boot names this start of the machine. A unit that hides /proc/sys says it in
// the environment; without either it is the start of the process.
var boot = sync.OnceValue(func() string {
	name, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		name = []byte(os.Getenv("SOTTO_BOOT"))
	}
	if id := strings.ReplaceAll(strings.TrimSpace(string(name)), "-", ""); id != "" {
		return id
	}
	return process
})

// MachineNow reads the clocks of this machine.
func MachineNow() Moment {
	now := time.Now()
	var since syscall.Timespec
	//nolint:gosec // the kernel fills in what it is given
	if _, _, failed := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clockBoottime, uintptr(unsafe.Pointer(&since)), 0); failed != 0 {
		return Moment{Wall: now.Round(0), Boot: process, Since: time.Since(started)}
	}
	return Moment{Wall: now.Round(0), Boot: boot(), Since: time.Duration(since.Nano())}
}
