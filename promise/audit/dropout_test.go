package audit_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"sotto/promise/audit"
	"sotto/promise/dp"
	"sotto/promise/mech"
	"sotto/promise/noise"
)

// textSampler releases one of two texts of three words that differ in the
// last: coordinate 0 of the auditor's input says which.
type textSampler struct {
	m   dp.Mechanism[[]string, []float64]
	src *noise.Stream
}

func (s textSampler) Sample(_ context.Context, x []float64) (audit.Release, error) {
	text := []string{"the", "same", "bad"}
	if x[0] > 0 {
		text[2] = "good"
	}
	y, err := s.m.Privatize(text, s.src)
	return audit.Release{Y: y}, err
}

func (textSampler) Close() error { return nil }

// lastWord is the encoder that amplification helps least: without the last
// word the vector is that of the other text.
func lastWord(words []string, masked []bool) ([]float64, error) {
	if !masked[2] && words[2] == "good" {
		return []float64{1, 0}, nil
	}
	return []float64{-1, 0}, nil
}

func attackText(t *testing.T, m dp.Mechanism[[]string, []float64], claim float64) audit.Result {
	t.Helper()
	target := audit.Target{
		Open:  func(context.Context) (audit.Sampler, error) { return textSampler{m, noise.Crypto()}, nil },
		Pairs: []audit.Pair{{Name: "one word differs", X: []float64{1}, X2: []float64{-1}, Distance: 1}},
	}
	r, err := audit.Run(t.Context(), target, audit.Config{Claim: claim, Draws: 3 * draws(t), Confidence: 1 - falseFailure})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("claim %.4g: lower bound %.4g (%s)", claim, r.LowerBound, r.Event)
	return r
}

func TestAuditDropout(t *testing.T) {
	for _, masks := range []mech.Masks{mech.Bernoulli, mech.FixedCount} {
		for _, epsilon := range []float64{1, 5} {
			t.Run(fmt.Sprintf("%s epsilon %v", masks, epsilon), func(t *testing.T) {
				base, err := mech.New(mech.Params{Mechanism: "laplace-l1", Dim: 2, Epsilon: epsilon})
				if err != nil {
					t.Fatal(err)
				}
				m, err := mech.NewDropout(base, 0.5, masks, lastWord)
				if err != nil {
					t.Fatal(err)
				}
				claim := float64(m.Guarantee().Epsilon)
				r := attackText(t, m, claim)
				if r.Refuted || !testing.Short() && r.LowerBound < 0.4*claim {
					t.Errorf("lower bound %v, refuted %v; want between 0.4 and 1 of the guarantee %v", r.LowerBound, r.Refuted, claim)
				}
			})
		}
	}
}

// floorMasks masks ⌊dμ⌋ words, as published code does: of three words at
// μ = ½ one, so that a word is masked with probability ⅓ only.
type floorMasks struct{ base dp.Vector }

func (m floorMasks) Privatize(words []string, src rand.Source) ([]float64, error) {
	masked := make([]bool, len(words))
	masked[noise.From(src).IntN(uint64(len(words)))] = true
	x, err := lastWord(words, masked)
	if err != nil {
		return nil, err
	}
	return m.base.Privatize(x, src)
}

func (floorMasks) Guarantee() dp.Guarantee { return dp.None(dp.Word) }

func TestAuditFloorMasks(t *testing.T) {
	if testing.Short() {
		t.Skip("a small fault shows on many draws only")
	}
	base, err := mech.New(mech.Params{Mechanism: "laplace-l1", Dim: 2, Epsilon: 2})
	if err != nil {
		t.Fatal(err)
	}
	claim, err := mech.WordLevel(base.Guarantee(), 0.5)
	if err != nil {
		t.Fatal(err)
	}
	r := attackText(t, floorMasks{base}, float64(claim.Epsilon))
	truth := math.Log(1 + 2.0/3*math.Expm1(2))
	if !r.Refuted || r.LowerBound > truth {
		t.Errorf("lower bound %v, refuted %v; want refuted and below the truth %v", r.LowerBound, r.Refuted, truth)
	}
}
