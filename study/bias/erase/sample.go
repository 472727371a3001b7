package erase

import (
	"fmt"
	weakrand "math/rand/v2"

	"sotto/compute/measure"
	"sotto/compute/nn"
)

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

// Sample keeps rows of each [Part], all or as many as it may: then each row of
// the part is as likely to be kept as any other, and memory does not grow with
// the rows. It is not safe for concurrent use.
type Sample struct {
	dim   int
	limit [3]int
	seen  [3]int
	parts [3]measure.Labelled
	rng   *weakrand.Rand
}

// NewSample returns a sample of rows of dim numbers that keeps at most so many
// of each part; 0 means all. The seed decides which.
func NewSample(dim int, limit [3]int, seed uint64) *Sample {
	s := &Sample{dim: dim, limit: limit}
	for k := range s.parts {
		s.parts[k].X.Cols = dim
	}
	// The second word keeps this stream apart from others of the same seed.
	s.rng = weakrand.New(weakrand.NewPCG(seed, 0x73616d706c65))
	return s
}

// Add adds a row of a part, with its class. It panics if the row does not have
// the width.
func (s *Sample) Add(part Part, row []float64, class int) {
	if len(row) != s.dim {
		panic(fmt.Sprintf("erase: a row has %d numbers, want %d", len(row), s.dim))
	}
	kept := &s.parts[part]
	s.seen[part]++
	at := kept.X.Rows
	if limit := s.limit[part]; limit > 0 && at == limit {
		if at = s.rng.IntN(s.seen[part]); at >= limit {
			return
		}
	} else {
		kept.X.Rows++
		kept.X.Data = append(kept.X.Data, make([]float32, s.dim)...)
		kept.Z = append(kept.Z, 0)
	}
	kept.Z[at] = class
	for j, v := range row {
		kept.X.Row(at)[j] = float32(v)
	}
}

// Seen returns how many rows of a part were added.
func (s *Sample) Seen(part Part) int { return s.seen[part] }

// Rows returns the rows of a part that were kept. They must not be changed.
func (s *Sample) Rows(part Part) measure.Labelled { return s.parts[part] }

// Erase returns the sample as it is after an eraser.
func (s *Sample) Erase(p *nn.Pool, e *Eraser) *Sample {
	erased := &Sample{dim: s.dim, limit: s.limit, seen: s.seen, rng: s.rng}
	for k, part := range s.parts {
		x := nn.NewMatrix(part.X.Rows, s.dim)
		wide := make([]float64, blockRows*s.dim*p.Workers())
		for lo := 0; lo < x.Rows; lo += blockRows * p.Workers() {
			from := part.X.Slice(lo, min(lo+blockRows*p.Workers(), x.Rows)).Data
			rows := wide[:len(from)]
			for i, v := range from {
				rows[i] = float64(v)
			}
			e.Apply(p, rows)
			for i, v := range rows {
				x.Data[lo*s.dim+i] = float32(v)
			}
		}
		erased.parts[k] = measure.Labelled{X: x, Z: part.Z}
	}
	return erased
}
