package noise_test

import (
	"math"
	"math/big"
	weakrand "math/rand/v2"
	"slices"
	"testing"

	"sotto/promise/noise"
)

const (
	digits     = 1 << noise.DigitBits
	octaveBits = 2 * noise.DigitBits
)

// laplaceWeights takes the tables apart that the sampler reads; the law that
// the tests compute follows from these integers alone.
func laplaceWeights(tb testing.TB) (low, high []uint64) {
	tb.Helper()
	l, h := noise.LaplaceColumns()
	const unit = 1 << noise.ThresholdBits
	return expand(tb, l, unit, noise.DigitBits), expand(tb, h, unit, noise.DigitBits)
}

// TestLaplaceWeights checks both tables against the ideal law: digit j of
// 1024 has probability θ^j·(1−θ)/(1−θ¹⁰²⁴).
func TestLaplaceWeights(t *testing.T) {
	low, high := laplaceWeights(t)
	lowSaid, highSaid := noise.LaplaceWeights()
	for _, tt := range []struct {
		name      string
		got, said []uint64
		roots     int // θ = 2^(−1/2^roots)
	}{
		{"low", low, lowSaid, octaveBits},
		{"high", high, highSaid, noise.DigitBits},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if !slices.Equal(tt.got, tt.said) {
				t.Errorf("the columns add up to other weights than the step is computed from")
			}
			theta := bigFloat().SetRat(power(-1))
			for range tt.roots {
				theta.Sqrt(theta)
			}
			ideal := []*big.Float{bigFloat().SetInt64(1)}
			sum, seen := bigFloat().SetInt64(1), bigInt(tt.got[0])
			for j := 1; j < digits; j++ {
				ideal = append(ideal, bigFloat().Mul(ideal[j-1], theta))
				sum.Add(sum, ideal[j])
				seen.Add(seen, bigInt(tt.got[j]))
			}
			if seen.Cmp(bigInt(1<<48)) != 0 {
				t.Errorf("the weights sum to %v, want 2⁴⁸", seen)
			}
			total := bigFloat().SetRat(power(48))
			for j, w := range tt.got {
				share := ideal[j].Quo(ideal[j].Mul(ideal[j], total), sum)
				// ½ by rounding, 1 by the rest, 2⁻¹⁰ by the floats (2³⁸·2⁻⁵³·a few).
				if off, _ := share.Sub(share, bigFloat().SetInt(bigInt(w))).Float64(); math.Abs(off) > 1.501 {
					t.Errorf("weight %d is %d, off by %v, want at most 1.501", j, w, off)
				}
			}
		})
	}
}

// laplaceProbability returns P(K=k) from the weights: ½ for the sign, ½^(octave+1),
// and a digit's weight of 2⁴⁸ twice.
func laplaceProbability(low, high []uint64, k int64) *big.Rat {
	g := uint64(max(k, -1-k))
	w := new(big.Int).Mul(bigInt(low[g%digits]), bigInt(high[g/digits%digits]))
	return new(big.Rat).Mul(new(big.Rat).SetInt(w), power(-98-int(g>>octaveBits)))
}

// worstRatio returns the largest P(K=k)/P(K=k+1), or its inverse, over all
// integers k, exactly. Neighbours differ in the low digit, or carry into the
// high digit, or carry into the octave; k and −1−k are mirrored.
func worstRatio(low, high []uint64) *big.Rat {
	worst := big.NewRat(1, 1) // from K = −1 to K = 0
	consider := func(r *big.Rat) {
		if r.Cmp(big.NewRat(1, 1)) < 0 {
			r.Inv(r)
		}
		if r.Cmp(worst) > 0 {
			worst = r
		}
	}
	ratio := func(w []uint64, from, to int) *big.Rat {
		return new(big.Rat).SetFrac(bigInt(w[from]), bigInt(w[to]))
	}
	carry := ratio(low, digits-1, 0)
	for j := range digits - 1 {
		consider(ratio(low, j, j+1))
		consider(new(big.Rat).Mul(carry, ratio(high, j, j+1)))
	}
	octave := new(big.Rat).Mul(carry, ratio(high, digits-1, 0))
	consider(octave.Mul(octave, power(1)))
	return worst
}

