package noise_test

import (
	"math"
	"math/big"
	"testing"

	"sotto/promise/noise"
)

const gaussCells = 1 << noise.GaussBits

// gaussianWeights takes the table apart that the sampler reads.
func gaussianWeights(tb testing.TB) []uint64 {
	tb.Helper()
	return expand(tb, noise.GaussianColumns(), 1<<noise.GaussThreshold, noise.GaussBits)
}

// cellProbabilities returns P(j ≤ |Z| < j+1) for the table's cells j, where Z is
// N(0, s²), s = 16384/9, and what lies beyond them.
//
// Taylor at the middle m of a cell h = 1/s wide: the derivatives of exp(−x²/2)
// are ±Heₙ(m)·exp(−m²/2), the odd ones integrate to 0, and term n = 2i is
// 2·(h/2)ⁿ⁺¹/(n+1)!·Heₙ(m). It falls by (9·h/2)²/n² < 10⁻⁵ from one even n to the
// next, so terms up to n = 40 leave less than 10⁻¹⁰⁰. The exponentials follow
// from exp(−h²(j+½)²/2) by two multiplications a cell.
func cellProbabilities() (cells []*big.Float, beyond *big.Float) {
	const order = 40
	product := func(a, b *big.Float) *big.Float { return bigFloat().Mul(a, b) }
	h := bigFloat().Quo(bigFloat().SetInt64(9), bigFloat().SetInt64(gaussCells))
	half := bigFloat().Quo(h, bigFloat().SetInt64(2))
	negative := product(h, h)
	negative.Neg(negative)
	fall := exponential(negative) // exp(−h²), the ratio of successive ratios
	ratio := bigFloat().Set(fall) // from cell 0 to cell 1: exp(−h²)
	density := exponential(bigFloat().Quo(negative, bigFloat().SetInt64(8)))

	var factor [order + 1]*big.Float // 2·(h/2)ⁿ⁺¹/(n+1)!
	factor[0] = h
	for n := 1; n <= order; n++ {
		factor[n] = bigFloat().Quo(product(factor[n-1], half), bigFloat().SetInt64(int64(n+1)))
	}
	// 2/√(2π), since both signs are counted.
	scale := bigFloat().Sqrt(bigFloat().Quo(bigFloat().SetInt64(2), pi))
	beyond = bigFloat().SetInt64(1)
	for j := range int64(gaussCells) {
		m := product(h, bigFloat().SetRat(big.NewRat(2*j+1, 2)))
		before, hermite := bigFloat(), bigFloat().SetInt64(1)
		sum := bigFloat()
		for n := range order + 1 {
			if n%2 == 0 {
				sum.Add(sum, product(factor[n], hermite))
			}
			// Heₙ₊₁ = m·Heₙ − n·Heₙ₋₁
			next := product(m, hermite)
			next.Sub(next, before.Mul(before, bigFloat().SetInt64(int64(n))))
			before, hermite = hermite, next
		}
		cell := sum.Mul(sum.Mul(sum, density), scale)
		cells = append(cells, cell)
		beyond.Sub(beyond, cell)
		density.Mul(density, ratio)
		ratio.Mul(ratio, fall)
	}
	return cells, beyond
}

// erf sums its Taylor series in more bits than the terms, up to e⁴¹, can cancel:
// erf(z/√2) = √(2/π)·Σ (−1)ⁿ·z²ⁿ⁺¹/(2ⁿ·n!·(2n+1)).
func erf(z *big.Rat) *big.Float {
	x := bigFloat().SetRat(z)
	square := bigFloat().Mul(x, x)
	sum, term := bigFloat(), bigFloat().Set(x)
	for n := int64(1); term.Sign() != 0 && term.MantExp(nil) > -precision; n++ {
		sum.Add(sum, bigFloat().Quo(term, bigFloat().SetInt64(2*n-1)))
		term.Quo(term.Mul(term, square), bigFloat().SetInt64(-2*n))
	}
	return sum.Mul(sum, bigFloat().Sqrt(bigFloat().Quo(bigFloat().SetInt64(2), pi)))
}

// TestGaussianError computes the total variation distance between the table
// and the Gaussian law rounded down, in 320-bit arithmetic.
func TestGaussianError(t *testing.T) {
	if testing.Short() {
		t.Skip("short: integrates 16384 cells in 320-bit arithmetic, about a second")
	}
	cells, beyond := cellProbabilities()
	for _, j := range []int64{0, 1, 1820, 9000, 14000, gaussCells - 1} { // the cells by another way
		want := bigFloat().Sub(erf(big.NewRat(9*(j+1), gaussCells)), erf(big.NewRat(9*j, gaussCells)))
		if off := bigFloat().Quo(bigFloat().Sub(cells[j], want), want); off.Sign() != 0 && off.MantExp(nil) > -190 {
			t.Fatalf("cell %d is %.40g, want %.40g", j, cells[j], want)
		}
	}
	if tail, _ := beyond.Float64(); tail < 2.2e-19 || tail > 2.3e-19 { // 2·Φ(−9) = 2.257·10⁻¹⁹
		t.Fatalf("beyond the table lies %v, want 2.257e-19", tail)
	}
	distance := bigFloat().Set(beyond)
	unit := bigFloat().SetRat(power(-noise.GaussBits - noise.GaussThreshold))
	for j, w := range gaussianWeights(t) {
		off := bigFloat().Mul(bigFloat().SetInt(bigInt(w)), unit)
		distance.Add(distance, off.Abs(off.Sub(off, cells[j])))
	}
	got, _ := distance.Quo(distance, bigFloat().SetInt64(2)).Float64()
	t.Logf("total variation of one draw: %.4g = 2^%.2f, GaussianError = %.4g", got, math.Log2(got), noise.GaussianError)
	if got >= noise.GaussianError {
		t.Errorf("total variation of one draw is %.4g, want less than GaussianError = %.4g", got, noise.GaussianError)
	}
}

