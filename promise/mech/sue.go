package mech

import (
	"fmt"
	"math"

	"sotto/promise/dp"
	"sotto/promise/noise"
)

// SUE is symmetric unary encoding: each bit is kept with probability
// e^a/(1+e^a), a = ε/2D. The variant [OneHot] sends one set bit a coordinate,
// for which the protocol was made; the variant [Paper] sends a binary
// expansion with the same a, as LDPNN's comparison does.
//
// Domain: finite vectors, z-scored with public statistics and clipped.
// Neighbours: any two.
//
// Theorem. A change costs a for each bit that can differ: two bits a
// coordinate, ε in all, for one-hot codes; all l bits, l·ε/2, for binary ones.
//
// Numerics: thresholds are 64-bit integers and ε is computed from them.
//
// Proof: sue.md. Audit: TestAuditSUE. Reference: Wang, Blocki, Li and Jha,
// Locally Differentially Private Protocols for Frequency Estimation, USENIX
// Security 2017.
type SUE struct{ *bitChannel }

// BitParams are the own parameters of sue and bitrr.
type BitParams struct {
	Bits int `json:"bits,omitempty" help:"number of bits for each coordinate" default:" 10"`
}

var _ dp.Distinguisher = SUE{}

// NewSUE takes dim, bits and epsilon, and the variants [OneHot] and [Paper].
func NewSUE(p Params) (SUE, error) {
	p, _, code, err := prepareBits[BitParams](p, "sue")
	if err != nil {
		return SUE{}, err
	}
	flip := flipRate(p.Epsilon / float64(2*p.Dim))
	c := newBitChannel(p, code, func(int, int) rate { return rate{one: flip.Not(), zero: flip} })
	c.reason = "two bits of a one-hot code differ for each coordinate, and each costs ε/2D"
	if p.Variant == Paper {
		c.claim = claimOnSameBits
		c.reason = fmt.Sprintf("all %d bits of a binary expansion can differ, not two, and each costs ε/2D", code.bits)
	}
	return SUE{c}, nil
}

// prepareBits checks the parameters that bit protocols share.
func prepareBits[Own any](p Params, name string) (Params, Own, bitCode, error) {
	p, own, err := prepare[Own](p, name, 1)
	if err != nil {
		return p, own, bitCode{}, err
	}
	bits, _ := p.Value("bits").(int)
	code, err := newBitCode(bits, p.Variant == OneHot || p.Variant == Tight)
	p = p.With(Given{"bits": code.bits})
	return p, p.Own.(Own), code, err
}

// claimOnSameBits is that of SUE and OUE, where they are compared with OME.
var claimOnSameBits = dp.Claim{
	Place: "LDPNN, Section 2.2", Verdict: dp.ClaimConditional,
	Condition: "true on one-hot codes, with which the paper compares; the larger ε is that of the same protocol if applied to the bits of OME",
}

// flipRate returns the probability 1/(1+e^a) of flipping a bit that costs a,
// rounded up, so that it costs no more. Below 2⁻⁶⁴ it is 2⁻⁶⁴.
func flipRate(a float64) noise.Prob {
	if a >= 0 && a < 1 {
		// ½ − ½·tanh(a/2) keeps the digits of a small a.
		return 1<<63 - noise.Prob(math.Ldexp(math.Tanh(a/2), 63)) // the conversion rounds down
	}
	return noise.ProbAbove(1 / (1 + math.Exp(a)))
}
