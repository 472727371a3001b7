package records

import (
	"math"
	"math/bits"
)

// frequencies count in how many fields of a column each word stands, in memory that
// does not grow with the number of words: words that meet in a counter share it, so
// that a rare one may look a little less rare, and never rarer than it is.
type frequencies struct {
	fields int
	count  []uint32
}

// mostCounters bounds the memory of a column, at 4 MB.
const mostCounters = 1 << 20

// NewFrequencies returns counters for a column of so many rows.
func NewFrequencies(rows int) *frequencies {
	n := 1 << bits.Len(uint(min(max(rows, 64)*64, mostCounters)-1))
	return &frequencies{count: make([]uint32, n)}
}

// Add counts the words of a field, each once.
func (f *frequencies) Add(v *Value) {
	f.fields++
	for k := range v.words {
		f.count[v.words[k].id&uint64(len(f.count)-1)]++
	}
}

// rarity is from 0, for what all fields have, to 1, for what one has.
func (f *frequencies) rarity(id uint64) float64 {
	if f == nil || f.fields < 2 {
		return 1
	}
	n := max(1, f.count[id&uint64(len(f.count)-1)])
	return max(0.02, min(1, math.Log(float64(f.fields+1)/float64(n))/math.Log(float64(f.fields+1))))
}

// weigh gives the words of a field their weights.
func (v *Value) weigh(f *frequencies) {
	var sum float64
	for k := range v.words {
		r := f.rarity(v.words[k].id)
		v.words[k].rarity = float32(r)
		sum += float64(r * r)
	}
	norm := math.Sqrt(sum)
	for k := range v.words {
		v.words[k].weight = float32(float64(v.words[k].rarity) / norm)
	}
}
