package term

import (
	"os"
	"syscall"
)

// understandsColour asks a console to obey the commands that change a colour, which
// older ones refuse.
func understandsColour(f *os.File) bool {
	const virtualTerminal = 0x4 // ENABLE_VIRTUAL_TERMINAL_PROCESSING
	var mode uint32
	if syscall.GetConsoleMode(syscall.Handle(f.Fd()), &mode) != nil {
		return false
	}
	set := syscall.NewLazyDLL("kernel32.dll").NewProc("SetConsoleMode")
	ok, _, _ := set.Call(f.Fd(), uintptr(mode|virtualTerminal))
	return ok != 0
}
