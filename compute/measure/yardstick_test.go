package measure_test

import (
	"cmp"
	"math"
	weakrand "math/rand/v2"
	"slices"
	"testing"

	"sotto/compute/measure"
	"sotto/compute/nn"
	"sotto/promise/dp"
)

// posteriors returns random rows that sum to 1, some of them sharp, with some
// classes commoner than others.
func posteriors(r *weakrand.Rand, rows, classes int) nn.Matrix {
	x := nn.NewMatrix(rows, classes)
	tilt, sharpness := make([]float64, classes), 4*r.Float64()
	for c := range tilt {
		tilt[c] = r.NormFloat64()
	}
	for i := range rows {
		sum := 0.0
		e := make([]float64, classes)
		for c := range e {
			e[c] = math.Exp(tilt[c] + sharpness*r.NormFloat64())
			sum += e[c]
		}
		for c := range e {
			x.Row(i)[c] = float32(e[c] / sum)
		}
	}
	return x
}

// means returns the mean of each column, each row scaled to sum to 1.
func means(x nn.Matrix) []float64 {
	m := make([]float64, x.Cols)
	for i := range x.Rows {
		for c, v := range scaled(x.Row(i)) {
			m[c] += v / float64(x.Rows)
		}
	}
	return m
}

func scaled(row []float32) []float64 {
	sum := 0.0
	for _, v := range row {
		sum += float64(v)
	}
	s := make([]float64, len(row))
	for c, v := range row {
		s[c] = float64(v) / sum
	}
	return s
}

func yardstick(t *testing.T, epsilon dp.Epsilon, x nn.Matrix) float64 {
	t.Helper()
	v, err := measure.Yardstick(epsilon, x, nil)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// byDefinition is the formula as it is written, for an ε that does not overflow.
func byDefinition(epsilon float64, x nn.Matrix) float64 {
	prior := means(x)
	order := make([]int, x.Cols)
	for c := range order {
		order[c] = c
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(prior[b], prior[a]) })
	best := 0.0
	for m := 1; m <= x.Cols; m++ {
		for j := 1; j <= m; j++ {
			sum := 0.0
			for i := range x.Rows {
				of := pick(scaled(x.Row(i)), order[:m])
				slices.Sort(of)
				slices.Reverse(of)
				for k, v := range of {
					if k < j {
						v *= math.Exp(epsilon)
					}
					sum += v
				}
			}
			best = max(best, sum/float64(x.Rows)/(float64(m)+math.Expm1(epsilon)*float64(j)))
		}
	}
	return best
}

func TestYardstickByHand(t *testing.T) {
	ln3 := dp.Epsilon(math.Log(3))
	for _, c := range []struct {
		name    string
		epsilon dp.Epsilon
		rows    nn.Matrix
		want    float64
	}{
		// Two equal classes, a = 0.8 and π = 3/4: 0.8·0.75 + 0.2·0.25.
		{"two equal classes", ln3, nn.Matrix{Rows: 2, Cols: 2, Data: []float32{.7, .3, .1, .9}}, 0.65},
		{"ε = 0 is the commonest class", 0, nn.Matrix{Rows: 2, Cols: 3, Data: []float32{.5, .25, .25, .25, .5, .25}}, 0.375},
		{"ε = ∞ is the mean of the largest", dp.Infinite, nn.Matrix{Rows: 2, Cols: 3, Data: []float32{.5, .25, .25, 0, .25, .75}}, 0.625},
		{"one class", ln3, nn.Matrix{Rows: 1, Cols: 1, Data: []float32{1}}, 1},
		// Three classes, each row halved between two: m = 3 and j = 2 gives
		// (1 + 2·1)/(3 + 2·2), j = 1 only (1 + 2·½)/(3 + 2).
		{"top two", ln3, nn.Matrix{Rows: 3, Cols: 3, Data: []float32{.5, .5, 0, 0, .5, .5, .5, 0, .5}}, 3. / 7},
	} {
		if got := yardstick(t, c.epsilon, c.rows); !near(got, c.want, 1e-7) { // rows are float32
			t.Errorf("%s: Yardstick = %v, want %v", c.name, got, c.want)
		}
	}
}

