package erase

import weakrand "math/rand/v2"

// Part says what a row is for.
type Part int

// The parts: rows to which erasers are fitted, rows to which probes are, and
// rows on which these are scored. No row serves two: a probe fitted to the
// eraser's own rows would find less in them than there is in others.
const (
	ForEraser Part = iota
	ForProbes
	ForScore
)

// PartOf returns the part of a row, by its number and a seed alone: six rows in
// ten are for the eraser, and two each for the others.
func PartOf(seed uint64, row int) Part {
	// The constant keeps this stream apart from others of the same seed.
	switch weakrand.NewPCG(seed^0x7061727473, uint64(row)).Uint64() % 10 {
	case 6, 7:
		return ForProbes
	case 8, 9:
		return ForScore
	default:
		return ForEraser
	}
}
