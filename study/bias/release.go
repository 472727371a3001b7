package bias

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"sync"

	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/stat"

	"sotto/compute/measure"
	"sotto/promise/dp"
	"sotto/promise/mech"
	"sotto/promise/noise"
)

// Release is how vectors leave, one after the other, when a measure is taken
// before and after: through a mechanism, again and again. Noise follows from the
// seed, which measures and protects nobody.
type Release struct {
	Mechanism dp.Vector
	Statement *mech.Statement // what the release of one vector promises
	Draws     int             // at least 1
	Seed      uint64
}

// Progress is told how far a step of the work is; a total below 1 is not known.
// It is called by one goroutine at a time.
type Progress func(step string, done, total int64)

// Tell calls p, unless it is nil.
func (p Progress) Tell(step string, done, total int64) {
	if p != nil {
		p(step, done, total)
	}
}

// Privatize returns the table as it leaves through a mechanism: each word's
// vector is one release. Words and their order stay, for a measure of bias must
// know them; they are public word lists, and what is protected is which of them
// a vector stands for. Noise is derived from the key and the number of the
// draw: with a key that is known, or used again, it measures and protects
// nobody.
func (t *Table) Privatize(m dp.Vector, key []byte, draw int) (*Table, error) {
	in, out := m.Shape()
	if in != t.dim {
		return nil, fmt.Errorf("bias: width of the mechanism is %d, must be that of the vectors, %d", in, t.dim)
	}
	source := noise.Derive(key, "bias", strconv.Itoa(draw))
	private := &Table{dim: out, words: t.words, index: t.index, rows: make([]float64, out*len(t.words))}
	for i := range t.words {
		if err := m.PrivatizeTo(private.Row(i), t.Row(i), source); err != nil {
			return nil, fmt.Errorf("bias: word %d: %w", i+1, err)
		}
	}
	return private, nil
}

// Private returns the table as it leaves in a draw. Tables that are released for
// different purposes have noise of their own.
func (r *Release) Private(t *Table, purpose string, draw int) (*Table, error) {
	key := sha256.Sum256(fmt.Appendf(nil, "sotto bias %d%s", r.Seed, purpose))
	private, err := t.Privatize(r.Mechanism, key[:], draw)
	if errors.Is(err, dp.ErrDomain) {
		err = fmt.Errorf("%w; give vectors of finite numbers, or choose another mechanism", err)
	}
	return private, err
}

// Each does a step n times on several goroutines, and tells how many are done.
func (p Progress) Each(ctx context.Context, step string, n int, f func(ctx context.Context, i int) error) error {
	var done int64
	var mu sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := f(ctx, i); err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			done++
			p.Tell(step, done, int64(n))
			return nil
		})
	}
	return group.Wait()
}

// Redraw takes numbers from the private table of each draw, as many from each,
// on several goroutines, and returns what each number was over the draws. NaN
// stands for a draw without one.
func (r *Release) Redraw(ctx context.Context, t *Table, tell Progress, f func(draw int, private *Table) ([]float64, error)) ([]Draws, error) {
	if r.Draws < 1 {
		return nil, fmt.Errorf("bias: draws are %d, must be at least 1", r.Draws)
	}
	found := make([][]float64, r.Draws)
	err := tell.Each(ctx, "draws", r.Draws, func(_ context.Context, draw int) error {
		private, err := r.Private(t, "", draw)
		if err == nil {
			found[draw], err = f(draw, private)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	values := make([]Draws, len(found[0]))
	for k := range values {
		for _, numbers := range found {
			values[k] = append(values[k], numbers[k])
		}
	}
	return values, nil
}

// Draws are the values that a number took, one for each draw.
type Draws []float64

// Drawn describes [Draws].
type Drawn struct {
	Mean measure.Number `json:"mean"`
	// Low and High are the 2.5th and the 97.5th percentile of the draws, undefined
	// for one, and the mean where a few draws carry it beyond.
	Low     measure.Number `json:"low"`
	High    measure.Number `json:"high"`
	Draws   int            `json:"draws"`
	Refused int            `json:"refused,omitempty"` // draws without a value, which count nowhere
}

// Describe returns the mean and the interval of the values.
func (d Draws) Describe() Drawn {
	undefined := measure.Number(math.NaN())
	kept := slices.DeleteFunc(slices.Sorted(slices.Values(d)), math.IsNaN)
	s := Drawn{Mean: undefined, Low: undefined, High: undefined, Draws: len(d), Refused: len(d) - len(kept)}
	if len(kept) > 0 {
		s.Mean = measure.Number(stat.Mean(kept, nil))
	}
	if len(kept) > 1 {
		s.Low, s.High = measure.Holding(s.Mean, percentile(kept, 0.025), percentile(kept, 0.975))
	}
	return s
}

// percentile interpolates between the values of a sorted list, of which the
// first is the 0th and the last the 100th. What stat.Quantile interpolates
// between puts the first at the 1/n-th.
func percentile(sorted []float64, share float64) measure.Number {
	at := share * float64(len(sorted)-1)
	i := int(at)
	j := min(i+1, len(sorted)-1)
	return measure.Number(sorted[i] + (at-float64(i))*(sorted[j]-sorted[i]))
}

// ShareBelow is the share of values below a level, of those that are defined.
func (d Draws) ShareBelow(level float64) measure.Number {
	found, below := 0, 0
	for _, v := range d {
		if !math.IsNaN(v) {
			found++
		}
		if v < level {
			below++
		}
	}
	return measure.Number(float64(below) / float64(found)) // NaN without any
}

// Text renders the mean, with the interval where there is one.
func (d Drawn) Text(format string) string {
	text := d.Mean.Text(format)
	if e := d.Estimate(); d.Draws-d.Refused > 1 {
		text += fmt.Sprintf(" [%s, %s]", e.Low.Text(format), e.High.Text(format))
	}
	if d.Refused > 0 {
		text += fmt.Sprintf(" in %d of %d draws", d.Draws-d.Refused, d.Draws)
	}
	return text
}

// SimulatedNote goes with every number that was drawn.
const SimulatedNote = "the noise comes from the seed: it measures, and protects nobody"

// Simulation says in a report that its noise came from a seed. The zero value
// says that there was none.
type Simulation struct {
	Simulated     bool   `json:"simulated,omitempty"`
	SimulatedNote string `json:"simulated_note,omitempty"`
}

// Simulated returns what reports with drawn numbers say.
func Simulated() Simulation { return Simulation{true, SimulatedNote} }

// Promise says in a line what the release of a thing promises, such as one
// word's vector.
func Promise(s *mech.Statement, thing string) string {
	text := fmt.Sprintf("%s %s: one release is %s; claimed %s, true %s", s.Mechanism, s.Variant, thing,
		dp.Guarantee{Unit: s.Unit, Epsilon: s.Claimed, Delta: s.Delta}, dp.Guarantee{Unit: s.Unit, Epsilon: s.True, Delta: s.Delta})
	if !s.Honest() {
		text += "; the claim is false: " + s.Reason
	}
	return text
}

// Estimate is the mean with its interval, as gates judge it.
func (d Drawn) Estimate() measure.Estimate {
	low, high := measure.Holding(d.Mean, d.Low, d.High)
	return measure.Estimate{Value: d.Mean, Low: low, High: high}
}
