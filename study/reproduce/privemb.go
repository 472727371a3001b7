package reproduce

import (
	"context"
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"slices"
	"strings"

	"sotto/compute/measure"
	"sotto/compute/nn"
	"sotto/promise/dp"
	"sotto/promise/mech"
)

// PrivEmb is the table "privemb": the four experiments of the paper.
type PrivEmb struct {
	Header
	Encoder string  `json:"encoder"`
	Dim     int     `json:"dim"`
	Delta   float64 `json:"delta"` // of the paper's claim and of the bounds
	// Experiments 1 and 2.
	Words    int            `json:"words"`         // that the pairs are made of
	Tau      float64        `json:"tau"`           // the largest norm among them
	Distance measure.Number `json:"mean_distance"` // between the words of a pair, before release
	Inner    measure.Number `json:"mean_inner"`    // magnitude of their inner product
	Pairs    []Pair         `json:"pairs"`
	// Experiment 3.
	Opinions int       `json:"opinions"` // words of each opinion
	Opinion  []Opinion `json:"opinion"`
	// Experiment 4.
	Tasks []Task `json:"tasks"`
}

// Release is a way to release a vector, with what is claimed and what is true
// of it.
type Release struct {
	Variant string         `json:"variant"` // of the mechanism privemb, or [Unprotected]
	Epsilon float64        `json:"epsilon"` // as the paper means it; 0 if nothing is added
	Beta    measure.Number `json:"beta"`    // the paper's distortion; null without projection
	M       int            `json:"m"`       // coordinates of the release
	Claimed *dp.Epsilon    `json:"claimed"` // null: nothing is claimed
	True    *dp.Epsilon    `json:"true"`    // the worst over seeds, each of which draws a projection
	Delta   float64        `json:"claimed_delta,omitempty"`
	Unit    dp.Unit        `json:"unit,omitempty"`
	Reason  string         `json:"reason,omitempty"`
}

// Unprotected is the variant of a [Release] that adds nothing.
const Unprotected = "none"

const (
	privEmbDelta = 1e-6 // the paper's, in all experiments
	mechanism    = "privemb"
)

// honest reports whether the claim holds.
func (r Release) honest() bool { return r.True == nil || *r.True <= *r.Claimed*(1+1e-6) }

func privEmbSets() []string { return []string{"mr", "cr", "mpqa", "sst5", "trec"} }

// variants are what is compared: the paper's mechanism, those whose ε is true,
// and the paper's baseline.
func variants() []string { return []string{mech.Paper, mech.Orthonormal, mech.Spectral, mech.M1} }

func runPrivEmb(ctx context.Context, w *work) (Result, error) {
	if len(w.sources) != 1 {
		return nil, fmt.Errorf("reproduce: privemb has %d encoders, must have one", len(w.sources))
	}
	s := w.sources[0]
	r := &PrivEmb{Encoder: s.spec, Dim: s.from.Dim(), Delta: privEmbDelta}
	dims, err := w.dims(s.from.Dim())
	if err != nil {
		return nil, err
	}
	lexicon, err := loadLexicon(w.Dir)
	if err != nil {
		return nil, err
	}
	sets := map[string]*sentences{}
	for _, name := range privEmbSets() {
		if sets[name], err = w.load(name); err != nil {
			return nil, err
		}
	}
	if err := w.pairs(ctx, r, sets["mr"], dims); err != nil {
		return nil, err
	}
	if err := w.opinions(ctx, r, lexicon, dims); err != nil {
		return nil, err
	}
	if err := w.tasks(ctx, r, sets, dims[len(dims)-1]); err != nil {
		return nil, err
	}
	w.explain(s, r)
	r.Header = w.header
	return r, nil
}

// dims returns the widths of releases for the paper's β, the largest first, and
// says which β the encoder is too narrow for.
func (w *work) dims(d int) ([]int, error) {
	betas := []float64{0.5, 0.6, 0.7, 0.8, 0.9}
	var dims []int
	var left []string
	for _, beta := range betas {
		if m := ProjectedDim(d, beta, privEmbDelta); m <= d {
			dims = append(dims, m)
		} else {
			left = append(left, fmt.Sprintf("β = %v (m = %d)", beta, m))
		}
	}
	if len(dims) == 0 {
		return nil, fmt.Errorf("reproduce: the encoder has %d dimensions, must have at least %d for a projection with β = 0.9", d, ProjectedDim(d, 0.9, privEmbDelta))
	}
	if len(left) > 0 {
		w.note("left out, because the projection would have more than the %d dimensions that there are: %s; the paper, with 300, varies β from 0.5 to 0.7", d, strings.Join(left, ", "))
	}
	if w.Quick && len(dims) > 2 {
		dims = []int{dims[0], dims[len(dims)-1]}
	}
	return dims, nil
}

