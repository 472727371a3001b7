package mech

import (
	"fmt"
	"math"

	"sotto/promise/dp"
	"sotto/promise/noise"
)

// OME is the bit protocol of LDPNN. Of the merged bits of all coordinates,
// those with even numbers stay 1 with probability λ/(1+λ), those with odd ones
// with 1/(1+λ³); a 0 becomes 1 with probability 1/(1+λe^{ε/(D·l)}).
//
// Domain: finite vectors, z-scored with public statistics and clipped.
// Neighbours: any two.
//
// Theorem. A release is (Σ max(|ln p/q|, |ln (1−p)/(1−q)|), 0)-DP, the sum over
// all D·l bits. For even l and λ ≥ 2 that is (D·l/2)·ln(λ³−λ²+λ) for every
// claimed ε up to 2·D·l·ln λ; for λ = 1 about ε/2. The published proof multiplies signed
// ratios, so that λ cancels; a reader takes the worse direction on each bit.
//
// Numerics: thresholds are 64-bit integers and ε is computed from them.
//
// Proof: ome.md. Audit: TestAuditOME. Reference: Lyu, Li, He and Xiao, Towards
// Differentially Private Text Representations, SIGIR 2020.
type OME struct{ *bitChannel }

// OMEParams are the own parameters of ome.
type OMEParams struct {
	Bits   int     `json:"bits,omitempty" help:"number of bits for each coordinate" default:" 10"`
	Lambda float64 `json:"lambda,omitempty" help:"λ" default:" 100"`
}

var _ dp.Distinguisher = OME{}

// NewOME takes dim, bits, lambda and epsilon.
func NewOME(p Params) (OME, error) {
	p, own, code, err := prepareBits[OMEParams](p, "ome")
	if err != nil {
		return OME{}, err
	}
	if own.Lambda == 0 {
		own.Lambda = 100
		p.Own = own
	}
	if !(own.Lambda >= 1e-3 && own.Lambda <= 1e5) {
		return OME{}, fmt.Errorf("mech: lambda is %v, must be at least 0.001 and at most 100000", own.Lambda)
	}
	even := noise.ProbBelow(own.Lambda / (1 + own.Lambda))
	odd := noise.ProbBelow(1 / (1 + float64(own.Lambda*own.Lambda*own.Lambda)))
	leak := flipRate(p.Epsilon/float64(p.Dim*code.bits) + math.Log(own.Lambda))
	c := newBitChannel(p, code, func(coordinate, bit int) rate {
		if (coordinate*code.bits+bit)%2 == 0 {
			return rate{one: even, zero: leak}
		}
		return rate{one: odd, zero: leak}
	})
	c.claim.Place = "LDPNN, Theorem 1"
	c.reason = "each bit costs ln((1+e^{ε/(D·l)})/2), about half of what was planned for it"
	if own.Lambda != 1 {
		c.reason = "the published proof lets λ cancel between even and odd bits, but a reader takes the worse direction on each bit"
	}
	return OME{c}, nil
}
