package dptest

import (
	"math"
	"slices"
	"sync"
	"testing"
)

// rounds is how many inputs a check draws.
const rounds = 12

// untouched checks that an input is not written to, and that what becomes of
// it later changes nothing.
func (s *suite) untouched() {
	for seed := range uint64(rounds) {
		x := s.input()
		before := slices.Clone(x)
		y := s.privatize(x, seed)
		if !slices.Equal(x, before) {
			s.errorf("Privatize changed its input")
			return
		}
		released := slices.Clone(y)
		for i := range x {
			x[i] = math.NaN()
		}
		if !slices.Equal(y, released) || !slices.Equal(s.privatize(before, seed), released) {
			s.errorf("Privatize retains its input: a release changed after the input did")
			return
		}
		dst := make([]float64, s.out)
		clean := slices.Clone(before)
		if err := s.m.PrivatizeTo(dst, clean, stream(seed)); err != nil || !slices.Equal(clean, before) {
			s.errorf("PrivatizeTo changed its input, or failed: %v", err)
		}
	}
}

// released checks that releases have the promised length and are finite.
func (s *suite) released() {
	for seed := range uint64(4 * rounds) {
		if y := s.privatize(s.input(), seed); len(y) != s.out || !finite(y) {
			s.errorf("Privatize gave %d numbers, all finite: %v; want %d that are", len(y), finite(y), s.out)
			return
		}
	}
}

// same checks that a release depends on the input and the source alone: not on
// the method, on what dst held, or on releases made in between.
func (s *suite) same() {
	for seed := range uint64(rounds) {
		x := s.input()
		want := s.privatize(x, seed)
		s.privatize(s.input(), seed+1000)
		dst := constant(s.out, math.NaN())
		if err := s.m.PrivatizeTo(dst, x, stream(seed)); err != nil || !slices.Equal(dst, want) {
			s.errorf("PrivatizeTo differs from Privatize with the same source; error %v", err)
			return
		}
	}
}

// inPlace checks that dst and x may be the same slice.
func (s *suite) inPlace() {
	if s.in != s.out {
		return
	}
	for seed := range uint64(rounds) {
		x := s.input()
		want := s.privatize(x, seed)
		if err := s.m.PrivatizeTo(x, x, stream(seed)); err != nil || !slices.Equal(x, want) {
			s.errorf("PrivatizeTo(x, x) differs from a release into another slice; error %v", err)
			return
		}
	}
}

// fresh checks that a source is used: releases of the same input differ.
func (s *suite) fresh() {
	if s.o.Quiet {
		return
	}
	x, source := s.input(), stream(3)
	var first []float64
	const draws = 128
	for i := range draws {
		y, err := s.m.Privatize(x, source)
		if err != nil {
			s.errorf("Privatize error = %v on an input of the domain, want none", err)
			return
		}
		if i == 0 {
			first = y
		} else if !slices.Equal(y, first) {
			return
		}
	}
	s.errorf("%d releases of one input are all equal", draws)
}

// allocations checks that PrivatizeTo does not allocate, once its buffers are
// warm.
func (s *suite) allocations() {
	if raceEnabled {
		return
	}
	x, dst, source := s.input(), make([]float64, s.out), stream(4)
	run := func() {
		if err := s.m.PrivatizeTo(dst, x, source); err != nil {
			s.errorf("PrivatizeTo error = %v on an input of the domain, want none", err)
		}
	}
	run()
	if n := testing.AllocsPerRun(20, run); n != 0 {
		s.errorf("PrivatizeTo allocates %v times, want 0", n)
	}
}

// concurrent checks that goroutines with a source each do not disturb each
// other. The race detector sees more than the comparison does.
func (s *suite) concurrent() {
	const workers = 4
	x := s.input()
	var want, got [workers][rounds][]float64
	for w := range want {
		for r := range want[w] {
			want[w][r] = s.privatize(x, uint64(w*rounds+r))
		}
	}
	var group sync.WaitGroup
	for w := range got {
		group.Go(func() {
			for r := range got[w] {
				y, err := s.m.Privatize(x, stream(uint64(w*rounds+r)))
				if err == nil {
					got[w][r] = y
				}
			}
		})
	}
	group.Wait()
	for w := range got {
		for r := range got[w] {
			if !slices.Equal(got[w][r], want[w][r]) {
				s.errorf("a release on one of %d goroutines differs from the same one alone", workers)
				return
			}
		}
	}
}