// explain says why numbers cannot be the paper's, and what is not honest.
func (w *work) explain(s source, r *PrivEmb) {
	w.note("the paper's vectors are GloVe and fastText of 300 dimensions; these are %s, of %d, so noise has another length at the same ε: about m(1+β)/ε for the paper's variant and d/ε for m1. With d = 300 the first is the smaller for all β of the paper; with d = %d %s", s.spec, s.from.Dim(), s.from.Dim(), nearer(s.from.Dim(), r))
	w.note("the paper prints figures 1 to 3 without numbers; its pairs are drawn from the whole vocabulary, ours from the words of mr")
	w.note("releases of the variant orthonormal are scaled by √(d/m) afterwards, which costs nothing, so that lengths compare")
	w.note("table: each word is released once and a text is the mean of its words' releases, which is what SentEval does when its word vectors are replaced, and so the likeliest reading of the paper; the ε is that of one word, and none follows for a text, because texts share the noise. text: the vector of each text is released once")
	w.note("a projection shortens the noise, which helps distances, but keeps only m/d of the variance in a direction: for a linear model orthonormal and m1 have the same ratio of signal to noise, and paper and spectral a smaller one, by what their noise pays for")
	w.note("the noise comes from seeds, and protects nobody")
	for _, p := range r.Pairs {
		if !p.honest() {
			w.note("%s: the claim holds only under an assumption: %s", p.Variant, p.Reason)
			return // of several m, the first explains the others
		}
	}
}

// nearer says for which projections the paper's noise is shorter than m1's.
func nearer(d int, r *PrivEmb) string {
	var all, better []string
	for _, p := range r.Pairs {
		if beta := fmt.Sprintf("β = %.2f", float64(p.Beta)); p.Variant == mech.Paper && !slices.Contains(all, beta) {
			all = append(all, beta)
			if float64(p.M)*(1+float64(p.Beta)) < float64(d) {
				better = append(better, beta)
			}
		}
	}
	switch len(better) {
	case 0:
		return "it never is"
	case len(all):
		return "it always is"
	}
	return "it is for " + strings.Join(better, ", ") + " alone"
}

// setting is a release before it is made.
type setting struct {
	variant string
	epsilon float64
	m       int
}

// grid returns the settings of a grid; m1 has no m to vary.
func grid(d int, dims []int, epsilons []float64) []setting {
	var all []setting
	for _, e := range epsilons {
		for _, v := range variants() {
			if v == mech.M1 {
				all = append(all, setting{v, e, d})
				continue
			}
			for _, m := range dims {
				all = append(all, setting{v, e, m})
			}
		}
	}
	return all
}

func (s setting) String() string {
	if s.variant == Unprotected {
		return "unprotected"
	}
	return fmt.Sprintf("%s, ε = %v, m = %d", s.variant, s.epsilon, s.m)
}

// made is a release that was made.
type made struct {
	x          nn.Matrix
	about      Release
	paid, grow float64 // what the noise pays for, and the factor applied afterwards
}

// apply releases each row of x with the projection and the noise of a seed.
func (s setting) apply(x nn.Matrix, seed int) (made, error) {
	about := Release{Variant: s.variant, Epsilon: s.epsilon, M: s.m, Beta: measure.Number(math.NaN())}
	if s.variant == Unprotected {
		return made{x: x, about: about}, nil
	}
	p, own := mech.Params{Mechanism: mechanism, Variant: s.variant, Epsilon: s.epsilon}, mech.PrivEmbParams{InputDim: x.Cols, OutputDim: s.m}
	if s.variant == mech.Paper {
		p.Delta, about.Delta = privEmbDelta, privEmbDelta
	}
	if s.variant != mech.M1 {
		own.Seed, about.Beta = uint64(seed), measure.Number(Beta(x.Cols, s.m, privEmbDelta))
	}
	p.Own = own
	m, err := mech.New(p)
	if err != nil {
		return made{}, err
	}
	in, out := make([]float64, len(x.Data)), make([]float64, x.Rows*s.m)
	for i, v := range x.Data {
		in[i] = float64(v)
	}
	if _, err := mech.PrivatizeRows(m, out, in, weakrand.NewPCG(uint64(seed), 1)); err != nil {
		return made{}, err
	}
	profile, guarantee := m.Profile(), m.Guarantee()
	about.Claimed, about.True, about.Unit, about.Reason = &profile.Claimed, &guarantee.Epsilon, guarantee.Unit, profile.Reason
	r := made{x: nn.NewMatrix(x.Rows, s.m), about: about, paid: 1, grow: 1}
	if i := slices.IndexFunc(profile.Facts, func(f dp.Fact) bool { return f.Name == "sensitivity" }); i >= 0 {
		r.paid = profile.Facts[i].Value
	}
	if s.variant == mech.Orthonormal {
		r.grow = math.Sqrt(float64(x.Cols) / float64(s.m))
	}
	for i, v := range out {
		r.x.Data[i] = float32(r.grow * v)
	}
	return r, nil
}

// bounds are the theorems for n vectors of d coordinates and norms up to tau.
func (r made) bounds(d, n int, tau float64) Bounds {
	b := PaperBounds(d, r.about.M, privEmbDelta)
	switch r.about.Variant {
	case mech.Spectral:
		b.Sensitivity = r.paid
	case mech.Orthonormal:
		// Lengths and inner products become anything from 0 to what the
		// scaling makes of them: this holds for every input.
		b.Beta, b.Gram = max(1, r.grow-1), max(1, r.grow*r.grow-1)
		b.Stretch, b.Sensitivity = r.grow, r.grow*r.paid
	case mech.M1:
		b.Beta, b.Gram, b.Stretch, b.Sensitivity = 0, 0, 1, r.paid
	}
	b.N, b.Epsilon, b.Tau = n, r.about.Epsilon, tau
	return b
}

// worst joins what several seeds say of the same setting.
func worst(of []Release) Release {
	w := of[0]
	for _, r := range of {
		if r.True != nil && *r.True > *w.True {
			w = r
		}
	}
	return w
}
