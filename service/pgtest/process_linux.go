package pgtest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// process is one of the server's.
type process struct {
	pid   int
	ticks int // of a processor that it has had, with those of its children that have ended
}

// processes lists the server's processes, the first of which started the others.
func (s *Server) processes() ([]process, error) {
	content, err := os.ReadFile(s.Data() + "/postmaster.pid")
	if err != nil {
		return nil, err
	}
	first, _, _ := strings.Cut(string(content), "\n")
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil, err
	}
	var all []process
	for _, path := range stats {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		pid, rest, _ := strings.Cut(string(stat), " ")
		fields := strings.Fields(rest[strings.LastIndexByte(rest, ')')+1:])
		if len(fields) < 15 || pid != first && fields[1] != first {
			continue
		}
		p := process{}
		if p.pid, err = strconv.Atoi(pid); err != nil {
			return nil, err
		}
		for _, f := range fields[11:15] {
			n, err := strconv.Atoi(f)
			if err != nil {
				return nil, err
			}
			p.ticks += n
		}
		if all = append(all, p); pid == first {
			all[0], all[len(all)-1] = p, all[0]
		}
	}
	if len(all) == 0 {
		return nil, errors.New("pgtest: the server does not run")
	}
	return all, nil
}

// signal sends a signal to all processes of the server.
func (s *Server) signal(sig syscall.Signal) error {
	all, err := s.processes()
	if err != nil {
		return err
	}
	for _, p := range all {
		if err := syscall.Kill(p.pid, sig); err != nil && !errors.Is(err, syscall.ESRCH) { // it may have ended
			return fmt.Errorf("pgtest: process %d: %w", p.pid, err)
		}
	}
	return nil
}

// endProcess ends one process of a server, as an administrator does or as a crash does: then
// it comes back when the server has seen that.
func endProcess(pid int, hard bool) error {
	sig := syscall.SIGTERM
	if hard {
		sig = syscall.SIGKILL
	}
	if err := syscall.Kill(pid, sig); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("pgtest: process %d: %w", pid, err)
	}
	for began := time.Now(); hard && syscall.Kill(pid, 0) == nil; time.Sleep(time.Millisecond) {
		if time.Since(began) > patience {
			return fmt.Errorf("pgtest: process %d has not ended within %v", pid, patience)
		}
	}
	return nil
}

// Freeze lets the server wait: it answers nothing and closes nothing.
func (s *Server) Freeze() error { return s.signal(syscall.SIGSTOP) }

// Resume lets a server go on that was frozen.
func (s *Server) Resume() error { return s.signal(syscall.SIGCONT) }

// ProcessorTime is what the server has had of the processors, in all of its processes.
func (s *Server) ProcessorTime() (time.Duration, error) {
	all, err := s.processes()
	ticks := 0
	for _, p := range all {
		ticks += p.ticks
	}
	return time.Duration(ticks) * 10 * time.Millisecond, err // a hundred a second, on every Linux
}
