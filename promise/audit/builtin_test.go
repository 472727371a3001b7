package audit_test

import (
	"context"
	"fmt"
	"testing"

	"sotto/promise/audit"
	"sotto/promise/dp"
	"sotto/promise/dp/dptest"
	"sotto/promise/mech"
)

// falseFailure is the probability with which an audit of an honest mechanism
// may fail; the audits' confidence follows from it.
const falseFailure = 1e-5

// attackNow audits a mechanism at what its guarantee says, with tests' draws.
func attackNow(t *testing.T, m dp.Vector, claim float64, draws int) audit.Result {
	t.Helper()
	r, err := audit.Run(context.Background(), audit.Builtin(m), audit.Config{
		Claim: claim, Delta: m.Guarantee().Delta, Draws: draws, Confidence: 1 - falseFailure,
	})
	if err != nil {
		t.Fatalf("Run: %v", err)
	}
	t.Logf("claim %v: lower bound %.4g by %s (%s; %s)", claim, r.LowerBound, r.Method, r.Pair, r.Event)
	return r
}

// auditHonest checks that no attack refutes the guarantee of an honest
// mechanism at ε = 1, 5 and 10, and that the attack is worth something: at
// ε = 1 it must certify at least the given share of it. The shares lie many
// deviations (each below 0.05 with these draws) under what the attacks reach, so
// that only a broken search fails. That an honest mechanism is not refuted holds at
// any number of draws; 5 and 10 are left to the long run.
func auditHonest(t *testing.T, p mech.Params, share float64) {
	t.Helper()
	for _, epsilon := range []float64{1, 5, 10} {
		t.Run(fmt.Sprintf("epsilon %v", epsilon), func(t *testing.T) {
			if testing.Short() && epsilon != 5 {
				t.Skip("one ε is enough to look for races")
			}
			if epsilon != 1 && !testing.Short() && !dptest.Long() {
				t.Skip("SOTTO_LONG=1 runs it")
			}
			p := p
			p.Epsilon = epsilon
			m, err := mech.New(p)
			if err != nil {
				t.Fatal(err)
			}
			r := attackNow(t, m, float64(m.Guarantee().Epsilon), draws(t))
			if r.Refuted {
				t.Errorf("an honest mechanism was refuted: %+v", r)
			}
			if epsilon == 1 && r.LowerBound < share && !testing.Short() {
				t.Errorf("the attack certified %v of ε = 1, want at least %v", r.LowerBound, share)
			}
		})
	}
}

// auditFalse checks that a claim is refuted, and in the long run with at least the
// given bound. A wide release needs fewer draws for that: its bound is a sum over
// coordinates, and that of 1000 draws is 98 where 14 is claimed, and 49 and 790 where 1 is.
// A coordinate's bound ln(p/q) has a deviation of about √(1/np + 1/nq), below 0.15 at p and
// q above a tenth, and the sum over k of them √k times that: 2.6 for 300 coordinates, so
// that claims are more than 30 deviations away.
func auditFalse(t *testing.T, p mech.Params, atLeast float64) {
	t.Helper()
	m, err := mech.New(p)
	if err != nil {
		t.Fatal(err)
	}
	few := 4000
	if p.Dim >= 50 {
		few = 1000
	}
	r := attackNow(t, m, p.Epsilon, min(draws(t), dptest.Count(t, few, 20_000)))
	if !r.Refuted || r.LowerBound < atLeast && dptest.Long() {
		t.Errorf("%s %s claimed %v: lower bound %v, refuted %v; want refuted with at least %v", p.Mechanism, p.Variant, p.Epsilon, r.LowerBound, r.Refuted, atLeast)
	}
	if g := m.Guarantee(); r.LowerBound > float64(g.Epsilon) {
		t.Errorf("%s %s: the bound %v exceeds the guarantee %v", p.Mechanism, p.Variant, r.LowerBound, g)
	}
}

func draws(t *testing.T) int {
	t.Helper()
	if testing.Short() {
		return 1500
	}
	return 20_000
}

func TestAuditLaplaceL1(t *testing.T) {
	auditHonest(t, mech.Params{Mechanism: "laplace-l1", Dim: 8}, 0.5)
	if !testing.Short() {
		auditFalse(t, mech.Params{Mechanism: "laplace-l1", Variant: mech.Released, Dim: 300, Epsilon: 14}, 100)
	}
}

func TestAuditDPNR(t *testing.T) {
	auditHonest(t, mech.Params{Mechanism: "dpnr", Dim: 4}, 0.15)
	auditFalse(t, mech.Params{Mechanism: "dpnr", Variant: mech.Paper, Dim: 100, Epsilon: 1}, 50)
}

