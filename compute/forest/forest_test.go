package forest_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	weakrand "math/rand/v2"
	"slices"
	"testing"

	"sotto/compute/forest"
	"sotto/compute/measure"
	"sotto/compute/nn"
)

// made returns a table whose first columns say something of the labels: column 0 is
// dense, the others are rare, and labels are right three times of four.
func made(tb testing.TB, rows, columns int, seed uint64) (*forest.Matrix, []bool) {
	tb.Helper()
	rng := weakrand.New(weakrand.NewPCG(seed, 1))
	var table []forest.Row
	var y []bool
	for range rows {
		row := forest.Row{{Column: 0, Value: 1 + float64(rng.IntN(50))}}
		wrong := row[0].Value > 30
		for j := 1; j < columns; j++ {
			if rng.IntN(20) == 0 {
				row = append(row, forest.Cell{Column: j, Value: float64(1+rng.IntN(3)) / 16})
				wrong = wrong != (j < 4)
			}
		}
		if rng.IntN(4) == 0 {
			wrong = !wrong
		}
		table, y = append(table, row), append(y, wrong)
	}
	m, err := forest.NewMatrix(columns, table)
	if err != nil {
		tb.Fatal(err)
	}
	return m, y
}

func fit(tb testing.TB, o forest.Options, m *forest.Matrix, rows []int, y []bool, workers int) *forest.Forest {
	tb.Helper()
	f, err := o.Fit(context.Background(), m, rows, y, workers)
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

// TestAnyWorkers: every result has the same bits.
func TestAnyWorkers(t *testing.T) {
	m, y := made(t, 200, 30, 3)
	rows := nn.Indices(200)
	one := fit(t, forest.Options{Trees: 20}, m, rows, y, 1)
	many := fit(t, forest.Options{Trees: 20}, m, rows, y, 3)
	same := func(what string, a, b []float64) {
		for i := range a {
			if math.Float64bits(a[i]) != math.Float64bits(b[i]) {
				t.Fatalf("%s %d is %v with one worker and %v with three", what, i, a[i], b[i])
			}
		}
	}
	same("answer", one.Predict(m, rows, 1), many.Predict(m, rows, 3))
	same("answer out of bag", one.OutOfBag(m, 1), many.OutOfBag(m, 3))
	same("decrease", one.MeanDecrease(), many.MeanDecrease())
	if a, b := one.Permutation(m, y, 2, 1), many.Permutation(m, y, 2, 3); !slices.Equal(a, b) {
		t.Errorf("importances %v with one worker and %v with three", a, b)
	}
}

// TestLearns: on a table that one number decides, a forest answers almost rightly
// out of bag and says which number it was.
func TestLearns(t *testing.T) {
	rng := weakrand.New(weakrand.NewPCG(7, 7))
	var table []forest.Row
	var y []bool
	for range 400 {
		x := rng.Float64() - 0.5 // negative numbers, too
		row := forest.Row{{Column: 1, Value: x}}
		if rng.IntN(2) == 0 {
			row = append(row, forest.Cell{Column: 2, Value: 1})
		}
		table, y = append(table, row), append(y, x > 0.1)
	}
	m, err := forest.NewMatrix(3, table)
	if err != nil {
		t.Fatal(err)
	}
	f := fit(t, forest.Options{Features: 2}, m, nn.Indices(400), y, 2)
	// The rows nearest to 0.1 alone are in doubt: fewer than 1 in 100 pairs.
	if auc := measure.AUC(y, f.OutOfBag(m, 2)); !(auc > 0.99) {
		t.Errorf("area out of bag is %v, want above 0.99", auc)
	}
	mean, permuted := f.MeanDecrease(), f.Permutation(m, y, 3, 2)
	if mean[0] != 0 || !(mean[1] > 0.9) || permuted[0].Mean != 0 || !(permuted[1].Mean > 0.3) || math.Abs(permuted[2].Mean) > 0.05 {
		t.Errorf("importances are %v and %v, want those of column 1 alone", mean, permuted)
	}
	base, by := f.Contributions(table[0])
	for _, c := range by {
		base += c.Value
	}
	if p := f.Predict(m, []int{0}, 1)[0]; math.Abs(base-p) > 1e-9 {
		t.Errorf("contributions add up to %v, want the answer %v", base, p)
	}
}

// TestPure: without limit, trees that see all rows of distinct texts learn them by
// heart; limits of depth and leaf keep them from it.
func TestLimits(t *testing.T) {
	m, y := made(t, 100, 10, 5)
	rows := nn.Indices(100)
	if f := fit(t, forest.Options{Trees: 1, Depth: 1}, m, rows, y, 1); f.Nodes() != 3 {
		t.Errorf("a tree of depth 1 has %d nodes, want 3", f.Nodes())
	}
	if f := fit(t, forest.Options{Trees: 1, MinLeaf: 60}, m, rows, y, 1); f.Nodes() != 1 {
		t.Errorf("a tree whose leaves have more than half of the rows has %d nodes, want 1", f.Nodes())
	}
	all := make([]bool, 100)
	if f := fit(t, forest.Options{}, m, rows, all, 2); f.Nodes() != 100 || f.Predict(m, rows[:1], 1)[0] != 0 {
		t.Errorf("a forest of one class has %d nodes, want a leaf for each of 100 trees", f.Nodes())
	}
	if _, err := (forest.Options{Trees: -1}).Fit(context.Background(), m, rows, y, 1); err == nil {
		t.Error("−1 trees were not refused")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := (forest.Options{}).Fit(ctx, m, rows, y, 2); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestNewMatrix(t *testing.T) {
	for _, bad := range []forest.Row{{{0, 0}}, {{0, math.NaN()}}, {{0, math.Inf(1)}}, {{2, 1}}, {{1, 1}, {0, 1}}, {{-1, 1}}} {
		if _, err := forest.NewMatrix(2, []forest.Row{bad}); err == nil {
			t.Errorf("NewMatrix took %v", bad)
		}
	}
}

func TestChoose(t *testing.T) {
	m, y := made(t, 200, 10, 9)
	grid := []forest.Options{{Trees: 10, Depth: 1}, {Trees: 10}}
	best, tried, err := forest.Choose(context.Background(), m, nn.Indices(200), y, grid, 5, 1, 2)
	if err != nil || len(tried) != 2 || !(tried[best].AUC >= tried[1-best].AUC) {
		t.Fatalf("chose %d of %v: %v", best, tried, err)
	}
	count := map[[2]int]int{}
	for k, f := range forest.Folds(nn.Indices(200), y, 5, 1) {
		if y[k] {
			count[[2]int{f, 1}]++
		}
		count[[2]int{f, 0}]++
	}
	for f := range 5 {
		if count[[2]int{f, 0}] != 40 {
			t.Errorf("fold %d has %d rows, want 40", f, count[[2]int{f, 0}])
		}
	}
}

func TestFile(t *testing.T) {
	m, y := made(t, 100, 10, 5)
	f := fit(t, forest.Options{Trees: 5, Seed: 3}, m, nn.Indices(100), y, 1)
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		t.Fatal(err)
	}
	g, err := forest.Read(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if a, c := f.Predict(m, nn.Indices(100), 1), g.Predict(m, nn.Indices(100), 1); !slices.Equal(a, c) || g.Options() != f.Options() {
		t.Error("a forest that was read answers otherwise")
	}
	var again bytes.Buffer
	if err := g.Write(&again); err != nil || !bytes.Equal(b.Bytes(), again.Bytes()) {
		t.Error("a forest that was read is written otherwise")
	}
	for i := 0; i < b.Len(); i += 7 {
		broken := slices.Clone(b.Bytes())
		broken[i] ^= 1
		if _, err := forest.Read(bytes.NewReader(broken)); !errors.Is(err, forest.ErrFile) {
			t.Fatalf("byte %d changed: %v, want ErrFile", i, err)
		}
	}
	for _, n := range []int{0, 10, 50, b.Len() - 1} {
		if _, err := forest.Read(bytes.NewReader(b.Bytes()[:n])); !errors.Is(err, forest.ErrFile) {
			t.Errorf("%d bytes: %v, want ErrFile", n, err)
		}
	}
}

// BenchmarkFit grows a forest of the size that is promised to take 20 s on two
// cores: 12,000 rows, 2,000 features of which a row has some 60.
func BenchmarkFit(b *testing.B) {
	rng := weakrand.New(weakrand.NewPCG(1, 2))
	var table []forest.Row
	var y []bool
	for range 12_000 {
		var row forest.Row
		sum := 0.0
		for j := range 2000 {
			// As in texts, a few features are common and most are rare.
			if p := 30 / float64(j+31); rng.Float64() < min(1, p) {
				v := float64(1+rng.IntN(3)) / float64(5+rng.IntN(30))
				row = append(row, forest.Cell{Column: j, Value: v})
				if j%7 == 0 {
					sum += v
				}
			}
		}
		table, y = append(table, row), append(y, sum+rng.NormFloat64() > 1)
	}
	m, err := forest.NewMatrix(2000, table)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		fit(b, forest.Options{}, m, nn.Indices(12_000), y, 2)
	}
}
