package mech_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/big"
	weakrand "math/rand/v2"
	"slices"
	"testing"

	"sotto/promise/dp"
	"sotto/promise/dp/dptest"
	"sotto/promise/mech"
)

func ownCodes(p mech.Params) mech.CodesParams { return mech.OwnOf[mech.CodesParams](p) }

func newCodes(tb testing.TB, p mech.Params) *mech.Codes {
	tb.Helper()
	m, err := mech.NewCodes(p)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// uneven returns n different weights that sum to a share of the way from e^−ε to
// 1, on a scale of logarithms.
func uneven(n int, eps, share float64) []float64 {
	w, sum := make([]float64, n), 0.0
	for i := range w {
		w[i] = 1 + float64(i*i%7)/3
		sum += w[i]
	}
	for i := range w {
		w[i] *= math.Exp(-(1-share)*eps) / sum
	}
	return w
}

// rankings calls f with scores for each order of n codes; f must not keep them.
func rankings(n int, f func(scores []float64)) {
	scores := make([]float64, n)
	var place func(used uint, rank int)
	place = func(used uint, rank int) {
		if rank == n {
			f(scores)
			return
		}
		for c := range n {
			if used>>c&1 == 0 {
				scores[c] = -float64(rank)
				place(used|1<<c, rank+1)
			}
		}
	}
	place(0, 0)
}

// checkShares checks the chances of one ranking against their definition: codes
// are raised from the best on, each as far as it can, until none are left.
func checkShares(tb testing.TB, call string, m *mech.Codes, scores []float64, got []uint64) {
	tb.Helper()
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case scores[a] > scores[b]:
			return -1
		case scores[a] < scores[b]:
			return 1
		}
		return 0
	})
	least, rise := m.Bounds()
	want := slices.Clone(least)
	left := uint64(mech.Chances)
	for _, l := range least {
		left -= l
	}
	for _, c := range order {
		more := min(rise[c], left)
		want[c] += more
		left -= more
	}
	if left != 0 || !slices.Equal(got, want) {
		tb.Errorf("%s: chances %v of a ranking, want %v, and %d left over, want 0", call, got, want, left)
	}
}

// TestCodesEnumerated tries all rankings of few codes: chances sum to T, their
// worst ratio is the guarantee, and no more than what was asked for.
func TestCodesEnumerated(t *testing.T) {
	var all []mech.Params
	for _, eps := range []float64{mech.MinEpsilon, 0.05, 1, 4, 30, 60} {
		for n := 2; n <= 5; n++ {
			for j := 1; j < n; j++ {
				all = append(all, mech.Params{Dim: n, Epsilon: eps, Own: mech.CodesParams{Selected: j}})
			}
			for _, share := range []float64{0, 0.01, 0.3, 0.5, 0.9, 1} {
				all = append(all, mech.Params{Dim: n, Epsilon: eps, Own: mech.CodesParams{Weights: uneven(n, eps, share)}})
			}
		}
		// Codes that hardly ever come, and one that is nearly sure.
		all = append(all, mech.Params{Dim: 3, Epsilon: eps, Own: mech.CodesParams{Weights: []float64{math.Exp(-eps / 2), 1e-30, 1e-18}}})
	}
	for _, p := range all {
		call := fmt.Sprintf("codes K=%d selected=%d weights=%v ε=%v", p.Dim, ownCodes(p).Selected, ownCodes(p).Weights, p.Epsilon)
		m := newCodes(t, p)
		low, high := slices.Repeat([]uint64{math.MaxUint64}, p.Dim), make([]uint64, p.Dim)
		rankings(p.Dim, func(scores []float64) {
			got := m.Counts(scores)
			checkShares(t, call, m, scores, got)
			total := uint64(0)
			for c, v := range got {
				total += v
				low[c], high[c] = min(low[c], v), max(high[c], v)
			}
			if total != mech.Chances {
				t.Errorf("%s: chances sum to %d, want %d", call, total, uint64(mech.Chances))
			}
		})
		worst := float()
		for c := range low {
			if l := logRatio(new(big.Int).SetUint64(high[c]), new(big.Int).SetUint64(low[c])); l.Cmp(worst) > 0 {
				worst = l
			}
		}
		checkLoss(t, call, m.Guarantee(), worst, 1e-12)
		if worst.Cmp(float().SetFloat64(p.Epsilon)) > 0 {
			t.Errorf("%s: the exact loss is %.17g, want at most ε", call, worst)
		}
	}
}