// TestAuditDPNRReleased is the inversion: the input comes back to 1e-12.
func TestAuditDPNRReleased(t *testing.T) {
	m, err := mech.New(mech.Params{Mechanism: "dpnr", Variant: mech.Released, Dim: 768, Epsilon: 0.05})
	if err != nil {
		t.Fatal(err)
	}
	r := attackNow(t, m, 0.05, 300)
	if !r.Refuted || r.Method != "recovery" {
		t.Errorf("refuted %v by %s, want refuted by recovery", r.Refuted, r.Method)
	}
	if r.Recovery.Hits != r.Recovery.Trials || r.Recovery.WorstError > 1e-12 {
		t.Errorf("recovered %d of %d inputs to %v, want all to 1e-12", r.Recovery.Hits, r.Recovery.Trials, r.Recovery.WorstError)
	}
	// 766 free coordinates of 65537 levels each, less what 100 trials leave open.
	if r.LowerBound < 8400 {
		t.Errorf("lower bound %v, want above 8400", r.LowerBound)
	}
}

func TestAuditSUE(t *testing.T) {
	auditHonest(t, mech.Params{Mechanism: "sue", Dim: 2, Own: mech.BitParams{Bits: 3}}, 0.15)
	auditFalse(t, mech.Params{Mechanism: "sue", Variant: mech.Paper, Dim: 4, Epsilon: 4, Own: mech.BitParams{Bits: 10}}, 8)
}

func TestAuditOUE(t *testing.T) {
	auditHonest(t, mech.Params{Mechanism: "oue", Dim: 2, Own: mech.AlphaParams{Bits: 3}}, 0.05)
	auditHonest(t, mech.Params{Mechanism: "oue", Variant: mech.Tight, Dim: 2, Own: mech.AlphaParams{Bits: 3}}, 0.15)
	auditHonest(t, mech.Params{Mechanism: "oue", Variant: mech.MOUE, Dim: 1, Own: mech.AlphaParams{Bits: 2, Alpha: 7}}, 0.05)
	auditFalse(t, mech.Params{Mechanism: "oue", Variant: mech.Paper, Dim: 2, Epsilon: 4, Own: mech.AlphaParams{Bits: 10}}, 4)
}

func TestAuditOME(t *testing.T) {
	if !testing.Short() {
		auditFalse(t, mech.Params{Mechanism: "ome", Dim: 50, Epsilon: 1, Own: mech.OMEParams{Bits: 10, Lambda: 100}}, 1000)
	}
	auditFalse(t, mech.Params{Mechanism: "ome", Dim: 5, Epsilon: 1, Own: mech.OMEParams{Bits: 7, Lambda: 10}}, 40)
}

// TestAuditOMEWide is the published setting at BERT's width with 10⁵ draws in the
// long run, whose bound is above 30,000.
//
// The bound is a sum over 7680 independent bits. With n draws none adds more than
// ln n, so that by Hoeffding the sum is off its expectation by more than
// ln n·√(7680·ln(10⁵)/2) = 210·ln n but once in 10⁵. With 500 draws that is
// 1310, once for the run that gave 11,156 and once for each run: 8,500 is left.
func TestAuditOMEWide(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	m, err := mech.New(mech.Params{Mechanism: "ome", Dim: 768, Epsilon: 1, Own: mech.OMEParams{Bits: 10, Lambda: 100}})
	if err != nil {
		t.Fatal(err)
	}
	target := audit.Builtin(m)
	target.Pairs = target.Pairs[:1] // the others only cost time here
	draws, atLeast := dptest.Count(t, 500, 100_000), 8_500.0
	if dptest.Long() {
		atLeast = 30_000
	}
	r, err := audit.Run(context.Background(), target, audit.Config{Claim: 1, Draws: draws})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Refuted || r.LowerBound < atLeast {
		t.Errorf("lower bound %v, refuted %v; want refuted with more than %v", r.LowerBound, r.Refuted, atLeast)
	}
}

func TestAuditBitRand(t *testing.T) {
	auditFalse(t, mech.Params{Mechanism: "bitrand", Dim: 10, Epsilon: 1, Own: mech.AlphaParams{Bits: 10, Alpha: 2}}, 60)
}

func TestAuditBitRR(t *testing.T) {
	auditHonest(t, mech.Params{Mechanism: "bitrr", Dim: 2, Own: mech.BitParams{Bits: 4}}, 0.1)
	auditHonest(t, mech.Params{Mechanism: "bitrr", Variant: mech.Uniform, Dim: 2, Own: mech.BitParams{Bits: 3}}, 0.1)
}

