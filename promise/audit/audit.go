package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"

	"sotto/promise/dp"
)

// Config says what is claimed and how hard to try.
type Config struct {
	Claim      float64 // the ε to refute
	Delta      float64 // the δ that goes with it
	Draws      int     // releases of each input that are counted; 0 means 100,000
	Confidence float64 // 0 means 0.99
	Workers    int     // samplers side by side; 0 means one for each core
	// Independent says that the coordinates of a release are independent given
	// the input, an assumption that is printed with the bound.
	Independent bool
	// Progress, if set, is told how many of all draws are done.
	Progress func(done, total int64)
}

// Validate reports a configuration that means nothing.
func (c Config) Validate() error {
	switch {
	case !(c.Claim >= 0):
		return fmt.Errorf("audit: claim is %v, must be non-negative", c.Claim)
	case !(c.Delta >= 0 && c.Delta < 1):
		return fmt.Errorf("audit: delta is %v, must be in [0, 1)", c.Delta)
	case c.Draws < 100:
		return fmt.Errorf("audit: draws is %d, must be at least 100", c.Draws)
	case !(c.Confidence > 0 && c.Confidence < 1):
		return fmt.Errorf("audit: confidence is %v, must be above 0 and below 1", c.Confidence)
	case c.Workers < 1:
		return fmt.Errorf("audit: workers is %d, must be at least 1", c.Workers)
	}
	return nil
}

func (c Config) withDefaults() Config {
	c.Draws, c.Confidence = cmp.Or(c.Draws, 100_000), cmp.Or(c.Confidence, 0.99)
	c.Workers = cmp.Or(c.Workers, runtime.GOMAXPROCS(0))
	return c
}

// Result is what an audit certifies.
type Result struct {
	Claimed dp.Epsilon `json:"claimed"`
	Delta   float64    `json:"delta"`
	// LowerBound is the best of the bounds below: with probability Confidence
	// the mechanism's ε is at least that.
	LowerBound float64 `json:"lower_bound"`
	Confidence float64 `json:"confidence"`
	Refuted    bool    `json:"refuted"`
	Method     string  `json:"method"` // event, composition or recovery
	Pair       string  `json:"pair,omitempty"`
	Event      string  `json:"event,omitempty"`
	Draws      int64   `json:"draws"` // counted, of each input on average

	EventBound       float64         `json:"event_bound"`
	CompositionBound *float64        `json:"composition_bound,omitempty"`
	Recovery         *RecoveryResult `json:"recovery,omitempty"`
	Assumptions      []string        `json:"assumptions,omitempty"`
}

// steadiness is what frequencies over time say nothing without.
const steadiness = "answers do not depend on earlier ones and do not change over time"

// The ways in which a bound comes about.
const (
	methodEvent       = "event"
	methodComposition = "composition"
	methodRecovery    = "recovery"
)

// Run attacks the target. It certifies up to three bounds, of a single event,
// of independent coordinates together and of recovered inputs, with the
// confidence divided among them, and reports the best.
func Run(ctx context.Context, t Target, c Config) (Result, error) {
	c = c.withDefaults()
	if err := c.Validate(); err != nil {
		return Result{}, err
	}
	if len(t.Pairs) == 0 {
		return Result{}, errors.New("audit: the target has no pair of inputs, must have at least one")
	}
	r, err := newRunner(ctx, t, c)
	if err != nil {
		return Result{}, err
	}
	defer r.close()
	return r.run()
}

func (r *runner) run() (Result, error) {
	result := Result{Claimed: dp.Epsilon(r.config.Claim), Delta: r.config.Delta, Confidence: r.config.Confidence, Draws: int64(r.config.Draws)}
	compose := (r.target.Independent || r.config.Independent) && r.config.Delta == 0
	recovery := r.target.Recovery != nil && r.config.Delta == 0
	methods := 1 + int(indicator(compose)) + int(indicator(recovery))
	alpha := (1 - r.config.Confidence) / float64(methods)

	plans, err := r.plan(compose)
	if err != nil {
		return Result{}, err
	}
	if err := r.certifyCounts(&result, plans, alpha); err != nil {
		return Result{}, err
	}
	if recovery {
		got, err := r.target.Recovery.run(r.ctx, r.samplers[0], recoveryTrials(r.config.Draws), alpha)
		if err != nil {
			return Result{}, err
		}
		result.Recovery = &got
		if result.take(methodRecovery, got.LowerBound, "inputs drawn from a grid", got.Attack) {
			result.Draws = got.Trials
		}
	}
	if r.target.Foreign && r.config.Delta > 0 {
		result.Assumptions = append(result.Assumptions, steadiness)
	}
	result.Refuted = result.LowerBound > r.config.Claim
	return result, nil
}

// certifyCounts counts the planned events on fresh releases and takes the
// bounds of the single event and, if planned, of the coordinates together.
func (r *runner) certifyCounts(result *Result, p plans, alpha float64) error {
	events := []event{p.single}
	r.total = int64(2 * r.config.Draws)
	if p.composed == p.event {
		events = append(events, p.many...)
	} else if p.composed != nil {
		r.total *= 2
	}
	counts, err := r.count(p.event, events)
	if err != nil {
		return err
	}
	bound := counts[0].Bound(alpha, r.config.Delta)
	if r.config.Delta == 0 {
		// A release in the event is a guess that the coin fell on x. Unlike the
		// ratio of two frequencies this holds even if answers depend on earlier
		// ones.
		bound = GuessBound(counts[0].Hits, counts[0].Hits+counts[0].Hits2, alpha)
	}
	result.EventBound = max(0, bound) / p.event.pair.Distance
	result.take(methodEvent, result.EventBound, p.event.pair.Name, p.single.String())
	if p.composed == nil {
		return nil
	}
	counts = counts[1:]
	if p.composed != p.event {
		if counts, err = r.count(p.composed, p.many); err != nil {
			return err
		}
	}
	sum := 0.0
	for _, k := range counts {
		// The whole space is an event too, and gives 0.
		sum += max(0, k.Bound(alpha/float64(len(counts)), 0))
	}
	sum /= p.composed.pair.Distance
	result.CompositionBound = &sum
	if result.take(methodComposition, sum, p.composed.pair.Name, fmt.Sprintf("one event for each of %d coordinates", len(counts))) {
		result.Assumptions = append(result.Assumptions, "the coordinates of a release are independent of each other given the input")
		if r.target.Foreign {
			result.Assumptions = append(result.Assumptions, steadiness)
		}
	}
	return nil
}

// recoveryTrials is enough to make the confidence cost little, and no more.
func recoveryTrials(draws int) int { return min(1000, max(100, draws/100)) }

// take keeps the bound if it is the best so far.
func (r *Result) take(method string, bound float64, pair, event string) bool {
	if r.Method != "" && !(bound > r.LowerBound) {
		return false
	}
	r.Method, r.LowerBound, r.Pair, r.Event = method, bound, pair, event
	if math.IsNaN(bound) {
		r.LowerBound = 0
	}
	return true
}
