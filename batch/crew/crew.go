// Package crew does work in processes of their own, one task at a time in each, and does
// the task of a process that died again in another.
//
// It is for tasks that may be done twice: what a process has done before it died stays
// done. It is not for other machines, which are an engine's.
//
// A [Crew] starts the processes, which answer by [Serve]:
//
//	c := crew.New(2, func() *exec.Cmd { return exec.Command(program) }, setup)
//	defer c.Close()
//	var answer Answer
//	err := c.Do(ctx, task, &answer)
package crew

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"slices"
	"sync"
)

// deaths is in how many processes a task may die before it is to blame.
const deaths = 3

// Crew is a number of processes. It is safe for concurrent use.
type Crew struct {
	start func() *exec.Cmd
	setup []byte // what each process is told first

	places chan *member // of those who have nothing to do; nil has yet to be started
	mu     sync.Mutex
	all    map[*member]bool
	closed bool
}

// New returns a crew of so many processes, at least one. Each is started when it is first
// needed, and is told setup, which must not be nil, before its first task.
func New(processes int, start func() *exec.Cmd, setup []byte) *Crew {
	c := &Crew{start: start, setup: setup, places: make(chan *member, processes), all: map[*member]bool{}}
	for range processes {
		c.places <- nil
	}
	return c
}

// Do has a task done and reads the answer: both as package gob has them. It waits for a
// process that has nothing to do. If a process dies, another does the task; an error
// of the task is not tried again.
func (c *Crew) Do(ctx context.Context, task, answer any) error {
	var m *member
	select {
	case m = <-c.places:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { c.places <- m }()
	for died := 1; ; died++ {
		var err error
		if m == nil {
			if m, err = c.hire(); err != nil {
				return err
			}
		}
		var failed *taskError
		err = m.do(ctx, task, answer)
		if err == nil || errors.As(err, &failed) {
			return err
		}
		c.dismiss(m)
		m = nil
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if died == deaths {
			return fmt.Errorf("crew: %d processes died at the same task, the last: %w", deaths, err)
		}
	}
}

// Close ends all processes, also those that have something to do.
func (c *Crew) Close() {
	c.mu.Lock()
	c.closed = true
	all := slices.Collect(maps.Keys(c.all))
	c.mu.Unlock()
	for _, m := range all {
		c.dismiss(m)
	}
}

// hire starts a process.
func (c *Crew) hire() (*member, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, errors.New("crew: it is closed")
	}
	m, err := begin(c.start(), c.setup)
	if err == nil {
		c.all[m] = true
	}
	return m, err
}

// dismiss ends a process and waits for that.
func (c *Crew) dismiss(m *member) {
	c.mu.Lock()
	delete(c.all, m)
	c.mu.Unlock()
	m.end()
}

// member is one process.
type member struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	to   *gob.Encoder
	from *gob.Decoder

	setup []byte // nil when it was told
	once  sync.Once
}

// reply comes before each answer.
type reply struct{ Error string }

// taskError is what a process said of a task, in words.
type taskError struct{ said string }

func (e *taskError) Error() string { return e.said }

// begin starts a process.
func begin(cmd *exec.Cmd, setup []byte) (*member, error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err = cmd.Start(); err != nil {
		return nil, fmt.Errorf("crew: a process cannot be started: %w", err)
	}
	return &member{cmd: cmd, in: in, to: gob.NewEncoder(in), from: gob.NewDecoder(out), setup: setup}, nil
}

// do has the process do a task. An error that is no [taskError] means that it is of no
// more use.
func (m *member) do(ctx context.Context, task, answer any) error {
	stop := context.AfterFunc(ctx, m.end)
	defer stop()
	if m.setup != nil {
		if err := m.to.Encode(m.setup); err != nil {
			return err
		}
		m.setup = nil
	}
	if err := m.to.Encode(task); err != nil {
		return err
	}
	var r reply
	if err := m.from.Decode(&r); err != nil {
		return err
	}
	if r.Error != "" {
		return &taskError{r.Error}
	}
	return m.from.Decode(answer)
}

// end kills the process and waits until it is gone.
func (m *member) end() {
	m.once.Do(func() {
		m.in.Close()         //nolint:errcheck // it is thrown away
		m.cmd.Process.Kill() //nolint:errcheck // it may be gone already
		m.cmd.Wait()         //nolint:errcheck // it was killed
	})
}
