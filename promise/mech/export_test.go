package mech

import "sotto/promise/noise"

// What the tests need to see of the inside.
const (
	DefaultBits = defaultBits
	MaxBits     = maxBits
	OneHotRange = oneHotRange
	Chances     = chances
)

var (
	CapTail       = capTail
	CapMean       = capMean
	CapSignal     = capSignal
	SpectralBound = spectralBound
	IsometryBound = isometryBound
	Shrink        = shrink
)

// Channel is a bit protocol of which the thresholds can be seen.
type Channel interface {
	Mechanism
	Code() BitCode
	Rate(coordinate, bit int) (one, zero noise.Prob)
}

// BitCode is how a number becomes bits.
type BitCode = bitCode

// NewBitCode makes a BitCode.
var NewBitCode = newBitCode

func (c bitCode) Bits() int                  { return c.bits }
func (c bitCode) OneHot() bool               { return c.oneHot }
func (c bitCode) Encode(v float64) uint64    { return c.encode(v) }
func (c bitCode) Decode(code uint64) float64 { return c.decode(code) }

// Code returns the code of one coordinate.
func (m *bitChannel) Code() BitCode { return m.code }

// Rate returns the probabilities of releasing 1 for a 1 and for a 0.
func (m *bitChannel) Rate(coordinate, bit int) (one, zero noise.Prob) {
	r := m.rates[coordinate%2][bit]
	return r.one, r.zero
}

// Chance returns the probability of releasing 1 for v.
func (m *RoundedBit) Chance(v float64) noise.Prob { return m.chance(v) }

// Keep returns the probability of releasing the true label.
func (m *KRR) Keep() noise.Prob { return m.keep }

// Near returns the probability of releasing a near codeword, N and K.
func (m *Codebook) Near() (near noise.Prob, n, k int) {
	return m.near, m.own.Codewords, m.own.Selected
}

// Nearest returns the indices of the K codewords nearest to x.
func (m *Codebook) Nearest(x []float64) []int32 { return m.nearest(x, norm2(x)) }

// Scale returns what a codeword is multiplied by.
func (m *Codebook) Scale() float64 { return m.scale }

// Bounds returns the chances of each code, and what its rank can add to them.
func (m *Codes) Bounds() (least, rise []uint64) { return m.least, m.rise }

// Counts returns the chances of each code for scores of the domain.
func (m *Codes) Counts(scores []float64) []uint64 {
	b := m.ballot()
	defer m.put(b)
	if err := m.count(b, scores); err != nil {
		panic(err)
	}
	counts := make([]uint64, len(scores))
	for c := range counts {
		counts[c] = m.least[c] + b.extra[c]
	}
	return counts
}

// Inside returns the probability of releasing a vector in the cap.
func (m *PrivUnit) Inside() noise.Prob { return m.inside }

// Phi returns the projection, by rows.
func (m *PrivEmb) Phi() []float64 { return m.phi }

// Lattice is a mechanism that adds integers to integers.
type Lattice interface {
	Mechanism
	Radius() int64
	Cells(x []float64) ([]float64, error)
}

// Radius returns the integers in a unit.
func (m *LaplaceL1) Radius() int64 { return m.radius }

// Radius returns the integers in a unit.
func (m *LatticeL2) Radius() int64 { return m.radius }

// Radius returns the integers in a unit.
func (m *DPNR) Radius() int64 { return m.radius }

// Radius returns the integers in a unit.
func (m *Gaussian) Radius() int64 { return m.radius }

// Cells returns the integers that stand for x.
func (m *LaplaceL1) Cells(x []float64) ([]float64, error) { return cellsOf(m.cells, x) }

// Cells returns the integers that stand for x.
func (m *DPNR) Cells(x []float64) ([]float64, error) { return cellsOf(m.cells, x) }

// Cells returns the integers that stand for x.
func (m *Gaussian) Cells(x []float64) ([]float64, error) { return cellsOf(m.cells, x) }

// Cells returns the integers that stand for x.
func (m *LatticeL2) Cells(x []float64) ([]float64, error) { return cellsOf(m.cells, x) }

func cellsOf(cells func(dst, x []float64) error, x []float64) ([]float64, error) {
	dst := make([]float64, len(x))
	err := cells(dst, x)
	return dst, err
}

// BookScores returns the inner products of x and codewords by way of a book.
func BookScores(words [][]float32, x []float32) []float32 {
	b := newBook(len(words), len(x))
	for i, w := range words {
		for j, v := range w {
			*b.at(i, j) = v
		}
	}
	dst := make([]float32, len(words))
	b.scores(dst, x)
	return dst
}

// Hold returns the probability that a set holds the label.
func (m *Subset) Hold() noise.Prob { return m.hold }
