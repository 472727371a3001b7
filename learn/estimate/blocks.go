package estimate

import "slices"

// The blocks that are kept of each size: enough for a test, and few enough that
// memory does not grow with the releases.
const (
	mostBlocks = 64
	fewBlocks  = 32
)

// blocks holds sums of successive rows: at each level the first mostBlocks blocks
// of 2^level rows. Blocks of one size are independent and alike if rows are, however
// many rows there are.
type blocks struct {
	width  int
	levels []level
}

type level struct {
	full [][]float64
	part []float64 // of the block that is being filled
	half bool      // one of its two halves is in
}

// add adds a row to the lowest level, and each block that it completes to the next.
func (b *blocks) add(row []float64) {
	for l := 0; ; l++ {
		if l == len(b.levels) {
			b.levels = append(b.levels, level{part: make([]float64, b.width)})
		}
		at := &b.levels[l]
		if l > 0 {
			for i, v := range row {
				at.part[i] += v
			}
			if at.half = !at.half; at.half { // wait for the other half
				return
			}
			row, at.part = at.part, make([]float64, b.width)
		}
		if len(at.full) < mostBlocks {
			at.full = append(at.full, slices.Clone(row))
		}
	}
}

// at returns the blocks of 2^l rows.
func (b *blocks) at(l int) [][]float64 {
	if l >= len(b.levels) {
		return nil
	}
	return b.levels[l].full
}

// best returns the highest level that has at least fewBlocks blocks for n rows, where
// nearly all rows are in some block; 0 for few rows.
func best(n int) int {
	l := 0
	for n>>(l+1) >= fewBlocks {
		l++
	}
	return l
}
