//go:build !linux

package pgtest

import (
	"errors"
	"time"
)

var errLinux = errors.New("pgtest: processes are found on Linux alone")

func endProcess(int, bool) error { return errLinux }

// Freeze lets the server wait: it answers nothing and closes nothing.
func (s *Server) Freeze() error { return errLinux }

// Resume lets a server go on that was frozen.
func (s *Server) Resume() error { return errLinux }

// ProcessorTime is what the server has had of the processors, in all of its processes.
func (s *Server) ProcessorTime() (time.Duration, error) { return 0, errLinux }
