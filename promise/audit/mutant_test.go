package audit_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"sotto/promise/audit"
	"sotto/promise/dp"
	"sotto/promise/dp/dptest"
	"sotto/promise/mech"
	"sotto/promise/noise"
)

// mutant is a copy of a mechanism with a fault put in after the release.
type mutant struct {
	dp.Vector
	spoil func(y, x []float64, src rand.Source) []float64
}

func (m mutant) Privatize(x []float64, src rand.Source) ([]float64, error) {
	y, err := m.Vector.Privatize(x, src)
	if err != nil {
		return nil, err
	}
	return m.spoil(y, x, src), nil
}

// sampler makes mutants whose releases change their length auditable.
type sampler struct {
	m   dp.Mechanism[[]float64, []float64]
	src func() rand.Source
}

// source returns what says where the next release draws from, given the stream of its
// sampler; nil is the stream itself.
type source func(stream rand.Source) func() rand.Source

// seeded begins the same generator again for each release, with a seed of its own. The
// stream of it is made once: it is a thousand times as large as what a release draws.
func seeded(seed func(stream rand.Source) uint64) source {
	return func(stream rand.Source) func() rand.Source {
		generator := rand.NewPCG(0, 0)
		s := noise.From(generator)
		return func() rand.Source {
			generator.Seed(seed(stream), 2)
			return s
		}
	}
}

// newSampler starts a sampler, with a stream of its own.
func newSampler(m dp.Mechanism[[]float64, []float64], src source) func(context.Context) (audit.Sampler, error) {
	if src == nil {
		src = func(stream rand.Source) func() rand.Source { return func() rand.Source { return stream } }
	}
	return func(context.Context) (audit.Sampler, error) { return sampler{m, src(noise.Crypto())}, nil }
}

func (s sampler) Sample(_ context.Context, x []float64) (audit.Release, error) {
	y, err := s.m.Privatize(x, s.src())
	if err != nil {
		return audit.Release{Refused: true}, nil //nolint:nilerr // a refusal is an answer
	}
	return audit.Release{Y: y}, nil
}

func (sampler) Close() error { return nil }

// attackForeign audits m as a stranger would: through its answers alone.
func attackForeign(t *testing.T, m dp.Mechanism[[]float64, []float64], dim int, claim float64, draws int, src source) audit.Result {
	t.Helper()
	target, err := audit.Foreign(audit.Domain{Dim: dim, Low: -1, High: 1}, newSampler(m, src))
	if err != nil {
		t.Fatal(err)
	}
	r, err := audit.Run(context.Background(), target, audit.Config{Claim: claim, Draws: draws, Confidence: 1 - falseFailure})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("lower bound %.4g by %s (%s; %s)", r.LowerBound, r.Method, r.Pair, r.Event)
	return r
}

