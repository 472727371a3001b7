package audit

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"
	"sync/atomic"
)

// runner holds the samplers of one audit.
type runner struct {
	ctx      context.Context
	target   Target
	config   Config
	samplers []Sampler
	width    int // the longest release seen by the search
	done     atomic.Int64
	total    int64
}

func newRunner(ctx context.Context, t Target, c Config) (*runner, error) {
	r := &runner{ctx: ctx, target: t, config: c}
	for range c.Workers {
		s, err := t.Open(ctx)
		if err != nil {
			r.close()
			return nil, err
		}
		r.samplers = append(r.samplers, s)
	}
	r.total = int64(2 * c.Draws)
	if (t.Independent || c.Independent) && c.Delta == 0 {
		r.total += int64(2 * c.Draws)
	}
	return r, nil
}

func (r *runner) close() {
	for _, s := range r.samplers {
		s.Close() //nolint:errcheck // everything that was to be read has been read
	}
}

// parallel runs n draws of x, divided among the samplers; each worker gets its
// own sink from open.
func (r *runner) parallel(x []float64, n int, open func(worker int) func(Release)) error {
	var wg sync.WaitGroup
	errs := make([]error, len(r.samplers))
	for w, s := range r.samplers {
		share := n / len(r.samplers)
		if w < n%len(r.samplers) {
			share++
		}
		sink := open(w)
		wg.Go(func() {
			for range share {
				if err := r.ctx.Err(); err != nil {
					errs[w] = err
					return
				}
				release, err := s.Sample(r.ctx, x)
				if err != nil {
					errs[w] = err
					return
				}
				sink(release)
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// collect keeps n releases of x for a search.
func (r *runner) collect(x []float64, n int) (*sample, error) {
	parts := make([]sample, len(r.samplers))
	err := r.parallel(x, n, func(w int) func(Release) { return parts[w].add })
	var all sample
	for _, p := range parts {
		all.releases = append(all.releases, p.releases...)
	}
	return &all, err
}

// plans is what the search decided to count. Where one pair serves both, both
// are counted on the same releases; the bounds hold together all the same.
type plans struct {
	event    *view
	single   event
	composed *view
	many     []event
}

const (
	pilotDraws = 300     // of each input of each pair, to choose among pairs
	trainDraws = 4000    // of each input of the pairs that are left
	trainPairs = 6       // how many are left
	trainSpace = 8 << 20 // numbers kept of each sample at the most
)

// plan tries all pairs in both directions on few releases, and the best of them
// on more. The first pair, the best guess beforehand, is among those always: a
// small ε hardly shows on few releases.
func (r *runner) plan(compose bool) (plans, error) {
	var pairs []Pair
	for _, p := range r.target.Pairs {
		pairs = append(pairs, p, p.reversed())
	}
	type trial struct {
		pair        Pair
		single, sum float64
	}
	var trials []trial
	for _, p := range pairs[2:] {
		s, err := r.prepare(p, pilotDraws)
		if err != nil {
			return plans{}, err
		}
		t := trial{pair: p, single: s.bestOfAll().expected / p.Distance}
		if compose {
			_, t.sum = s.perCoordinate()
			t.sum /= p.Distance
		}
		trials = append(trials, t)
	}
	left := pairs[:2]
	slices.SortStableFunc(trials, func(a, b trial) int { return cmp.Compare(b.single, a.single) })
	for _, t := range trials[:min(len(trials), (trainPairs-2)/2)] {
		left = append(left, t.pair)
	}
	slices.SortStableFunc(trials, func(a, b trial) int { return cmp.Compare(b.sum, a.sum) })
	for _, t := range trials {
		if len(left) < trainPairs && !slices.ContainsFunc(left, func(p Pair) bool { return p.Name == t.pair.Name }) {
			left = append(left, t.pair)
		}
	}
	return r.choose(left, compose)
}

// choose searches events on many releases of each pair and keeps the best.
func (r *runner) choose(pairs []Pair, compose bool) (plans, error) {
	var out plans
	bestSingle, bestSum := math.Inf(-1), math.Inf(-1)
	for _, p := range pairs {
		s, err := r.prepare(p, trainDraws)
		if err != nil {
			return plans{}, err
		}
		if c := s.bestOfAll(); out.event == nil || c.expected/p.Distance > bestSingle {
			bestSingle = c.expected / p.Distance
			out.event, out.single = s.view, c.event
		}
		if !compose {
			continue
		}
		if events, v := s.perCoordinate(); out.composed == nil || v/p.Distance > bestSum {
			bestSum = v / p.Distance
			out.composed, out.many = s.view, events
		}
	}
	return out, nil
}

// prepare collects releases of a pair for a search. The linear score is learnt
// on releases of its own, so that the search sees what it is worth.
func (r *runner) prepare(p Pair, draws int) (*search, error) {
	draws = min(draws, r.config.Draws, max(pilotDraws, trainSpace/max(1, r.width)))
	var samples [4]*sample
	for i, x := range [4][]float64{p.X, p.X2, p.X, p.X2} {
		var err error
		if samples[i], err = r.collect(x, draws); err != nil {
			return nil, err
		}
		r.width = max(r.width, samples[i].width())
	}
	v := &view{pair: p, ratio: r.target.LogRatio}
	v.learn(samples[0], samples[1])
	// A normal tail of alpha begins near √(−2·ln alpha) deviations.
	sure := math.Sqrt(-2 * math.Log(1-r.config.Confidence))
	return &search{view: v, a: samples[2], b: samples[3], draws: r.config.Draws, sure: sure}, nil
}

// count counts events on fresh releases of the view's pair.
func (r *runner) count(v *view, events []event) ([]Counts, error) {
	var hits [2][]int64
	for side, x := range [2][]float64{v.pair.X, v.pair.X2} {
		parts := make([][]int64, len(r.samplers))
		err := r.parallel(x, r.config.Draws, func(w int) func(Release) {
			parts[w] = make([]int64, len(events))
			return r.counter(v, events, parts[w])
		})
		if err != nil {
			return nil, err
		}
		hits[side] = make([]int64, len(events))
		for _, part := range parts {
			for k, n := range part {
				hits[side][k] += n
			}
		}
	}
	counts := make([]Counts, len(events))
	n := int64(r.config.Draws)
	for k := range counts {
		counts[k] = Counts{Hits: hits[0][k], Draws: n, Hits2: hits[1][k], Draws2: n}
	}
	return counts, nil
}

// counter returns a sink that adds to hits and reports progress.
func (r *runner) counter(v *view, events []event, hits []int64) func(Release) {
	const report = 1024
	drawn := 0
	return func(release Release) {
		for k := range events {
			e := &events[k]
			var hit bool
			if i := int(e.feature); i >= 0 && i < len(release.Y) {
				hit = e.contains(release.Y[i]) // the common case, kept short
			} else {
				hit = e.contains(v.value(e.feature, release))
			}
			if hit {
				hits[k]++
			}
		}
		if drawn++; drawn%report == 0 && r.config.Progress != nil {
			r.config.Progress(r.done.Add(report), r.total)
		}
	}
}