// borders returns integers around every kind of border, of both signs, and
// others at random.
func borders() []int64 {
	var ks []int64
	for _, at := range []int64{
		0, 1 << 5, digits, 2 * digits, 1023 * digits, 1 << octaveBits, 3 << octaveBits,
		31 << octaveBits, 32 << octaveBits, 40<<octaveBits + 512*digits,
	} {
		for d := int64(-2); d <= 2; d++ {
			ks = append(ks, at+d, -at+d)
		}
	}
	rng := weakrand.New(weakrand.NewPCG(5, 6))
	for range 3000 {
		ks = append(ks, rng.Int64N(1<<(1+rng.IntN(25)))-rng.Int64N(1<<(1+rng.IntN(25))))
	}
	return ks
}

// TestLaplaceStep is the project's promise in one number: e^LaplaceStep() is at
// least every ratio of neighbours, and hardly more.
func TestLaplaceStep(t *testing.T) {
	low, high := laplaceWeights(t)
	worst := worstRatio(low, high)
	exact, step := ln(worst), noise.LaplaceStep()
	if bigFloat().SetFloat64(step).Cmp(exact) < 0 {
		t.Errorf("LaplaceStep() = %v is below the exact loss %.20g", step, exact)
	}
	if over := relative(step, exact); over > 1e-8 {
		t.Errorf("LaplaceStep() = %v exceeds the exact loss by %.2g, want at most 1e-8", step, over)
	}
	ideal := bigFloat().Mul(ln2, bigFloat().SetRat(power(-octaveBits)))
	over := relative(step, ideal)
	t.Logf("LaplaceStep() = %v: %.3g above ln 2/2²⁰, %.3g above the exact loss", step, over, relative(step, exact))
	if over > 1e-4 {
		t.Errorf("LaplaceStep() exceeds ln 2/2²⁰ by %.3g, want less than 1e-4", over)
	}
	// No neighbours were forgotten: the ratio is taken from the law as a whole.
	inverse := new(big.Rat).Inv(worst)
	for _, k := range borders() {
		r := laplaceProbability(low, high, k)
		r.Quo(r, laplaceProbability(low, high, k+1))
		if r.Cmp(worst) > 0 || r.Cmp(inverse) < 0 {
			t.Errorf("P(K=%d)/P(K=%d) = %v, beyond the worst ratio", k, k+1, r.FloatString(20))
		}
	}
}

// TestLargestStep spoils the weights so that every kind of neighbours in its
// turn is the worst, in either direction: one weight alone, and many at once,
// which rise in one step and fall in many.
func TestLargestStep(t *testing.T) {
	low, high := laplaceWeights(t)
	check := func() {
		t.Helper()
		exact, step := ln(worstRatio(low, high)), noise.LargestStep(low, high)
		if bigFloat().SetFloat64(step).Cmp(exact) < 0 || relative(step, exact) > 1e-8 {
			t.Errorf("largestStep() = %v, want %.20g and at most 1e-8 more", step, exact)
		}
	}
	for _, w := range [][]uint64{low, high} {
		for _, j := range []int{0, 1, 500, 1022, 1023} {
			for _, by := range []int64{-1 << 25, -50, 50, 1 << 25} {
				w[j] += uint64(by)
				check()
				w[j] -= uint64(by)
			}
		}
		for _, from := range []int{0, 1, 500} {
			kept := slices.Clone(w)
			for j := from; j < digits; j++ {
				w[j] += uint64(digits-j) << 15
			}
			check()
			copy(w, kept)
		}
	}
}

func TestLaplaceLog(t *testing.T) {
	low, high := laplaceWeights(t)
	for _, k := range append(borders(), math.MaxInt64, math.MaxInt64-1<<octaveBits, math.MinInt64) {
		// The octave apart from the digits: the largest is 2⁴³−1.
		g := uint64(max(k, -1-k))
		octave := bigFloat().SetInt(bigInt(g >> octaveBits))
		exact := ln(laplaceProbability(low, high, int64(g%(1<<octaveBits))))
		want, _ := exact.Sub(exact, octave.Mul(octave, ln2)).Float64()
		// 10⁻¹² absolutely, and two roundings of a large logarithm.
		if got := noise.LaplaceLog(k); math.Abs(got-want) > 1e-12-want*0x1p-52 {
			t.Errorf("LaplaceLog(%d) = %v, want %v", k, got, want)
		}
		if got, other := noise.LaplaceLog(k), noise.LaplaceLog(-1-k); got != other {
			t.Errorf("LaplaceLog(%d) = %v, LaplaceLog(%d) = %v, want the same", k, got, -1-k, other)
		}
	}
}

