package mech

import (
	"fmt"
	"math"
	"math/rand/v2"

	"sotto/promise/dp"
	"sotto/promise/noise"
)

// Dropout masks each word of a text with probability μ, encodes what is left
// and releases the vector through another mechanism.
//
// Domain: texts that the encoder takes. Neighbours: texts of the same number
// of words that differ in one of them; the number of words is public.
//
// Theorem. If the base is (ε, δ)-DP between any two texts, the release is
// (ln(1+(1−μ)(e^ε−1)), (1−μ)δ)-DP at word level. At text level it is what the
// base is: two texts without a common word gain nothing.
//
// Numerics: masks are drawn from 64-bit thresholds; μ is rounded down before
// ε is computed from it.
//
// Proof: dropout.md. Audit: TestAuditDropout. Reference: Lyu, He and Li,
// Differentially Private Representation for NLP, Findings of EMNLP 2020, for
// the idea; Balle, Barthe and Gaboardi, Privacy Amplification by Subsampling,
// NeurIPS 2018, for δ.
type Dropout struct {
	base   dp.Vector
	rate   float64
	masks  Masks
	encode Encoder
}

// Encoder turns words into a vector, taking masked words for unknown ones. It
// must be a function of the words that are not masked and of their places
// alone: a masked word must leave no trace.
type Encoder func(words []string, masked []bool) ([]float64, error)

// Masks says how the masked words are chosen.
type Masks string

// The ways to choose masked words; each masks a word with probability μ.
const (
	// Bernoulli masks every word independently.
	Bernoulli Masks = "bernoulli"
	// FixedCount masks ⌊dμ⌋ or ⌈dμ⌉ of d words, rounding at random so that
	// each is masked with probability exactly μ; ⌊dμ⌋ alone, as in published
	// code, would mask less often than promised.
	FixedCount Masks = "fixed-count"
)

var _ dp.Mechanism[[]string, []float64] = (*Dropout)(nil)

// NewDropout wraps base. The rate must be in (0, 1).
func NewDropout(base dp.Vector, rate float64, masks Masks, encode Encoder) (*Dropout, error) {
	if masks != Bernoulli && masks != FixedCount {
		return nil, fmt.Errorf("mech: masks is %q, must be %s or %s", string(masks), Bernoulli, FixedCount)
	}
	if encode == nil {
		return nil, fmt.Errorf("mech: dropout has no encoder, must have one")
	}
	if _, err := WordLevel(base.Guarantee(), rate); err != nil {
		return nil, err
	}
	return &Dropout{base: base, rate: rate, masks: masks, encode: encode}, nil
}

// WordLevel returns the guarantee of a release with guarantee g, which must
// hold between any two texts, when each word was masked with probability rate
// before encoding.
func WordLevel(g dp.Guarantee, rate float64) (dp.Guarantee, error) {
	if !(rate > 0 && rate < 1) {
		return dp.Guarantee{}, fmt.Errorf("mech: dropout is %v, must be above 0 and below 1", rate)
	}
	if g.Unit != dp.Text {
		return dp.Guarantee{}, fmt.Errorf("mech: the base of dropout has unit %s, must be text: the theorem needs a bound between any two texts", g.Unit)
	}
	kept := 1 - float64(rate*(1-1e-12)) // the largest that rounding can have made of 1−μ
	word := g
	word.Unit = dp.Word
	word.Delta = kept * g.Delta
	if g.Epsilon < dp.Infinite {
		word.Epsilon = dp.RoundUp(dp.Epsilon(amplify(float64(g.Epsilon), kept)))
	}
	word.Assumptions = append(append([]string(nil), g.Assumptions...),
		"the number of words is public, and a masked word leaves no trace in the vector")
	return word, nil
}

// amplify returns ln(1+kept·(e^ε−1)): for larger ε as ε + ln(kept+(1−kept)e^{−ε}),
// which never overflows.
func amplify(epsilon, kept float64) float64 {
	if epsilon > 1 {
		return epsilon + math.Log(kept+float64((1-kept)*math.Exp(-epsilon)))
	}
	return math.Log1p(kept * math.Expm1(epsilon))
}

// Guarantee implements [dp.Mechanism]: it is word-level.
func (m *Dropout) Guarantee() dp.Guarantee {
	g, err := WordLevel(m.base.Guarantee(), m.rate)
	if err != nil {
		return dp.None(dp.Word) // NewDropout has checked that this does not happen
	}
	return g
}

// TextGuarantee returns what holds between any two texts: the base's.
func (m *Dropout) TextGuarantee() dp.Guarantee { return m.base.Guarantee() }

// Privatize implements [dp.Mechanism].
func (m *Dropout) Privatize(words []string, src rand.Source) ([]float64, error) {
	masked := make([]bool, len(words))
	DrawMasks(masked, m.rate, m.masks, src)
	x, err := m.encode(words, masked)
	if err != nil {
		return nil, err
	}
	return m.base.Privatize(x, src)
}

// DrawMasks sets each element of masked with probability rate. It panics
// unless the rate is in [0, 1] and masks is one of the declared ways.
func DrawMasks(masked []bool, rate float64, masks Masks, src rand.Source) {
	if !(rate >= 0 && rate <= 1) || masks != Bernoulli && masks != FixedCount {
		panic(fmt.Sprintf("mech: DrawMasks with rate %v and masks %q", rate, string(masks)))
	}
	s := noise.From(src)
	if masks == Bernoulli {
		p := noise.ProbBelow(rate)
		for i := range masked {
			masked[i] = s.Bernoulli(p)
		}
		return
	}
	whole, part := math.Modf(float64(rate * float64(len(masked))))
	count := int(whole)
	if s.Bernoulli(noise.ProbBelow(part)) && part > 0 {
		count++
	}
	// Selection sampling (Knuth's algorithm S): the next word is taken with
	// probability wanted/left, exactly.
	for i := range masked {
		left := uint64(len(masked) - i)
		masked[i] = s.IntN(left) < uint64(count)
		if masked[i] {
			count--
		}
	}
}
