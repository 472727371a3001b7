package dptest

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"sotto/promise/dp"
)

// length checks that a vector of the wrong length is refused by Privatize and
// is a broken call for PrivatizeTo.
func (s *suite) length() {
	for _, n := range []int{0, s.in - 1, s.in + 1} {
		if y, err := s.m.Privatize(make([]float64, n), stream(1)); !errors.Is(err, dp.ErrDomain) || y != nil {
			s.errorf("Privatize of %d numbers = %v, %v, want nil and dp.ErrDomain; Shape asks for %d", n, y, err, s.in)
		}
		s.panics(s.out, n)
	}
	for _, n := range []int{0, s.out - 1, s.out + 1} {
		s.panics(n, s.in)
	}
}

func (s *suite) panics(out, in int) {
	if out == s.out && in == s.in {
		return
	}
	defer func() {
		if recover() == nil {
			s.errorf("PrivatizeTo of %d numbers into %d did not panic, want %d and %d", in, out, s.in, s.out)
		}
	}()
	_ = s.m.PrivatizeTo(make([]float64, out), make([]float64, in), stream(1)) // it panics, or is reported
}

// refused checks inputs outside the domain.
func (s *suite) refused() {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for _, place := range []int{0, s.in / 2, s.in - 1} {
			x := s.input()
			x[place] = bad
			s.refuses(fmt.Sprintf("%v in place %d of %d", bad, place, s.in), x)
		}
		s.refuses(fmt.Sprintf("%v everywhere", bad), constant(s.in, bad))
	}
	for i, x := range s.o.Bad {
		s.refuses(fmt.Sprintf("Options.Bad[%d]", i), x)
	}
}

func (s *suite) refuses(name string, x []float64) {
	y, err := s.m.Privatize(x, stream(2))
	if !errors.Is(err, dp.ErrDomain) || y != nil {
		s.errorf("Privatize of %s = %v, %v, want nil and dp.ErrDomain", name, y, err)
	}
	dst := constant(s.out, 7)
	err = s.m.PrivatizeTo(dst, x, stream(2))
	if !errors.Is(err, dp.ErrDomain) {
		s.errorf("PrivatizeTo of %s = %v, want dp.ErrDomain", name, err)
		return
	}
	if !slices.Equal(dst, make([]float64, s.out)) {
		s.errorf("PrivatizeTo of %s left something in dst, want zeros", name)
	}
	if number := quoted(err.Error(), x); number != "" {
		s.errorf("PrivatizeTo of %s = %q, want an error that does not quote %s", name, err, number)
	}
}

// quoted returns how text quotes a number of x, or nothing. Numbers short
// enough to occur by chance are passed over.
func quoted(text string, x []float64) string {
	for _, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		for _, digits := range []int{-1, 3, 4, 6} {
			if q := strconv.FormatFloat(v, 'g', digits, 64); len(q) >= 4 && strings.Contains(text, q) {
				return q
			}
		}
	}
	return ""
}

// extreme checks inputs that a careless computation would overflow on: they
// are refused or give finite numbers, and never half of each.
func (s *suite) extreme() {
	for name, x := range extremes(s.in) {
		for seed := range uint64(3) {
			dst := constant(s.out, 7)
			err := s.m.PrivatizeTo(dst, x, stream(seed))
			switch {
			case err == nil && !finite(dst):
				s.errorf("PrivatizeTo of %s gave a number that is not finite", name)
			case err != nil && !errors.Is(err, dp.ErrDomain):
				s.errorf("PrivatizeTo of %s = %v, want nil or dp.ErrDomain", name, err)
			case err != nil && !slices.Equal(dst, make([]float64, s.out)):
				s.errorf("PrivatizeTo of %s failed and left something in dst, want zeros", name)
			}
		}
	}
}
