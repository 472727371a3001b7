package noise

import (
	"math"
	"sync"
)

// The Gaussian law rounded down to an integer, from an alias table.
const (
	gaussBits      = 14
	gaussCells     = 1 << gaussBits
	gaussThreshold = 49 // bits; index, threshold and sign fill one word

	// GaussianScale is the standard deviation of [Stream.Gaussian] in
	// integers: the table ends at nine of them.
	GaussianScale = gaussCells / 9.0

	// GaussianError bounds the total variation distance between one draw of
	// [Stream.Gaussian] and ⌊N(0, GaussianScale²)⌋: 16384 weights rounded to
	// 2⁻⁶³, the tail beyond nine standard deviations (2.3·10⁻¹⁹) and the
	// rounding errors of the weights' computation. TestGaussianError checks it
	// with 200-bit arithmetic.
	GaussianError = 0x1p-49
)

type gaussianTable struct {
	columns [gaussCells]uint64
	logs    [gaussCells]float64
}

// gaussian is made when it is first asked for: most programs never draw from it, and all
// of them would wait for it.
var gaussian = sync.OnceValue(newGaussianTable)

func newGaussianTable() *gaussianTable {
	t := new(gaussianTable)
	p := make([]float64, gaussCells)
	for j := range p {
		p[j] = gaussianCell(j)
	}
	w := integerWeights(p, 1<<(gaussBits+gaussThreshold))
	aliasTable(t.columns[:], w, 1<<gaussThreshold, gaussBits)
	for j, v := range w {
		t.logs[j] = math.Log(float64(v)) - (gaussBits+gaussThreshold+1)*math.Ln2
	}
	return t
}

// gaussianCell integrates exp(−t²/2) over cell j with the three-point Gauss
// rule. On a cell 1/1820 wide its error, of order width⁷, is far below the
// rounding of a float; a difference of two values of erf would lose ten bits.
func gaussianCell(j int) float64 {
	const node = 0.774596669241483377 // √(3/5)
	density := func(offset float64) float64 {
		x := (float64(j) + 0.5 + 0.5*offset) / GaussianScale
		return math.Exp(-x * x / 2)
	}
	return (float64(5*density(-node)) + float64(8*density(0)) + float64(5*density(node))) / 18
}

// Gaussian fills dst with independent integers K that follow
// ⌊N(0, GaussianScale²)⌋ to within [GaussianError] each, symmetric about −½.
// Since x + ⌊Z⌋ = ⌊x + Z⌋ for an integer x, a release made of them is a
// function of one with real Gaussian noise, and inherits its guarantee.
func (s *Stream) Gaussian(dst []int64) {
	columns := &gaussian().columns
	for i := range dst {
		w := s.Uint64()
		j := w & (gaussCells - 1)
		column := columns[j]
		if w>>gaussBits&(1<<gaussThreshold-1) >= column>>gaussBits {
			j ^= column & (gaussCells - 1)
		}
		dst[i] = int64(j) ^ int64(w)>>63 // the top bit is the sign: j or −1−j
	}
}

// GaussianLog returns ln P(K=k) for [Stream.Gaussian], from the integer
// weights: −∞ outside the table.
func GaussianLog(k int64) float64 {
	g := uint64(k ^ k>>63)
	if g >= gaussCells {
		return math.Inf(-1)
	}
	return gaussian().logs[g]
}
