//go:build !unix

package lineproc

import "os/exec"

// inGroup does nothing where there are no process groups.
func inGroup(*exec.Cmd) {}

// endGroup kills the program.
func endGroup(c *exec.Cmd) {
	c.Process.Kill() //nolint:errcheck // it may have ended
}
