package reproduce

import (
	"context"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"

	"sotto/nn"
)

// job is a piece of work that writes to places of its own.
type job struct {
	name string
	run  func(ctx context.Context, p *nn.Pool) error
}

// all runs jobs, as many at a time as there are workers, each on one core. It
// returns the first error, after which no other job begins.
func (w *work) all(ctx context.Context, jobs []job) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(w.Workers)
	var mu sync.Mutex // guards done and calls of Progress
	done := 0
	for _, j := range jobs {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := j.run(ctx, nn.NewPool(1)); err != nil {
				return fmt.Errorf("%s: %w", j.name, err)
			}
			mu.Lock()
			defer mu.Unlock()
			done++
			w.tell(j.name, done, len(jobs))
			return nil
		})
	}
	return group.Wait()
}

func (w *work) tell(name string, done, total int) {
	if w.Progress != nil {
		w.Progress(Event{Job: name, Done: done, Total: total})
	}
}
