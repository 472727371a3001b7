package nn_test

import (
	"fmt"
	"math"
	"testing"

	"sotto/compute/nn"
	"sotto/promise/dp/dptest"
)

// thinSizes are m, n and k of products with few columns, about the borders of
// what is computed at a time: 16 and 512 rows, 4, 16 and 320 along the inner
// dimension.
func thinSizes() (sizes [][3]int) {
	rows, depths := []int{1, 15, 16, 17, 63, 130, 513, 1030}, []int{0, 1, 2, 3, 4, 5, 15, 16, 17, 33, 319, 320, 321, 650}
	if !dptest.Long() {
		rows, depths = []int{15, 17, 513}, []int{0, 1, 3, 4, 18, 321}
	}
	for _, m := range rows {
		for n := 1; n <= 5; n++ {
			for _, k := range depths {
				sizes = append(sizes, [3]int{m, n, k})
			}
		}
	}
	return sizes
}

func TestThinProducts(t *testing.T) {
	for i, s := range thinSizes() {
		if i%5 == 0 || dptest.Long() {
			checkProducts(t, s[0], s[1], s[2])
		}
	}
	for k := range 6 { // a short inner dimension
		for _, n := range []int{7, 8, 65, 130} {
			checkProducts(t, 67, n, k)
		}
	}
}

// TestThinBits checks that a thin product has the bits of the tiles, on which a
// packed factor runs always.
func TestThinBits(t *testing.T) {
	for _, kernel := range []string{"avx512", "avx2", "portable"} {
		for _, workers := range []int{1, 3} {
			p := nn.NewKernelPool(kernel, workers)
			if p == nil {
				continue
			}
			for _, s := range thinSizes() {
				checkThin(t, p, s[0], s[1], s[2])
			}
		}
	}
}

func checkThin(t *testing.T, p *nn.Pool, m, n, k int) {
	t.Helper()
	r := rng(uint64(m*1_000_000 + n*1000 + k))
	a, b, c := random(r, m, k), random(r, k, n), random(r, m, n)
	packed := nn.NewKernelPool(p.Kernel(), 1).Pack(b)
	for _, f := range forms {
		want := c.Clone()
		if f.add {
			p.AddMulPacked(want, a, packed)
		} else {
			p.MulPacked(want, a, packed)
		}
		left, right := a, b
		if f.left {
			left = transpose(a)
		}
		if f.right {
			right = transpose(b)
		}
		got := c.Clone()
		if f.mul(p, got, left, right); !sameBits(got, want) {
			t.Fatalf("%s of %d×%d×%d on %s, %d workers: not the bits of the tiles", f.name, m, k, n, p.Kernel(), p.Workers())
		}
	}
}

// TestThinExtremes checks that nothing is skipped: a NaN or an infinity reaches
// its row and no other. A product that underflows has the sign that the tiles
// give it.
func TestThinExtremes(t *testing.T) {
	const rows, depth = 40, 7 // a group of four, and three left
	tiny := math.Float32frombits(1)
	for _, p := range pools() {
		for _, k := range []int{1, depth - 1} {
			for n := 1; n <= 4; n++ {
				a, b := nn.NewMatrix(rows, depth), nn.NewMatrix(depth, n)
				for j := range n {
					b.Row(k)[j] = -tiny
				}
				a.Row(33)[k], a.Row(34)[k], a.Row(35)[k] = float32(math.NaN()), float32(math.Inf(1)), tiny
				want := nn.NewMatrix(rows, n)
				p.MulPacked(want, a, p.Pack(b))
				for _, f := range forms {
					if f.add {
						continue
					}
					left, right := a, b
					if f.left {
						left = transpose(a)
					}
					if f.right {
						right = transpose(b)
					}
					got := nn.NewMatrix(rows, n)
					f.mul(p, got, left, right)
					checkExtremes(t, fmt.Sprintf("%s of %d columns on %s", f.name, n, p.Kernel()), got, want)
				}
			}
		}
	}
}

