package mech

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"sotto/promise/dp"
	"sotto/promise/noise"
)

// PrivEmb projects a vector with a public matrix Φ and adds noise with density
// proportional to exp(−ε‖κ‖₂/S). What S has to be depends on how far Φ can
// stretch a difference: [Orthonormal] takes rows for which it is 1, [Spectral]
// a proven bound of ‖Φ‖₂, [Vocabulary] the worst pair of a public list, outside
// of which it refuses, [M1] no projection. [Paper] takes 1+β, which holds for
// inputs of small Gaussian width only.
//
// Domain: finite vectors whose norm does not overflow; for Vocabulary those
// listed. With a clip radius, longer ones are shortened to it. Neighbours: any
// two, with a loss in proportion to their L2 distance; with a clip radius C
// any two, at ε·2C.
//
// Theorem. The loss between x and x′ is at most ε·‖Φ(x−x′)‖₂/S: metric ε if S
// bounds the stretch of all differences. For Paper that is ε·‖Φ‖₂/(1+β).
//
// Numerics: S is rounded up; the noise is drawn in floats, and the release is
// rounded to a grid 2⁻²⁰ of the noise, which hides which floats were reachable
// but is not a proof. The guarantee says so.
//
// Proof: privemb.md. Audit: TestAuditPrivEmb. Reference: Feyisetan and
// Kasiviswanathan, Private Release of Text Embedding Vectors, TrustNLP 2021.
type PrivEmb struct {
	params  Params
	own     PrivEmbParams
	phi     []float64 // OutputDim×InputDim; nil for M1
	paid    float64   // S
	stretch float64   // proven upper bound of what Φ stretches
	beta    float64   // Paper
	pair    [2][]float64
	noise   sphericalNoise
	known   map[uint64][][]float64 // Vocabulary, by hash
	buffers *scratch
}

// PrivEmbParams are the own parameters of privemb.
type PrivEmbParams struct {
	InputDim  int     `json:"input_dim,omitempty" help:"number of coordinates before the projection" assume:"300"`
	OutputDim int     `json:"output_dim,omitempty" help:"number of coordinates after the projection" default:": none, or that before for m1" assume:"50"`
	Clip      float64 `json:"clip,omitempty" help:"L2 norm to which to clip, for a text-level guarantee, the inputs" default:": no clipping"`
	Seed      uint64  `json:"seed,omitempty" help:"seed of the projection" default:" 0"`
	// Vocabulary holds the public vectors of the variant vocabulary.
	Vocabulary [][]float64 `json:"-" name:"vocabulary" help:"public vectors for the variant vocabulary"`
}

// fitPrivEmb takes the width of the vocabulary where there is one.
func fitPrivEmb(p Params, width int) Params {
	if words, ok := p.Value("vocabulary").([][]float64); ok {
		width = len(words[0])
	}
	in, _ := p.Sizes()
	return p.With(Given{"input_dim": cmp.Or(in, width)})
}

// assumePrivEmb takes the paper's example.
func assumePrivEmb(p Params) Params {
	_, out := p.Sizes()
	p = fitPrivEmb(p, max(300, out))
	if in, _ := p.Sizes(); out == 0 && p.Variant != M1 {
		return p.With(Given{"output_dim": min(50, in)})
	}
	return p
}

var _ dp.Distinguisher = (*PrivEmb)(nil)

// NewPrivEmb takes input_dim, output_dim, epsilon, seed and clip, delta for
// Paper, vocabulary for Vocabulary, and the variants [Orthonormal],
// [Spectral], [Vocabulary], [Paper] and [M1].
func NewPrivEmb(p Params) (*PrivEmb, error) {
	p, own, err := prepare[PrivEmbParams](p, "privemb", 0)
	if err != nil {
		return nil, err
	}
	if p, own, err = own.check(p); err != nil {
		return nil, err
	}
	own.Vocabulary = slices.Clone(own.Vocabulary)
	for i, v := range own.Vocabulary {
		own.Vocabulary[i] = slices.Clone(v)
	}
	p.Own = own
	m := &PrivEmb{params: p, own: own, paid: 1, stretch: 1, buffers: new(scratch)}
	d, k := own.InputDim, own.OutputDim
	if p.Variant == M1 {
		m.pair[0] = make([]float64, d)
		m.pair[0][0] = 1
		m.pair[1] = make([]float64, d)
	} else {
		m.phi = gaussianMatrix(k, d, own.Seed)
		if err := m.measure(); err != nil {
			return nil, err
		}
	}
	m.noise = newSphericalNoise(m.paid / p.Epsilon)
	return m, nil
}

