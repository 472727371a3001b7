package audit

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"sotto/internal/fault"
	"sotto/promise/noise"
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
	return r, nil
}

func (r *runner) close() {
	for _, s := range r.samplers {
		s.Close() //nolint:errcheck // everything that was to be read has been read
	}
}

// parallel runs n draws, divided among the samplers. Each worker gets from open
// what chooses the input of its next draw, and what takes the release.
func (r *runner) parallel(n int, open func(worker int) (input func() []float64, take func(Release))) error {
	var wg sync.WaitGroup
	errs := make([]error, len(r.samplers))
	for w, s := range r.samplers {
		share := n / len(r.samplers)
		if w < n%len(r.samplers) {
			share++
		}
		input, take := open(w)
		wg.Go(func() {
			defer fault.Catch(&errs[w])
			for range share {
				if errs[w] = r.ctx.Err(); errs[w] != nil {
					return
				}
				release, err := s.Sample(r.ctx, input())
				if err != nil {
					errs[w] = err
					return
				}
				take(release)
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// collect keeps n releases of x for a search.
func (r *runner) collect(x []float64, n int) (sample, error) {
	parts := make([]sample, len(r.samplers))
	err := r.parallel(n, func(w int) (func() []float64, func(Release)) {
		return func() []float64 { return x }, parts[w].add
	})
	return slices.Concat(parts...), err
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
	var samples [4]sample
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

// count counts events on fresh releases. For each a coin decides between the
// pair's two inputs, so that a mechanism whose answers change over time, but not
// with the input, shows the same on both.
func (r *runner) count(v *view, events []event) ([]Counts, error) {
	parts := make([]tally, len(r.samplers))
	err := r.parallel(2*r.config.Draws, func(w int) (func() []float64, func(Release)) {
		t := &parts[w]
		*t = tally{run: r, view: v, events: events, coin: noise.Crypto()}
		for side := range t.hits {
			t.hits[side] = make([]int64, len(events))
		}
		return t.input, t.take
	})
	if err != nil {
		return nil, err
	}
	counts := make([]Counts, len(events))
	for _, t := range parts {
		for k := range counts {
			counts[k].Hits += t.hits[0][k]
			counts[k].Hits2 += t.hits[1][k]
			counts[k].Draws += t.draws[0]
			counts[k].Draws2 += t.draws[1]
		}
	}
	return counts, nil
}

// tally counts the events among the releases that one sampler made.
type tally struct {
	run    *runner
	view   *view
	events []event
	coin   *noise.Stream
	side   int // of the present draw: 0 for x, 1 for x′
	hits   [2][]int64
	draws  [2]int64
}

func (t *tally) input() []float64 {
	t.side = int(t.coin.Uint64() & 1)
	return [2][]float64{t.view.pair.X, t.view.pair.X2}[t.side]
}

func (t *tally) take(release Release) {
	hits := t.hits[t.side]
	for k := range t.events {
		e := &t.events[k]
		var hit bool
		if i := int(e.feature); i >= 0 && i < len(release.Y) {
			hit = e.contains(release.Y[i]) // the common case, kept short
		} else {
			hit = e.contains(t.view.value(e.feature, release))
		}
		if hit {
			hits[k]++
		}
	}
	const report = 1024
	t.draws[t.side]++
	if (t.draws[0]+t.draws[1])%report == 0 && t.run.config.Progress != nil {
		t.run.config.Progress(t.run.done.Add(report), t.run.total)
	}
}
