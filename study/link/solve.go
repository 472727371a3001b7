package link

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// Options of [Solve]. The zero value serves.
type Options struct {
	// Work limits the search of each connected component, in units of about ten
	// nanoseconds, so that the same graph has the same solution on every machine;
	// 0 means 2e9, some twenty seconds.
	Work int64
	// Limit, if above zero, ends all searches after that time. What is found then
	// depends on the machine.
	Limit    time.Duration
	Workers  int                   // components that are searched at once; 0 means one for each processor
	Progress func(done, total int) // hears how many nodes are done, one call at a time; may be nil
}

// defaultWork is what a component may cost if nothing else is said.
const defaultWork = 2_000_000_000

// maxMatrix is the largest component of which all pairs are listed. A larger one is
// divided greedily, with a bound that is not searched.
const maxMatrix = 2500

// A Solution is a division and what is proved of it.
type Solution struct {
	Labels    []int   // the cluster of each node, numbered from 0 in the order in which they appear
	Objective float64 // what the division costs, as [Graph.Cost] does
	Bound     float64 // no division costs less
	Gap       float64 // how far the two are apart, as a part of the objective; 0 if none costs less
	Optimal   bool    // no division costs less
	Parts     int     // connected components of pairs that attract
	Largest   int     // nodes of the largest
	Open      int     // components of which the best division found is not proved best
	Work      int64   // what was done, in units of Options.Work
}

// Solve divides a graph so that it costs as little as can be found, and says what is
// proved: that no division costs less, or by how much at most.
//
// Clusters never cross a component of pairs that attract, so each of them is
// searched alone. The search is exact: weights are whole numbers of a unit, the
// last decimal place that any of them has, so that nothing is rounded. Weights with
// more places than an int64 has room for are rounded to the last that fits, and
// what that may change is taken from the bound.
//
// It returns an error if the graph is not valid, if must and cannot links
// contradict each other, or if ctx is done.
func Solve(ctx context.Context, g Graph, o Options) (Solution, error) {
	if err := g.Validate(); err != nil {
		return Solution{}, err
	}
	if o.Work < 0 || o.Limit < 0 || o.Workers < 0 {
		return Solution{}, fmt.Errorf("link: work is %d, limit %v and workers %d, must not be below 0", o.Work, o.Limit, o.Workers)
	}
	b, err := newBuild(g)
	if err != nil {
		return Solution{}, err
	}
	parts := b.parts()
	found, err := searchAll(ctx, parts, o)
	if err != nil {
		return Solution{}, err
	}
	s := Solution{Labels: make([]int, g.Nodes), Parts: len(parts)}
	cost, bound, next := b.inside, b.inside, 0
	for k, p := range parts {
		s.Largest = max(s.Largest, p.size)
		s.Work += found[k].work
		cost += found[k].cost
		bound += found[k].bound
		if found[k].bound < found[k].cost {
			s.Open++
		}
		for x, super := range p.nodes {
			for _, i := range b.members[super] {
				s.Labels[i] = next + found[k].labels[x]
			}
		}
		next += len(p.nodes)
	}
	s.Labels = Canonical(s.Labels)
	s.Objective, s.Bound = b.units.float(cost), b.units.float(bound)
	if !b.units.exact {
		s.Objective = g.Cost(s.Labels)
		s.Bound = min(s.Objective, math.Nextafter(s.Bound-b.slack(parts), math.Inf(-1)))
	}
	s.Optimal = s.Open == 0 && s.Objective-s.Bound <= 1e-9*max(1, math.Abs(s.Objective))
	switch {
	case s.Optimal:
	case s.Objective != 0:
		s.Gap = (s.Objective - s.Bound) / math.Abs(s.Objective)
	default:
		s.Gap = 1
	}
	return s, nil
}

// outcome is a division and what it took.
type outcome struct {
	division
	work int64
}

// searchAll divides every part, those of most nodes first.
func searchAll(ctx context.Context, parts []part, o Options) ([]outcome, error) {
	deadline := time.Time{}
	if o.Limit > 0 {
		deadline = time.Now().Add(o.Limit)
	}
	ended := func() bool {
		return ctx.Err() != nil || !deadline.IsZero() && time.Now().After(deadline)
	}
	order := identity(len(parts))
	total := 0
	for _, p := range parts {
		total += p.size
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(len(parts[y].nodes), len(parts[x].nodes)) })
	found := make([]outcome, len(parts))
	var group errgroup.Group
	group.SetLimit(cmp.Or(o.Workers, runtime.GOMAXPROCS(0)))
	var mu sync.Mutex
	done := 0
	for _, k := range order {
		group.Go(func() error {
			s := &search{most: cmp.Or(o.Work, defaultWork), ended: ended}
			if c := parts[k].sparse; len(parts[k].nodes) <= maxMatrix {
				found[k].division = s.solve(c.matrix(), never)
			} else {
				found[k].division = c.solve(s.stop)
			}
			found[k].work = s.work
			mu.Lock()
			defer mu.Unlock()
			done += parts[k].size
			if o.Progress != nil {
				o.Progress(done, total)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return found, ctx.Err()
}
