package weat_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"os"
	"testing"

	"gonum.org/v1/gonum/mat"

	"sotto/study/bias/weat"
)

// reference is what scikit-learn made of waves.
type reference struct {
	Origin     string      `json:"origin"`
	Shrinkage  float64     `json:"shrinkage"`
	LedoitWolf [][]float64 `json:"ledoit_wolf"`
	Lasso      []struct {
		Alpha     float64     `json:"alpha"`
		Precision [][]float64 `json:"precision"`
	} `json:"lasso"`
	CV struct{ Alpha, Score float64 } `json:"cv"`
}

func readReference(t *testing.T) reference {
	t.Helper()
	content, err := os.ReadFile("testdata/sklearn.json")
	if err != nil {
		t.Fatal(err)
	}
	var r reference
	if err := json.Unmarshal(content, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// waves are the rows that the reference was made from.
func waves() [][]float64 {
	rows := make([][]float64, 24)
	for i := range rows {
		for j := range 6 {
			v := math.Sin(1.3 * float64(i+1) * float64(j+2))
			if j < 3 {
				v += 1.2 * math.Cos(0.7*float64(i))
			}
			if j >= 2 {
				v += 0.6 * math.Sin(2.1*float64(i))
			}
			rows[i] = append(rows[i], v)
		}
	}
	return weat.Centre(rows)
}

// normal draws rows of independent normal numbers.
func normal(seed uint64, n, p int) [][]float64 {
	rng := weakrand.New(weakrand.NewPCG(seed, 1))
	rows := make([][]float64, n)
	for i := range rows {
		for range p {
			rows[i] = append(rows[i], rng.NormFloat64())
		}
	}
	return weat.Centre(rows)
}

func covariance(rows [][]float64) *mat.SymDense {
	s := mat.NewSymDense(len(rows[0]), nil)
	for _, r := range rows {
		s.SymRankOne(s, 1/float64(len(rows)), mat.NewVecDense(len(r), r))
	}
	return s
}

// differ returns the largest difference between elements.
func differ(got mat.Matrix, want [][]float64) float64 {
	largest := 0.0
	for i, r := range want {
		for j, v := range r {
			largest = max(largest, math.Abs(got.At(i, j)-v))
		}
	}
	return largest
}

func TestLedoitWolfReference(t *testing.T) {
	want := readReference(t)
	s, err := weat.PrecisionLedoitWolf(waves())
	if err != nil {
		t.Fatal(err)
	}
	// Both work in float64 on numbers near 1.
	if d := math.Abs(s.Shrinkage() - want.Shrinkage); d > 1e-10 {
		t.Errorf("shrinkage is %v, want %v", s.Shrinkage(), want.Shrinkage)
	}
	if d := differ(s.Covariance(), want.LedoitWolf); d > 1e-10 {
		t.Errorf("covariance differs by %v", d)
	}
}

func TestGraphicalLassoReference(t *testing.T) {
	for _, want := range readReference(t).Lasso {
		s, err := weat.PrecisionGraphicalLasso(t.Context(), covariance(waves()), want.Alpha)
		if err != nil {
			t.Fatal(err)
		}
		// Sweeps end when the covariance, with elements near 1, moves by 10⁻⁶; a
		// precision with a norm near 10 moves by a hundred times that, and what
		// further sweeps would add is of the same order.
		if d := differ(s.Precision(), want.Precision); d > 1e-3 {
			t.Errorf("alpha %v: precision differs by %v", want.Alpha, d)
		}
		for i, r := range want.Precision {
			for j, v := range r {
				if (v == 0) != (s.Precision().At(i, j) == 0) && math.Abs(v-s.Precision().At(i, j)) > 1e-3 {
					t.Errorf("alpha %v: element %d, %d is %v, want %v", want.Alpha, i, j, s.Precision().At(i, j), v)
				}
			}
		}
	}
}

func TestGraphicalLassoCVReference(t *testing.T) {
	want := readReference(t).CV
	s, err := weat.GraphicalLassoCV(t.Context(), waves(), weat.CV{})
	if err != nil {
		t.Fatal(err)
	}
	// The same grid is searched, so the value is the same unless two scores tie.
	if math.Abs(s.Alpha()/want.Alpha-1) > 1e-9 {
		t.Errorf("alpha is %v, want %v", s.Alpha(), want.Alpha)
	}
}

// TestStationary checks the conditions that hold at the minimum and nowhere
// else: for W = Θ⁻¹, |Wᵢⱼ − Sᵢⱼ| ≤ α, with equality and the sign of Θᵢⱼ where
// that is not 0, and the diagonal of S.
func TestStationary(t *testing.T) {
	for _, share := range []float64{0.05, 0.3, 0.7, 1.1} {
		s := covariance(normal(3, 10, 25)) // singular
		largest := 0.0
		for i := range 25 {
			for j := range i {
				largest = max(largest, math.Abs(s.At(i, j)))
			}
		}
		alpha := share * largest
		g, err := weat.PrecisionGraphicalLasso(t.Context(), s, alpha)
		if err != nil {
			t.Fatal(err)
		}
		var w mat.Dense
		if err := w.Inverse(g.Precision()); err != nil {
			t.Fatal(err)
		}
		const slack = 1e-3 // as in TestGraphicalLassoReference
		for i := range 25 {
			for j := range 25 {
				d, theta := w.At(i, j)-s.At(i, j), g.Precision().At(i, j)
				switch {
				case i == j && math.Abs(d) > slack, i != j && math.Abs(d) > alpha+slack,
					i != j && theta != 0 && math.Abs(d-alpha*math.Copysign(1, theta)) > slack:
					t.Fatalf("share %v: element %d, %d: W − S is %v at Θ = %v, α = %v", share, i, j, d, theta, alpha)
				}
			}
		}
		if share > 1 && g.Components() != 25 {
			t.Errorf("above the largest element there are %d components, want 25", g.Components())
		}
	}
}

// TestWhiten checks that whitened distances are Mahalanobis distances.
func TestWhiten(t *testing.T) {
	few, many := normal(1, 5, 8), normal(2, 40, 8)
	type estimate struct {
		name    string
		w       weat.Whitener
		inverse mat.Matrix
	}
	var all []estimate
	for name, rows := range map[string][][]float64{"few": few, "many": many} {
		s, err := weat.PrecisionLedoitWolf(rows)
		if err != nil {
			t.Fatal(err)
		}
		var inverse mat.Dense
		if err := inverse.Inverse(s.Covariance()); err != nil {
			t.Fatal(err)
		}
		all = append(all, estimate{"Ledoit–Wolf of " + name, s, &inverse})
	}
	g, err := weat.PrecisionGraphicalLasso(t.Context(), covariance(many), 0.05)
	if err != nil {
		t.Fatal(err)
	}
	all = append(all, estimate{"lasso", g, g.Precision()})
	x := []float64{1, -2, 3, 0, 0.5, -1, 2, 1}
	for _, e := range all {
		white := make([]float64, 8)
		e.w.Whiten(white, x)
		got := mat.Norm(mat.NewVecDense(8, white), 2)
		want := math.Sqrt(mat.Inner(mat.NewVecDense(8, x), e.inverse, mat.NewVecDense(8, x)))
		if math.Abs(got/want-1) > 1e-9 {
			t.Errorf("%s: length is %v, want %v", e.name, got, want)
		}
	}
}

func TestRefused(t *testing.T) {
	if _, err := weat.PrecisionLedoitWolf([][]float64{{1, 2}}); err == nil {
		t.Error("one row was taken")
	}
	if _, err := weat.PrecisionLedoitWolf([][]float64{{0, 0}, {0, 0}}); err == nil {
		t.Error("rows that do not vary were taken")
	}
	if _, err := weat.PrecisionLedoitWolf([][]float64{{0, 1}, {0}}); err == nil {
		t.Error("rows of different lengths were taken")
	}
	if _, err := weat.PrecisionLedoitWolf([][]float64{{0, math.NaN()}, {0, 1}}); err == nil {
		t.Error("NaN was taken")
	}
	for _, alpha := range []float64{0, -1, math.NaN()} {
		if _, err := weat.PrecisionGraphicalLasso(t.Context(), covariance(waves()), alpha); err == nil {
			t.Errorf("alpha %v was taken", alpha)
		}
	}
	if _, err := weat.PrecisionGraphicalLasso(t.Context(), mat.NewSymDense(2, []float64{0, 0, 0, 1}), 1); err == nil {
		t.Error("a variance of 0 was taken")
	}
	if _, err := weat.GraphicalLassoCV(t.Context(), waves()[:5], weat.CV{}); err == nil {
		t.Error("folds of one row were taken")
	}
	if _, err := weat.GraphicalLassoCV(t.Context(), waves(), weat.CV{Grid: -1}); err == nil || errors.Is(err, weat.ErrSlow) {
		t.Error("a grid of −1 was taken")
	}
}

func TestWhitenPanics(t *testing.T) {
	s, err := weat.PrecisionLedoitWolf(waves())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if recover() == nil {
			t.Error("Whiten took a vector of another length, want a panic")
		}
	}()
	s.Whiten(make([]float64, 5), make([]float64, 6))
}

func ExamplePrecisionLedoitWolf() {
	s, err := weat.PrecisionLedoitWolf(weat.Centre([][]float64{{1, 0}, {-1, 0.1}, {2, -0.1}, {-2, 0}, {3, 0.2}}))
	if err != nil {
		fmt.Println(err)
		return
	}
	along, across := make([]float64, 2), make([]float64, 2)
	s.Whiten(along, []float64{1, 0})
	s.Whiten(across, []float64{0, 1})
	fmt.Printf("a step along: %.2f, across: %.2f\n", math.Hypot(along[0], along[1]), math.Hypot(across[0], across[1]))
	// Output: a step along: 0.57, across: 1.65
}

// A search for α takes minutes on wide rows and ends when it is told to.
func TestGraphicalLassoCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := weat.PrecisionGraphicalLasso(ctx, covariance(waves()), 0.05); !errors.Is(err, context.Canceled) {
		t.Errorf("GraphicalLasso that is cancelled = %v, want %v", err, context.Canceled)
	}
	if _, err := weat.GraphicalLassoCV(ctx, waves(), weat.CV{}); !errors.Is(err, context.Canceled) {
		t.Errorf("GraphicalLassoCV that is cancelled = %v, want %v", err, context.Canceled)
	}
}

func ExamplePrecisionGraphicalLasso() {
	s, err := weat.PrecisionGraphicalLasso(context.Background(), mat.NewSymDense(3, []float64{1, 0.5, 0.1, 0.5, 1, 0.1, 0.1, 0.1, 1}), 0.2)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d parts, %.2f between the first two\n", s.Components(), s.Precision().At(0, 1))
	// Output: 2 parts, -0.33 between the first two
}

func BenchmarkLedoitWolf(b *testing.B) {
	rows := normal(1, 25, 300)
	for b.Loop() {
		if _, err := weat.PrecisionLedoitWolf(rows); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkGraphicalLasso(b *testing.B) {
	s := covariance(normal(1, 25, 300))
	for b.Loop() {
		if _, err := weat.PrecisionGraphicalLasso(b.Context(), s, 0.3); err != nil {
			b.Fatal(err)
		}
	}
}
