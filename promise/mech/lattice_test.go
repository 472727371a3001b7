package mech_test

import (
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"slices"
	"testing"

	"sotto/promise/dp/dptest"
	"sotto/promise/mech"
	"sotto/promise/noise"
)

// octave is how many integers the discrete Laplace law takes to halve: its
// tables repeat beyond, so that no step costs more there.
const octave = 1 << 20

// worstMoves returns, for each distance d up to most, the largest
// ln P(K=k)/P(K=k+d) over all integers k.
//
// The law is symmetric about −½ and P(K=k+2²⁰) = P(K=k)/2 for k ≥ 0, so that k
// from −most to 2²⁰+most, and the same distances taken backwards, are all.
func worstMoves(most int) []float64 {
	logs := make([]float64, octave+4*most)
	first := int64(-2 * most)
	for i := range logs {
		logs[i] = noise.LaplaceLog(first + int64(i))
	}
	worst := make([]float64, most+1)
	for d := 1; d <= most; d++ {
		for i := range logs[d:] {
			worst[d] = max(worst[d], math.Abs(logs[i]-logs[i+d]))
		}
	}
	return worst
}

// ball lists the integer points with Σ|c| ≤ r.
func ball(dim, r int) [][]int {
	if dim == 0 {
		return [][]int{{}}
	}
	var all [][]int
	for c := -r; c <= r; c++ {
		for _, rest := range ball(dim-1, r-abs(c)) {
			all = append(all, append([]int{c}, rest...))
		}
	}
	return all
}

// cube lists the integer points in [0, r]^dim.
func cube(dim, r int) [][]int {
	if dim == 0 {
		return [][]int{{}}
	}
	var all [][]int
	for c := range r + 1 {
		for _, rest := range cube(dim-1, r) {
			all = append(all, append([]int{c}, rest...))
		}
	}
	return all
}

func abs(c int) int { return max(c, -c) }

// TestLatticeEnumerated compares guarantees of a few lattice steps with the
// worst ratio over all pairs of integer inputs and all releases. Coordinates
// are independent, so the worst release for a pair is the worst of each.
//
// LaplaceLog is a sum of two logarithms near −7, exact to 2·10⁻¹⁵; a pair
// subtracts two in each coordinate.
func TestLatticeEnumerated(t *testing.T) {
	const most = 8
	worst := worstMoves(most)
	step := noise.LaplaceStep()
	for _, tt := range []struct {
		mech.Params
		steps  float64 // ε in steps
		radius int64
		points func(dim, r int) [][]int
	}{
		{Params: mech.Params{Mechanism: "laplace-l1", Dim: 2}, steps: 2.5, radius: 1, points: ball},
		{Params: mech.Params{Mechanism: "laplace-l1", Dim: 2}, steps: 8.5, radius: 4, points: ball},
		{Params: mech.Params{Mechanism: "laplace-l1", Dim: 3}, steps: 6.5, radius: 3, points: ball},
		{Params: mech.Params{Mechanism: "dpnr", Dim: 2}, steps: 8.5, radius: 4, points: cube},
		{Params: mech.Params{Mechanism: "dpnr", Dim: 3}, steps: 9.5, radius: 3, points: cube},
		{Params: mech.Params{Mechanism: "dpnr", Variant: mech.Paper, Dim: 3}, steps: 2.5, radius: 2, points: cube},
	} {
		p := tt.Params
		p.Epsilon = tt.steps * step
		m := must(t, p).(mech.Lattice)
		if m.Radius() != tt.radius {
			t.Errorf("%s of %v steps has radius %d, want %d", p.Mechanism, tt.steps, m.Radius(), tt.radius)
		}
		points := tt.points(p.Dim, int(tt.radius))
		loss := 0.0
		for _, a := range points {
			for _, b := range points {
				sum := 0.0
				for i := range a {
					sum += worst[abs(a[i]-b[i])]
				}
				loss = max(loss, sum)
			}
		}
		g := float64(m.Guarantee().Epsilon)
		if !(loss <= g+float64(p.Dim)*4e-15) {
			t.Errorf("%s %s dim=%d: a pair of inputs has ratio %v, above the guarantee, %v", p.Mechanism, p.Variant, p.Dim, loss, g)
		}
		// LaplaceStep is the worst single step and exceeds the mean one by 10⁻⁵.
		if !(loss >= g*(1-1e-4)) {
			t.Errorf("%s %s dim=%d: no pair of inputs has a ratio above %v, want the guarantee, %v", p.Mechanism, p.Variant, p.Dim, loss, g)
		}
	}
}

