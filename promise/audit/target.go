package audit

import (
	"context"
	"errors"
	"fmt"

	"sotto/promise/dp"
	"sotto/promise/noise"
)

// Release is one answer of a mechanism. A refusal is an answer too: a
// mechanism that refuses some inputs more often than others tells them apart.
type Release struct {
	Y       []float64 // valid until the next call
	Refused bool
}

// Sampler asks a mechanism for releases. It is used by one goroutine.
type Sampler interface {
	// Sample returns one release of x. An error ends the audit.
	Sample(ctx context.Context, x []float64) (Release, error)
	Close() error
}

// Target is a mechanism under audit.
type Target struct {
	// Open returns a new sampler; several run side by side.
	Open func(ctx context.Context) (Sampler, error)
	// Pairs are pairs of inputs worth trying, the best guess first.
	Pairs []Pair
	// LogRatio is the exact log-likelihood ratio of a release, if it is known.
	LogRatio func(y, x, x2 []float64) (float64, error)
	// Independent says that a release's coordinates are independent of each
	// other given the input, so that their bounds may be added.
	Independent bool
	// Foreign says that nothing is known of how the answers come about.
	Foreign bool
	// Recovery draws an input to be recovered; nil if the domain does not suit.
	Recovery *Recovery
}

// Pair is two inputs that the auditor tries to tell apart.
type Pair struct {
	Name  string
	X, X2 []float64
	// Distance is the L2 distance that a metric ε is multiplied by; 1 for other
	// units.
	Distance float64
}

func (p Pair) reversed() Pair {
	return Pair{Name: p.Name + ", reversed", X: p.X2, X2: p.X, Distance: p.Distance}
}

// Builtin returns the target that samples a mechanism of this program. It
// knows the mechanism's own witness and likelihood ratio, and tries the pairs
// of inputs that it would try on a foreign mechanism as well.
func Builtin(m dp.Vector) Target {
	in, out := m.Shape()
	t := Target{Open: func(context.Context) (Sampler, error) {
		return &builtinSampler{m: m, src: noise.Crypto(), y: make([]float64, out)}, nil
	}}
	if d, ok := m.(dp.Distinguisher); ok {
		t.LogRatio = d.LogRatio
	}
	unit := m.Guarantee().Unit
	accepts := func(x []float64) bool {
		_, err := m.Privatize(x, noise.Crypto())
		return err == nil
	}
	if a, ok := m.(dp.Profiled); ok {
		profile := a.Profile()
		t.Independent = profile.Independent
		if w := profile.Witness; w.X != nil {
			t.Pairs = append(t.Pairs, Pair{Name: "the mechanism's own witness", X: w.X, X2: w.X2, Distance: distanceFor(unit, w.X, w.X2)})
		}
	}
	generic := Domain{Dim: in, Low: -1, High: 1}
	for _, p := range generic.Pairs() {
		if accepts(p.X) && accepts(p.X2) {
			p.Distance = distanceFor(unit, p.X, p.X2)
			t.Pairs = append(t.Pairs, p)
		}
	}
	// What recovering inputs proves is no loss per unit of distance.
	if in == out && in >= 3 && unit != dp.Metric && accepts(make([]float64, in)) {
		t.Recovery = &Recovery{Dim: in, Low: 0, High: 1}
	}
	return t
}

// distanceFor returns what a metric ε is multiplied by.
func distanceFor(u dp.Unit, x, x2 []float64) float64 {
	if u != dp.Metric {
		return 1
	}
	return euclid(x, x2)
}

type builtinSampler struct {
	m   dp.Vector
	src *noise.Stream
	y   []float64
}

func (s *builtinSampler) Sample(_ context.Context, x []float64) (Release, error) {
	err := s.m.PrivatizeTo(s.y, x, s.src)
	if errors.Is(err, dp.ErrDomain) {
		return Release{Refused: true}, nil
	}
	if err != nil {
		return Release{}, fmt.Errorf("audit: the mechanism failed: %w", err)
	}
	return Release{Y: s.y}, nil
}

func (*builtinSampler) Close() error { return nil }
