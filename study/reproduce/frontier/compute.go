package frontier

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"sotto/learn/experiment"
	"sotto/study/reproduce"
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
	c := &computation{Options: o, store: store{}}
	groups := o.share()
	total, done := 0, 0
	for _, group := range groups {
		total += len(group)
	}
	var errs []error
	for _, group := range groups {
		c.now = Event{Done: done, Total: total}
		if err := c.group(ctx, group); err != nil {
			errs = append(errs, err)
		}
		if ctx.Err() != nil {
			break
		}
		done += len(group)
	}
	return errors.Join(errs...)
}

// group does the jobs that learn from the same vectors. An encoder that was tuned for
// them goes when all are done: their results need it no longer.
func (c *computation) group(ctx context.Context, jobs []job) error {
	c.sets, c.encoders = &experiment.Sets{}, ""
	if name := jobs[0].vectors(); jobs[0].spec.Tune {
		c.encoders = filepath.Join(c.Store, "encoder-"+name)
	}
	done := c.now.Done
	var errs []error
	for i, j := range jobs {
		c.now = Event{Job: j.name(), Done: done + i, Total: c.now.Total}
		if err := c.do(ctx, j); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", j.name(), err))
			if ctx.Err() != nil {
				break
			}
			continue
		}
		c.now.Step, c.now.Done, c.now.Share = "", done+i+1, 0
		c.tell()
	}
	if len(errs) == 0 && c.encoders != "" {
		if err := os.RemoveAll(c.encoders); err != nil {
			return fmt.Errorf("frontier: %w", err)
		}
	}
	return errors.Join(errs...)
}

// computation is a Compute under way.
type computation struct {
	Options
	store    store
	sets     *experiment.Sets // that the jobs of a group share
	encoders string           // folder of the encoder that they share; "" if none is tuned
	now      Event
}

func (c *computation) tell() {
	if c.Progress != nil {
		c.Progress(c.now)
	}
}

// do makes sure that the store has the result of a job, and the split answers
// that belong to it.
func (c *computation) do(ctx context.Context, j job) error {
	e, err := c.store.entry(ctx, c.Store, j)
	if err != nil {
		return err
	}
	r, err := e.Result()
	if err != nil {
		return err
	}
	missing := false
	if j.method.Name == answered && j.task.Part == Several {
		s, err := readSplits(e)
		if err != nil {
			return err
		}
		missing = slices.ContainsFunc(c.Epsilons, func(e float64) bool { return s.at(e) == nil })
	}
	c.now.Found = r != nil && !missing
	if r == nil || missing { // whose models may be gone; those that are there are not trained again
		if err := c.run(ctx, e); err != nil {
			return err
		}
	}
	if missing {
		if err := addSplits(ctx, e, j.task, c.Epsilons, c.Workers); err != nil {
			return err
		}
	}
	return e.DropModels()
}

// run trains and measures. That single seeds came to nothing is part of the
// result; that all did is an error.
func (c *computation) run(ctx context.Context, e *reproduce.CacheEntry) error {
	r, err := e.Run(ctx, experiment.Options{Workers: c.Workers, Sets: c.sets, Encoders: c.encoders, Progress: func(e experiment.Event) {
		c.now.Step, c.now.Share = step(e), e.Done
		c.tell()
	}})
	if err == nil && len(r.Seeds) == 0 && len(r.Failed) > 0 {
		return fmt.Errorf("%w: %s: %s", experiment.ErrFailed, r.Failed[0].Job, r.Failed[0].Reason)
	}
	return err
}

// store holds the key of the data of each task.
type store map[string]string

// entry returns where the experiment of a job lies: under the hash of its
// filled spec with the key of the task's data. That covers what
// experiment.Spec.Key covers, but the data of a task is loaded once for all its
// experiments.
func (s store) entry(ctx context.Context, dir string, j job) (*reproduce.CacheEntry, error) {
	key, ok := s[j.task.Name]
	if !ok {
		var err error
		data := experiment.Spec{Data: j.task.Data, Labels: j.task.Labels, Unknown: j.task.Unknown, Methods: []string{"majority"}}
		if key, err = data.Key(ctx); err != nil {
			return nil, err
		}
		s[j.task.Name] = key
	}
	filled, err := j.spec.Filled(ctx)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(key + " " + filled.Hash()))
	return reproduce.CacheAt(ctx, filepath.Join(dir, hex.EncodeToString(sum[:])), filled)
}

// step says what a training or a search is doing.
func step(e experiment.Event) string {
	if e.Trial != nil {
		return "tried " + e.Trial.Name
	}
	if e.Tuning != nil {
		return fmt.Sprintf("tuning the encoder, epoch %d of %d", e.Tuning.Epoch, e.Tuning.Epochs)
	}
	return fmt.Sprintf("%s, epoch %d of %d", e.Job, e.At.Epoch, e.At.Epochs)
}
