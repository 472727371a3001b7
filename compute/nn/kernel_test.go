package nn_test

import (
	"testing"

	"sotto/compute/nn"
	"sotto/promise/dp/dptest"
)

func newAVX2Pool(workers int) *nn.Pool { return nn.NewKernelPool("avx2", workers) }

// avx2 returns a Pool for AVX2, whatever else the machine can do.
func avx2(tb testing.TB, workers int) *nn.Pool {
	tb.Helper()
	p := newAVX2Pool(workers)
	if p == nil {
		tb.Skip("this machine has no AVX2")
	}
	return p
}

func TestProductsAVX2(t *testing.T) {
	p := avx2(t, 2)
	r := rng(11)
	count := 200
	if !dptest.Long() {
		count = 20
	}
	for range count {
		m, n, k := r.IntN(60), r.IntN(80), r.IntN(350)
		a, b, c := random(r, m, k), random(r, k, n), random(r, m, n)
		plain, added := naive(c, a, b, false), naive(c, a, b, true)
		for _, f := range forms {
			want := plain
			if f.add {
				want = added
			}
			left, right := a, b
			if f.left {
				left = transpose(a)
			}
			if f.right {
				right = transpose(b)
			}
			got, best := c.Clone(), c.Clone()
			f.mul(p, got, left, right)
			// The tolerance is that of checkProducts.
			if err := near(got, want.Matrix, float64(k+3)*0x1p-24*1.01*want.size); err != nil {
				t.Fatalf("%s of %d×%d×%d: %v", f.name, m, k, n, err)
			}
			f.mul(nn.NewPool(1), best, left, right)
			if !sameBits(got, best) {
				t.Fatalf("%s of %d×%d×%d: avx2 and %s differ", f.name, m, k, n, nn.NewPool(1).Kernel())
			}
		}
	}
}

// TestBitsAcrossKernels trains the same model on AVX2 and on the best kernels.
func TestBitsAcrossKernels(t *testing.T) {
	p := avx2(t, 2)
	if err := sameModel(train(t, p, 1, 8), train(t, nn.NewPool(1), 1, 8)); err != nil {
		t.Errorf("avx2 and %s: %v", nn.NewPool(1).Kernel(), err)
	}
}

// BenchmarkAVX2 is what the other benchmarks measure, on kernels for AVX2.
func BenchmarkAVX2(b *testing.B) {
	avx2(b, 1)
	b.Run("Product", func(b *testing.B) { benchmarkProducts(b, newAVX2Pool) })
	b.Run("Step", func(b *testing.B) { benchmarkStep(b, newAVX2Pool) })
	b.Run("Attack", func(b *testing.B) { benchmarkAttack(b, newAVX2Pool) })
}
