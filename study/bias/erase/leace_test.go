package erase_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"sotto/compute/nn"
	"sotto/study/bias/erase"
)

// Six rows of three columns, whose eraser has simple fractions: with covariances
// divided by n−1, P maps the first column to −14/85 and −31/85 of the others.
func TestLEACETiny(t *testing.T) {
	s := sample{
		dim:  3,
		rows: []float64{1, 2, 0, 2, 1, 1, 0, 1, 3, 3, 0, 1, 1, 1, 1, 2, 3, 2},
		z:    []int{0, 0, 0, 1, 1, 1},
	}
	want := [][]float64{{0, -14.0 / 85, -31.0 / 85}, {0, 1, 0}, {0, 0, 1}}
	first := []float64{1.8764705882, 1.6764705882, 0.9470588235, 1.8411764706, 1.6764705882, 0.9823529412}
	one, err := erase.NewMoments(3, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i, z := range s.z {
		if err := one.Add(s.row(i), []float64{float64(z)}); err != nil {
			t.Fatal(err)
		}
	}
	for name, m := range map[string]*erase.Moments{"a column": one, "a column for each class": s.moments(t, 2)} {
		e, err := erase.LEACE{}.Fit(m)
		if err != nil {
			t.Fatal(err)
		}
		p := wantProjection(t, e)
		for i := range want {
			for j, v := range want[i] {
				wantNear(t, name+": P", p.At(i, j), v, 1e-12)
			}
		}
		erased := sample{dim: 3, rows: append([]float64(nil), s.rows...)}
		e.Apply(nn.NewPool(1), erased.rows)
		for i := range first {
			wantNear(t, name+": erased", erased.row(i)[0], first[i], 1e-10)
			wantNear(t, name+": erased", erased.row(i)[1], s.row(i)[1], 1e-12)
			wantNear(t, name+": erased", erased.row(i)[2], s.row(i)[2], 1e-12)
		}
	}
}

// What is left has no covariance with the concept, relative to the product of
// the deviations; nor do vectors that lie in a plane, or nearly so, where the
// covariance has no inverse.
func TestLEACEUncorrelated(t *testing.T) {
	flat := func(height float64) func(sample) {
		return func(s sample) { // the last column follows from the others, but for the height
			for i, z := range s.z {
				row := s.row(i)
				row[s.dim-1] = row[0] - 2*row[1] + height*float64(z)
			}
		}
	}
	for _, c := range []struct {
		name    string
		classes int
		rank    int
		leace   erase.LEACE
		change  func(sample)
	}{
		{"two classes", 2, 1, erase.LEACE{}, nil},
		{"five classes", 5, 4, erase.LEACE{}, nil},
		{"half shrunk", 3, 2, erase.LEACE{Shrinkage: 0.5}, nil},
		{"shrunk by the rows", 3, 2, erase.LEACE{Shrink: true}, nil},
		{"in a plane", 2, 1, erase.LEACE{}, flat(0)},
		{"nearly in a plane", 2, 2, erase.LEACE{}, flat(1e-6)},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSample(3, 500, 8, c.classes)
			if c.change != nil {
				c.change(s)
			}
			before := s.moments(t, c.classes)
			e, err := c.leace.Fit(before)
			if err != nil {
				t.Fatal(err)
			}
			if e.Rank() != c.rank {
				t.Errorf("rank removed = %d, want %d", e.Rank(), c.rank)
			}
			wantProjection(t, e)
			e.Apply(nn.NewPool(2), s.rows)
			after := s.moments(t, c.classes)
			old, cross := before.Covariance(), after.CrossCovariance()
			for i := range s.dim {
				for j := range c.classes {
					share := 1 / float64(c.classes)
					scale := math.Sqrt(old.At(i, i) * share * (1 - share))
					wantNear(t, "cross-covariance", cross.At(i, j)/scale, 0, 1e-9)
				}
				wantNear(t, "mean", after.Mean()[i], before.Mean()[i], 1e-9)
			}
			if got, most := mat.Trace(after.Covariance()), mat.Trace(old); got > most*(1+1e-12) {
				t.Errorf("total variance = %v, was %v, want no more", got, most)
			}
		})
	}
}

