//go:build unix

package audit

import (
	"os/exec"
	"syscall"
)

// inGroup makes a command lead a process group, which is ended with it.
func inGroup(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error {
		endGroup(c)
		return nil
	}
}

// endGroup kills the command and whatever it started.
func endGroup(c *exec.Cmd) {
	syscall.Kill(-c.Process.Pid, syscall.SIGKILL) //nolint:errcheck // it may have ended
}