func TestAuditRoundedBit(t *testing.T) {
	auditHonest(t, mech.Params{Mechanism: "bitrr", Variant: mech.OneBit, Dim: 2}, 0.3)
}

func TestAuditPrivEmb(t *testing.T) {
	for _, variant := range []string{mech.Orthonormal, mech.Spectral, mech.M1} {
		t.Run(variant, func(t *testing.T) {
			p := mech.Params{Mechanism: "privemb", Variant: variant, Own: mech.PrivEmbParams{InputDim: 12, OutputDim: 2}}
			if variant == mech.M1 {
				p.Own = mech.PrivEmbParams{InputDim: 2, OutputDim: 2}
			}
			auditHonest(t, p, 0.1)
		})
	}
	t.Run("clipped", func(t *testing.T) {
		auditHonest(t, mech.Params{Mechanism: "privemb", Variant: mech.M1, Own: mech.PrivEmbParams{InputDim: 2, Clip: 0.5}}, 0.2)
	})
	t.Run("vocabulary", func(t *testing.T) {
		auditHonest(t, mech.Params{Mechanism: "privemb", Variant: mech.Vocabulary, Own: mech.PrivEmbParams{InputDim: 3, OutputDim: 2, Vocabulary: [][]float64{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {3, 1, -2}}}}, 0.1)
	})
	t.Run("paper", func(t *testing.T) {
		// One coordinate of three: the published noise pays for far less than Φ
		// stretches with a β this small. δ close to 1 makes it so.
		auditFalse(t, mech.Params{Mechanism: "privemb", Variant: mech.Paper, Delta: 0.9, Epsilon: 1, Own: mech.PrivEmbParams{InputDim: 400, OutputDim: 1}}, 1.05)
	})
}

func TestAuditPrivUnit(t *testing.T) {
	auditHonest(t, mech.Params{Mechanism: "privunit", Dim: 3}, 0.5)
	auditHonest(t, mech.Params{Mechanism: "privunit", Dim: 50}, 0.5)
}

func TestAuditCodebook(t *testing.T) {
	auditHonest(t, mech.Params{Mechanism: "codebook", Dim: 5, Own: mech.CodebookParams{Codewords: 32}}, 0.5)
}

func TestAuditCodes(t *testing.T) {
	auditHonest(t, mech.Params{Mechanism: "codes", Dim: 4, Own: mech.CodesParams{Selected: 2}}, 0.5)
	auditHonest(t, mech.Params{Mechanism: "codes", Dim: 16}, 0.5)
	t.Run("weights", func(t *testing.T) {
		// At ε = 1 the last code is raised to e·0.1. At 5 and 10 there is less to
		// share out than it could take, and the guarantee is ln(0.35/0.1).
		auditHonest(t, mech.Params{Mechanism: "codes", Dim: 3, Own: mech.CodesParams{Weights: []float64{0.5, 0.15, 0.1}}}, 0.5)
	})
}

func TestAuditCells(t *testing.T) {
	for _, variant := range []string{mech.Mean, mech.Centroid, mech.Index} {
		auditHonest(t, mech.Params{Mechanism: "cells", Variant: variant, Dim: 2, Own: mech.CellsParams{Centres: [][]float64{{1, 0}, {0, 1}, {-1, 0}, {0.5, -1}}}}, 0.5)
	}
}

func TestAuditLaplaceL2(t *testing.T) {
	auditHonest(t, mech.Params{Mechanism: "laplace-l2", Dim: 3}, 0.2)
}

func TestAuditLatticeL2(t *testing.T) {
	auditHonest(t, mech.Params{Mechanism: "laplace-l2", Variant: mech.OnLattice, Dim: 3}, 0.2)
}

func TestAuditGaussian(t *testing.T) {
	auditHonest(t, mech.Params{Mechanism: "gaussian", Dim: 5, Delta: 1e-3}, 0.1)
}

func TestAuditKRR(t *testing.T) {
	auditHonest(t, mech.Params{Mechanism: "krr", Own: mech.KRRParams{Classes: 2}}, 0.6)
	auditHonest(t, mech.Params{Mechanism: "krr", Own: mech.KRRParams{Classes: 7}}, 0.4)
}

func TestAuditSubset(t *testing.T) {
	auditHonest(t, mech.Params{Mechanism: "subset", Own: mech.SubsetParams{Classes: 5, Selected: 2}}, 0.5)
}
