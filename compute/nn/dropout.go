package nn

import (
	"fmt"
	"math"
	weakrand "math/rand/v2"
)

// Dropout sets elements to zero at random in training, each with probability
// Rate, and divides the others by 1−Rate, so that means stay (Srivastava et
// al., JMLR 2014). Rate is rounded to a multiple of 2⁻¹⁶. It is no privacy
// mechanism: its randomness is that of a seed.
//
// The elements that are dropped depend on the seed, the number of the pass and
// the position, not on the workers.
type Dropout struct {
	stateless
	// Pass is the number of forward passes in training so far. Restore it to
	// resume a training.
	Pass uint64

	threshold uint64 // of 2¹⁶
	seed      uint64
	mode      Mode // of the last pass
	y, dx     Matrix
}

// NewDropout returns a layer that drops a share rate, or an error if that is
// not in [0, 1). The seed decides which elements: give each layer its own.
func NewDropout(rate float64, seed uint64) (*Dropout, error) {
	threshold := uint64(float64(rate*(1<<16)) + 0.5)
	if !(rate >= 0 && rate < 1) || threshold == 1<<16 {
		return nil, fmt.Errorf("nn: dropout rate is %v, must be in [0, 1)", rate)
	}
	return &Dropout{threshold: threshold, seed: seed}, nil
}

// Forward implements [Layer]. In mode Infer it returns x itself.
func (d *Dropout) Forward(p *Pool, mode Mode, x Matrix) Matrix {
	x.sound("input of Dropout")
	d.mode = mode
	d.y = d.y.Reshape(x.Rows, x.Cols)
	if mode != Train {
		return x
	}
	d.Pass++
	d.apply(p, d.y, x)
	return d.y
}

// Backward implements [Layer].
func (d *Dropout) Backward(p *Pool, grad Matrix) Matrix {
	grad.want("gradient of Dropout", d.y.Rows, d.y.Cols)
	if d.mode != Train {
		return grad
	}
	d.dx = d.dx.Reshape(grad.Rows, grad.Cols)
	d.apply(p, d.dx, grad)
	return d.dx
}

// apply multiplies src by the mask of the current pass, which is drawn anew
// from its seed and so need not be kept.
func (d *Dropout) apply(p *Pool, dst, src Matrix) {
	scale := float32(1 / (1 - float64(float64(d.threshold)/(1<<16))))
	p.rows(src.Rows, func(block, lo, hi int) {
		source := weakrand.NewPCG(blockSeed(d.seed, d.Pass, block))
		to, from := dst.Slice(lo, hi).Data, src.Slice(lo, hi).Data
		var word uint64
		for i, v := range from {
			if i%4 == 0 {
				word = source.Uint64()
			}
			// All ones if the element stays; no branch could be predicted.
			keep := uint32(int64(d.threshold-1-word&0xffff) >> 63)
			word >>= 16
			to[i] = masked(v*scale, keep)
		}
	})
}

// blockSeed returns the seed of one block of rows in one pass.
func blockSeed(seed, pass uint64, block int) (hi, lo uint64) {
	return mix(seed ^ mix(pass)), mix(mix(seed) + uint64(block))
}

// mix is the finaliser of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014),
// after its increment: a bijection in which every input bit reaches all output
// bits.
func mix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// masked returns v where keep is all ones, and 0 where it is zero.
func masked(v float32, keep uint32) float32 {
	return math.Float32frombits(math.Float32bits(v) & keep)
}