// check refuses own parameters that do not fit and fills in defaults.
func (own PrivEmbParams) check(p Params) (Params, PrivEmbParams, error) {
	if p.Variant == M1 && own.OutputDim == 0 {
		own.OutputDim = own.InputDim
	}
	if own.InputDim < 1 || own.OutputDim < 1 || own.OutputDim > own.InputDim {
		return p, own, fmt.Errorf("mech: input_dim is %d and output_dim %d, must be at least 1 and output_dim at most input_dim", own.InputDim, own.OutputDim)
	}
	if p.Variant == M1 && own.Seed != 0 {
		return p, own, fmt.Errorf("mech: seed of privemb m1 is %d, must be absent: there is no projection", own.Seed)
	}
	if p.Variant == M1 && own.OutputDim != own.InputDim {
		return p, own, fmt.Errorf("mech: output_dim of privemb m1 is %d, must equal input_dim, %d, or be absent", own.OutputDim, own.InputDim)
	}
	if own.Clip > 0 && own.Clip < tiny {
		return p, own, fmt.Errorf("mech: clip is %v, must be at least %v", own.Clip, tiny)
	}
	const most = 4096 // keeps the proof of the spectral bound to seconds
	if p.Variant != M1 && (own.OutputDim > most || int64(own.OutputDim)*int64(own.InputDim) > maxBookSize) {
		return p, own, fmt.Errorf("mech: output_dim of privemb is %d and input_dim %d, must be at most %d, and the product at most %d", own.OutputDim, own.InputDim, most, maxBookSize)
	}
	if p.Variant != Paper && p.Delta != 0 {
		return p, own, fmt.Errorf("mech: delta of privemb %s is %v, must be absent: it belongs to the variant paper", p.Variant, p.Delta)
	}
	if p.Variant == Paper && p.Delta == 0 {
		p.Delta = defaultDelta
	}
	if (p.Variant == Vocabulary) != (len(own.Vocabulary) > 0) {
		return p, own, fmt.Errorf("mech: vocabulary of privemb %s has %d vectors, must be given for the variant vocabulary and no other", p.Variant, len(own.Vocabulary))
	}
	for _, v := range own.Vocabulary {
		if len(v) != own.InputDim {
			return p, own, fmt.Errorf("mech: a vocabulary vector has %d coordinates, must have %d", len(v), own.InputDim)
		}
	}
	if len(own.Vocabulary) == 1 {
		return p, own, fmt.Errorf("mech: vocabulary has 1 vector, must have at least 2")
	}
	return p, own, nil
}

// measure sets what the noise pays for and what Φ can really stretch.
func (m *PrivEmb) measure() error {
	p := m.params
	d, k := m.own.InputDim, m.own.OutputDim
	switch p.Variant {
	case Orthonormal:
		orthonormalize(m.phi, k, d)
		m.stretch = isometryBound(m.phi, k, d)
		m.paid = m.stretch
	case Vocabulary:
		stretch, a, b, err := m.worstPair()
		if err != nil {
			return err
		}
		if stretch == 0 {
			return fmt.Errorf("mech: all vectors of the vocabulary are equal, must differ")
		}
		m.paid, m.stretch = stretch, stretch
		m.pair = [2][]float64{m.own.Vocabulary[a], m.own.Vocabulary[b]}
		m.known = make(map[uint64][][]float64, len(m.own.Vocabulary))
		for _, v := range m.own.Vocabulary {
			h := hashVector(v)
			m.known[h] = append(m.known[h], v)
		}
		return nil
	default:
		m.stretch = spectralBound(m.phi, k, d)
		m.paid = m.stretch
		if p.Variant == Paper {
			m.beta = (math.Sqrt(math.Log2(float64(d))) + math.Sqrt(-math.Log(p.Delta))) / math.Sqrt(float64(k))
			m.paid = 1 + m.beta
		}
	}
	v := topDirection(m.phi, k, d)
	m.pair = [2][]float64{v, make([]float64, d)}
	return nil
}

// hashVector is FNV-1a over the words of v.
func hashVector(v []float64) uint64 {
	h := uint64(14695981039346656037)
	for _, x := range v {
		h = (h ^ math.Float64bits(x)) * 1099511628211
	}
	return h
}

// isKnown reports whether x may be released: always, unless there is a
// vocabulary and x is not in it.
func (m *PrivEmb) isKnown(x []float64) bool {
	if m.known == nil {
		return true
	}
	for _, v := range m.known[hashVector(x)] {
		if slices.Equal(v, x) {
			return true
		}
	}
	return false
}

// Params implements [Mechanism].
func (m *PrivEmb) Params() Params { return m.params }

// Shape implements [dp.Vector].
func (m *PrivEmb) Shape() (in, out int) { return m.own.InputDim, m.own.OutputDim }

// metric returns the proven loss per unit of distance.
func (m *PrivEmb) metric() float64 { return m.params.Epsilon * m.stretch / m.paid }

// Guarantee implements [dp.Mechanism].
func (m *PrivEmb) Guarantee() dp.Guarantee {
	g := dp.Guarantee{Unit: dp.Metric, Epsilon: dp.RoundUp(dp.Epsilon(m.metric())), Assumptions: []string{assumeReals}}
	if m.own.Clip > 0 {
		g.Unit, g.Epsilon = dp.Text, dp.RoundUp(dp.Epsilon(m.metric()*2*m.own.Clip))
	}
	return g
}

