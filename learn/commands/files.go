package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"sotto/promise/dp"
)

// Person is the unit of a claim about all rows of one person.
const Person dp.Unit = "person"

// Config says what to run and what is claimed of it.
type Config struct {
	A, B string // the inputs
	// Command has {in} for the input and, where it needs them, {out} for what it
	// writes, {secret} for a file of 32 random bytes and {dir} for a folder that is
	// not looked at. A single word with a blank in it is a line of a shell.
	Command []string
	Claim   float64 // the ε to refute
	Delta   float64 // the δ that goes with it
	Unit    dp.Unit // "" means text
	Runs    int     // of each input, on average; 0 means 200
	// Most is how many runs of each input may be added where something is constant
	// and Runs are too few to refute the claim by it; 0 means none.
	Most       int
	Confidence float64 // 0 means 0.99
	Ignore     []string
	Timeout    time.Duration // of a run; 0 means a minute
	Workers    int           // runs side by side; 0 means one for each core
	Env        []string      // added to the environment
	Coins      rand.Source   // that decide which input a run gets
	// Progress, if set, is told how many of all runs are done.
	Progress func(done, total int64)
}

// Validate reports a configuration that means nothing.
func (c *Config) Validate() error {
	switch {
	case len(c.Command) == 0:
		return errors.New("files: there is no command, must stand behind --")
	case !strings.Contains(strings.Join(c.Command, " "), "{in}"):
		return errors.New("files: the command has no {in}, must have it where the input belongs")
	case !(c.Claim >= 0) || math.IsInf(c.Claim, 1):
		return fmt.Errorf("files: claim is %v, must be non-negative and finite", c.Claim)
	case !(c.Delta >= 0 && c.Delta < 1):
		return fmt.Errorf("files: delta is %v, must be in [0, 1)", c.Delta)
	case c.Unit != dp.Text && c.Unit != dp.Word && c.Unit != Person:
		return fmt.Errorf("files: unit is %q, must be %q, %q or %q", c.Unit, dp.Text, dp.Word, Person)
	case c.Runs < leastRuns:
		return fmt.Errorf("files: runs is %d, must be at least %d", c.Runs, leastRuns)
	case c.Most < 0:
		return fmt.Errorf("files: most is %d, must be at least 0", c.Most)
	case !(c.Confidence > 0 && c.Confidence < 1):
		return fmt.Errorf("files: confidence is %v, must be above 0 and below 1", c.Confidence)
	case c.Timeout <= 0:
		return fmt.Errorf("files: timeout is %v, must be positive", c.Timeout)
	case c.Workers < 1:
		return fmt.Errorf("files: workers is %d, must be at least 1", c.Workers)
	case c.Coins == nil:
		return errors.New("files: there is no source of coins, must be one")
	}
	return nil
}

// leastRuns is of each input.
const leastRuns = 10

func (c *Config) withDefaults() {
	c.Unit, c.Runs = cmp.Or(c.Unit, dp.Text), cmp.Or(c.Runs, 200)
	c.Confidence, c.Timeout = cmp.Or(c.Confidence, 0.99), cmp.Or(c.Timeout, time.Minute)
	c.Workers = cmp.Or(c.Workers, runtime.GOMAXPROCS(0))
}

// auditor is an audit under way.
type auditor struct {
	config Config
	in     *inputs
	ignore []pattern
	places []*place
	done   int64
	total  int64
	// ignored counts what each pattern left out.
	ignored   []int
	certified int // runs that are counted
	// run runs the command at a place on an input.
	run func(ctx context.Context, p *place, which int) (outcome, error)
}

// Run audits the command.
func Run(ctx context.Context, c Config) (*Result, error) {
	c.withDefaults()
	if err := c.Validate(); err != nil {
		return nil, err
	}
	return c.with(ctx, func(ctx context.Context, p *place, which int) (outcome, error) { return p.run(ctx, which) })
}

