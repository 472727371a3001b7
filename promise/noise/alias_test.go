package noise_test

import (
	"encoding/binary"
	"math"
	"math/big"
	weakrand "math/rand/v2"
	"slices"
	"testing"

	"sotto/promise/noise"
)

// expand adds up what an alias table gives to each index: the threshold of its
// own column and the rest of the columns that name it.
func expand(tb testing.TB, columns []uint64, unit uint64, indexBits int) []uint64 {
	tb.Helper()
	w := make([]uint64, len(columns))
	for j, column := range columns {
		threshold, other := column>>indexBits, column&(1<<indexBits-1)^uint64(j)
		if threshold > unit || other >= uint64(len(columns)) {
			tb.Fatalf("column %d is (%d, %d), want a threshold up to %d and an index below %d",
				j, threshold, other, unit, len(columns))
		}
		w[j] += threshold
		w[other] += unit - threshold
	}
	return w
}

// checkAlias builds a table and takes it apart again.
func checkAlias(tb testing.TB, w []uint64, unit uint64, indexBits int) {
	tb.Helper()
	columns, kept := make([]uint64, len(w)), slices.Clone(w)
	noise.AliasTable(columns, w, unit, indexBits)
	if !slices.Equal(w, kept) {
		tb.Errorf("aliasTable changed its weights")
	}
	if got := expand(tb, columns, unit, indexBits); !slices.Equal(got, w) {
		tb.Errorf("aliasTable(%d weights, unit %d) adds up to %v, want %v", len(w), unit, got, w)
	}
}

// split cuts total at the given points into len(cuts)+1 weights.
func split(cuts []uint64, total uint64) []uint64 {
	for i := range cuts {
		cuts[i] %= total + 1
	}
	slices.Sort(cuts)
	w, last := make([]uint64, 0, len(cuts)+1), uint64(0)
	for _, c := range append(cuts, total) {
		w = append(w, c-last)
		last = c
	}
	return w
}

func TestAliasTable(t *testing.T) {
	for _, tt := range []struct {
		name      string
		w         []uint64
		unit      uint64
		indexBits int
	}{
		{"one column", []uint64{7}, 7, 0},
		{"equal", []uint64{5, 5, 5, 5}, 5, 2},
		{"all on the first", []uint64{20, 0, 0, 0}, 5, 2},
		{"all on the last", []uint64{0, 0, 0, 20}, 5, 2},
		{"chain", []uint64{1, 9, 1, 9}, 5, 2},
		{"one off", []uint64{4, 6, 5, 5}, 5, 2},
		{"full word", []uint64{1<<63 - 1, 1}, 1 << 62, 1},
	} {
		t.Run(tt.name, func(t *testing.T) { checkAlias(t, tt.w, tt.unit, tt.indexBits) })
	}
}

func TestAliasTableRandom(t *testing.T) {
	rng := weakrand.New(weakrand.NewPCG(1, 2))
	for range 2000 {
		indexBits := rng.IntN(8)
		n := rng.IntN(1<<indexBits) + 1
		unit := rng.Uint64N(1<<(63-indexBits)) + 1
		cuts := make([]uint64, n-1)
		for i := range cuts {
			cuts[i] = rng.Uint64() >> rng.IntN(64) // many scales, with zeros and repeats
		}
		checkAlias(t, split(cuts, uint64(n)*unit), unit, indexBits)
	}
}

// TestIntegerWeights bounds each weight's distance from its share: ½ by
// rounding; len/2 at most is then left over, one each; and the float sum and
// quotient have relative errors below (len+3)·2⁻⁵³.
func TestIntegerWeights(t *testing.T) {
	rng := weakrand.New(weakrand.NewPCG(3, 4))
	for range 500 {
		p := make([]float64, rng.IntN(100)+1)
		for i := range p {
			p[i] = math.Exp(20 * rng.Float64())
			if rng.IntN(4) == 0 {
				p[i] = 1 // ties that all round the same way
			}
		}
		checkIntegerWeights(t, p, 1<<rng.IntN(49))
	}
	checkIntegerWeights(t, []float64{1, 1, 1}, 1<<63) // the sign bit of an int64
	checkIntegerWeights(t, []float64{1, 0}, 1)
	checkIntegerWeights(t, []float64{0.5, 0.5, 0, 1}, 1)
}

func checkIntegerWeights(tb testing.TB, p []float64, total uint64) {
	tb.Helper()
	w := noise.IntegerWeights(p, total)
	sum, shares := new(big.Int), new(big.Rat)
	for i := range w {
		sum.Add(sum, bigInt(w[i]))
		shares.Add(shares, new(big.Rat).SetFloat64(p[i]))
	}
	if sum.Cmp(bigInt(total)) != 0 {
		tb.Errorf("integerWeights(%v, %d) sums to %v", p, total, sum)
	}
	for i := range w {
		share := new(big.Rat).Quo(new(big.Rat).SetFloat64(p[i]), shares)
		share.Mul(share, new(big.Rat).SetInt(bigInt(total)))
		off, _ := share.Sub(share, new(big.Rat).SetInt(bigInt(w[i]))).Float64()
		n := float64(len(p))
		if limit := 1.5 + (n+3)*0x1p-53*float64(total); math.Abs(off) > limit {
			tb.Errorf("integerWeights(%v, %d)[%d] is off by %v, want at most %v", p, total, i, off, limit)
		}
	}
}

func FuzzAlias(f *testing.F) {
	f.Add([]byte{}, uint64(1))
	f.Add([]byte("\x01\x00\x00\x00\x00\x00\x00\x00"), uint64(1)<<38)
	f.Add([]byte("sixteen or more bytes"), uint64(0))
	f.Fuzz(func(t *testing.T, data []byte, unit uint64) {
		var cuts []uint64
		for ; len(data) >= 8 && len(cuts) < 1023; data = data[8:] {
			cuts = append(cuts, binary.LittleEndian.Uint64(data))
		}
		unit = unit%(1<<53) + 1
		checkAlias(t, split(cuts, uint64(len(cuts)+1)*unit), unit, 10)
	})
}
