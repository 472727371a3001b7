package measure_test

import (
	"context"
	"errors"
	"math"
	weakrand "math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sotto/compute/measure"
	"sotto/compute/nn"
)

// blobs returns rows around as many centres as there are columns, with standard
// deviation 1 around 100 times the unit vectors, and the centre of each.
func blobs(rows, cols int, seed uint64) (nn.Matrix, []int) {
	rng := weakrand.New(weakrand.NewPCG(seed, 1))
	x, blob := nn.NewMatrix(rows, cols), make([]int, rows)
	for i := range rows {
		blob[i] = i % cols
		for j := range cols {
			x.Row(i)[j] = float32(rng.NormFloat64())
		}
		x.Row(i)[blob[i]] += 100
	}
	return x, blob
}

func matrix(rows ...[]float32) nn.Matrix {
	x := nn.NewMatrix(len(rows), len(rows[0]))
	for i, r := range rows {
		copy(x.Row(i), r)
	}
	return x
}

func planeNear(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance }

func TestPCA(t *testing.T) {
	// Tolerances are what float32 spots keep of numbers below 10: 2⁻²³·10.
	const tolerance = 1.2e-6
	for _, tt := range []struct {
		name      string
		x         nn.Matrix
		want      [][2]float32
		explained [2]float64
	}{
		{
			name: "tall, along the axes",
			x:    matrix([]float32{3, 0}, []float32{-1, 1}, []float32{-1, -1}, []float32{-1, 0}),
			want: [][2]float32{{3, 0}, {-1, 1}, {-1, -1}, {-1, 0}},
			// Σ of squares: 12 along the first axis, 2 along the second.
			explained: [2]float64{12. / 14, 2. / 14},
		},
		{
			name: "wide, with a mean to take away",
			x:    matrix([]float32{5, 7, 7, 7}, []float32{5, 7, 10, 11}, []float32{5, 7, 16, 19}),
			// On a line along (3, 4)/5, at 0, 5 and 15.
			want:      [][2]float32{{-20. / 3, 0}, {-5. / 3, 0}, {25. / 3, 0}},
			explained: [2]float64{1, 0},
		},
		{
			name:      "on a line",
			x:         matrix([]float32{0}, []float32{1}, []float32{5}),
			want:      [][2]float32{{-2, 0}, {-1, 0}, {3, 0}},
			explained: [2]float64{1, 0},
		},
		{
			name: "equal rows",
			x:    matrix([]float32{0.1, 3e38}, []float32{0.1, 3e38}, []float32{0.1, 3e38}),
			want: make([][2]float32, 3),
		},
		{
			name: "a single row",
			x:    matrix([]float32{4, 5, 6}),
			want: make([][2]float32, 1),
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, explained, err := measure.PCA(tt.x)
			if err != nil {
				t.Fatal(err)
			}
			for k := range 2 {
				if !planeNear(explained[k], tt.explained[k], 1e-12) {
					t.Errorf("explained = %v, want %v", explained, tt.explained)
				}
				for i := range tt.want {
					if len(got) != len(tt.want) || !planeNear(float64(got[i][k]), float64(tt.want[i][k]), tolerance) {
						t.Fatalf("spots = %v, want %v", got, tt.want)
					}
				}
			}
		})
	}
}