// with audits what run does.
func (c Config) with(ctx context.Context, run func(ctx context.Context, p *place, which int) (outcome, error)) (*Result, error) {
	a := &auditor{config: c, ignored: make([]int, len(c.Ignore)), run: run}
	for _, text := range c.Ignore {
		p, err := newPattern(text)
		if err != nil {
			return nil, err
		}
		a.ignore = append(a.ignore, p)
	}
	var err error
	if a.in, err = open(&a.config); err != nil {
		return nil, err
	}
	base, err := os.MkdirTemp("", "sotto-audit-")
	if err != nil {
		return nil, fmt.Errorf("files: no folder for runs: %w", err)
	}
	defer os.RemoveAll(base) //nolint:errcheck // what is left of runs is nobody's
	for i := range c.Workers {
		a.places = append(a.places, newPlace(base, i, &a.config, a.in))
	}
	a.total = int64(2 * c.Runs)
	if err := a.rehearse(ctx); err != nil {
		return nil, err
	}
	return a.audit(ctx)
}

// rehearse runs the command once on each input, and refuses one that does not
// work: all that it would tell is how it fails.
func (a *auditor) rehearse(ctx context.Context) error {
	var ends [2]string
	for i := range ends {
		o, err := a.run(ctx, a.places[0], i)
		if err != nil {
			return err
		}
		ends[i] = o.exit
	}
	if ends[0] == ends[1] && ends[0] != finished {
		return fmt.Errorf("files: the command ends with %s on both inputs, must work on one: run it by hand with {in}, {out}, {secret} and {dir} filled in", ends[0])
	}
	return nil
}

// audit learns on half of the runs and certifies on the other.
func (a *auditor) audit(ctx context.Context) (*Result, error) {
	t := newTable()
	learning := a.toss(a.config.Runs)
	err := a.each(ctx, learning, func(which int, l *leaves) {
		t.add(which, l)
		for i, n := range l.counts {
			a.ignored[i] += n
		}
	})
	if err != nil {
		return nil, err
	}
	if n := t.count(0); n < 2 || n > len(t.labels)-2 {
		return nil, errors.New("files: the coins gave nearly all runs to one input, must give some to both: use more runs")
	}
	t.learn()
	alpha := 1 - a.config.Confidence
	plan := t.plan(alpha, a.config.Delta, a.in.differ.row)

	certifying := a.config.Runs
	need := 0
	if plan.constants() {
		need = runsNeeded(a.config.Claim, alpha/2/float64(len(plan.named)))
		if need > certifying && need <= certifying+2*a.config.Most {
			certifying = need
		}
	}
	a.certified, a.total = certifying, int64(a.config.Runs+certifying)
	tallies := plan.tallies()
	err = a.each(ctx, a.toss(certifying), func(which int, l *leaves) { plan.count(tallies, which, l) })
	if err != nil {
		return nil, err
	}
	return a.result(t, plan, tallies, need), nil
}

// runsNeeded is how many runs refute the claim if all guesses are right.
func runsNeeded(claim, alpha float64) int {
	n := math.Ceil(1.01 * math.Log(1/alpha) / math.Log1p(math.Exp(-claim)))
	return int(min(n, math.MaxInt32))
}

// toss decides by coins which input each run gets.
func (a *auditor) toss(runs int) []int {
	coins := rand.New(a.config.Coins)
	all := make([]int, runs)
	for i := range all {
		all[i] = coins.IntN(2)
	}
	return all
}

// each runs the command on the inputs and hands over what it wrote, one run at a
// time.
func (a *auditor) each(ctx context.Context, which []int, take func(which int, l *leaves)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	jobs := make(chan int)
	var mu sync.Mutex // guards take and done
	var wg sync.WaitGroup
	for _, p := range a.places {
		wg.Go(func() {
			for w := range jobs {
				o, err := a.run(ctx, p, w)
				if err != nil {
					cancel(err)
					continue
				}
				l := o.leavesOf(a.ignore, &a.in.differ)
				mu.Lock()
				take(w, l)
				a.done++
				if a.config.Progress != nil {
					a.config.Progress(a.done, a.total)
				}
				mu.Unlock()
			}
		})
	}
	for _, w := range which {
		select {
		case jobs <- w:
			continue
		case <-ctx.Done():
		}
		break
	}
	close(jobs)
	wg.Wait()
	return context.Cause(ctx)
}
