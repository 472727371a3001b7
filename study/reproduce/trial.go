package reproduce

import (
	"context"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"

	"sotto/compute/nn"
)

// trial is something that is done once with each seed.
type trial[T any] struct {
	name string
	run  func(ctx context.Context, p *nn.Pool, seed int) (T, error)
}

// all does trials with every seed, as many at a time as there are workers, each
// on one core, and returns what they gave, by trial and seed. It returns the
// first error, after which nothing more begins.
func all[T any](ctx context.Context, w *work, trials []trial[T]) ([][]T, error) {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(w.Workers)
	var mu sync.Mutex // guards done and calls of Progress
	done, given := 0, make([][]T, len(trials))
	for k, t := range trials {
		given[k] = make([]T, w.seeds)
		for seed := range w.seeds {
			group.Go(func() (err error) {
				if err = ctx.Err(); err != nil {
					return err
				}
				name := fmt.Sprintf("%s, seed %d", t.name, seed)
				if given[k][seed], err = t.run(ctx, nn.NewPool(1), seed); err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
				mu.Lock()
				defer mu.Unlock()
				done++
				w.tell(name, done, len(trials)*w.seeds)
				return nil
			})
		}
	}
	return given, group.Wait()
}

func (w *work) tell(name string, done, total int) {
	if w.Progress != nil {
		w.Progress(Event{Job: name, Done: done, Total: total})
	}
}

// each returns what a function makes of each value.
func each[T, U any](of []T, f func(T) U) []U {
	var list []U
	for _, v := range of {
		list = append(list, f(v))
	}
	return list
}
