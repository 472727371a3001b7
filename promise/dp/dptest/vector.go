package dptest

import (
	weakrand "math/rand/v2"
	"testing"

	"sotto/promise/dp"
)

// Options say of a mechanism what [Vector] cannot find out. The zero value
// suits mechanisms whose domain is the finite vectors.
type Options struct {
	// Input draws an input of the domain. Nil means vectors of many shapes and
	// lengths, and the adversarial pairs that go with them.
	Input func(rng *weakrand.Rand) []float64
	// Bad lists inputs that must be refused, beside vectors with a NaN or an
	// infinity in them.
	Bad [][]float64
	// Impossible lists vectors that are never released, beside those that are
	// not finite: LogRatio must refuse them.
	Impossible [][]float64
	// Pairs lists neighbours that LogRatio is to be tried on, beside those that
	// are drawn.
	Pairs [][2][]float64
	// Shortfall is by how much, relative to ε, the witness may miss the
	// guarantee; 0 means 10⁻⁴.
	Shortfall float64
	// Quiet says that releases hold so little randomness that many equal ones
	// prove nothing.
	Quiet bool
}

// Vector checks what every [dp.Vector] promises, in a subtest for each promise:
//
//   - the guarantee is valid;
//   - an input is neither changed nor retained;
//   - an input outside the domain is refused, nothing of it is released, and the
//     error does not quote it; extreme inputs are refused or give finite numbers;
//   - releases are finite, differ from each other, and depend on the input and
//     the source alone, in whatever slice and on whatever goroutine;
//   - PrivatizeTo does not allocate;
//   - for a [dp.Distinguisher], no log-likelihood ratio exceeds the guarantee;
//   - for a [dp.Profiled], the witness attains it.
func Vector(t *testing.T, m dp.Vector, o Options) {
	t.Helper()
	for _, c := range checks() {
		t.Run(c.name, func(t *testing.T) {
			c.run(newSuite(m, o, t.Errorf))
		})
	}
}

// check is one promise.
type check struct {
	name string
	run  func(*suite)
}

func checks() []check {
	return []check{
		{"guarantee", (*suite).guarantee},
		{"untouched", (*suite).untouched},
		{"length", (*suite).length},
		{"refused", (*suite).refused},
		{"extreme", (*suite).extreme},
		{"released", (*suite).released},
		{"same", (*suite).same},
		{"inplace", (*suite).inPlace},
		{"fresh", (*suite).fresh},
		{"allocations", (*suite).allocations},
		{"concurrent", (*suite).concurrent},
		{"ratio", (*suite).ratio},
		{"impossible", (*suite).impossible},
		{"witness", (*suite).witness},
	}
}

// suite is one mechanism under one check.
type suite struct {
	m       dp.Vector
	o       Options
	in, out int
	rng     *weakrand.Rand // of inputs
	errorf  func(format string, args ...any)
}

func newSuite(m dp.Vector, o Options, errorf func(string, ...any)) *suite {
	s := &suite{m: m, o: o, rng: weakrand.New(weakrand.NewPCG(20, 26)), errorf: errorf}
	s.in, s.out = m.Shape()
	return s
}

// input draws an input of the domain.
func (s *suite) input() []float64 {
	if s.o.Input != nil {
		return s.o.Input(s.rng)
	}
	return anyVector(s.rng, s.in)
}

// privatize releases x with the stream of a seed, which the domain must allow.
func (s *suite) privatize(x []float64, seed uint64) []float64 {
	y, err := s.m.Privatize(x, stream(seed))
	if err != nil {
		s.errorf("Privatize error = %v on an input of the domain, want none", err)
		return nil
	}
	return y
}

func (s *suite) guarantee() {
	if err := s.m.Guarantee().Validate(); err != nil {
		s.errorf("Guarantee().Validate() = %v, want nil", err)
	}
	if s.in < 1 || s.out < 1 {
		s.errorf("Shape() = %d, %d, want both at least 1", s.in, s.out)
	}
}
