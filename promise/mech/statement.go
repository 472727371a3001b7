package mech

import (
	"fmt"
	"math"
	"slices"

	"sotto/promise/dp"
)

// Statement is the answer of the claims checker: what is claimed of a
// mechanism, what is true, and why.
type Statement struct {
	Mechanism   string             `json:"mechanism"`
	Variant     string             `json:"variant"`
	Parameters  Params             `json:"parameters"`
	Dropout     float64            `json:"dropout,omitempty"` // μ; the unit is word then
	Unit        dp.Unit            `json:"unit"`
	Claimed     dp.Epsilon         `json:"claimed"`
	True        dp.Epsilon         `json:"true"`
	Delta       float64            `json:"delta,omitempty"`
	TextLevel   *dp.Epsilon        `json:"text_level,omitempty"` // with dropout: the ε between any two texts
	TextDelta   float64            `json:"text_delta,omitempty"` // and the δ
	Reason      string             `json:"reason"`
	Witness     StatedWitness      `json:"witness"`
	Facts       map[string]float64 `json:"facts,omitempty"`
	Assumptions []string           `json:"assumptions,omitempty"`
}

// StatedWitness is a [dp.Witness] in the form that is printed.
type StatedWitness struct {
	Event string `json:"event"`
	// Attained is the ε that the event proves to be the least: ln((P−δ)/Q).
	Attained dp.Epsilon `json:"attained"`
}

// Describe states what is claimed and what is true of the mechanism that p
// describes, with word dropout at the given rate before it, 0 for none.
func Describe(p Params, dropout float64) (Statement, error) {
	m, err := New(p)
	if err != nil {
		return Statement{}, err
	}
	a, g := m.Profile(), m.Guarantee()
	s := Statement{
		Mechanism: a.Mechanism, Variant: a.Variant, Parameters: m.Params(), Unit: g.Unit, Claimed: a.Claimed, True: g.Epsilon,
		Delta: g.Delta, Reason: a.Reason, Assumptions: g.Assumptions,
		Witness: StatedWitness{Event: a.Witness.Event, Attained: attained(a.Witness, g)},
	}
	for _, f := range a.Facts {
		if s.Facts == nil {
			s.Facts = make(map[string]float64)
		}
		s.Facts[f.Name] = f.Value
	}
	if dropout == 0 {
		return s, nil
	}
	return s.withDropout(g, dropout)
}

// withDropout turns a text-level statement into a word-level one.
func (s Statement) withDropout(g dp.Guarantee, rate float64) (Statement, error) {
	word, err := WordLevel(g, rate)
	if err != nil {
		return Statement{}, err
	}
	claimed, err := WordLevel(dp.Guarantee{Unit: dp.Text, Epsilon: s.Claimed}, rate)
	if err != nil {
		return Statement{}, err
	}
	text := s.True
	s.TextDelta = s.Delta
	s.Dropout, s.Unit, s.Claimed, s.True, s.Delta, s.TextLevel = rate, dp.Word, claimed.Epsilon, word.Epsilon, word.Delta, &text
	s.Assumptions = word.Assumptions
	s.Reason = fmt.Sprintf("a word is masked with probability %v, which lowers e^ε−1 by that share between texts that differ in one word; texts without a common word gain nothing; of the release itself: %s", rate, s.Reason)
	s.Witness.Event += "; at word level: one word decides between the two, and its mask is drawn first"
	if a := float64(s.Witness.Attained); !math.IsInf(a, 1) {
		// The same formula, less what it rounds up: this is a lower bound.
		s.Witness.Attained = dp.Epsilon(amplify(a, 1-rate) * (1 - 1e-11))
	}
	return s, nil
}

// Floating reports whether what is proved is of real numbers while floats are drawn.
func (s Statement) Floating() bool { return slices.Contains(s.Assumptions, assumeReals) }

// attained returns ln((P−δ)/Q), at least 0, for each unit of distance if the
// guarantee is metric.
func attained(w dp.Witness, g dp.Guarantee) dp.Epsilon {
	logP := w.LogP
	if g.Delta > 0 {
		logP = math.Log(math.Exp(w.LogP) - g.Delta)
	}
	e := logP - w.LogQ
	if g.Unit == dp.Metric {
		e /= gap(w.X, w.X2)
	}
	if !(e > 0) {
		return 0
	}
	// The sum behind e has rounding errors of its own, above those of ε.
	return min(dp.Epsilon(e), g.Epsilon)
}

// Honest reports whether the claim holds: the true ε is not above it, apart
// from the last digits.
func (s Statement) Honest() bool { return s.True <= s.Claimed*(1+1e-6) }