// TestLatticeLogRatio compares LogRatio with the law, at every release in a
// window and for every input whose integers lie on the smallest grid.
func TestLatticeLogRatio(t *testing.T) {
	for _, p := range []mech.Params{
		{Mechanism: "laplace-l1", Dim: 2, Epsilon: 8.5 * noise.LaplaceStep()},
		{Mechanism: "dpnr", Dim: 3, Epsilon: 9.5 * noise.LaplaceStep()},
	} {
		m := must(t, p).(interface {
			mech.Lattice
			LogRatio(y, x, x2 []float64) (float64, error)
		})
		rng := weakrand.New(weakrand.NewPCG(1, 1))
		r := float64(m.Radius())
		for range 200 {
			x, x2, y := make([]float64, p.Dim), make([]float64, p.Dim), make([]float64, p.Dim)
			k := make([]int64, p.Dim)
			for i := range x {
				x[i], x2[i] = rng.NormFloat64(), rng.NormFloat64()
				k[i] = int64(rng.IntN(21)) - 10
				y[i] = (float64(k[i]) + 0.5) / r
			}
			a, errA := m.Cells(x)
			b, errB := m.Cells(x2)
			if errA != nil || errB != nil {
				t.Fatal(errA, errB)
			}
			want := 0.0
			for i := range k {
				want += noise.LaplaceLog(k[i]-int64(a[i])) - noise.LaplaceLog(k[i]-int64(b[i]))
			}
			if got, err := m.LogRatio(y, x, x2); err != nil || math.Abs(got-want) > 1e-13 {
				t.Errorf("%s LogRatio = %v, %v, want %v", p.Mechanism, got, err, want)
			}
		}
	}
}

// awkward draws vectors of many lengths, up to those that floats hardly hold.
func awkward(rng *weakrand.Rand, dim int) []float64 {
	x := make([]float64, dim)
	scale := math.Exp2(float64(rng.IntN(2000) - 1040))
	for i := range x {
		x[i] = rng.NormFloat64() * scale
		if rng.IntN(4) == 0 {
			x[i] *= math.Exp2(float64(-rng.IntN(60)))
		}
	}
	return x
}

// TestLatticeCells checks the one fact that the proofs take from floats: the
// integers that stand for an input lie in the ball, or the cube, in integers.
func TestLatticeCells(t *testing.T) {
	rng := weakrand.New(weakrand.NewPCG(2, 3))
	for _, p := range []mech.Params{
		{Mechanism: "laplace-l1", Variant: mech.Paper},
		{Mechanism: "laplace-l1", Variant: mech.Released},
		{Mechanism: "dpnr", Variant: mech.AsStated},
		{Mechanism: "gaussian"},
	} {
		for _, p.Dim = range []int{2, 3, 30, 300} {
			for _, p.Epsilon = range []float64{1, 3.7, 11} {
				m := must(t, p).(mech.Lattice)
				r := m.Radius()
				for range 100 {
					x := awkward(rng, p.Dim)
					cells, err := m.Cells(x)
					if err != nil {
						continue
					}
					if fault := misplaced(p, r, cells); fault != "" {
						t.Errorf("%s %s dim=%d ε=%v: integers of an input of length %.3g %s", p.Mechanism, p.Variant, p.Dim, p.Epsilon, length(x), fault)
					}
				}
			}
		}
	}
}

// misplaced says what is wrong with the integers of an input.
func misplaced(p mech.Params, r int64, cells []float64) string {
	var sum, square int64
	for _, c := range cells {
		if c != math.Trunc(c) {
			return "are no integers"
		}
		if p.Mechanism == "dpnr" && (c < 0 || c > float64(r)) {
			return fmt.Sprintf("leave [0, %d]", r)
		}
		sum += int64(math.Abs(c))
		square += int64(c) * int64(c)
	}
	switch {
	case p.Mechanism == "gaussian" && square > r*r:
		return "leave the ball"
	case p.Variant == mech.Paper && sum > r:
		return "leave the L1 ball"
	case p.Variant == mech.Released && sum*sum > int64(p.Dim)*r*r:
		return "leave the scaled L1 ball"
	}
	return ""
}

// TestLaplaceL1RoundsTowardZero: no integer exceeds the real number that it
// stands for, nor falls short of it by one.
func TestLaplaceL1RoundsTowardZero(t *testing.T) {
	for _, variant := range []string{mech.Paper, mech.Released} {
		m := must(t, mech.Params{Mechanism: "laplace-l1", Variant: variant, Dim: 20, Epsilon: 0.01}).(mech.Lattice)
		for seed := range uint64(20) {
			x := normals(20, seed)
			cells, err := m.Cells(x)
			if err != nil {
				t.Fatal(err)
			}
			norm := length(x)
			if variant == mech.Paper {
				norm = 0
				for _, v := range x {
					norm += math.Abs(v)
				}
			}
			for i, c := range cells {
				exact := x[i] / norm * float64(m.Radius())
				if c*exact < 0 || math.Abs(c) > math.Abs(exact)*(1+1e-12) || math.Abs(c) < math.Abs(exact)-1-1e-9 {
					t.Errorf("laplace-l1 %s: %v stands for %v, want it rounded toward zero", variant, exact, c)
				}
			}
		}
	}
}

