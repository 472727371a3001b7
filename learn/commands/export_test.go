package files

import (
	"context"
	"sync"
)

// Imagine audits what write returns, in place of what a command writes, by name,
// with its exit code.
func Imagine(c Config, write func(which int, content []byte) (files map[string][]byte, exit string)) (*Result, error) {
	c.withDefaults()
	c.Command, c.Workers = []string{"{in}"}, 1
	if err := c.Validate(); err != nil {
		return nil, err
	}
	var mu sync.Mutex
	return c.with(context.Background(), func(_ context.Context, p *place, which int) (outcome, error) {
		mu.Lock()
		defer mu.Unlock()
		all, exit := write(which, p.in.content[which])
		if exit == "" {
			exit = finished
		}
		return outcome{exit: exit, files: all}, nil
	})
}

// RunsNeeded is how many runs refute a claim if all guesses are right.
func RunsNeeded(claim, alpha float64) int { return runsNeeded(claim, alpha) }
