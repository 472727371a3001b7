package vector_test

import (
	"math"
	weakrand "math/rand/v2"
	"slices"
	"testing"

	"sotto/compute/nn/vector"
)

// ramp returns n numbers from lo to hi.
func ramp(n int, lo, hi float64) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(lo + (hi-lo)*float64(i)/float64(n-1))
	}
	return x
}

// normal returns n numbers of mean 0 and the given scale.
func normal(rng *weakrand.Rand, n int, scale float64) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(scale * rng.NormFloat64())
	}
	return x
}

func generator() *weakrand.Rand { return weakrand.New(weakrand.NewPCG(1, 2)) }

// TestGELU compares with the error function. The formula is within 1e-7 of Φ,
// which is multiplied by x, and a few roundings are added.
func TestGELU(t *testing.T) {
	for name, v := range vector.All() {
		x := ramp(1<<16, -20, 20)
		got := slices.Clone(x)
		v.GELU(got, make([]float32, len(x)))
		worst := 0.0
		for i, s := range x {
			s := float64(s)
			want := s * math.Erfc(-s/math.Sqrt2) / 2
			worst = max(worst, math.Abs(float64(got[i])-want)/max(1, math.Abs(s)))
		}
		if !(worst < 3e-7) {
			t.Errorf("%s: error of GELU is %.3g times max(1, |x|), want less than 3e-7", name, worst)
		}
	}
}

// TestExp compares with package math: relative errors, with two roundings of
// the argument, whose size is at most 87.
func TestExp(t *testing.T) {
	for name, v := range vector.All() {
		x := ramp(1<<12, -80, 5)
		got := slices.Clone(x)
		sum := v.Exp(got)
		worst, wantSum := 0.0, 0.0
		for i, s := range x {
			want := math.Exp(float64(s - x[len(x)-1]))
			worst = max(worst, math.Abs(float64(got[i])/want-1))
			wantSum += want
		}
		if !(worst < 5e-7) {
			t.Errorf("%s: relative error of exp is %.3g, want less than 5e-7", name, worst)
		}
		if !(math.Abs(float64(sum)/wantSum-1) < 1e-5) {
			t.Errorf("%s: sum is %g, want %g", name, sum, wantSum)
		}
		far := ramp(16, -1e30, 0)
		if v.Exp(far); far[15] != 1 || !(far[0] < 2e-38) || far[0] < 0 {
			t.Errorf("%s: exp of −1e30 and 0 is %g and %g, want almost 0 and 1", name, far[0], far[15])
		}
	}
}

// TestNorm compares with double precision, on numbers far from zero.
func TestNorm(t *testing.T) {
	rng := generator()
	for name, v := range vector.All() {
		for _, n := range []int{16, 48, 384} {
			x, bias, scale, shift := normal(rng, n, 2), normal(rng, n, 1), normal(rng, n, 1), normal(rng, n, 1)
			bias[0] += 50
			want := referenceNorm(widen(x), widen(bias), widen(scale), widen(shift), 1e-5)
			v.Norm(x, bias, scale, shift, 1e-5)
			if d := distance(x, want); !(d < 1e-5) {
				t.Errorf("%s: largest error of norm of %d is %.3g, want less than 1e-5", name, n, d)
			}
		}
	}
}

// TestSameBits checks that AVX2 and AVX-512 agree in every bit, and with the
// portable loops within roundings.
func TestSameBits(t *testing.T) {
	all := vector.All()
	rng := generator()
	x, bias, scale, shift := normal(rng, 384, 2), normal(rng, 384, 1), normal(rng, 384, 1), normal(rng, 384, 1)
	run := func(v *vector.Loops) []float32 {
		a, b, c, d, e := slices.Clone(x), slices.Clone(x), slices.Clone(x), make([]float32, 384), make([]float32, 384)
		v.GELU(a, bias)
		sum := v.Exp(b)
		v.Norm(c, bias, scale, shift, 1e-12)
		v.Add(d, x, bias)
		v.Scale(e, x, 0.3)
		f, g, h, i, j := make([]float32, 384), slices.Clone(x), make([]float32, 384), make([]float32, 384), make([]float32, 384)
		v.GELUGrad(f, bias, x, shift)
		v.SoftmaxGrad(g, scale, 0.1)
		v.NormGrad(h, bias, x, scale, i, j, 1e-12)
		return slices.Concat(a, b, c, d, e, f, g, h, i, j, []float32{sum})
	}
	portable := run(all["portable"])
	for name, v := range all {
		if d := distance(run(v), widen(portable)); !(d < 1e-5*float64(portable[len(portable)-1])) {
			t.Errorf("%s differs from the portable loops by %.3g", name, d)
		}
	}
	wide, ok := all["avx512"]
	if ok && !slices.Equal(run(wide), run(all["avx2"])) {
		t.Error("avx512 and avx2 differ, want equal bits")
	}
}

func BenchmarkGELU(b *testing.B) {
	for name, v := range vector.All() {
		b.Run(name, func(b *testing.B) {
			x, bias := ramp(1536, -3, 3), make([]float32, 1536)
			b.SetBytes(4 * 1536)
			for b.Loop() {
				v.GELU(x, bias)
			}
		})
	}
}

func BenchmarkExp(b *testing.B) {
	for name, v := range vector.All() {
		b.Run(name, func(b *testing.B) {
			x := ramp(128, -3, 3)
			b.SetBytes(4 * 128)
			for b.Loop() {
				v.Exp(x)
			}
		})
	}
}