// TestYardstickProperties holds Yardstick to its formula, and to what follows
// from its being the accuracy of an ε-DP answer. Sums of 40 rows in double
// precision err by less than 10⁻¹².
func TestYardstickProperties(t *testing.T) {
	const tolerance = 1e-12
	r := rng(3)
	for range 60 {
		x := posteriors(r, 40, 2+r.IntN(6))
		prior := means(x)
		previous := slices.Max(prior)
		for _, epsilon := range []dp.Epsilon{0, 1e-9, 0.3, 1, 2, 4, 8, 30, 1000, dp.Infinite} {
			got := yardstick(t, epsilon, x)
			limit, err := dp.AccuracyBound(epsilon, prior)
			if err != nil {
				t.Fatal(err)
			}
			if !(got <= limit+tolerance) {
				t.Errorf("Yardstick(%v) = %v, above the limit %v", epsilon, got, limit)
			}
			if !(got >= previous-tolerance) {
				t.Errorf("Yardstick(%v) = %v, below %v at a smaller ε", epsilon, got, previous)
			}
			if want := byDefinition(float64(epsilon), x); epsilon <= 30 && !near(got, want, tolerance) {
				t.Errorf("Yardstick(%v) = %v, want %v", epsilon, got, want)
			}
			shuffled := pickRows(x, r.Perm(x.Rows))
			if other := yardstick(t, epsilon, shuffled); !near(got, other, tolerance) {
				t.Errorf("Yardstick(%v) = %v, and %v in another order of rows", epsilon, got, other)
			}
			previous = got
		}
		largest := 0.0
		for i := range x.Rows {
			largest += slices.Max(scaled(x.Row(i))) / float64(x.Rows)
		}
		if !near(previous, largest, tolerance) {
			t.Errorf("Yardstick(∞) = %v, want %v", previous, largest)
		}
	}
}

// bestGiven returns the accuracy of the best channel whose guess of class c has
// at least probability q[c] and at most e^ε·q[c] for every row: it fills the
// likeliest classes first. It returns 0 if q allows no channel.
func bestGiven(q []float64, epsilon float64, x nn.Matrix) float64 {
	total := 0.0
	for _, v := range q {
		total += v
	}
	if total > 1 || total*math.Exp(epsilon) < 1-1e-12 {
		return 0
	}
	accuracy := 0.0
	for i := range x.Rows {
		eta, left := scaled(x.Row(i)), 1-total
		order := make([]int, len(q))
		for c := range order {
			order[c] = c
		}
		slices.SortFunc(order, func(a, b int) int { return cmp.Compare(eta[b], eta[a]) })
		for _, c := range order {
			more := min(left, math.Expm1(epsilon)*q[c])
			accuracy += eta[c] * (q[c] + more) / float64(x.Rows)
			left -= more
		}
	}
	return accuracy
}

// TestYardstickOptimal searches for channels above the yardstick in the two
// cases in which there are none: two classes, and exchangeable ones.
func TestYardstickOptimal(t *testing.T) {
	r := rng(4)
	exchangeable := func(classes int) nn.Matrix {
		base := posteriors(r, 5, classes)
		x := nn.NewMatrix(5*classes, classes) // each row in each rotation
		for i := range x.Rows {
			for c, v := range base.Row(i / classes) {
				x.Row(i)[(c+i)%classes] = v
			}
		}
		return x
	}
	for _, x := range []nn.Matrix{
		posteriors(r, 20, 2), posteriors(r, 20, 2), posteriors(r, 20, 2),
		exchangeable(3), exchangeable(3), exchangeable(4), exchangeable(5),
	} {
		for _, epsilon := range []float64{0.2, 1, 3} {
			limit, closest := yardstick(t, dp.Epsilon(epsilon), x), 0.0
			for range 2000 {
				q, sum := make([]float64, x.Cols), 0.0
				for c := range q {
					q[c] = r.ExpFloat64()
					sum += q[c]
				}
				// Scale to a sum at random among those that allow a channel.
				scale := math.Exp(-epsilon*r.Float64()) / sum
				for c := range q {
					q[c] *= scale
				}
				closest = max(closest, bestGiven(q, epsilon, x))
			}
			if !(closest <= limit+1e-12) {
				t.Errorf("%d classes, ε = %v: a channel has accuracy %v, above %v", x.Cols, epsilon, closest, limit)
			}
			if !(closest > 1/float64(x.Cols)) {
				t.Errorf("%d classes, ε = %v: the best channel found has accuracy %v, no better than chance", x.Cols, epsilon, closest)
			}
		}
	}
}

