package records

import (
	"math/bits"
	weakrand "math/rand/v2"
)

// planes finds neighbours among vectors: each of its tables divides space by random
// planes, and vectors on the same sides of all planes of a table share a key. Those
// that are near share one in some table, with a probability that grows with how near
// they are.
type planes struct {
	dim, tables, bits int
	normal            []float32 // tables·bits·dim numbers
}

// planeTables is how often space is divided.
const planeTables = 12

// NewPlanes returns planes for so many vectors, few of which share a key.
func NewPlanes(dim, rows int, seed uint64) *planes {
	p := &planes{dim: dim, tables: planeTables, bits: min(20, max(6, bits.Len(uint(rows))-2))}
	rng := weakrand.New(weakrand.NewPCG(seed, 41))
	p.normal = make([]float32, p.tables*p.bits*dim)
	for k := range p.normal {
		p.normal[k] = float32(rng.NormFloat64())
	}
	return p
}

// Keys calls add with the keys of a vector, none of one that is zero.
func (p *planes) Keys(v []int8, add func(uint64)) {
	zero := true
	for _, x := range v {
		zero = zero && x == 0
	}
	if zero {
		return
	}
	at := 0
	for t := range p.tables {
		key := uint64(1) << 40
		for range p.bits {
			var sum float32
			for k, x := range v {
				sum += float32(float32(x) * p.normal[at+k])
			}
			at += p.dim
			key <<= 1
			if sum > 0 {
				key |= 1
			}
		}
		add(mix(key + uint64(t)<<50))
	}
}
