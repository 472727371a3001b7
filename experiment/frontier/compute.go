package frontier

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"sotto/experiment"
)

// Compute runs what is missing in the store of what o chooses, or this
// process's share of it. What was begun before goes on. When ctx is done, it
// returns an error that wraps experiment.ErrInterrupted; the store then holds
// what was trained so far. An experiment that comes to nothing does not stop
// the others; the error tells of all such at the end.
func Compute(ctx context.Context, o Options) error {
	o, err := o.filled()
	if err != nil {
		return err
	}
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	c := &computation{Options: o, store: newStore(o.Store)}
	jobs := o.share()
	var errs []error
	for i, j := range jobs {
		c.now = Event{Job: j.name(), Done: i, Total: len(jobs)}
		if err := c.do(ctx, j); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", j.name(), err))
			if ctx.Err() != nil {
				break
			}
			continue
		}
		c.now.Step, c.now.Done, c.now.Share = "", i+1, 0
		c.tell()
	}
	return errors.Join(errs...)
}

// computation is a Compute under way.
type computation struct {
	Options
	store *store
	now   Event
}

func (c *computation) tell() {
	if c.Progress != nil {
		c.Progress(c.now)
	}
}

// do makes sure that the store has the result of a job, and the split answers
// that belong to it.
func (c *computation) do(ctx context.Context, j job) error {
	dir, err := c.store.folder(j)
	if err != nil {
		return err
	}
	r, err := result(dir, j.spec)
	if err != nil {
		return err
	}
	missing := false
	if j.method.Name == answered && j.task.Part == Several {
		s, err := readSplits(dir)
		if err != nil {
			return err
		}
		missing = slices.ContainsFunc(c.Epsilons, func(e float64) bool { return s.at(e) == nil })
	}
	c.now.Found = r != nil && !missing
	if r == nil || missing { // whose models may be gone; those that are there are not trained again
		if err := c.run(ctx, j, dir); err != nil {
			return err
		}
	}
	if missing {
		if err := addSplits(ctx, dir, j.task, c.Epsilons, c.Workers); err != nil {
			return err
		}
	}
	return dropModels(dir)
}

// run trains and measures. That single seeds came to nothing is part of the
// result; that all did is an error.
func (c *computation) run(ctx context.Context, j job, dir string) error {
	r, err := experiment.Run(ctx, j.spec, experiment.Options{Out: dir, Resume: begun(dir), Workers: c.Workers, Progress: func(e experiment.Event) {
		c.now.Step, c.now.Share = step(e), e.Done
		c.tell()
	}})
	if errors.Is(err, experiment.ErrFailed) && r != nil && !r.Interrupted && len(r.Seeds) > 0 {
		return nil
	}
	return err
}

// step says what a training or a search is doing.
func step(e experiment.Event) string {
	if e.Trial != nil {
		return "tried " + e.Trial.Name
	}
	return fmt.Sprintf("%s, epoch %d of %d", e.Job, e.At.Epoch, e.At.Epochs)
}