// TestCodesLoss: with equal weights the ε asked for is nearly used up, and never
// exceeded.
//
// L is whole and at most one chance above T/(K+(e^ε−1)j). U is then lower by K/j
// chances or fewer, and by one more for being whole: the loss of ε is at most
// (2+K/j)/L, of which the test allows 4K/(jL). room takes 2⁻⁵⁰ of U−L, which is
// less than that part of ε.
func TestCodesLoss(t *testing.T) {
	for _, n := range []int{2, 3, 16, 256, 1000, 1 << 16} {
		for _, j := range []int{0, 1, n / 2, n - 1} {
			for _, eps := range []float64{mech.MinEpsilon, 1e-3, 0.05, 1, 4, 12, 30} {
				m := newCodes(t, mech.Params{Dim: n, Epsilon: eps, Own: mech.CodesParams{Selected: j}})
				k := float64(ownCodes(m.Params()).Selected)
				got := float64(m.Guarantee().Epsilon)
				lost := 4 * (float64(n) / k) * (float64(n) + k*math.Expm1(eps)) / mech.Chances
				if !(got <= eps*(1+1e-13)) || !(got >= eps*(1-1e-13)-lost) {
					t.Errorf("codes K=%d j=%v ε=%v: Guarantee() = %v, want ε less at most %.3g", n, k, eps, got, lost)
				}
			}
		}
	}
}

// TestCodesIsKRR: with one code selected the law is that of randomised response
// on labels. Both round rates to integers of 2⁻⁶² or less, after floats that are
// off by a few parts in 2⁵².
func TestCodesIsKRR(t *testing.T) {
	for _, n := range []int{2, 3, 7, 100} {
		for _, eps := range []float64{0.05, 1, 4, 20} {
			m, k := newCodes(t, mech.Params{Dim: n, Epsilon: eps, Own: mech.CodesParams{Selected: 1}}), krr(t, n, eps)
			for label := range n {
				scores := make([]float64, n)
				scores[label] = 1
				for c, v := range m.Counts(scores) {
					want := k.Keep().Not().Float64() / float64(n-1)
					if c == label {
						want = k.Keep().Float64()
					}
					if got := float64(v) / mech.Chances; math.Abs(got-want) > 0x1p-45+eps*0x1p-43 {
						t.Errorf("codes K=%d ε=%v: P(%d|%d) = %v, want %v, as krr has", n, eps, c, label, got, want)
					}
				}
			}
		}
	}
}

// TestCodesEqualWeights: weights that are all 1/(K+(e^ε−1)j) are the same as j
// selected. Either way L is Tw up to one chance and a part in 2⁴⁸ (room, and the
// float w), and U up to e^ε chances. The code raised last takes what j−1 others
// and K−j leave, which is off by at most j·e^ε + K chances. Raising stops at
// ε(1−2⁻⁴³), and j·e^ε·w is at most 1, so each way is off by another ε·2⁻⁴³.
func TestCodesEqualWeights(t *testing.T) {
	for _, n := range []int{2, 5, 64} {
		for _, j := range []int{1, n / 2, n - 1} {
			for _, eps := range []float64{0.05, 1, 4, 20} {
				w := 1 / (float64(n) + math.Expm1(eps)*float64(j))
				a := newCodes(t, mech.Params{Dim: n, Epsilon: eps, Own: mech.CodesParams{Selected: j}})
				b := newCodes(t, mech.Params{Dim: n, Epsilon: eps, Own: mech.CodesParams{Weights: slices.Repeat([]float64{w}, n)}})
				tolerance := (float64(j)*math.Exp(eps)+float64(n))/mech.Chances + 0x1p-48 + 2*eps*0x1p-43
				for seed := range uint64(5) {
					scores := normals(n, seed)
					counts := b.Counts(scores)
					for c, v := range a.Counts(scores) {
						if d := (float64(v) - float64(counts[c])) / mech.Chances; math.Abs(d) > tolerance {
							t.Errorf("codes K=%d j=%d ε=%v: P(%d) differs by %.3g between selected and weights", n, j, eps, c, d)
						}
					}
				}
			}
		}
	}
}

// TestCodesRanking compares the chances with a full sort, also where scores are
// equal.
func TestCodesRanking(t *testing.T) {
	for _, n := range []int{2, 3, 17, 256, 1000} {
		for name, own := range map[string]mech.CodesParams{
			"one": {Selected: 1}, "most": {Selected: n - 1}, "best": {}, "weights": {Weights: uneven(n, 2, 0.4)},
		} {
			m := newCodes(t, mech.Params{Dim: n, Epsilon: 2, Own: own})
			for seed := range uint64(10) {
				scores := normals(n, seed)
				if seed%2 == 1 {
					for i, v := range scores {
						scores[i] = math.Round(v) // mostly ties, among them −0 and 0
					}
				}
				if seed > 7 {
					slices.Sort(scores)
				}
				checkShares(t, fmt.Sprintf("codes K=%d %s", n, name), m, scores, m.Counts(scores))
			}
		}
	}
}