func TestGaussianLog(t *testing.T) {
	sum, total := 0.0, new(big.Int)
	for j, w := range gaussianWeights(t) {
		k := int64(j)
		got := noise.GaussianLog(k)
		if other := noise.GaussianLog(-1 - k); got != other {
			t.Errorf("GaussianLog(%d) = %v, GaussianLog(%d) = %v, want the same", k, got, -1-k, other)
		}
		want := math.Inf(-1) // for cells too light for any weight
		if w > 0 {
			p := new(big.Rat).SetInt(bigInt(w))
			want, _ = ln(p.Mul(p, power(-64))).Float64()
		}
		if got != want && !(math.Abs(got-want) < 1e-13) {
			t.Errorf("GaussianLog(%d) = %v, want %v", k, got, want)
		}
		sum += 2 * math.Exp(got)
		total.Add(total, bigInt(w))
	}
	if total.Cmp(bigInt(1<<63)) != 0 {
		t.Errorf("the weights sum to %v, want 2⁶³", total)
	}
	// Logarithms within 10⁻¹³ (above), 16384 additions within 2⁻⁵³ each.
	if math.Abs(sum-1) > 2e-12 {
		t.Errorf("probabilities sum to %v, want 1", sum)
	}
	for _, k := range []int64{gaussCells, -gaussCells - 1, math.MaxInt64, math.MinInt64} {
		if got := noise.GaussianLog(k); !math.IsInf(got, -1) {
			t.Errorf("GaussianLog(%d) = %v, want -Inf", k, got)
		}
	}
}

// TestGaussianWords tries every column of the table on both sides of its
// threshold, at the ends and with bits of the threshold turned over, with
// either sign.
func TestGaussianWords(t *testing.T) {
	const mask = 1<<noise.GaussThreshold - 1
	for j, column := range noise.GaussianColumns() {
		threshold := column >> noise.GaussBits
		for i, number := range []uint64{
			0, mask, (threshold - 1) & mask, threshold & mask,
			(threshold ^ 1<<(j%noise.GaussThreshold)) & mask, threshold ^ 1<<(noise.GaussThreshold-1)&mask,
		} {
			want := int64(j)
			if number >= threshold {
				want = int64(column%gaussCells) ^ int64(j)
			}
			word := number<<noise.GaussBits | uint64(j)
			if i%2 == 1 {
				word, want = word|1<<63, -1-want
			}
			var got [1]int64
			scripted(word).Gaussian(got[:])
			if got[0] != want {
				t.Errorf("Gaussian from %#x = %d, want %d", word, got[0], want)
			}
		}
	}
}

// gaussianBelow is P(⌊Z⌋ ≤ k).
func gaussianBelow(k float64) float64 {
	return math.Erfc(-(k+1)/noise.GaussianScale/math.Sqrt2) / 2
}

func TestGaussianLaw(t *testing.T) {
	checkLaw(t, "Gaussian", million(seeded(t, 21).Gaussian), 1, gaussianBelow)
	checkLaw(t, "Gaussian, Crypto", million(noise.Crypto().Gaussian), 1, gaussianBelow)
}

// TestGaussianParts counts sign, size in 512s and the last three bits together.
func TestGaussianParts(t *testing.T) {
	const sizes = 12
	cell := func(g uint64) uint64 { return min(g>>9, sizes)*8 + g%8 }
	p := make([]float64, 2*(sizes+1)*8)
	for j, w := range gaussianWeights(t) {
		i := cell(uint64(j))
		p[i] += float64(w) * 0x1p-64
		p[i+(sizes+1)*8] += float64(w) * 0x1p-64
	}
	k := make([]int64, 1<<22)
	seeded(t, 22).Gaussian(k)
	seen := make([]int, len(p))
	for _, v := range k {
		i := cell(uint64(max(v, -1-v)))
		if v < 0 {
			i += (sizes + 1) * 8
		}
		seen[i]++
	}
	checkCounts(t, "Gaussian by sign, size and last bits", seen, p)
	quarter := int64(1228) // 0.6745 standard deviations
	inner := gaussianBelow(float64(quarter)-1) - 0.5
	checkPairs(t, "Gaussian", k, [3]int64{-quarter, 0, quarter}, [4]float64{0.5 - inner, inner, inner, 0.5 - inner})
}