// Privatize implements [dp.Mechanism].
func (m *PrivEmb) Privatize(x []float64, src rand.Source) ([]float64, error) {
	return privatize(m, x, src)
}

// PrivatizeTo implements [dp.Vector].
func (m *PrivEmb) PrivatizeTo(dst, x []float64, src rand.Source) error {
	checkShape(m, dst, x)
	buffer := m.buffers.get(m.own.InputDim)
	defer m.buffers.put(buffer)
	if err := m.embed(dst, *buffer, x); err != nil {
		return err
	}
	m.noise.add(dst, (*buffer)[:len(dst)], noise.From(src))
	return nil
}

// embed writes Φ·clip(x). clipped is scratch space.
func (m *PrivEmb) embed(dst, clipped, x []float64) error {
	norm := norm2(x)
	if !finite(norm) {
		return refuse(dst, notFinite)
	}
	if !m.isKnown(x) {
		return refuse(dst, "it is not in the vocabulary")
	}
	factor := 1.0
	if m.own.Clip > 0 && norm > m.own.Clip {
		factor = m.own.Clip / (norm * (1 + float64(float64(len(x))*0x1p-52))) // rounding stays in the ball
	}
	for i, v := range x {
		clipped[i] = v * factor
	}
	if m.phi == nil {
		copy(dst, clipped)
		return nil
	}
	project(dst, m.phi, clipped)
	return nil
}

// LogRatio implements [dp.Distinguisher].
func (m *PrivEmb) LogRatio(y, x, x2 []float64) (float64, error) {
	if !finite(norm1(y)) {
		return 0, errRelease
	}
	clipped := make([]float64, m.own.InputDim)
	embed := func(dst, x []float64) error { return m.embed(dst, clipped, x) }
	a, b, err := both(embed, m.own.OutputDim, x, x2)
	if err != nil {
		return 0, err
	}
	return m.noise.logRatio(y, a, b), nil
}

// Profile implements [dp.Profiled]. Its witness has distance 1, or 2C with a
// clip radius C, except for a vocabulary, where it is the worst pair.
func (m *PrivEmb) Profile() dp.Profile {
	p := m.params
	x, x2 := append([]float64(nil), m.pair[0]...), append([]float64(nil), m.pair[1]...)
	if m.own.Clip > 0 && m.known == nil {
		for i := range x {
			x[i] *= m.own.Clip
			x2[i] = -x[i]
		}
	}
	clipped := make([]float64, m.own.InputDim)
	y, other := make([]float64, m.own.OutputDim), make([]float64, m.own.OutputDim)
	if m.embed(y, clipped, x) != nil || m.embed(other, clipped, x2) != nil {
		panic("mech: the witness of privemb is outside its domain")
	}
	claimed := p.Epsilon
	if m.own.Clip > 0 {
		claimed *= 2 * m.own.Clip
	}
	a := dp.Profile{
		Mechanism: p.Mechanism, Variant: p.Variant, Claimed: dp.Epsilon(claimed),
		Witness: dp.Witness{
			X: x, X2: x2, Y: y, LogP: 0, LogQ: -m.noise.logRatio(y, y, other),
			Event: "x and x′ in the direction that the projection stretches most: the release lies at x's projection, or beyond it as seen from x′",
		},
		Facts: []dp.Fact{{Name: "sensitivity", Value: m.paid}},
	}
	switch p.Variant {
	case Orthonormal, M1:
		a.Reason = "the projection lengthens no difference, and the noise pays for 1"
	case Vocabulary:
		a.Reason = fmt.Sprintf("no pair of the %d listed vectors is stretched by more than %.4g, which the noise pays for; others are refused", len(m.own.Vocabulary), m.stretch)
	case Spectral:
		a.Reason = fmt.Sprintf("the noise pays for %.4g, a proven upper bound of the projection's spectral norm", m.stretch)
		a.Facts = append(a.Facts, dp.Fact{Name: "spectral_bound", Value: m.stretch})
	case Paper:
		a.Claim = dp.Claim{
			Delta: p.Delta, Place: "PRIVEMB, Lemma 4 and Proposition 5", Verdict: dp.ClaimConditional,
			Condition: "true for inputs from a set, the vocabulary, whose Gaussian width is at most the one that the output dimension was chosen for; δ is the chance that the one public matrix fails for all",
		}
		a.Reason = fmt.Sprintf("the noise pays for 1+β = %.4g, which holds if the inputs' Gaussian width is at most √log₂ d; without that assumption this Φ stretches a difference by up to %.4g", m.paid, m.stretch)
		a.Facts = append(a.Facts, dp.Fact{Name: "spectral_bound", Value: m.stretch}, dp.Fact{Name: "beta", Value: m.beta})
	}
	return a
}
