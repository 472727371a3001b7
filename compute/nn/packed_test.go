package nn_test

import (
	"fmt"
	"testing"

	"sotto/compute/nn"
)

// packedSizes are m, n and k of products.
var packedSizes = [][3]int{
	{1, 1, 1},
	{4, 32, 7},
	{5, 33, 8},
	{8, 64, 5},
	{9, 96, 3},
	{12, 130, 321},
	{16, 1152, 24},
	{17, 1056, 9},
	{24, 256, 40},
	{31, 1025, 2},
	{40, 2100, 3},
	{200, 129, 12},
	{3, 4, 0},
	{0, 4, 3},
	{3, 0, 4},
}

// TestPacked checks that a packed factor gives the bits of one that is not, for
// every kernel, number of workers and size about those of tiles, panels and
// slabs.
func TestPacked(t *testing.T) {
	for _, name := range []string{"avx512", "avx2", "portable"} {
		for _, workers := range []int{1, 2, 3} {
			p := nn.NewKernelPool(name, workers)
			if p == nil {
				continue
			}
			for _, s := range packedSizes {
				checkPacked(t, p, s[0], s[1], s[2])
			}
		}
	}
}

func checkPacked(t *testing.T, p *nn.Pool, m, n, k int) {
	t.Helper()
	r := rng(uint64(m*1_000_000 + n*1000 + k))
	a, b, c := random(r, m, k), random(r, k, n), random(r, m, n)
	alone := nn.NewKernelPool(p.Kernel(), 1)
	at := fmt.Sprintf("%s, %d workers, %d×%d×%d", p.Kernel(), p.Workers(), m, k, n)
	for how, packed := range map[string]*nn.Packed{"Pack": p.Pack(b), "PackT": p.PackT(transpose(b))} {
		got, want := c.Clone(), c.Clone()
		p.MulPacked(got, a, packed)
		alone.Mul(want, a, b)
		if !sameBits(got, want) {
			t.Errorf("%s: MulPacked after %s differs from Mul", at, how)
		}
		got, want = c.Clone(), c.Clone()
		p.AddMulPacked(got, a, packed)
		alone.AddMul(want, a, b)
		if !sameBits(got, want) {
			t.Errorf("%s: AddMulPacked after %s differs from AddMul", at, how)
		}
	}
}

func TestPackedPanics(t *testing.T) {
	p := nn.NewPool(1)
	b := p.Pack(nn.NewMatrix(3, 4))
	panics(t, "left factor", func() { p.MulPacked(nn.NewMatrix(2, 4), nn.NewMatrix(2, 2), b) })
	panics(t, "product", func() { p.AddMulPacked(nn.NewMatrix(2, 3), nn.NewMatrix(2, 3), b) })
	panics(t, "rows", func() { p.MulPacked(nn.NewMatrix(1, 4), nn.NewMatrix(2, 3), b) })
	if p.Kernel() != "portable" {
		panics(t, "other kernels", func() { nn.NewPortablePool(1).MulPacked(nn.NewMatrix(2, 4), nn.NewMatrix(2, 3), b) })
	}
}

// TestEach checks that every item is done once, by a worker that there is.
func TestEach(t *testing.T) {
	for _, workers := range []int{1, 2, 3} {
		done := make([]int, 100)
		nn.NewPool(workers).Each(len(done), func(worker, item int) {
			if worker < 0 || worker >= workers {
				t.Errorf("worker %d, want one of %d", worker, workers)
			}
			done[item]++
		})
		for i, n := range done {
			if n != 1 {
				t.Errorf("item %d was done %d times, want once", i, n)
			}
		}
	}
}
