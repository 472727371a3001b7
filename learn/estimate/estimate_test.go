package estimate_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"sotto/learn/estimate"
	"sotto/promise/dp/dptest"
	"sotto/promise/mech"
)

// tally makes one of randomised response.
func tally(t testing.TB, classes int, epsilon float64) *estimate.Tally {
	t.Helper()
	return must(t)(estimate.NewTally(krr(t, classes, epsilon)))
}

func krr(t testing.TB, classes int, epsilon float64) *mech.KRR {
	t.Helper()
	m, err := mech.NewKRR(mech.Params{Epsilon: epsilon, Own: mech.KRRParams{Classes: classes}})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func must(t testing.TB) func(*estimate.Tally, error) *estimate.Tally {
	return func(y *estimate.Tally, err error) *estimate.Tally {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return y
	}
}

// counted is an empty tally's copy with the given counts.
func counted(empty *estimate.Tally, counts []int) *estimate.Tally {
	y := empty.Another()
	for a, c := range counts {
		y.Count(a, c)
	}
	return y
}

// chances returns how likely each answer is to be released if shares hold.
func chances(t testing.TB, m mech.Answering, shares []float64) []float64 {
	t.Helper()
	l, err := m.Law()
	if err != nil {
		t.Fatal(err)
	}
	f := make([]float64, len(shares))
	for a := range f {
		f[a] = l.Least[a] + l.Rise*shares[a]
	}
	return f
}

// enumerate calls each with every way in which n releases can fall on the
// answers, and how likely that is.
func enumerate(n int, f []float64, each func(counts []int, p float64)) {
	counts := make([]int, len(f))
	var fill func(a, left int, logP float64)
	fill = func(a, left int, logP float64) {
		last := a == len(f)-1
		for c := left; c >= 0; c-- {
			counts[a] = c
			factorial, _ := math.Lgamma(float64(c + 1))
			p := logP + float64(c)*math.Log(f[a]) - factorial
			if last {
				each(counts, math.Exp(p))
				return
			}
			fill(a+1, left-c, p)
		}
	}
	all, _ := math.Lgamma(float64(n + 1))
	fill(0, n, all)
}

var populations = [][]float64{{1, 0, 0}, {0.5, 0.5, 0}, {0.6, 0.3, 0.1}, {1. / 3, 1. / 3, 1. / 3}, {0.98, 0.01, 0.01}}

// TestSharesExactly goes through all that few releases can be: the unbiased share
// is right on average, its standard error is that of the formula, and the
// interval covers at least as often as it says.
func TestSharesExactly(t *testing.T) {
	const n, confidence = 7, 0.9
	for _, epsilon := range []float64{0.5, 1, 4} {
		m := krr(t, 3, epsilon)
		empty := tally(t, 3, epsilon)
		for _, truth := range populations {
			exactly(t, empty, n, confidence, truth, chances(t, m, truth))
		}
	}
}

// exactly goes through all that n releases can be: unbiased shares are right on
// average, intervals cover at least as often as they say and hold the share, and shares
// sum to 1.
func exactly(t *testing.T, empty *estimate.Tally, n int, confidence float64, truth, f []float64) {
	t.Helper()
	mean, covered, total := make([]float64, len(truth)), make([]float64, len(truth)), 0.0
	enumerate(n, f, func(counts []int, p float64) {
		s, err := counted(empty, counts).Shares(confidence)
		if err != nil {
			t.Fatal(err)
		}
		total += p
		sum := 0.0
		for a, each := range s.Each {
			mean[a] += p * each.Unbiased
			sum += each.Share
			if each.Covers(truth[a]) {
				covered[a] += p
			}
			if !(0 <= each.Low && each.Covers(each.Share) && each.High <= 1) {
				t.Fatalf("counts %v: share %v in [%v, %v], want it inside and from 0 to 1", counts, each.Share, each.Low, each.High)
			}
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Fatalf("counts %v: shares sum to %v by %s, want 1", counts, sum, s.Method)
		}
	})
	if math.Abs(total-1) > 1e-12 {
		t.Fatalf("what was enumerated has probability %v, want 1", total)
	}
	for a := range truth {
		if math.Abs(mean[a]-truth[a]) > 1e-9 || covered[a] < confidence-1e-12 {
			t.Errorf("shares %v: answer %d has %v on average and is covered with probability %v, want %v and at least %v", truth, a, mean[a], covered[a], truth[a], confidence)
		}
	}
}

// TestLikelihoodIsNearer: over all that few releases can be, the rule has a smaller
// squared error than the unbiased shares where these are impossible.
func TestLikelihoodIsNearer(t *testing.T) {
	for _, epsilon := range []float64{0.5, 1, 2} {
		m := krr(t, 3, epsilon)
		empty := tally(t, 3, epsilon)
		for _, truth := range populations {
			for _, n := range []int{4, 9} {
				unbiased, ruled, seen := 0.0, 0.0, 0.0
				enumerate(n, chances(t, m, truth), func(counts []int, p float64) {
					s, err := counted(empty, counts).Shares(0.95)
					if err != nil {
						t.Fatal(err)
					}
					if s.Method != estimate.Likelihood {
						return
					}
					seen += p
					for a, each := range s.Each {
						unbiased += p * (each.Unbiased - truth[a]) * (each.Unbiased - truth[a])
						ruled += p * (each.Share - truth[a]) * (each.Share - truth[a])
					}
				})
				if seen > 0 && ruled >= unbiased {
					t.Errorf("ε = %v, n = %d, shares %v: squared error %v by likelihood, want less than %v", epsilon, n, truth, ruled, unbiased)
				}
			}
		}
	}
}

// TestLikelihoodIsMaximum holds the closed form against expectation maximisation,
// which climbs to the same shares for any channel, one step after the other.
func TestLikelihoodIsMaximum(t *testing.T) {
	law, err := krr(t, 4, 1).Law()
	if err != nil {
		t.Fatal(err)
	}
	for _, counts := range [][]int{{10, 20, 30, 40}, {50, 1, 1, 0}, {0, 0, 0, 7}, {25, 25, 25, 25}} {
		y := counted(tally(t, 4, 1), counts)
		s, err := y.Shares(0.95)
		if err != nil {
			t.Fatal(err)
		}
		shares := []float64{0.25, 0.25, 0.25, 0.25}
		for range 3000 {
			next := make([]float64, 4)
			for a, c := range counts {
				f := law.Least[a] + law.Rise*shares[a]
				for x := range next {
					p := law.Least[a]
					if a == x {
						p += law.Rise
					}
					next[x] += float64(c) / float64(y.N()) * shares[x] * p / f
				}
			}
			shares = next
		}
		for a, each := range s.Each {
			if math.Abs(each.Likelihood-shares[a]) > 1e-3 {
				t.Errorf("counts %v: the likeliest share of answer %d is %v, want %v", counts, a, each.Likelihood, shares[a])
			}
			if s.Method == estimate.Unbiased && math.Abs(each.Likelihood-each.Unbiased) > 1e-9 {
				t.Errorf("counts %v: the unbiased share of answer %d is %v, want the likeliest, %v", counts, a, each.Unbiased, each.Likelihood)
			}
		}
	}
}

// TestSubset: where a text stands for several answers, shares sum to their number
// and none is above 1, however few releases there are.
func TestSubset(t *testing.T) {
	m, err := mech.NewCodes(mech.Params{Dim: 6, Epsilon: 1, Own: mech.CodesParams{Selected: 3}})
	if err != nil {
		t.Fatal(err)
	}
	for _, counts := range [][]int{{1, 0, 0, 0, 0, 0}, {5, 5, 5, 0, 0, 0}, {90, 2, 3, 4, 5, 6}, {10, 11, 12, 13, 14, 15}} {
		s, err := counted(must(t)(estimate.NewTally(m)), counts).Shares(0.95)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for _, each := range s.Each {
			sum += each.Share
			if !(each.Share >= 0 && each.Share <= 1) {
				t.Errorf("counts %v: a share is %v, want one from 0 to 1", counts, each.Share)
			}
		}
		if math.Abs(sum-3) > 1e-9 {
			t.Errorf("counts %v: shares sum to %v, want 3", counts, sum)
		}
	}
}

// TestSetsExactly goes through all that three releases of sets of two labels can be:
// unbiased shares are right on average, intervals cover, and shares sum to 1.
func TestSetsExactly(t *testing.T) {
	const k, n, confidence = 4, 3, 0.9
	m, err := mech.NewSubset(mech.Params{Epsilon: 1, Own: mech.SubsetParams{Classes: k, Selected: 2}})
	if err != nil {
		t.Fatal(err)
	}
	truth := []float64{0.7, 0.2, 0.1, 0}
	var sets [][]float64
	var p []float64
	for a := range k {
		for b := range a {
			y := make([]float64, k)
			y[a], y[b] = 1, 1
			odds := 0.0 // against a set that nobody stands for
			for x, share := range truth {
				odds += share * (1 + y[x]*math.Expm1(float64(m.Guarantee().Epsilon)))
			}
			sets, p = append(sets, y), append(p, odds)
		}
	}
	total := 0.0
	for _, v := range p {
		total += v
	}
	mean, covered := make([]float64, k), make([]float64, k)
	for i := range len(sets) * len(sets) * len(sets) {
		y, chance := must(t)(estimate.NewTally(m)), 1.0
		for range n {
			if err := y.Add(sets[i%len(sets)]); err != nil {
				t.Fatal(err)
			}
			chance *= p[i%len(sets)] / total
			i /= len(sets)
		}
		s, err := y.Shares(confidence)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for a, each := range s.Each {
			sum += each.Share
			mean[a] += chance * each.Unbiased
			if each.Covers(truth[a]) {
				covered[a] += chance
			}
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Fatalf("shares sum to %v by %s, want 1", sum, s.Method)
		}
	}
	for a := range truth {
		if math.Abs(mean[a]-truth[a]) > 1e-9 || covered[a] < confidence-1e-12 {
			t.Errorf("label %d: mean %v and coverage %v, want %v and at least %v", a, mean[a], covered[a], truth[a], confidence)
		}
	}
}

// TestCoverage releases the answers of people who are drawn at random, and counts
// how often the intervals miss: with probability 10⁻⁵ more often than here, after
// Hoeffding, if each misses with probability 5 %.
func TestCoverage(t *testing.T) {
	draws := dptest.Count(t, 200, 2000)
	const people = 400
	truth := []float64{0.55, 0.25, 0.15, 0.05, 0}
	m, src := krr(t, len(truth), 1.5), dptest.Source(t, 7)
	empty := tally(t, len(truth), 1.5)
	missed := make([]int, len(truth))
	for range draws {
		y := empty.Another()
		for range people {
			u, x := float64(src.Uint64()>>11)/(1<<53), 0
			for u >= truth[x] {
				u -= truth[x]
				x++
			}
			released, err := m.Respond(x, src)
			if err != nil {
				t.Fatal(err)
			}
			y.Count(released, 1)
		}
		s, err := y.Shares(0.95)
		if err != nil {
			t.Fatal(err)
		}
		for a, each := range s.Each {
			if !each.Covers(truth[a]) {
				missed[a]++
			}
		}
	}
	most := 0.05*float64(draws) + math.Sqrt(float64(draws)*math.Log(1e5*float64(len(truth)))/2)
	for a, n := range missed {
		if float64(n) > most {
			t.Errorf("the interval of answer %d missed %d of %d times, want at most %.0f", a, n, draws, most)
		}
	}
}

// TestCompareLevel goes through all that two small groups of the same shares can
// release: the test says that they differ no more often than its level.
func TestCompareLevel(t *testing.T) {
	m := krr(t, 3, 1)
	empty := tally(t, 3, 1)
	levels := []float64{0.01, 0.05, 0.1, 0.3, 0.7}
	for _, truth := range populations {
		wrong, covered := make([]float64, len(levels)), 0.0
		f := chances(t, m, truth)
		enumerate(5, f, func(counts []int, p float64) {
			first := counted(empty, counts)
			enumerate(4, f, func(counts []int, q float64) {
				c, err := first.Compare(counted(empty, counts), 0.9)
				if err != nil {
					t.Fatal(err)
				}
				for i, level := range levels {
					if c.P <= level {
						wrong[i] += p * q
					}
				}
				if d := c.Each[0]; d.Covers(0) {
					covered += p * q
				}
			})
		})
		for i, level := range levels {
			if wrong[i] > level+1e-12 {
				t.Errorf("shares %v: the test of level %v is wrong with probability %v", truth, level, wrong[i])
			}
		}
		if covered < 0.9 {
			t.Errorf("shares %v: the interval of a difference covers with probability %v, want 0.9", truth, covered)
		}
	}
}

// TestCompareFinds: large groups that differ are told apart, and sides are named
// rightly.
func TestCompareFinds(t *testing.T) {
	empty := tally(t, 2, 1)
	c, err := counted(empty, []int{6_000_000, 4_000_000}).Compare(counted(empty, []int{2_400, 2_600}), 0.95)
	if err != nil {
		t.Fatal(err)
	}
	d := c.Each[0]
	if !(c.P < 1e-10) || !(d.Low > 0 && float64(d.Low) < d.Difference && d.Difference < float64(d.High)) {
		t.Errorf("Compare = p %v, difference %v in [%v, %v], want a small p and a positive difference", c.P, d.Difference, d.Low, d.High)
	}
	// 5·4/20 = 1 way of 20 has all three hits on the left, and as many on the right.
	c, err = counted(empty, []int{3, 0}).Compare(counted(empty, []int{0, 3}), 0.95)
	if err != nil || math.Abs(c.Each[0].P-0.1) > 1e-12 || math.Abs(c.P-0.2) > 1e-12 {
		t.Errorf("Compare of 3 of 3 with 0 of 3 = %+v, %v, want p 0.1, and 0.2 of both answers", c, err)
	}
}

// TestSize: the number is the least at which the interval is as narrow as wanted,
// and agrees with the reference: three classes, ε = 1, 10,000 releases, 2.5 points.
func TestSize(t *testing.T) {
	y := tally(t, 3, 1)
	n, share, err := y.Size(0, estimate.Precision{Half: 0.0255, Confidence: 0.95, Share: 1. / 3})
	if err != nil || n < 9_500 || n > 10_500 || share != 1./3 {
		t.Errorf("Size = %d at %v, %v, want about 10000 at 1/3", n, share, err)
	}
	worst, at, err := y.Size(0, estimate.Precision{Half: 0.0255, Confidence: 0.95, Share: -1})
	if err != nil || worst <= n || at <= share {
		t.Errorf("Size at worst = %d at %v, %v, want more than %d", worst, at, err, n)
	}
	for _, p := range []estimate.Precision{{0, 0.95, 0}, {math.NaN(), 0.95, 0}, {0.1, 1, 0}, {0.1, 0.95, 2}, {0.1, 0.95, math.NaN()}, {1e-9, 0.95, 0}} {
		if n, _, err := y.Size(0, p); err == nil {
			t.Errorf("Size(%+v) = %d, want an error", p, n)
		}
	}
}

func TestRefused(t *testing.T) {
	v, err := mech.New(mech.Params{Mechanism: "privunit", Dim: 4, Epsilon: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = estimate.NewTally(v); err == nil {
		t.Error("NewTally of vectors: no error")
	}
	y := tally(t, 3, 1)
	if err = y.Add([]float64{3}); err == nil || y.N() != 0 {
		t.Errorf("Add of no answer: error %v, %d counted", err, y.N())
	}
	if _, err = y.Shares(0.95); !errors.Is(err, estimate.ErrNothing) {
		t.Errorf("Shares of nothing: error %v", err)
	}
	if _, err = y.Compare(tally(t, 3, 2), 0.95); err == nil {
		t.Error("Compare of different ε: no error")
	}
	if _, err = y.Compare(y.Another(), 0.95); !errors.Is(err, estimate.ErrNothing) {
		t.Errorf("Compare of nothing: error %v", err)
	}
	y.Count(0, 1)
	for _, confidence := range []float64{0, 1, math.NaN()} {
		if _, err = y.Shares(confidence); err == nil {
			t.Errorf("Shares(%v): no error", confidence)
		}
	}
}

func Example() {
	m, err := mech.NewKRR(mech.Params{Epsilon: 1, Own: mech.KRRParams{Classes: 3}})
	if err != nil {
		fmt.Println(err)
		return
	}
	t, err := estimate.NewTally(m)
	if err != nil {
		fmt.Println(err)
		return
	}
	for a, releases := range []int{4200, 3300, 2500} {
		t.Count(a, releases)
	}
	s, err := t.Shares(0.95)
	for _, each := range s.Each {
		fmt.Printf("%.2f (%.2f to %.2f)\n", each.Share, each.Low, each.High)
	}
	fmt.Println(s.Method, err)
	// Output:
	// 0.57 (0.54 to 0.60)
	// 0.32 (0.30 to 0.35)
	// 0.10 (0.08 to 0.13)
	// unbiased <nil>
}