func TestCodesLaw(t *testing.T) {
	const draws = 60000
	scores := []float64{0, 3, -2, 3, 1e300, -1e-300}
	for i, own := range []mech.CodesParams{
		{Selected: 1}, {Selected: 2}, {Selected: 5}, {Weights: uneven(6, 1.5, 0.4)},
	} {
		p := mech.Params{Dim: len(scores), Epsilon: 1.5, Own: own}
		m := newCodes(t, p)
		src := dptest.Source(t, uint64(i))
		picked, released := make([]int, p.Dim), make([]int, p.Dim)
		for range draws {
			c, err := m.Pick(scores, src)
			if err != nil {
				t.Fatal(err)
			}
			picked[c]++
		}
		draw(t, m, scores, draws, src, func(y []float64) {
			c, err := m.Index(y)
			if err != nil {
				t.Fatal(err)
			}
			released[c]++
		})
		law := make([]float64, p.Dim)
		for c, v := range m.Counts(scores) {
			law[c] = float64(v) / mech.Chances
		}
		checkCounts(t, fmt.Sprintf("Pick by %+v", p), picked, law)
		checkCounts(t, fmt.Sprintf("PrivatizeTo by %+v", p), released, law)
	}
}

// words is a source of chosen words.
type words uint64

func (w words) Uint64() uint64 { return uint64(w) }

// TestCodesPick: code c is released by as many words as it has chances, next to
// those of the code before it. A chance is four words.
func TestCodesPick(t *testing.T) {
	m := newCodes(t, mech.Params{Dim: 5, Epsilon: 2, Own: mech.CodesParams{Weights: uneven(5, 2, 0.3)}})
	scores := normals(5, 1)
	end := uint64(0)
	for c, v := range m.Counts(scores) {
		for _, u := range []uint64{end, end + v/2, end + v - 1} {
			if got, err := m.Pick(scores, words(u<<2|3)); got != c || err != nil {
				t.Errorf("Pick by chance %d = %d, %v, want %d", u, got, err, c)
			}
		}
		end += v
	}
}

// TestCodesWitness: the second of two codes is released with probability 0.4 if
// it ranks first, and 0.2 if last.
func TestCodesWitness(t *testing.T) {
	w := newCodes(t, mech.Params{Dim: 2, Epsilon: 1, Own: mech.CodesParams{Weights: []float64{0.6, 0.2}}}).Profile().Witness
	if !within(w.LogP, math.Log(0.4), 1e-12) || !within(w.LogQ, math.Log(0.2), 1e-12) || w.Y[1] != 1 || w.X[1] <= w.X[0] || w.X2[1] >= w.X2[0] {
		t.Errorf("Profile().Witness = %+v, want ln 0.4 and ln 0.2 for code 1", w)
	}
}

// TestCodesDefault: Ye and Barg's subset size, within its bounds.
func TestCodesDefault(t *testing.T) {
	for _, tt := range []struct {
		n    int
		eps  float64
		want int
	}{{16, 4, 1}, {256, 4, 5}, {1024, 1, 275}, {2, 1e-6, 1}, {100, 1e-6, 50}, {100, 1e6, 1}} {
		if got := ownCodes(newCodes(t, mech.Params{Dim: tt.n, Epsilon: tt.eps}).Params()).Selected; got != tt.want {
			t.Errorf("codes K=%d ε=%v selects %d by default, want %d", tt.n, tt.eps, got, tt.want)
		}
	}
}

// TestCodesParams: nobody can change the weights from outside, and what Params
// returns makes the same mechanism again.
func TestCodesParams(t *testing.T) {
	w := uneven(4, 2, 0.5)
	m := newCodes(t, mech.Params{Dim: 4, Epsilon: 2, Own: mech.CodesParams{Weights: w}})
	want := slices.Clone(w)
	w[0] = 7
	ownCodes(m.Params()).Weights[1] = 7
	if got := ownCodes(m.Params()).Weights; !slices.Equal(got, want) {
		t.Errorf("Params().Weights = %v after writing to copies, want %v", got, want)
	}
	scores := normals(4, 1)
	if again := newCodes(t, m.Params()); !slices.Equal(again.Counts(scores), m.Counts(scores)) {
		t.Error("Params makes another mechanism")
	}
}

