package dptest

import (
	"errors"
	"math"

	"sotto/promise/dp"
)

// slack is what a computed log-likelihood ratio may exceed the guarantee by,
// relative to it: the rounding errors of a few thousand additions.
const slack = 1e-9

// bound returns the most that a log-likelihood ratio between x and x2 may be,
// and whether the guarantee bounds it at all.
func (s *suite) bound(x, x2 []float64) (float64, bool) {
	g := s.m.Guarantee()
	most := float64(g.Epsilon) * (1 + slack)
	if g.Unit == dp.Metric {
		most *= distance(x, x2)
	}
	return most + 1e-12, g.Delta == 0 && (g.Unit == dp.Text || g.Unit == dp.Metric)
}

// ratio checks the log-likelihood ratio on pairs of inputs and real releases of
// both: bounded, antisymmetric, and 0 between equal inputs.
func (s *suite) ratio() {
	d, ok := s.m.(dp.Distinguisher)
	if !ok {
		return
	}
	seed := uint64(0)
	try := func(x, x2 []float64) {
		for _, v := range [][]float64{x, x2} {
			seed++
			// An input that is refused has no release to test.
			if y, err := s.m.Privatize(v, stream(seed)); err == nil {
				s.bounded(d, y, x, x2)
			}
		}
	}
	for range rounds {
		x, x2 := s.input(), s.input()
		try(x, x2)
		if s.o.Input == nil {
			try(x, negated(x))
		}
		s.symmetric(d, s.privatize(x, seed), x, x2)
	}
	pairs := s.o.Pairs
	if s.o.Input == nil {
		pairs = append(pairs, adversarial(s.in)...)
	}
	for _, p := range pairs {
		try(p[0], p[1])
	}
}

// bounded checks the ratio at a release of x or x2 against the guarantee.
func (s *suite) bounded(d dp.Distinguisher, y, x, x2 []float64) {
	r, err := d.LogRatio(y, x, x2)
	if errors.Is(err, dp.ErrDomain) {
		_, first := s.m.Privatize(x, stream(5))
		_, second := s.m.Privatize(x2, stream(5))
		if first != nil || second != nil {
			return // the ratio needs both inputs, and a release only one of them
		}
	}
	if err != nil || math.IsNaN(r) {
		s.errorf("LogRatio of a release = %v, %v, want a number", r, err)
		return
	}
	if most, ok := s.bound(x, x2); ok && !(math.Abs(r) <= most) {
		s.errorf("LogRatio = %v exceeds the guarantee, %v: at most %v, on %.4g… and %.4g…",
			r, s.m.Guarantee(), most, x[:min(3, len(x))], x2[:min(3, len(x2))])
	}
}

// symmetric checks that exchanging the inputs changes the sign, and that equal
// inputs cannot be told apart.
func (s *suite) symmetric(d dp.Distinguisher, y, x, x2 []float64) {
	there, err := d.LogRatio(y, x, x2)
	back, err2 := d.LogRatio(y, x2, x)
	if err != nil || err2 != nil || !near(back, -there, 1e-12) {
		s.errorf("LogRatio = %v, %v, and with inputs exchanged %v, %v, want opposite numbers", there, err, back, err2)
	}
	if equal, err := d.LogRatio(y, x, x); err != nil || equal != 0 {
		s.errorf("LogRatio between equal inputs = %v, %v, want 0", equal, err)
	}
}

// near reports whether a and b are equal up to a relative error, or both the
// same infinity.
func near(a, b, tolerance float64) bool {
	return a == b || math.Abs(a-b) <= tolerance*(1+max(math.Abs(a), math.Abs(b)))
}

// impossible checks that LogRatio refuses what was never released, and inputs
// outside the domain.
func (s *suite) impossible() {
	d, ok := s.m.(dp.Distinguisher)
	if !ok {
		return
	}
	x, x2 := s.input(), s.input()
	for _, bad := range append([][]float64{constant(s.out, math.NaN()), constant(s.out, math.Inf(1))}, s.o.Impossible...) {
		if r, err := d.LogRatio(bad, x, x2); err == nil {
			s.errorf("LogRatio(%.4g…) = %v, nil, want an error: it was never released", bad[:min(3, len(bad))], r)
		}
	}
	y := s.privatize(x, 6)
	for _, bad := range append([][]float64{constant(s.in, math.NaN())}, s.o.Bad...) {
		_, first := d.LogRatio(y, bad, x)
		_, second := d.LogRatio(y, x, bad)
		if first == nil || second == nil {
			s.errorf("LogRatio with an input outside the domain = %v and %v, want errors", first, second)
		}
	}
}

// witness checks what the mechanism shows for its guarantee: two inputs of the
// domain and an event whose probabilities differ by e^ε, and by no more.
func (s *suite) witness() {
	m, ok := s.m.(dp.Profiled)
	if !ok {
		return
	}
	a := m.Profile()
	if a.Mechanism == "" || a.Variant == "" || a.Reason == "" || !(a.Claimed > 0) || a.Witness.Event == "" {
		s.errorf("Profile() = %+v, want a name, a variant, a reason, a claimed ε and an event", a)
	}
	w, g := a.Witness, s.m.Guarantee()
	for _, x := range [][]float64{w.X, w.X2} {
		if _, err := s.m.Privatize(x, stream(7)); err != nil {
			s.errorf("Privatize of the witness: %v, want none", err)
			return
		}
	}
	got, want := w.LogP-w.LogQ, float64(g.Epsilon)
	if g.Delta > 0 {
		got = math.Log((math.Exp(w.LogP) - g.Delta) / math.Exp(w.LogQ))
	}
	if g.Unit == dp.Metric {
		want *= distance(w.X, w.X2)
	}
	shortfall := s.o.Shortfall
	if shortfall == 0 {
		shortfall = 1e-4
	}
	if !(got <= want*(1+slack)+1e-12) {
		s.errorf("the witness shows %v, more than the guarantee, %v", got, want)
	}
	if !(got >= want*(1-shortfall)) {
		s.errorf("the witness shows %v of %v, falls short by %.3g, want at most %.3g", got, want, 1-got/want, shortfall)
	}
	d, ok := s.m.(dp.Distinguisher)
	if !ok || w.Y == nil || g.Delta > 0 {
		return
	}
	if r, err := d.LogRatio(w.Y, w.X, w.X2); err != nil || !(math.Abs(r-got) <= shortfall*want+1e-12) {
		s.errorf("LogRatio at the witness = %v, %v, want %v", r, err, got)
	}
}
