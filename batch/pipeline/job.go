// Package pipeline runs what package shard does on Apache Beam: on Prism in this
// process, or on whichever runner Beam knows.
//
// An element is a chunk of a file, or what a chunk says of its rows, and never a row: a
// text or a raw vector lives within one call on one worker, so that no engine stores it.
// What is told the trusted side are counts of answers, and which parts of pairs there are.
// The graph is
//
//	chunks ─┬─ scan ─┬─ ids of a partition ── duplicates ── refuse ─┐
//	        │        └─ spends of a partition ───────────── reserve ┤ who of a chunk cannot pay
//	        └───────────────────────────────────────────────────────┴─ release ─┬─────── finish
//	                                                    what stays, of each part └── add ──┘
//
// where names of ids are noted in files beside the parts, if that is a folder, and the
// engine says whose turn it is to count them: Prism keeps in memory what it moves.
// A function that has two inputs gets both together by a key. An engine gives out
// no key before its inputs have ended, so that nothing is released before all ids are
// known to be unique and everything is paid for. No function has a side input: Prism
// keeps a core busy with asking whether such a function may begin, for as long as it runs.
package pipeline

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"sync"

	"sotto/batch/crew"
	"sotto/batch/shard"
	"sotto/command/term"
	"sotto/study/language/mask"
	"sotto/text"
)

// The ways to treat users who have too little left.
const (
	LeaveOut = "leave-out" // their rows are left out and counted
	Refuse   = "refuse"    // nothing is released
)

// Job is what a pipeline does: the same on every worker.
type Job struct {
	shard.Spec
	Lists       term.ListFlags `json:"lists"`            // what masks, by files on every worker
	Ledger      string         `json:"ledger,omitempty"` // place of it; "" for none
	Head        string         `json:"head,omitempty"`   // place of its head; "" means beside it
	OnExhausted string         `json:"on_exhausted,omitempty"`
	Workers     int            `json:"workers"` // chunks at a time in one process; 0 means a core each

	// Processes is how many processes of their own make parts, each one at a time, in place of
	// this one. The part of a process that dies is made again by another.
	Processes int `json:"processes,omitempty"`

	// Watch, if not nil, is told how far the job is, one call at a time, by the workers of the
	// process that runs it.
	Watch func(Progress) `json:"-"`

	// Sign, if not nil, makes the signature of the record of the set, which is written
	// beside it. The key stays in the process that runs the job.
	Sign func(record []byte) []byte `json:"-"`
}

// Validate reports what cannot be done.
func (j *Job) Validate() error {
	switch {
	case j.Ledger != "" && j.User == "":
		return fmt.Errorf("pipeline: there is a ledger but no column of users, must be one: somebody has to pay")
	case j.Ledger != "" && j.OnExhausted != LeaveOut && j.OnExhausted != Refuse:
		return fmt.Errorf("pipeline: for exhausted budgets there is %q, must be %s or %s", j.OnExhausted, LeaveOut, Refuse)
	case j.Workers < 0:
		return fmt.Errorf("pipeline: there are %d workers, must be at least one", j.Workers)
	case j.Processes < 0:
		return fmt.Errorf("pipeline: there are %d processes, must be at least one", j.Processes)
	case j.Processes > 0 && j.Workers > 0:
		return fmt.Errorf("pipeline: there are %d workers and %d processes, must be one of them: a process makes one part at a time", j.Workers, j.Processes)
	}
	return j.Spec.Validate()
}

// Open loads what the job needs, in this process.
func (j *Job) Open(ctx context.Context) (*shard.Worker, error) {
	if err := j.Validate(); err != nil {
		return nil, err
	}
	maskers, err := j.Lists.Maskers(text.WithTypes(ctx, mask.Maskers{}))
	if err != nil {
		return nil, err
	}
	return shard.Open(ctx, &j.Spec, maskers, elsewhere)
}

// process is what all instances of functions in one process share: models are loaded
// once, and no more chunks are in memory than there are workers.
type process struct {
	load   sync.Once
	job    Job
	worker *shard.Worker
	err    error
	crew   *crew.Crew // nil if chunks are worked on in this process
	places chan struct{}

	meeting sync.Mutex // guards met
	met     bool       // the ledger knows no other job of the name
}

var processes sync.Map // of *process, by the job's JSON

// enter loads a job, or finds it loaded, and waits for a place to work in. What it
// returns second gives the place back.
func enter(ctx context.Context, spec string) (*process, func(), error) {
	held, _ := processes.LoadOrStore(spec, &process{})
	p := held.(*process) //nolint:forcetypeassert // nothing else is stored
	p.load.Do(func() {
		if p.err = json.Unmarshal([]byte(spec), &p.job); p.err != nil {
			return
		}
		n := max(p.job.Workers, p.job.Processes)
		if n == 0 {
			n = runtime.GOMAXPROCS(0)
		}
		p.places = make(chan struct{}, n)
		p.worker, p.err = p.job.Open(ctx)
		if p.err == nil && p.job.Processes > 0 {
			p.err = p.hire(spec)
		}
	})
	if p.err != nil {
		return nil, nil, p.err
	}
	select {
	case p.places <- struct{}{}:
		return p, func() { <-p.places }, nil
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
}