// TestCodesNothing: weights that leave no room, or that all room is needed for,
// release the same whatever the ranking.
func TestCodesNothing(t *testing.T) {
	for _, share := range []float64{0, 1} {
		m := newCodes(t, mech.Params{Dim: 9, Epsilon: 3, Own: mech.CodesParams{Weights: uneven(9, 3, share)}})
		if g := m.Guarantee(); !(g.Epsilon < 1e-12) || g.Validate() != nil {
			t.Errorf("weights that sum to e^%v: Guarantee() = %v, want 0", (share-1)*3, g)
		}
	}
}

func TestCodesIndex(t *testing.T) {
	m := newCodes(t, mech.Params{Dim: 4, Epsilon: 1})
	for c := range 4 {
		y := make([]float64, 4)
		y[c] = 1
		if got, err := m.Index(y); got != c || err != nil {
			t.Errorf("Index(%v) = %d, %v, want %d", y, got, err, c)
		}
	}
	for _, y := range [][]float64{nil, {1}, {0, 0, 0, 0}, {1, 0, 0, 1}, {1, 0, 0, 0, 0}, {0, 2, 0, 0}, {1, 0, 1e-300, 0}, {1, math.NaN(), 0, 0}, {-1, 0, 0, 0}} {
		if got, err := m.Index(y); !errors.Is(err, dp.ErrDomain) || got != 0 {
			t.Errorf("Index(%v) = %d, %v, want 0 and dp.ErrDomain", y, got, err)
		}
	}
}

func TestCodesPickRefuses(t *testing.T) {
	m := newCodes(t, mech.Params{Dim: 2, Epsilon: 1})
	for _, x := range [][]float64{nil, {1}, {1, 2, 3}, {math.NaN(), 1}, {1, math.Inf(1)}, {math.Inf(-1), 1}} {
		if c, err := m.Pick(x, dptest.Source(t, 1)); !errors.Is(err, dp.ErrDomain) || c != 0 {
			t.Errorf("Pick of %d numbers = %d, %v, want 0 and dp.ErrDomain", len(x), c, err)
		}
		if _, err := m.LogRatio([]float64{1, 0}, x, []float64{1, 2}); !errors.Is(err, dp.ErrDomain) {
			t.Errorf("LogRatio at %d numbers error = %v, want dp.ErrDomain", len(x), err)
		}
	}
}

// FuzzCodes: any parameters are refused or make a mechanism that keeps its word.
func FuzzCodes(f *testing.F) {
	add := func(eps float64, selected int, weights ...float64) {
		var raw []byte
		for _, w := range weights {
			raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(w))
		}
		f.Add(eps, len(weights), selected, raw, len(weights) > 0)
	}
	add(1, 0, 0.2, 0.3)
	add(4, 0, uneven(7, 4, 0.5)...)
	add(30, 0, 1-1e-12, 1e-12, 1e-300)
	add(1e-6, 0, uneven(5, 1e-6, 1)...)
	f.Add(50.0, 300, 3, []byte{}, false)
	f.Add(1e6, 1<<16, 1, []byte{}, false)
	f.Fuzz(func(t *testing.T, eps float64, n, selected int, raw []byte, weighted bool) {
		own := mech.CodesParams{Selected: selected}
		if weighted {
			own.Weights = []float64{}
			for ; len(raw) >= 8; raw = raw[8:] {
				own.Weights = append(own.Weights, math.Float64frombits(binary.LittleEndian.Uint64(raw)))
			}
			n = len(own.Weights)
		}
		p := mech.Params{Dim: n, Epsilon: eps, Own: own}
		m, err := mech.NewCodes(p)
		if err != nil {
			return
		}
		g := m.Guarantee()
		if !(float64(g.Epsilon) <= eps*(1+1e-9)) || g.Validate() != nil {
			t.Errorf("NewCodes(%+v): Guarantee() = %v, want at most ε", p, g)
		}
		rng := weakrand.New(weakrand.NewPCG(uint64(len(raw)), 1))
		scores := make([]float64, p.Dim)
		var counts [2][]uint64
		for i := range counts {
			for c := range scores {
				scores[c] = math.Round(3 * rng.NormFloat64())
			}
			counts[i] = m.Counts(scores)
			total := uint64(0)
			for _, v := range counts[i] {
				total += v
			}
			if total != mech.Chances || slices.Contains(counts[i], 0) {
				t.Errorf("NewCodes(%+v): chances sum to %d, want %d, none of them 0", p, total, uint64(mech.Chances))
			}
		}
		for c, v := range counts[0] {
			if d := math.Log(float64(v) / float64(counts[1][c])); math.Abs(d) > float64(g.Epsilon)*(1+1e-9)+0x1p-50 {
				t.Errorf("NewCodes(%+v): code %d tells %v, want at most %v", p, c, d, g)
			}
		}
	})
}
