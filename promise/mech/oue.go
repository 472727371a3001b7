package mech

import (
	"fmt"
	"math"

	"sotto/promise/dp"
	"sotto/promise/noise"
)

// OUE is optimised unary encoding: a 1 stays with probability ½, a 0 becomes 1
// with probability 1/(1+e^a). Its variants are [OneHot] with a = ε/2D, [Tight]
// with a = ε/D, [Paper] (a binary expansion with a = ε/2D, as in LDPNN's
// comparison) and [MOUE], LATENT's 1/(1+α) and 1/(1+α·e^a) on a binary
// expansion with a = ε/(D·l).
//
// Domain: finite vectors, z-scored with public statistics and clipped.
// Neighbours: any two.
//
// Theorem. A one-hot change clears one bit and sets another, which costs a
// together: ε/2 for OneHot, ε for Tight. On a binary expansion each bit costs
// at most ln((1+e^a)/2) for Paper, and at most a for MOUE.
//
// Numerics: thresholds are 64-bit integers and ε is computed from them.
//
// Proof: oue.md. Audit: TestAuditOUE. Reference: Wang, Blocki, Li and Jha,
// Locally Differentially Private Protocols for Frequency Estimation, USENIX
// Security 2017; Arachchige and others, Local Differential Privacy for Deep
// Learning, IEEE Internet of Things Journal 2020 (MOUE).
type OUE struct{ *bitChannel }

// AlphaParams are the own parameters of oue and bitrand.
type AlphaParams struct {
	Bits  int     `json:"bits,omitempty" help:"number of bits for each coordinate" default:" 10"`
	Alpha float64 `json:"alpha,omitempty" help:"α"` // oue: of the variant moue alone
}

var _ dp.Distinguisher = OUE{}

// NewOUE takes dim, bits and epsilon, alpha for MOUE, and the variants
// [OneHot], [Tight], [Paper] and [MOUE].
func NewOUE(p Params) (OUE, error) {
	p, own, code, err := prepareBits[AlphaParams](p, "oue")
	if err != nil {
		return OUE{}, err
	}
	if (p.Variant == MOUE) != (own.Alpha > 0) {
		return OUE{}, fmt.Errorf("mech: alpha of oue %s is %v, must be positive for moue and absent otherwise", p.Variant, own.Alpha)
	}
	d := float64(p.Dim)
	keep, a := noise.Prob(1<<63), p.Epsilon/(2*d)
	var reason string
	switch p.Variant {
	case OneHot:
		reason = "a one-hot change clears one bit and sets another, which together cost ε/2D a coordinate, half of what was planned"
	case Tight:
		a = p.Epsilon / d
		reason = "a one-hot change clears one bit and sets another, which together cost ε/D a coordinate"
	case Paper:
		reason = fmt.Sprintf("all %d bits of a binary expansion can differ, and each costs ln((1+e^a)/2), a = ε/2D", code.bits)
	case MOUE:
		a = p.Epsilon / (d * float64(code.bits))
		keep = noise.ProbBelow(1 / (1 + own.Alpha))
		reason = "both directions of each bit cost less than ε/(D·bits)"
	}
	leak := flipRate(a)
	if p.Variant == MOUE {
		leak = flipRate(a + math.Log(own.Alpha))
	}
	c := newBitChannel(p, code, func(int, int) rate { return rate{one: keep, zero: leak} })
	c.reason = reason
	if p.Variant == Paper {
		c.claim = claimOnSameBits
	}
	return OUE{c}, nil
}