// TestYardstickIsNoLimit shows an ε-DP channel above the yardstick, so that
// nobody takes it for a bound. Nine rows in ten are (0.8, 0.2, 0), the last is
// (0, 0, 1), and e^ε is 20. The yardstick is at m = 3 and j = 1,
// (1 + 19·0.82)/(3 + 19); randomised response over the first and the third class
// has 0.82·20/21.
func TestYardstickIsNoLimit(t *testing.T) {
	x := nn.NewMatrix(10, 3)
	for i := range 9 {
		copy(x.Row(i), []float32{0.8, 0.2, 0})
	}
	x.Row(9)[2] = 1
	epsilon := math.Log(20)
	if got, want := yardstick(t, dp.Epsilon(epsilon), x), (1+19*0.82)/22; !near(got, want, 1e-7) {
		t.Errorf("Yardstick = %v, want %v", got, want)
	}
	if got, want := bestGiven([]float64{1. / 21, 0, 1. / 21}, epsilon, x), 0.82*20/21; !near(got, want, 1e-7) {
		t.Errorf("the other channel has accuracy %v, want %v", got, want)
	}
}

func TestYardstickErrors(t *testing.T) {
	good := nn.Matrix{Rows: 1, Cols: 2, Data: []float32{.5, .5}}
	for _, c := range []struct {
		name    string
		epsilon dp.Epsilon
		rows    nn.Matrix
		priors  []float64
	}{
		{"negative ε", -1, good, nil},
		{"NaN ε", dp.Epsilon(nan), good, nil},
		{"no rows", 1, nn.Matrix{Cols: 2}, nil},
		{"no classes", 1, nn.Matrix{Rows: 2}, nil},
		{"sum", 1, nn.Matrix{Rows: 1, Cols: 2, Data: []float32{.5, .502}}, nil},
		{"negative", 1, nn.Matrix{Rows: 1, Cols: 2, Data: []float32{1.5, -.5}}, nil},
		{"NaN", 1, nn.Matrix{Rows: 1, Cols: 2, Data: []float32{.5, float32(nan)}}, nil},
		{"infinite", 1, nn.Matrix{Rows: 1, Cols: 2, Data: []float32{.5, float32(math.Inf(1))}}, nil},
		{"number of priors", 1, good, []float64{1}},
		{"NaN prior", 1, good, []float64{.5, nan}},
	} {
		if v, err := measure.Yardstick(c.epsilon, c.rows, c.priors); err == nil {
			t.Errorf("%s: Yardstick = %v, want an error", c.name, v)
		}
	}
	// Priors decide which class is the commonest.
	x := nn.Matrix{Rows: 1, Cols: 2, Data: []float32{.9, .1}}
	if v, err := measure.Yardstick(0, x, []float64{.2, .8}); err != nil || !near(v, .5, 1e-7) {
		t.Errorf("Yardstick with priors = %v, %v, want 0.5", v, err)
	}
}

func BenchmarkYardstick(b *testing.B) {
	x := posteriors(rng(1), 16000, 28)
	for b.Loop() {
		if _, err := measure.Yardstick(2, x, nil); err != nil {
			b.Fatal(err)
		}
	}
}
