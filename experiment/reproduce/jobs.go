package reproduce

import (
	"context"
	"fmt"
	"sync"

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
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	queue := make(chan job, len(jobs))
	for _, j := range jobs {
		queue <- j
	}
	close(queue)
	var mu sync.Mutex // guards done and calls of Progress
	var done int
	var group sync.WaitGroup
	for range min(w.Workers, len(jobs)) {
		group.Go(func() {
			pool := nn.NewPool(1)
			for j := range queue {
				if ctx.Err() != nil {
					return
				}
				if err := j.run(ctx, pool); err != nil {
					cancel(fmt.Errorf("%s: %w", j.name, err))
					return
				}
				mu.Lock()
				done++
				w.tell(j.name, done, len(jobs))
				mu.Unlock()
			}
		})
	}
	group.Wait()
	return context.Cause(ctx)
}

func (w *work) tell(name string, done, total int) {
	if w.Progress != nil {
		w.Progress(Event{Job: name, Done: done, Total: total})
	}
}
