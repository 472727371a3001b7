package erase_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"sotto/study/bias/erase"
)

// The sums are those of the textbook in two passes, whatever the number of rows
// beside a full block, and though the mean is far from zero.
func TestMoments(t *testing.T) {
	for _, n := range []int{2, 255, 256, 257, 1000} {
		s := newSample(uint64(n), n, 7, 3)
		m := s.moments(t, 3)
		if m.Rows() != n {
			t.Errorf("Rows = %d, want %d", m.Rows(), n)
		}
		var want mat.SymDense
		stat.CovarianceMatrix(&want, mat.NewDense(n, 7, s.rows), nil)
		got := m.Covariance()
		cross := m.CrossCovariance()
		for i := range 7 {
			mean := stat.Mean(mat.Col(nil, i, mat.NewDense(n, 7, s.rows)), nil)
			wantNear(t, "mean", m.Mean()[i], mean, 1e-10)
			for j := range 7 {
				wantNear(t, "covariance", got.At(i, j), want.At(i, j), 1e-9)
			}
			for c := range 3 {
				z := make([]float64, n)
				for k, v := range s.z {
					if v == c {
						z[k] = 1
					}
				}
				column := mat.Col(nil, i, mat.NewDense(n, 7, s.rows))
				wantNear(t, "cross-covariance", cross.At(i, c), stat.Covariance(column, z, nil), 1e-9)
			}
		}
	}
}

// A covariance of numbers near 1e9 with deviations of 1 has lost nothing, where
// sums of squares would have lost everything.
func TestMomentsFarFromZero(t *testing.T) {
	m, err := erase.NewMoments(1, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 1000 {
		if err := m.Add([]float64{1e9 + float64(i%2)}, []float64{float64(i % 2)}); err != nil {
			t.Fatal(err)
		}
	}
	want := 0.25 * 1000 / 999
	wantNear(t, "variance", m.Covariance().At(0, 0), want, 1e-9)
	wantNear(t, "covariance", m.CrossCovariance().At(0, 0), want, 1e-9)
}

func TestMomentsMerge(t *testing.T) {
	s := newSample(5, 900, 5, 2)
	whole := s.moments(t, 2)
	for _, cut := range []int{0, 1, 300, 512, 900} {
		first := sample{s.dim, s.rows[:cut*5], s.z[:cut]}.moments(t, 2)
		first.Merge(sample{s.dim, s.rows[cut*5:], s.z[cut:]}.moments(t, 2))
		if first.Rows() != 900 {
			t.Errorf("Rows = %d, want 900", first.Rows())
		}
		var apart mat.Dense
		apart.Sub(first.Covariance(), whole.Covariance())
		wantNear(t, "difference of covariances", mat.Norm(&apart, 2), 0, 1e-9)
		apart.Reset()
		apart.Sub(first.CrossCovariance(), whole.CrossCovariance())
		wantNear(t, "difference of cross-covariances", mat.Norm(&apart, 2), 0, 1e-9)
	}
}

func TestMomentsRefuse(t *testing.T) {
	for _, shape := range [][2]int{{0, 1}, {1, 0}, {-1, 1}, {1 << 20, 1}} {
		if _, err := erase.NewMoments(shape[0], shape[1]); err == nil {
			t.Errorf("NewMoments(%d, %d) = nil, want an error", shape[0], shape[1])
		}
	}
	m, err := erase.NewMoments(1, 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []float64{math.NaN(), math.Inf(1)} {
		if err := m.Add([]float64{v}, []float64{0, 1}); err == nil {
			t.Errorf("Add of %v = nil, want an error", v)
		}
		if err := m.Add([]float64{1}, []float64{v, 1}); err == nil {
			t.Errorf("Add beside %v = nil, want an error", v)
		}
	}
	for _, class := range []int{-1, 2} {
		if err := m.AddClass([]float64{1}, class); err == nil {
			t.Errorf("AddClass of %d = nil, want an error", class)
		}
	}
	if m.Rows() != 0 {
		t.Errorf("Rows after refusals = %d, want 0", m.Rows())
	}
}
