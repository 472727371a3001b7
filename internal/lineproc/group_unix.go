//go:build unix

package lineproc

import (
	"os/exec"
	"syscall"
)

// inGroup makes a program lead a process group, which is ended with it.
func inGroup(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// endGroup kills the program and whatever it started.
func endGroup(c *exec.Cmd) {
	syscall.Kill(-c.Process.Pid, syscall.SIGKILL) //nolint:errcheck // it may have ended
}