// TestShrink: what rounding errors might put outside the ball is brought back,
// toward zero and without changing a sign.
func TestShrink(t *testing.T) {
	for _, tt := range []struct {
		cells  []float64
		excess int64
		want   []float64
	}{
		{[]float64{3, -4}, 0, []float64{3, -4}},
		{[]float64{3, -4}, 1, []float64{2, -4}},
		{[]float64{-3, 4}, 4, []float64{0, 3}},
		{[]float64{1, 0, -1, 5}, 3, []float64{0, 0, 0, 4}},
		{[]float64{2, 2}, 4, []float64{0, 0}},
		{nil, 0, nil},
	} {
		got := slices.Clone(tt.cells)
		mech.Shrink(got, tt.excess)
		if !slices.Equal(got, tt.want) {
			t.Errorf("shrink(%v, %d) = %v, want %v", tt.cells, tt.excess, got, tt.want)
		}
	}
}

// TestLatticeNoise compares the noise of each mechanism on the lattice with its
// law: distribution, mean and variance, and that coordinates are independent.
//
// Of Laplace noise of scale b the square has mean 2b² and deviation √20·b²; of
// normal noise σ² and √2·σ². A product of two coordinates has the square's mean
// as its deviation.
func TestLatticeNoise(t *testing.T) {
	const draws = 12000
	for i, p := range []mech.Params{
		{Mechanism: "laplace-l1", Variant: mech.Paper, Dim: 4, Epsilon: 1},
		{Mechanism: "laplace-l1", Variant: mech.Released, Dim: 4, Epsilon: 10},
		{Mechanism: "dpnr", Variant: mech.AsStated, Dim: 4, Epsilon: 5},
		{Mechanism: "dpnr", Variant: mech.Paper, Dim: 4, Epsilon: 5},
		{Mechanism: "gaussian", Dim: 4, Epsilon: 5},
	} {
		call := fmt.Sprintf("%s %s", p.Mechanism, p.Variant)
		m := must(t, p).(mech.Lattice)
		r := float64(m.Radius())
		scale := noise.LaplaceScale / r
		square, deviation := 2*scale*scale, math.Sqrt(20)*scale*scale
		cdf := func(v float64) float64 {
			if v < 0 {
				return math.Exp(v/scale) / 2
			}
			return 1 - math.Exp(-v/scale)/2
		}
		if p.Mechanism == "gaussian" {
			scale = noise.GaussianScale / r
			square, deviation = scale*scale, math.Sqrt2*scale*scale
			cdf = func(v float64) float64 { return math.Erfc(-v/scale/math.Sqrt2) / 2 }
		}
		x := []float64{0.5, -1, 0, 3}
		cells, err := m.Cells(x)
		if err != nil {
			t.Fatal(err)
		}
		var all []float64
		var sum, squares, products float64
		draw(t, m, x, draws, dptest.Source(t, uint64(i)), func(y []float64) {
			for j := range y {
				v := y[j] - cells[j]/r
				all = append(all, v)
				sum += v
				squares += v * v
			}
			products += (y[0] - cells[0]/r) * (y[3] - cells[3]/r)
		})
		n := len(all)
		checkMean(t, call+" noise", sum/float64(n), 0, math.Sqrt(square), n, 1)
		checkMean(t, call+" squared noise", squares/float64(n), square, deviation, n, 1)
		checkMean(t, call+" product of two coordinates", products/draws, 0, square, draws, 1)
		checkLaw(t, call, all, cdf)
	}
}

// TestLatticeScale compares the noise scale with what the publications state;
// rounding to integers and LaplaceStep's margin take 10⁻⁴ of it at most.
func TestLatticeScale(t *testing.T) {
	for _, tt := range []struct {
		mech.Params
		want float64
	}{
		{mech.Params{Mechanism: "laplace-l1", Dim: 300, Epsilon: 8}, 2.0 / 8},
		{mech.Params{Mechanism: "laplace-l1", Variant: mech.Released, Dim: 300, Epsilon: 14}, 2.0 / 14},
		{mech.Params{Mechanism: "dpnr", Dim: 10, Epsilon: 1}, 10},
		{mech.Params{Mechanism: "dpnr", Variant: mech.Paper, Dim: 768, Epsilon: 0.05}, 20},
		{mech.Params{Mechanism: "dpnr", Variant: mech.Released, Dim: 768, Epsilon: 0.05}, 20},
	} {
		m := must(t, tt.Params).(mech.Lattice)
		if got := noise.LaplaceScale / float64(m.Radius()); !within(got, tt.want, 1e-4) {
			t.Errorf("%s %s dim=%d ε=%v has noise of scale %v, want %v", tt.Mechanism, tt.Variant, tt.Dim, tt.Epsilon, got, tt.want)
		}
	}
}
