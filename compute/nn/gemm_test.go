package nn_test

import (
	"fmt"
	"math"
	"testing"

	"sotto/compute/nn"
	"sotto/promise/dp/dptest"
)

// forms are the six products, each with how its factors are stored.
var forms = []struct {
	name        string
	mul         func(p *nn.Pool, c, a, b nn.Matrix)
	left, right bool // transposed
	add         bool
}{
	{name: "Mul", mul: (*nn.Pool).Mul},
	{name: "AddMul", mul: (*nn.Pool).AddMul, add: true},
	{name: "MulTN", mul: (*nn.Pool).MulTN, left: true},
	{name: "AddMulTN", mul: (*nn.Pool).AddMulTN, left: true, add: true},
	{name: "MulNT", mul: (*nn.Pool).MulNT, right: true},
	{name: "AddMulNT", mul: (*nn.Pool).AddMulNT, right: true, add: true},
}

func transpose(m nn.Matrix) nn.Matrix {
	t := nn.NewMatrix(m.Cols, m.Rows)
	for i := range m.Rows {
		for j, v := range m.Row(i) {
			t.Data[j*t.Cols+i] = v
		}
	}
	return t
}

// exact is a product in double precision, and the largest Σ|a·b| + |c| of an element.
type exact struct {
	nn.Matrix
	size float64
}

// naive returns c (+)= a·b.
func naive(c, a, b nn.Matrix, add bool) exact {
	out := nn.NewMatrix(c.Rows, c.Cols)
	largest := 0.0
	across := transpose(b)
	for i := range c.Rows {
		left := a.Row(i)
		for j := range c.Cols {
			right := across.Row(j)[:len(left)]
			sum, size := 0.0, 0.0
			if add {
				sum = float64(c.Row(i)[j])
				size = math.Abs(sum)
			}
			for k, v := range left {
				term := float64(v) * float64(right[k])
				sum += term
				size += math.Abs(term)
			}
			out.Row(i)[j] = float32(sum)
			largest = max(largest, size)
		}
	}
	return exact{out, largest}
}

// checkProducts compares all forms and kernels on one size. A sum of k products
// in float32, in any order and with or without fused rounding, is off by at
// most (k+1)·2⁻²⁴/(1−(k+1)·2⁻²⁴) times the sum of magnitudes (Higham, Accuracy
// and Stability, section 3.1); the bound below is that with one more rounding
// for the sum with c and one for the reference.
func checkProducts(t *testing.T, m, n, k int) {
	t.Helper()
	r := rng(uint64(m*1_000_000 + n*1000 + k))
	a, b, c := random(r, m, k), random(r, k, n), random(r, m, n)
	plain, added := naive(c, a, b, false), naive(c, a, b, true)
	pools := map[string]*nn.Pool{
		"best 1": nn.NewPool(1), "best 2": nn.NewPool(2), "best 5": nn.NewPool(5),
		"portable 1": nn.NewPortablePool(1), "portable 2": nn.NewPortablePool(2),
	}
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
		tolerance := float64(k+3) * 0x1p-24 * 1.01 * want.size
		results := map[string]nn.Matrix{}
		for name, p := range pools {
			got := c.Clone()
			f.mul(p, got, left, right)
			if err := near(got, want.Matrix, tolerance); err != nil {
				t.Fatalf("%s of %d×%d×%d with %s: %v", f.name, m, k, n, name, err)
			}
			results[name] = got
		}
		if !sameBits(results["best 1"], results["best 2"]) || !sameBits(results["best 1"], results["best 5"]) ||
			!sameBits(results["portable 1"], results["portable 2"]) {
			t.Fatalf("%s of %d×%d×%d: bits depend on the number of workers", f.name, m, k, n)
		}
	}
}

func TestProducts(t *testing.T) {
	sizes := []int{0, 1, 5, 6, 7, 15, 16, 17, 33}
	if !dptest.Long() {
		sizes = []int{0, 1, 7, 17, 33}
	}
	for _, m := range sizes {
		for _, n := range sizes {
			for _, k := range sizes {
				checkProducts(t, m, n, k)
			}
		}
	}
}

// TestProductsLarge crosses the borders of the blocks into which products are
// cut: 192 or 384 rows, 320 along the inner dimension, 1024 columns, and the 512
// from which on a left factor is packed.
func TestProductsLarge(t *testing.T) {
	limit := 9
	if !dptest.Long() {
		limit = 2
	}
	for _, s := range [][3]int{
		{193, 20, 321}, {5, 1025, 4}, {191, 20, 319}, {192, 20, 320}, {513, 31, 641}, {770, 16, 300}, {3, 1023, 5}, {7, 1024, 3}, {13, 2100, 2},
	}[:limit] {
		checkProducts(t, s[0], s[1], s[2])
	}
}

func TestProductsRandom(t *testing.T) {
	r := rng(3)
	count := 60
	if !dptest.Long() {
		count = 5
	}
	for range count {
		checkProducts(t, r.IntN(130), r.IntN(70), r.IntN(400))
	}
}

// TestProductsReuse checks that what an earlier, larger product left in the
// buffers of a Pool does not matter.
func TestProductsReuse(t *testing.T) {
	r := rng(4)
	p := nn.NewPool(2)
	a, b := random(r, 101, 333), random(r, 333, 77)
	p.Mul(nn.NewMatrix(101, 77), a, b)
	a, b = random(r, 13, 9), random(r, 9, 21)
	got, want := nn.NewMatrix(13, 21), nn.NewMatrix(13, 21)
	p.Mul(got, a, b)
	nn.NewPool(1).Mul(want, a, b)
	if !sameBits(got, want) {
		t.Error("Mul on a used Pool differs from Mul on a new one")
	}
}

// TestProductsNaN checks that nothing is skipped: 0·NaN is NaN, and a NaN
// reaches its row and no other.
func TestProductsNaN(t *testing.T) {
	for _, p := range []*nn.Pool{nn.NewPool(1), nn.NewPortablePool(1)} {
		a, b := nn.NewMatrix(8, 3), nn.NewMatrix(3, 18)
		a.Row(2)[1] = float32(math.NaN())
		c := nn.NewMatrix(8, 18)
		p.Mul(c, a, b)
		for i := range c.Rows {
			for j, v := range c.Row(i) {
				if isNaN := v != v; isNaN != (i == 2) {
					t.Fatalf("%s: element (%d, %d) = %v", p.Kernel(), i, j, v)
				}
			}
		}
	}
}

func TestProductsPanic(t *testing.T) {
	p := nn.NewPool(1)
	m := nn.NewMatrix
	for _, f := range forms {
		panics(t, f.name+" of sizes that do not fit", func() { f.mul(p, m(2, 3), m(4, 5), m(6, 7)) })
		panics(t, f.name+" of a broken matrix", func() {
			f.mul(p, m(2, 2), nn.Matrix{Rows: 2, Cols: 2}, m(2, 2))
		})
	}
	panics(t, "NewPool(0)", func() { nn.NewPool(0) })
	panics(t, "NewMatrix(-1, 2)", func() { nn.NewMatrix(-1, 2) })
	panics(t, "AddScaled", func() { p.AddScaled(m(2, 3), 1, m(3, 2)) })
}

func ExamplePool_Mul() {
	p := nn.NewPool(2)
	a := nn.Matrix{Rows: 2, Cols: 2, Data: []float32{1, 2, 3, 4}}
	b := nn.Matrix{Rows: 2, Cols: 1, Data: []float32{10, 1}}
	c := nn.NewMatrix(2, 1)
	p.Mul(c, a, b)
	fmt.Println(c.Data)
	// Output: [12 34]
}
