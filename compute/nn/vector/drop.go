package vector

import (
	"fmt"
	"math"
)

// Dropout says which numbers of a row are dropped, by a seed of 64 bits: a hash of
// the seed and the place decides, so that nothing has to be kept for the way back,
// and every machine and number of workers drops the same. It is no privacy
// mechanism.
type Dropout struct {
	seed      uint64
	threshold uint32 // hashes below it drop
	scale     float32
}

// NewDropout returns a Dropout that drops a share rate, which must be in [0, 1).
func NewDropout(rate float64) (Dropout, error) {
	if !(rate >= 0 && rate < 1) {
		return Dropout{}, fmt.Errorf("vector: dropout rate is %v, must be in [0, 1)", rate)
	}
	return Dropout{threshold: uint32(rate * (1 << 32)), scale: float32(1 / (1 - rate))}, nil
}

// None reports that nothing is dropped.
func (d Dropout) None() bool { return d.threshold == 0 }

// At returns the Dropout of a place, such as a pass, a layer or a row, within that
// of d: another one for each place.
func (d Dropout) At(place uint64) Dropout {
	z := d.seed + (place+1)*0x9e3779b97f4a7c15 // the finaliser of SplitMix64
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	d.seed = z ^ z>>31
	return d
}

// The multipliers of the hash, an integer finaliser of 32 bits in which every
// input bit reaches all output bits.
const (
	hashFirst  = 0x7feb352d
	hashSecond = 0x846ca68b
)

// hash mixes a place with both halves of a seed.
func hash(place, low, high uint32) uint32 {
	h := place ^ low
	h = (h ^ h>>16) * hashFirst
	h = (h ^ h>>15) + high
	h *= hashSecond
	return h ^ h>>16
}

func dropGo(dst, x []float32, d Dropout) {
	low, high := uint32(d.seed), uint32(d.seed>>32)
	for i, v := range x[:len(dst)] {
		keep := uint32(0)
		if hash(uint32(i), low, high) >= d.threshold {
			keep = math.MaxUint32
		}
		dst[i] = math.Float32frombits(math.Float32bits(v*d.scale) & keep)
	}
}
