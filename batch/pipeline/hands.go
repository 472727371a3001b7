package pipeline

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"

	"sotto/batch/crew"
	"sotto/batch/shard"
)

// hand is the environment variable of processes that make parts for another one.
const hand = "SOTTO_BATCH_HAND"

// task is what a process of its own is to do with a chunk: to scan it, or to release it
// without the rows of those who cannot pay.
type task struct {
	Chunk   shard.Chunk
	Release bool
	Broke   map[string]bool
}

// made is what became of a task.
type made struct {
	Scanned *shard.Scanned
	Part    shard.Part
	Learnt  shard.Learnt
}

// Hand does the tasks of another process, and does not return, if this is a process that
// was started for that. A program that runs jobs with Processes calls it first.
func Hand() {
	if os.Getenv(hand) == "" {
		return
	}
	gone := func() { os.Exit(1) }
	err := crew.Serve(os.Stdin, os.Stdout, func(spec []byte) (func(task) (made, error), error) {
		ctx := context.Background()
		p := &process{}
		if err := json.Unmarshal(spec, &p.job); err != nil {
			return nil, err
		}
		var err error
		p.worker, err = p.job.Open(ctx)
		return func(t task) (made, error) { return p.make(ctx, t) }, err
	}, gone)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// hire prepares processes of their own.
func (p *process) hire(spec string) error {
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("pipeline: %w", err)
	}
	p.crew = crew.New(p.job.Processes, func() *exec.Cmd {
		c := exec.Command(program)
		c.Env, c.Stderr = append(os.Environ(), hand+"=1"), os.Stderr
		return c
	}, []byte(spec))
	return nil
}

// do does a task here or in a process of its own.
func (p *process) do(ctx context.Context, t task) (m made, err error) {
	if p.crew == nil {
		m, err = p.make(ctx, t)
	} else {
		err = p.crew.Do(ctx, t, &m)
	}
	if err == nil {
		watched.Load().done(t, m)
	}
	return m, err
}

// make does a task in this process. Names of ids that are noted in a file are not handed
// on.
func (p *process) make(ctx context.Context, t task) (m made, err error) {
	if t.Release {
		m.Part, m.Learnt, err = p.worker.Release(ctx, t.Chunk, func(user string) bool { return t.Broke[user] })
		return m, err
	}
	if m.Scanned, err = p.worker.Scan(ctx, t.Chunk); err != nil || !p.job.Spills() {
		return m, err
	}
	err = p.worker.Spill(t.Chunk, m.Scanned)
	clear(m.Scanned.IDs[:])
	return m, err
}

// dismiss ends the processes of all jobs of this one.
func dismiss() {
	processes.Range(func(spec, held any) bool {
		if p := held.(*process); p.crew != nil { //nolint:forcetypeassert // nothing else is stored
			processes.Delete(spec)
			p.crew.Close()
		}
		return true
	})
}
