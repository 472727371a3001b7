package mech

import (
	"errors"
	"fmt"
	"math"

	"sotto/dp"
)

// Answering is a mechanism whose release is one of several answers, so that
// many releases together say how common each answer is.
type Answering interface {
	Mechanism

	// Answer returns which answer, from 0, a release is: as the mechanism
	// releases it, or as its index alone.
	Answer(y []float64) (int, error)

	// Law returns how likely each answer is. It is an error if that depends on
	// more of an input than which answers it stands for.
	Law() (Law, error)
}

var (
	_ Answering = (*KRR)(nil)
	_ Answering = (*Codes)(nil)
	_ Answering = (*Cells)(nil)
)

// Law is how likely each answer is to be released. An input stands for Raised
// of the answers. Of these, answer c comes with probability Least[c] + Rise, and
// each other one with probability Least[c].
type Law struct {
	Least  []float64
	Rise   float64
	Raised int
}

// maxAnswers bounds the answers of a law, which are held in memory.
const maxAnswers = 1 << 20

// Answer implements [Answering].
func (m *KRR) Answer(y []float64) (int, error) {
	if len(y) != 1 {
		return 0, errRelease
	}
	return m.label(y[0])
}

// Law implements [Answering].
func (m *KRR) Law() (Law, error) {
	k := m.own.Classes
	if k > maxAnswers {
		return Law{}, fmt.Errorf("mech: classes of krr is %d, must be at most %d to be counted", k, maxAnswers)
	}
	lie := m.keep.Not().Float64() / float64(k-1)
	l := Law{Least: make([]float64, k), Rise: m.keep.Float64() - lie, Raised: 1}
	for c := range l.Least {
		l.Least[c] = lie
	}
	return l, nil
}

// Answer implements [Answering].
func (m *Codes) Answer(y []float64) (int, error) {
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
	l := Law{Least: make([]float64, m.params.Dim), Raised: max(m.own.Selected, 1)}
	for c, least := range m.least {
		if m.own.Weights != nil && float64(m.rise[c]) < (1-1e-9)*float64(m.slack) {
			return Law{}, errors.New("mech: the weights of codes raise more than one code, so that how likely each is depends on the whole ranking of an input; must raise one")
		}
		l.Least[c] = float64(least) / chances
	}
	l.Rise = float64(m.slack) / chances / float64(l.Raised)
	return l, nil
}

// Answer implements [Answering]: it returns which cell was released.
func (m *Cells) Answer(y []float64) (int, error) {
	if len(y) == 1 && m.params.Variant != Index && m.params.Dim != 1 {
		return m.channel.Answer(y)
	}
	return m.Index(y)
}

// Law implements [Answering].
func (m *Cells) Law() (Law, error) { return m.channel.Law() }
