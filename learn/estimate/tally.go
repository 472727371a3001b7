package estimate

import (
	"errors"
	"fmt"
	"slices"

	"sotto/promise/dp"
	"sotto/promise/mech"
)

// ErrNothing is wrapped where there are no releases, or where releases tell
// nothing.
var ErrNothing = errors.New("estimate: nothing can be told")

var errOutcome = fmt.Errorf("%w: not a release of this mechanism", dp.ErrDomain)

// Tally counts releases of one mechanism: how many name each answer, or are each of
// the outcomes that there are.
type Tally struct {
	mark   func(counts []int, y []float64) error
	law    mech.Law
	mix    *mixture // where shares are those of a list of inputs, and there is no law
	counts []int
	n      int
}

// NewTally begins to count releases of m. It refuses a mechanism that does not
// release answers, or whose answers tell nothing.
func NewTally(m mech.Mechanism) (*Tally, error) {
	a, ok := m.(mech.Answering)
	if !ok {
		instead := "means of vectors are told instead"
		if _, few := m.(mech.Finite); few {
			instead = "it can be counted by a list of public inputs (--inputs)"
		}
		return nil, fmt.Errorf("estimate: the mechanism is %s, must release one of several answers to be counted; %s", m.Params().Mechanism, instead)
	}
	law, err := a.Law()
	if err != nil {
		return nil, err
	}
	if !(law.Rise > 0) {
		return nil, fmt.Errorf("%w: an answer is no likelier if it is true", ErrNothing)
	}
	return &Tally{mark: a.Mark, law: law, counts: make([]int, len(law.Least))}, nil
}

// Another begins an empty tally of the same mechanism.
func (t *Tally) Another() *Tally {
	return &Tally{mark: t.mark, law: t.law, mix: t.mix, counts: make([]int, len(t.counts))}
}

// Add counts one release. A row that the mechanism cannot have released is an
// error and is not counted.
func (t *Tally) Add(y []float64) error {
	if err := t.mark(t.counts, y); err != nil {
		return err
	}
	t.n++
	return nil
}

// Count takes c releases that each name the answer number a alone, or are outcome
// number a. It panics if there is none, c is negative, or releases of the mechanism
// name several.
func (t *Tally) Count(a, c int) {
	if c < 0 || t.law.Named > 1 {
		panic(fmt.Sprintf("estimate: an answer is counted %d times, must not be negative and the only one of %d that a release names", c, t.law.Named))
	}
	t.counts[a] += c
	t.n += c
}

// Counts returns how many releases name each answer, or are each of the outcomes.
func (t *Tally) Counts() []int { return slices.Clone(t.counts) }

// Merge takes the counts of n releases that another tally of the same mechanism has
// counted.
func (t *Tally) Merge(counts []int, n int) error {
	if len(counts) != len(t.counts) || n < 0 || slices.ContainsFunc(counts, func(c int) bool { return c < 0 || c > n }) {
		return fmt.Errorf("estimate: there are %d counts of %d releases, must be %d, each of as many releases at most", len(counts), n, len(t.counts))
	}
	for i, c := range counts {
		t.counts[i] += c
	}
	t.n += n
	return nil
}

// N returns how many releases were counted.
func (t *Tally) N() int { return t.n }

// Answers returns how many answers there are, or inputs of a mixture.
func (t *Tally) Answers() int {
	if t.mix != nil {
		return len(t.mix.chances)
	}
	return len(t.counts)
}

// Raised returns how many answers each input stands for: what shares sum to.
func (t *Tally) Raised() int { return max(t.law.Raised, 1) }

// sameLaw reports whether two tallies count releases that are drawn alike.
func (t *Tally) sameLaw(other *Tally) bool {
	if t.mix != nil || other.mix != nil {
		return t.mix != nil && other.mix != nil && slices.EqualFunc(t.mix.chances, other.mix.chances, slices.Equal)
	}
	return t.law.Rise == other.law.Rise && t.law.Raised == other.law.Raised && t.law.Named == other.law.Named && slices.Equal(t.law.Least, other.law.Least)
}
