package noise

import "crypto/cipher"

// What the tests need to see of the inside.
const (
	DigitBits      = digitBits
	ThresholdBits  = thresholdBits
	GaussBits      = gaussBits
	GaussThreshold = gaussThreshold
	BufferWords    = bufferSize / 8
)

var (
	AliasTable     = aliasTable
	IntegerWeights = integerWeights
)

// LaplaceColumns returns the alias tables that Laplace reads.
func LaplaceColumns() (low, high []uint64) { return laplace.low[:], laplace.high[:] }

// LaplaceWeights returns the weights that LaplaceStep and LaplaceLog rest on.
func LaplaceWeights() (low, high []uint64) { return laplace.lowWeight[:], laplace.highWeight[:] }

// LargestStep returns the loss of a table with other weights.
func LargestStep(low, high []uint64) float64 {
	t := new(laplaceTable)
	copy(t.lowWeight[:], low)
	copy(t.highWeight[:], high)
	return t.largestStep()
}

// GaussianColumns returns the alias table that Gaussian reads.
func GaussianColumns() []uint64 { return gaussian().columns[:] }

// Buffered returns a Stream whose key stream is made by ctr.
func Buffered(ctr cipher.Stream) *Stream { return &Stream{ctr: ctr, next: bufferSize} }

func (s *Stream) Take(pairs int) []byte {
	first, n := s.take(pairs)
	return s.buf[first : first+16*n]
}

func (s *Stream) Symmetric() float64 { return s.symmetric() }

// Decay is the sampler of events of probability e^(−a/b).
func (s *Stream) Decay(a, b [2]uint64) bool { return s.decay(word128{a[0], a[1]}, word128{b[0], b[1]}) }

// Geometric is the sampler of geometric numbers.
func (s *Stream) Geometric(t uint64) uint64 { return s.geometric(t) }

// DiscreteGaussian is the sampler of one coordinate.
func (s *Stream) DiscreteGaussian(v uint64) int64 { return s.discreteGaussian(v) }

// SphericalBound is the bound behind SphericalStep.
var SphericalBound = sphericalBound
