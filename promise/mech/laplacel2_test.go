package mech_test

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mathext"

	"sotto/promise/dp"
	"sotto/promise/dp/dptest"
	"sotto/promise/mech"
)

// sphereCDF is the distribution of one coordinate of a uniform unit vector in
// dim ≥ 2 dimensions.
func sphereCDF(dim int, t float64) float64 {
	a := float64(dim-1) / 2
	return mathext.RegIncBeta(a, a, min(max((1+t)/2, 0), 1))
}

// checkSpherical compares noise with the law of density exp(−‖κ‖/scale): the
// length is Gamma(D, scale), with mean D·scale and deviation √D·scale; its
// square has mean D(D+1)·scale² and fourth moment D(D+1)(D+2)(D+3)·scale⁴; the
// direction is uniform and independent of it.
func checkSpherical(t *testing.T, call string, scale float64, noise [][]float64) {
	t.Helper()
	dim, n := len(noise[0]), len(noise)
	d := float64(dim)
	var lengths, along []float64
	var sum, squares, crossed float64
	mean := make([]float64, dim)
	for _, k := range noise {
		l := length(k)
		lengths = append(lengths, l)
		along = append(along, k[0]/l)
		sum += l
		squares += l * l
		crossed += (l/scale - d) * k[0] / l
		for i, v := range k {
			mean[i] += v / float64(n)
		}
	}
	square := d * (d + 1) * scale * scale
	fourth := square * (d + 2) * (d + 3) * scale * scale
	checkMean(t, call+" length", sum/float64(n), d*scale, math.Sqrt(d)*scale, n, 1)
	checkMean(t, call+" squared length", squares/float64(n), square, math.Sqrt(fourth-square*square), n, 1)
	checkMean(t, call+" length times direction", crossed/float64(n), 0, 1, n, 1) // variances D and 1/D
	for i := range mean {
		checkMean(t, fmt.Sprintf("%s coordinate %d", call, i), mean[i], 0, math.Sqrt(square/d), n, dim)
	}
	checkLaw(t, call+" length", lengths, func(l float64) float64 { return mathext.GammaIncReg(d, l/scale) })
	if dim > 1 {
		checkLaw(t, call+" direction", along, func(c float64) float64 { return sphereCDF(dim, c) })
	}
}

func TestLaplaceL2Noise(t *testing.T) {
	const draws = 10000
	for _, dim := range []int{1, 2, 3, 50} {
		const eps = 3
		m := must(t, mech.Params{Mechanism: "laplace-l2", Dim: dim, Epsilon: eps})
		x := normals(dim, 4)
		u := directed(x)
		var noise [][]float64
		draw(t, m, x, draws, dptest.Source(t, uint64(dim)), func(y []float64) {
			k := make([]float64, dim)
			for i := range k {
				k[i] = y[i] - u[i]
			}
			noise = append(noise, k)
		})
		checkSpherical(t, fmt.Sprintf("laplace-l2 dim=%d", dim), 2.0/eps, noise)
	}
}

// TestLaplaceL2Grid: releases lie on a public grid, a power of two between 2⁻²¹
// and 2⁻²⁰ of the noise scale.
func TestLaplaceL2Grid(t *testing.T) {
	for _, eps := range []float64{0.05, 1, 7, 1e5} {
		m := must(t, mech.Params{Mechanism: "laplace-l2", Dim: 9, Epsilon: eps})
		grid := math.Exp2(math.Floor(math.Log2(2/eps)) - 20)
		draw(t, m, normals(9, 1), 50, dptest.Source(t, 1), func(y []float64) {
			for _, v := range y {
				if c := v / grid; c != math.Trunc(c) {
					t.Errorf("ε=%v: released %v, want a multiple of %v", eps, v, grid)
				}
			}
		})
	}
}

// TestUnitLengths: no input is longer than others once it is scaled to length 1,
// down to lengths whose squares no float can hold.
func TestUnitLengths(t *testing.T) {
	const dim, eps = 300, 8
	// The squares of all numbers but the first underflow.
	tiny, opposite, far := make([]float64, dim), make([]float64, dim), make([]float64, dim)
	for i := range tiny {
		tiny[i], opposite[i], far[i] = 1.5e-162, -1.5e-162, 1000
	}
	tiny[0] = 1.7e-162
	l2 := must(t, mech.Params{Mechanism: "laplace-l2", Dim: dim, Epsilon: eps}).(dp.Distinguisher)
	if r, err := l2.LogRatio(far, tiny, opposite); err == nil && !(math.Abs(r) <= eps*1.001) {
		t.Errorf("laplace-l2: two tiny inputs have log-likelihood ratio %v, want at most ε = %v, or an error", r, eps)
	}
	unit := privUnit(t, dim, eps)
	y, err := unit.Privatize(tiny, dptest.Source(t, 3))
	if err != nil {
		return // refusing is as good
	}
	if got, want := length(y), 1/gammaOf(unit); !within(got, want, 1e-6) {
		t.Errorf("privunit released a vector of length %v for a tiny input, want %v as for every other", got, want)
	}
}