// Columns of z may be numbers of very different size.
func TestLEACEColumns(t *testing.T) {
	s := newSample(8, 400, 6, 2)
	gather := func(rows []float64) *erase.Moments {
		m, err := erase.NewMoments(6, 3)
		if err != nil {
			t.Fatal(err)
		}
		for i := range s.z {
			x, before := rows[i*6:(i+1)*6], s.row(i)
			if err := m.Add(x, []float64{float64(s.z[i]), 1e9 * before[1], 7}); err != nil {
				t.Fatal(err)
			}
		}
		return m
	}
	e, err := erase.LEACE{}.Fit(gather(s.rows))
	if err != nil {
		t.Fatal(err)
	}
	if e.Rank() != 2 {
		t.Errorf("rank removed = %d, want 2: the third column never changes", e.Rank())
	}
	erased := append([]float64(nil), s.rows...)
	e.Apply(nn.NewPool(1), erased)
	cross := gather(erased).CrossCovariance()
	for i := range 6 {
		wantNear(t, "covariance with a class", cross.At(i, 0), 0, 1e-8)
		wantNear(t, "covariance with a number", cross.At(i, 1)/1e9, 0, 1e-8)
	}
}

// No linear reader is left: the logistic regression without a penalty has
// coefficients of zero.
func TestLEACELogistic(t *testing.T) {
	s := newSample(4, 400, 5, 2)
	e, err := erase.LEACE{}.Fit(s.moments(t, 2))
	if err != nil {
		t.Fatal(err)
	}
	before := logistic(t, s)
	e.Apply(nn.NewPool(1), s.rows)
	after := logistic(t, s)
	if before < 0.1 {
		t.Errorf("largest score before = %v, want something to remove", before)
	}
	if after > 1e-9 {
		t.Errorf("largest score after = %v, want 0", after)
	}
}

// logistic returns the largest that the coefficients of a logistic regression
// make of a row, about the mean, by Newton's method. Coefficients themselves are
// free in directions that no row has.
func logistic(t *testing.T, s sample) float64 {
	t.Helper()
	mean, size := s.moments(t, 2).Mean(), s.dim+1
	w := mat.NewVecDense(size, nil)
	for range 50 {
		gradient, curvature := mat.NewVecDense(size, nil), mat.NewSymDense(size, nil)
		for i, z := range s.z {
			x := mat.NewVecDense(size, nil)
			for j, v := range s.row(i) {
				x.SetVec(j, v-mean[j])
			}
			x.SetVec(s.dim, 1)
			share := 1 / (1 + math.Exp(-mat.Dot(w, x)))
			gradient.AddScaledVec(gradient, share-float64(z), x)
			curvature.SymRankOne(curvature, share*(1-share), x)
		}
		// After erasure columns depend on each other, so there is no inverse: a
		// little on the diagonal leaves the minimum where it is.
		for j := range size {
			curvature.SetSym(j, j, curvature.At(j, j)+1e-6)
		}
		var step mat.VecDense
		if err := step.SolveVec(curvature, gradient); err != nil {
			t.Fatal(err)
		}
		w.SubVec(w, &step)
	}
	most := 0.0
	for i := range s.z {
		score := 0.0
		for j, v := range s.row(i) {
			score += w.AtVec(j) * (v - mean[j])
		}
		most = max(most, math.Abs(score))
	}
	return most
}

func TestLEACERefuses(t *testing.T) {
	two := sample{1, []float64{1, 2}, []int{0, 1}}
	for name, c := range map[string]struct {
		leace erase.LEACE
		s     sample
	}{
		"negative shrinkage":     {erase.LEACE{Shrinkage: -0.1}, two},
		"shrinkage above 1":      {erase.LEACE{Shrinkage: 1.1}, two},
		"shrinkage not a number": {erase.LEACE{Shrinkage: math.NaN()}, two},
		"shrinkage twice":        {erase.LEACE{Shrinkage: 0.1, Shrink: true}, two},
		"one row":                {erase.LEACE{}, sample{1, []float64{1}, []int{0}}},
		"equal rows":             {erase.LEACE{}, sample{1, []float64{1, 1}, []int{0, 1}}},
		"one class":              {erase.LEACE{}, sample{1, []float64{1, 2}, []int{0, 0}}},
		"overflow":               {erase.LEACE{}, sample{1, []float64{1e300, -1e300}, []int{0, 1}}},
	} {
		if _, err := c.leace.Fit(c.s.moments(t, 2)); err == nil {
			t.Errorf("%s: Fit = nil, want an error", name)
		}
	}
}