// checkExtremes checks the rows that TestThinExtremes made special.
func checkExtremes(t *testing.T, name string, got, want nn.Matrix) {
	t.Helper()
	for i := range got.Rows {
		for j, v := range got.Row(i) {
			switch {
			case i == 33:
				if v == v {
					t.Errorf("%s: element (%d, %d) = %v, want NaN", name, i, j, v)
				}
			case i == 34 && !math.IsInf(float64(v), -1), i != 34 && v != 0, math.Float32bits(v) != math.Float32bits(want.Row(i)[j]):
				t.Errorf("%s: element (%d, %d) = %v, want %v", name, i, j, v, want.Row(i)[j])
			}
		}
	}
}

// TestThinPairs compares a ReLU before a thin layer, which is computed with it,
// to one that is computed by itself, with a NaN on the way.
func TestThinPairs(t *testing.T) {
	for _, p := range pools() {
		for out := 1; out <= 5; out++ {
			for _, in := range []int{1, 7, 8, 63, 64, 65, 150} {
				name := fmt.Sprintf("%s, %d→%d", p.Kernel(), in, out)
				x, grad := random(rng(2), 70, in), random(rng(3), 70, out)
				x.Row(3)[0] = float32(math.NaN())
				together := nn.Sequential{&nn.ReLU{}, nn.NewDense(in, out, rng(1))}
				apart := nn.Sequential{&nn.ReLU{}, nn.NewDense(in, out, rng(1))}
				together.Forward(p, nn.Train, x)
				apart[1].Forward(p, nn.Train, apart[0].Forward(p, nn.Train, x))
				got, want := together.Backward(p, grad), apart[0].Backward(p, apart[1].Backward(p, grad))
				if !sameBits(got, want) {
					t.Errorf("%s: Backward differs", name)
				}
				if got.Row(3)[0] != 0 {
					t.Errorf("%s: gradient at NaN = %v, want 0", name, got.Row(3)[0])
				}
			}
		}
	}
}

// TestBlend compares sums of rows with sums in double precision, about the
// numbers of columns that are summed at a time. The tolerance is that of
// checkProducts, with what was there before as one more number.
func TestBlend(t *testing.T) {
	r := rng(6)
	for _, n := range []int{1, 7, 8, 9, 63, 64, 65, 72, 128, 131} {
		for _, k := range []int{1, 2, 5} {
			a, b, before, where := random(r, 1, k), random(r, k, n), random(r, 1, n+1), random(r, 1, n)
			where.Data[n/2] = float32(math.NaN())
			where.Data[n/3] = 0
			for _, more := range []bool{false, true} {
				want := naive(nn.Matrix{Rows: 1, Cols: n, Data: before.Data[:n]}, a, b, more)
				for _, p := range pools() {
					for _, mask := range [][]float32{nil, where.Data} {
						got := before.Clone()
						p.Blend(got.Data[:n], a.Data, b.Data, mask, more)
						if got.Data[n] != before.Data[n] {
							t.Errorf("%s, %d×%d: wrote behind the end", p.Kernel(), k, n)
						}
						masked := want.Clone()
						for j := range mask {
							if !(mask[j] > 0) {
								masked.Data[j] = 0
							}
						}
						got = nn.Matrix{Rows: 1, Cols: n, Data: got.Data[:n]}
						if err := near(got, masked, float64(k+3)*0x1p-24*1.01*want.size); err != nil {
							t.Errorf("%s, %d×%d, more %v, masked %v: %v", p.Kernel(), k, n, more, mask != nil, err)
						}
					}
				}
			}
		}
	}
}

// BenchmarkThin measures the products of a last layer 512→2 on 256 rows:
// forward, gradient of the weights, gradient of the input before a ReLU.
func BenchmarkThin(b *testing.B) {
	r := rng(1)
	p := nn.NewPool(1)
	x, grad := random(r, 256, 512), random(r, 256, 2)
	relu, last := &nn.ReLU{}, nn.NewDense(512, 2, r)
	model := nn.Sequential{relu, last}
	w, y := last.Params()[0], nn.NewMatrix(256, 2)
	b.Run("forward", func(b *testing.B) {
		for b.Loop() {
			p.Mul(y, x, w.Value)
		}
	})
	b.Run("weights", func(b *testing.B) {
		for b.Loop() {
			p.MulTN(w.Grad, x, grad)
		}
	})
	b.Run("backward", func(b *testing.B) { // the weights and the input
		model.Forward(p, nn.Train, x)
		for b.Loop() {
			model.Backward(p, grad)
		}
	})
}