// honest returns the mechanism that the mutants below are copies of.
func honest(t *testing.T, name string, epsilon float64) dp.Vector {
	t.Helper()
	p := mech.Params{Mechanism: name, Epsilon: epsilon, Dim: 4}
	if mech.Uses(name, "bits") {
		p.Own = mech.BitParams{Bits: 2}
	}
	m, err := mech.New(p)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Every mutant must be refuted at ε = 1, and what it is a copy of must not be.
func TestMutants(t *testing.T) {
	if testing.Short() {
		t.Skip("small faults show on many draws only")
	}
	const epsilon = 1
	last := func(v []float64) *float64 { return &v[len(v)-1] }
	for _, tt := range []struct {
		name  string
		base  string
		spoil func(y, x []float64, src rand.Source) []float64
		scale float64 // of the base's ε, for a wrong noise scale
		src   source
		draws int // 1000 unless it is given: the others are certain to show
	}{
		{name: "laplace: noise scale halved", base: "laplace-l1", scale: 2, draws: draws(t)},
		{name: "dpnr: noise not scaled by the dimension", base: "dpnr", scale: 4, draws: draws(t)},
		{name: "bits: budget tripled", base: "bitrr", scale: 3, draws: draws(t)},
		{name: "laplace: last coordinate without noise", base: "laplace-l1", spoil: func(y, x []float64, _ rand.Source) []float64 {
			*last(y) = *last(x)
			return y
		}},
		{name: "bits: last bit without noise", base: "bitrr", spoil: func(y, x []float64, _ rand.Source) []float64 {
			*last(y) = 0
			if *last(x) < 0 {
				*last(y) = 1
			}
			return y
		}},
		{name: "length leaks: trailing zeros are not sent", base: "laplace-l1", spoil: func(y, x []float64, _ rand.Source) []float64 {
			for len(x) > 0 && *last(x) == 0 {
				x, y = x[:len(x)-1], y[:len(y)-1]
			}
			return y
		}},
		{name: "zero pattern leaks: zeros stay zero", base: "laplace-l1", spoil: func(y, x []float64, _ rand.Source) []float64 {
			for i, v := range x {
				if v == 0 {
					y[i] = 0
				}
			}
			return y
		}},
		{name: "the same noise in all coordinates", base: "laplace-l1", spoil: func(y, x []float64, _ rand.Source) []float64 {
			shift := y[0] - x[0]
			for i := range y {
				y[i] = x[i] + shift
			}
			return y
		}},
		{name: "seed reused for every release", base: "laplace-l1", src: seeded(func(rand.Source) uint64 { return 1 })},
		{name: "seed of eight bits", base: "laplace-l1", draws: draws(t), src: seeded(func(stream rand.Source) uint64 {
			return stream.Uint64() & 255
		})},
	} {
		t.Run(tt.name, func(t *testing.T) {
			base := honest(t, tt.base, epsilon)
			if tt.scale > 0 {
				base = honest(t, tt.base, epsilon*tt.scale)
			}
			if tt.spoil == nil {
				tt.spoil = func(y, _ []float64, _ rand.Source) []float64 { return y }
			}
			if r := attackForeign(t, mutant{base, tt.spoil}, 4, epsilon, cmp.Or(tt.draws, 1000), tt.src); !r.Refuted {
				t.Errorf("the mutant was not refuted: %+v", r)
			}
		})
	}
	for _, base := range []string{"laplace-l1", "dpnr", "bitrr"} {
		t.Run(base+" itself", func(t *testing.T) {
			if r := attackForeign(t, honest(t, base, epsilon), 4, epsilon, dptest.Count(t, 4000, 20_000), nil); r.Refuted {
				t.Errorf("the honest mechanism was refuted: %+v", r)
			}
		})
	}
}

// refusing refuses inputs with a zero, which tells them apart.
type refusing struct{ dp.Vector }

func (m refusing) Privatize(x []float64, src rand.Source) ([]float64, error) {
	for _, v := range x {
		if v == 0 {
			return nil, fmt.Errorf("%w: a zero", dp.ErrDomain)
		}
	}
	return m.Vector.Privatize(x, src)
}

func TestRefusalIsAnAnswer(t *testing.T) {
	r := attackForeign(t, refusing{honest(t, "laplace-l1", 1)}, 4, 1, 1000, nil)
	if !r.Refuted || r.Event[:7] != "refusal" {
		t.Errorf("refuted %v by %q, want refuted by a refusal", r.Refuted, r.Event)
	}
}

// small returns a small mechanism of every kind and the range of its inputs.
func small() []struct {
	params    mech.Params
	low, high float64
} {
	type row = struct {
		params    mech.Params
		low, high float64
	}
	return []row{
		{mech.Params{Mechanism: "laplace-l1", Dim: 2}, -1, 1},
		{mech.Params{Mechanism: "dpnr", Dim: 2}, -1, 1},
		{mech.Params{Mechanism: "sue", Dim: 1, Own: mech.BitParams{Bits: 2}}, -4, 4},
		{mech.Params{Mechanism: "oue", Variant: mech.Tight, Dim: 1, Own: mech.AlphaParams{Bits: 2}}, -4, 4},
		{mech.Params{Mechanism: "bitrr", Dim: 1, Own: mech.BitParams{Bits: 2}}, -4, 4},
		{mech.Params{Mechanism: "bitrr", Variant: mech.OneBit, Dim: 1}, -4, 4},
		{mech.Params{Mechanism: "privemb", Variant: mech.M1, Own: mech.PrivEmbParams{InputDim: 2, Clip: 0.5}}, -1, 1},
		{mech.Params{Mechanism: "privunit", Dim: 3}, -1, 1},
		{mech.Params{Mechanism: "codebook", Dim: 3, Own: mech.CodebookParams{Codewords: 16}}, -1, 1},
		{mech.Params{Mechanism: "codes", Dim: 3}, -1, 1},
		{mech.Params{Mechanism: "cells", Dim: 2, Own: mech.CellsParams{Centres: [][]float64{{0.9, 0}, {0, 0.8}, {-0.7, 0.1}, {0.5, -0.6}}}}, -1, 1},
		{mech.Params{Mechanism: "laplace-l2", Dim: 2}, -1, 1},
		{mech.Params{Mechanism: "gaussian", Dim: 2, Delta: 1e-3}, -1, 1},
		{mech.Params{Mechanism: "krr", Own: mech.KRRParams{Classes: 2}}, 0, 1},
		{mech.Params{Mechanism: "subset", Own: mech.SubsetParams{Classes: 2}}, 0, 1},
	}
}

// Three faults in a copy of every mechanism: half the noise (the mechanism at
// 2ε), the last coordinate sent as it is, and one seed for all releases. Half the
// noise shows on many draws, which the long run makes; a quarter of it on 5,000, on
// which bounds from 3.1 to 7.1, off by 0.2, refute 2. The other two faults are certain
// to show: the same release of one input always and of the other never, 1,000 times,
// bounds ε by more than 4.
func TestMutantsOfAll(t *testing.T) {
	if testing.Short() {
		t.Skip("small faults show on many draws only")
	}
	const epsilon = 2
	for _, tt := range small() {
		p := tt.params
		p.Epsilon = epsilon
		m, err := mech.New(p)
		if err != nil {
			t.Fatal(err)
		}
		claim := float64(m.Profile().Claimed)
		part, n := 4.0, draws(t)/4
		if dptest.Long() {
			part, n = 2, 3*draws(t)
		}
		t.Run(fmt.Sprintf("%s%s with 1/%v of the noise", p.Mechanism, p.Variant, part), func(t *testing.T) {
			p := p
			p.Epsilon *= part
			loud, err := mech.New(p)
			if err != nil {
				t.Fatal(err)
			}
			if r := attackNow(t, loud, claim, n); !r.Refuted {
				t.Errorf("not refuted: %+v", r)
			}
		})
		attack := func(t *testing.T, m dp.Mechanism[[]float64, []float64], src source) bool {
			t.Helper()
			in, _ := m.(dp.Vector).Shape()
			target, err := audit.Foreign(audit.Domain{Dim: in, Low: tt.low, High: tt.high}, newSampler(m, src))
			if err != nil {
				t.Fatal(err)
			}
			r, err := audit.Run(t.Context(), target, audit.Config{Claim: claim, Draws: dptest.Count(t, 1000, 4000), Confidence: 1 - falseFailure})
			if err != nil {
				t.Fatal(err)
			}
			return r.Refuted
		}
		t.Run(p.Mechanism+p.Variant+" with its last coordinate bare", func(t *testing.T) {
			if !attack(t, mutant{m, func(y, x []float64, _ rand.Source) []float64 {
				y[len(y)-1] = x[len(x)-1]
				return y
			}}, nil) {
				t.Error("not refuted")
			}
		})
		t.Run(p.Mechanism+p.Variant+" with one seed", func(t *testing.T) {
			// A random number outside of the two thresholds of a bit releases the
			// same on both inputs, so that some seeds do not leak: of oue all but the last.
			for _, seed := range []uint64{0, 7, 1, 2, 3, 4, 5, 6} {
				if attack(t, m, seeded(func(rand.Source) uint64 { return seed })) {
					return
				}
			}
			t.Error("none of eight seeds was refuted")
		})
	}
}
