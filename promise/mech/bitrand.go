package mech

import (
	"fmt"
	"math"

	"sotto/promise/dp"
)

// BitRand keeps bit i of l in each coordinate with odds α·e^{iε/l}, i from 0,
// the most significant bit first.
//
// Domain: finite vectors, z-scored with public statistics and clipped.
// Neighbours: any two.
//
// Theorem. A release is (D·Σᵢ|ln α + iε/l|, 0)-DP: bit i costs the logarithm
// of its odds, whichever way it lies. What α is chosen for, ε, is another
// number.
//
// Numerics: thresholds are 64-bit integers and ε is computed from them.
//
// Proof: bitrand.md. Audit: TestAuditBitRand. Reference: Lai and others,
// Bit-aware Randomized Response for Local Differential Privacy in Federated
// Learning, 2022.
type BitRand struct{ *bitChannel }

var _ dp.Distinguisher = BitRand{}

// NewBitRand takes dim, bits, alpha and epsilon.
func NewBitRand(p Params) (BitRand, error) {
	p, own, code, err := prepareBits[AlphaParams](p, "bitrand")
	if err != nil {
		return BitRand{}, err
	}
	if !(own.Alpha > 0) {
		return BitRand{}, fmt.Errorf("mech: alpha of bitrand is %v, must be positive", own.Alpha)
	}
	c := newBitChannel(p, code, func(_, bit int) rate {
		odds := math.Log(own.Alpha) + float64(bit)*p.Epsilon/float64(code.bits)
		if odds < 0 {
			flip := flipRate(-odds) // more likely flipped than kept
			return rate{one: flip, zero: flip.Not()}
		}
		flip := flipRate(odds)
		return rate{one: flip.Not(), zero: flip}
	})
	c.reason = "all bits can differ, and bit i of each coordinate costs |ln α + iε/l|"
	return BitRand{c}, nil
}