// TestLaplaceLogSum adds the first octave up. The others are halves of each
// other, to the last bit of the logarithm, and the signs are alike.
func TestLaplaceLogSum(t *testing.T) {
	sum := 0.0
	for h := range int64(digits) {
		part := 0.0
		for l := range int64(digits) {
			part += math.Exp(noise.LaplaceLog(h*digits + l))
		}
		sum += part
	}
	// Each exponent is rounded by less than 10⁻¹⁴ absolutely, and each sum of
	// 1024 terms by less than 1024·2⁻⁵³.
	if math.Abs(4*sum-1) > 3e-13 {
		t.Errorf("probabilities sum to %v, want 1", 4*sum)
	}
}

// TestLaplaceTail compares with the tail of the weights. They differ from θ^j by
// 1.501 at most (TestLaplaceWeights) and are 2³⁷ at least, so each digit's tail
// differs by a factor within 1 ± 2⁻³⁶, and the product within 1 ± 2⁻³⁵.
func TestLaplaceTail(t *testing.T) {
	low, high := laplaceWeights(t)
	upper := func(w []uint64, from uint64) *big.Rat {
		sum := new(big.Int)
		for _, v := range w[from:] {
			sum.Add(sum, bigInt(v))
		}
		return new(big.Rat).Mul(new(big.Rat).SetInt(sum), power(-48))
	}
	tail := func(g uint64) *big.Rat { // P(G ≥ g)
		l, h, octave := g%digits, g/digits%digits, int(g>>octaveBits)
		p := upper(low, l)
		p.Mul(p, new(big.Rat).Mul(new(big.Rat).SetInt(bigInt(high[h])), power(-48)))
		if h+1 < digits {
			p.Add(p, upper(high, h+1))
		}
		p.Mul(p, power(-1)) // this octave
		p.Add(p, power(-1)) // or a later one
		return p.Mul(p, power(-octave))
	}
	for _, k := range borders()[:400] {
		p := new(big.Rat)
		if k >= 0 {
			p.Mul(tail(uint64(k)), power(-1))
		} else {
			p.Sub(power(0), p.Mul(tail(uint64(-k)), power(-1)))
		}
		want, _ := ln(p).Float64()
		if got := noise.LaplaceTail(k); math.Abs(got-want) > 0x1p-35 {
			t.Errorf("LaplaceTail(%d) = %v, want %v", k, got, want)
		}
	}
}

// TestLaplaceScale checks the variance that LaplaceScale states, exactly: of
// G+½ = octave·2²⁰ + high·2¹⁰ + low + ½ about 0, the parts being independent.
func TestLaplaceScale(t *testing.T) {
	low, high := laplaceWeights(t)
	moments := func(w []uint64, unit int64) (mean, variance *big.Rat) {
		first, second := new(big.Int), new(big.Int)
		for j, v := range w {
			x := big.NewInt(int64(j) * unit)
			first.Add(first, new(big.Int).Mul(bigInt(v), x))
			second.Add(second, x.Mul(x.Mul(x, x), bigInt(v)))
		}
		scale := new(big.Rat).SetInt(bigInt(1 << 48))
		mean = new(big.Rat).Quo(new(big.Rat).SetInt(first), scale)
		variance = new(big.Rat).Quo(new(big.Rat).SetInt(second), scale)
		return mean, variance.Sub(variance, new(big.Rat).Mul(mean, mean))
	}
	lowMean, lowVariance := moments(low, 1)
	highMean, highVariance := moments(high, digits)
	mean := big.NewRat(1<<(octaveBits+1)+1, 2) // the octave's mean is 1; and ½
	mean.Add(mean, lowMean).Add(mean, highMean)
	square := big.NewRat(1<<(2*octaveBits+1), 1) // the octave's variance is 2
	square.Add(square, lowVariance).Add(square, highVariance).Add(square, mean.Mul(mean, mean))

	scale := bigFloat().Quo(bigFloat().SetRat(power(octaveBits)), ln2)
	if off := relative(noise.LaplaceScale, scale); off > 0x1p-52 {
		t.Errorf("LaplaceScale = %v, want 2²⁰/ln 2 = %v", noise.LaplaceScale, scale)
	}
	want := scale.Mul(scale.Mul(scale, scale), bigFloat().SetInt64(2))
	off := bigFloat().Sub(bigFloat().SetRat(square), want)
	excess, _ := off.Float64() // 1/12 of it belongs to the ideal law, the rest to rounding
	part, _ := off.Quo(off, want).Float64()
	t.Logf("the variance of K+½ is 2·LaplaceScale² + %.4f", excess)
	if math.Abs(part) > 1e-9 {
		t.Errorf("the variance of K+½ differs from 2·LaplaceScale² by a part of %.3g, want at most 1e-9", part)
	}
}
