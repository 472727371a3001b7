package mech

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"sotto/promise/dp"
)

// Answering is a mechanism whose release is one of several answers, or a set of
// them, so that many releases together say how common each answer is.
type Answering interface {
	Mechanism

	// Mark adds one to the count of each answer that a release names. The release
	// is as the mechanism makes it or, if it names one answer, its index alone. An
	// error leaves counts as they were. It panics if there are not as many counts
	// as answers.
	Mark(counts []int, y []float64) error

	// Law returns how likely each answer is. It is an error if that depends on
	// more of an input than which answers it stands for.
	Law() (Law, error)
}

var (
	_ Answering = (*KRR)(nil)
	_ Answering = (*Codes)(nil)
	_ Answering = (*Cells)(nil)
	_ Answering = (*Subset)(nil)
)

// Law is how likely each answer is to be named by a release. An input stands for
// Raised of the answers. Of these, answer c is named with probability
// Least[c] + Rise, and each other one with probability Least[c]. A release names
// Named answers.
type Law struct {
	Least  []float64
	Rise   float64
	Raised int
	Named  int
}

// maxAnswers bounds the answers of a law, which are held in memory.
const maxAnswers = 1 << 20

// equalLaw is that of k answers of which the true one is named with probability
// held, and as many others as are left of named alike.
func equalLaw(k, named int, held float64) Law {
	lie := (float64(named) - held) / float64(k-1)
	return Law{Least: slices.Repeat([]float64{lie}, k), Rise: held - lie, Raised: 1, Named: named}
}

// Mark implements [Answering].
func (m *KRR) Mark(counts []int, y []float64) error {
	if len(y) != 1 {
		return errRelease
	}
	c, err := m.label(y[0])
	if err == nil {
		counts[c]++
	}
	return err
}

// Law implements [Answering].
func (m *KRR) Law() (Law, error) {
	k := m.own.Classes
	if k > maxAnswers {
		return Law{}, fmt.Errorf("mech: classes of krr is %d, must be at most %d to be counted", k, maxAnswers)
	}
	return equalLaw(k, 1, m.keep.Float64()), nil
}

// Mark implements [Answering].
func (m *Subset) Mark(counts []int, y []float64) error {
	if err := m.check(y); err != nil {
		return err
	}
	for c, v := range y {
		counts[c] += int(v)
	}
	return nil
}

// Law implements [Answering].
func (m *Subset) Law() (Law, error) {
	return equalLaw(m.own.Classes, m.own.Selected, m.hold.Float64()), nil
}

// Mark implements [Answering].
func (m *Cells) Mark(counts []int, y []float64) error {
	if len(y) == 1 && m.params.Dim > 1 {
		return m.channel.Mark(counts, y)
	}
	c, err := m.Index(y)
	if err == nil {
		counts[c]++
	}
	return err
}

// Law implements [Answering].
func (m *Cells) Law() (Law, error) { return m.channel.Law() }

// Mark implements [Answering].
func (m *Codes) Mark(counts []int, y []float64) error {
	c, err := m.answer(y)
	if err == nil {
		counts[c]++
	}
	return err
}

func (m *Codes) answer(y []float64) (int, error) {
	if len(y) != 1 {
		return m.Index(y)
	}
	if v := y[0]; v >= 0 && v < float64(m.params.Dim) && v == math.Trunc(v) {
		return int(v), nil
	}
	return 0, fmt.Errorf("%w: want a whole code from 0 to %d", dp.ErrDomain, m.params.Dim-1)
}

// Law implements [Answering]. With weights of their own, codes have one where the
// code that ranks first takes all that can be raised, but for what [room] rounds
// away: less than a billionth, which no count of releases shows.
func (m *Codes) Law() (Law, error) {
	l := Law{Least: make([]float64, m.params.Dim), Raised: max(m.own.Selected, 1), Named: 1}
	for c, least := range m.least {
		if m.own.Weights != nil && float64(m.rise[c]) < (1-1e-9)*float64(m.slack) {
			return Law{}, errors.New("mech: the weights of codes raise more than one code, so that how likely each is depends on the whole ranking of an input; must raise one")
		}
		l.Least[c] = float64(least) / chances
	}
	l.Rise = float64(m.slack) / chances / float64(l.Raised)
	return l, nil
}