// The wide and the tall way must agree: columns of zeros change nothing.
func TestPCAOfPaddedRows(t *testing.T) {
	x, _ := blobs(40, 5, 3)
	wide := nn.NewMatrix(40, 60)
	for i := range x.Rows {
		copy(wide.Row(i)[20:], x.Row(i))
		x.Row(i)[0] *= 2 // so that no two directions vary equally
		wide.Row(i)[20] *= 2
	}
	a, shareA, err := measure.PCA(x)
	if err != nil {
		t.Fatal(err)
	}
	b, shareB, err := measure.PCA(wide)
	if err != nil {
		t.Fatal(err)
	}
	for i := range a {
		for k := range 2 {
			// 60 roundings of float64 in numbers below 200, and one of float32.
			if !planeNear(float64(a[i][k]), float64(b[i][k]), 200*0x1p-23) || !planeNear(shareA[k], shareB[k], 1e-9) {
				t.Fatalf("spot %d = %v of %v, want %v of %v as without the padding", i, b[i], shareB, a[i], shareA)
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	with := func(v float32) nn.Matrix { return matrix([]float32{1, 2}, []float32{v, 0}, []float32{0, 0}) }
	nan := float32(math.NaN())
	for _, tt := range []struct {
		name string
		x    nn.Matrix
		o    measure.PlaneOptions
		want string
		both bool // also an error of PCA
	}{
		{name: "no rows", x: nn.NewMatrix(0, 3), want: "x is 0×3, must", both: true},
		{name: "no columns", x: nn.NewMatrix(3, 0), want: "x is 3×0, must", both: true},
		{name: "NaN", x: with(nan), want: "row 1 has a number in column 0 that is not finite", both: true},
		{name: "infinite", x: with(float32(math.Inf(-1))), want: "row 1", both: true},
		{name: "too many rows", x: nn.NewMatrix(measure.MaxPlaneRows+1, 1), want: "x has 2001 rows, must have at most 2000"},
		{name: "perplexity too large", x: with(0), o: measure.PlaneOptions{Perplexity: 2.5}, want: "perplexity is 2.5, must be at least 1 and at most 2"},
		{name: "perplexity too small", x: with(0), o: measure.PlaneOptions{Perplexity: 0.5}, want: "perplexity is 0.5"},
		{name: "perplexity NaN", x: with(0), o: measure.PlaneOptions{Perplexity: math.NaN()}, want: "perplexity is NaN"},
		{name: "negative steps", x: with(0), o: measure.PlaneOptions{Steps: -1}, want: "steps is -1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := measure.TSNE(t.Context(), nn.NewPool(1), tt.x, tt.o)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("TSNE error = %v, want %q", err, tt.want)
			}
			_, _, err = measure.PCA(tt.x)
			if (err != nil) != tt.both {
				t.Errorf("PCA error = %v, want one: %t", err, tt.both)
			}
		})
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	x, _ := blobs(20, 2, 1)
	if _, err := measure.TSNE(ctx, nn.NewPool(1), x, measure.PlaneOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("TSNE error = %v, want %v", err, context.Canceled)
	}
}

func TestPerplexity(t *testing.T) {
	x, _ := blobs(60, 4, 5)
	for i := range 6 {
		copy(x.Row(i), x.Row(0)) // six equal rows
	}
	rows := make([][]float64, x.Rows)
	for i := range rows {
		for j := range x.Rows {
			var sum float64
			for k, v := range x.Row(i) {
				sum += math.Pow(float64(v-x.Row(j)[k]), 2)
			}
			rows[i] = append(rows[i], sum)
		}
	}
	for _, perplexity := range []float64{2, 10, 40} {
		for i := range rows {
			row := slices.Clone(rows[i])
			measure.Neighbours(row, i, perplexity)
			var entropy, sum float64
			for _, p := range row {
				sum += p
				if p > 0 {
					entropy -= p * math.Log(p)
				}
			}
			want := max(perplexity, float64(ties(rows[i], i)))
			// 60 roundings beside what the search leaves.
			if row[i] != 0 || !planeNear(sum, 1, 1e-12) || !planeNear(entropy, math.Log(want), measure.EntropyTolerance+1e-9) {
				t.Errorf("row %d: perplexity = %v, sum %v, own %v, want %v, 1, 0", i, math.Exp(entropy), sum, row[i], want)
			}
		}
	}
}

// ties counts the others that are as near as the nearest. A row's perplexity
// cannot be less.
func ties(row []float64, i int) int {
	others := slices.Delete(slices.Clone(row), i, i+1)
	n, nearest := 0, slices.Min(others)
	for _, d := range others {
		if d == nearest {
			n++
		}
	}
	return n
}

// divergence is KL(P‖Q) by its definition.
func divergence(p interface{ Row(int) []float64 }, y [][2]float64) float64 {
	weight := func(i, j int) float64 {
		dx, dy := y[i][0]-y[j][0], y[i][1]-y[j][1]
		return 1 / (1 + dx*dx + dy*dy)
	}
	var all, kl float64
	for i := range y {
		for j := range y {
			if i != j {
				all += weight(i, j)
			}
		}
	}
	for i := range y {
		for j, v := range p.Row(i) {
			if i != j && v > 0 {
				kl += v * math.Log(v*all/weight(i, j))
			}
		}
	}
	return kl
}

func TestGradient(t *testing.T) {
	x, _ := blobs(30, 3, 7)
	pool := nn.NewPool(1)
	p := measure.Affinities(pool, x, 8)
	var sum float64
	for i := range x.Rows {
		for j, v := range p.Row(i) {
			sum += v
			if v != p.Row(j)[i] {
				t.Fatalf("p(%d, %d) = %v and p(%d, %d) = %v, want the same", i, j, v, j, i, p.Row(j)[i])
			}
		}
	}
	if !planeNear(sum, 1, 1e-12) {
		t.Errorf("Σ p = %v, want 1", sum)
	}
	rng := weakrand.New(weakrand.NewPCG(7, 7))
	y := make([][2]float64, x.Rows)
	for i := range y {
		y[i] = [2]float64{2 * rng.NormFloat64(), 2 * rng.NormFloat64()}
	}
	// A central difference with h = 10⁻⁵ is off by h²/6 times a third
	// derivative of order 1, and by 2⁻⁵²/h times a divergence of order 1:
	// together about 4·10⁻¹¹.
	const h, tolerance = 1e-5, 1e-9
	for i, g := range measure.Gradient(pool, p, y) {
		for k := range 2 {
			at := y[i][k]
			y[i][k] = at + h
			up := divergence(p, y)
			y[i][k] = at - h
			down := divergence(p, y)
			y[i][k] = at
			if want := (up - down) / (2 * h); !planeNear(g[k], want, tolerance) {
				t.Errorf("gradient of y[%d][%d] = %v, want %v", i, k, g[k], want)
			}
		}
	}
}

// purity is the share of spots whose nearest other spot is of the same blob.
func purity(spots [][2]float32, blob []int) float64 {
	hits := 0
	for i, a := range spots {
		nearest, at := math.Inf(1), i
		for j, b := range spots {
			d := math.Hypot(float64(a[0]-b[0]), float64(a[1]-b[1]))
			if j != i && d < nearest {
				nearest, at = d, j
			}
		}
		if at != i && blob[at] == blob[i] {
			hits++
		}
	}
	return float64(hits) / float64(len(spots))
}

// Blobs that are a hundred deviations apart must come apart in the plane too,
// except for stragglers that the descent may leave between them.
func TestSeparation(t *testing.T) {
	for _, cols := range []int{3, 8} {
		for seed := range uint64(3) {
			x, blob := blobs(160, cols, 10+seed)
			spots, err := measure.TSNE(t.Context(), nn.NewPool(1), x, measure.PlaneOptions{Seed: seed, Perplexity: 10, Steps: 500})
			if err != nil {
				t.Fatal(err)
			}
			if got := purity(spots, blob); !(got >= 0.95) {
				t.Errorf("%d blobs, seed %d: purity = %v, want at least 0.95", cols, seed, got)
			}
		}
	}
}

func TestSameBits(t *testing.T) {
	x, _ := blobs(101, 6, 20)
	layout := func(workers int, seed uint64) [][2]float32 {
		spots, err := measure.TSNE(t.Context(), nn.NewPool(workers), x, measure.PlaneOptions{Seed: seed, Steps: 120})
		if err != nil {
			t.Fatal(err)
		}
		return spots
	}
	want := layout(1, 1)
	for _, workers := range []int{1, 2, 3} {
		if !slices.Equal(layout(workers, 1), want) {
			t.Errorf("%d workers give another layout than one", workers)
		}
	}
	if slices.Equal(layout(1, 2), want) {
		t.Error("another seed gives the same layout")
	}
}

func TestDegenerate(t *testing.T) {
	far := matrix([]float32{3e38, -3e38}, []float32{-3e38, 3e38}, []float32{1e-38, 0}, []float32{0, 0})
	equal := nn.NewMatrix(50, 7)
	for i := range equal.Data {
		equal.Data[i] = 0.3
	}
	for _, tt := range []struct {
		name string
		x    nn.Matrix
	}{
		{"one row", matrix([]float32{1, 2})},
		{"two rows", matrix([]float32{1, 2}, []float32{3, 4})},
		{"three rows", matrix([]float32{1, 2}, []float32{3, 4}, []float32{3, 4})},
		{"equal rows", equal},
		{"extreme numbers", far},
	} {
		t.Run(tt.name, func(t *testing.T) {
			spots, err := measure.TSNE(t.Context(), nn.NewPool(1), tt.x, measure.PlaneOptions{Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			seen := map[[2]float32]bool{}
			for i, s := range spots {
				if s[0]-s[0] != 0 || s[1]-s[1] != 0 {
					t.Fatalf("spot %d = %v, want finite numbers", i, s)
				}
				seen[s] = true
			}
			if len(spots) != tt.x.Rows || len(seen) != tt.x.Rows {
				t.Errorf("%d spots, %d of them different, want %d", len(spots), len(seen), tt.x.Rows)
			}
		})
	}
}

func BenchmarkTSNE(b *testing.B) {
	x, _ := blobs(400, 128, 1)
	pool := nn.NewPool(1)
	for b.Loop() {
		if _, err := measure.TSNE(b.Context(), pool, x, measure.PlaneOptions{Seed: 1}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPCA(b *testing.B) {
	x, _ := blobs(400, 128, 1)
	for b.Loop() {
		if _, _, err := measure.PCA(x); err != nil {
			b.Fatal(err)
		}
	}
}
