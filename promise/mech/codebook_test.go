package mech_test

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	weakrand "math/rand/v2"
	"slices"
	"testing"

	"sotto/promise/dp"
	"sotto/promise/dp/dptest"
	"sotto/promise/mech"
)

func codebook(tb testing.TB, p mech.Params) *mech.Codebook {
	tb.Helper()
	m, err := mech.NewCodebook(p)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// TestCodebookEnumerated compares the guarantee with the worst ratio over any
// two sets of K near codewords, whether or not inputs exist that have them, and
// all releases.
func TestCodebookEnumerated(t *testing.T) {
	for _, size := range [][2]int{{2, 1}, {5, 1}, {6, 2}, {6, 5}, {7, 3}} {
		n, k := size[0], size[1]
		for _, eps := range []float64{0.05, 1, 8, 60} {
			m := codebook(t, mech.Params{Dim: 3, Epsilon: eps, Own: mech.CodebookParams{Codewords: n, Selected: k}})
			near, _, _ := m.Near()
			// Times K·(N−K)·2⁶⁴.
			in := new(big.Int).Mul(integer(near), big.NewInt(int64(n-k)))
			out := new(big.Int).Mul(integer(near.Not()), big.NewInt(int64(k)))
			chance := func(set uint, i int) *big.Int {
				if set>>i&1 == 1 {
					return in
				}
				return out
			}
			a, b := big.NewInt(1), big.NewInt(1) // the worst ratio
			for set := range uint(1) << n {
				for other := range uint(1) << n {
					if bits.OnesCount(set) != k || bits.OnesCount(other) != k {
						continue
					}
					for i := range n {
						p, q := chance(set, i), chance(other, i)
						if new(big.Int).Mul(p, b).Cmp(new(big.Int).Mul(a, q)) > 0 {
							a, b = p, q
						}
					}
				}
			}
			checkLoss(t, fmt.Sprintf("codebook N=%d K=%d ε=%v", n, k, eps), m.Guarantee(), logRatio(a, b), 1e-9)
		}
	}
}

// TestCodebookLoss compares larger guarantees with the exact loss.
func TestCodebookLoss(t *testing.T) {
	for _, eps := range []float64{1e-3, 0.05, 1, 4, 12, 40} {
		for _, k := range []int{1, 16, 128, 255} {
			m := codebook(t, mech.Params{Dim: 2, Epsilon: eps, Own: mech.CodebookParams{Codewords: 256, Selected: k}})
			near, _, _ := m.Near()
			in := new(big.Int).Mul(integer(near), big.NewInt(int64(256-k)))
			out := new(big.Int).Mul(integer(near.Not()), big.NewInt(int64(k)))
			checkLoss(t, fmt.Sprintf("codebook K=%d ε=%v", k, eps), m.Guarantee(), logRatio(in, out), 1e-9)
		}
	}
}

// TestCodebookLaw compares the indices that are released with their
// probabilities.
func TestCodebookLaw(t *testing.T) {
	heavy(t)
	const n, k, draws = 16, 4, 60000
	m := codebook(t, mech.Params{Dim: 3, Epsilon: 1.5, Own: mech.CodebookParams{Codewords: n, Selected: k, Seed: 7}})
	near, _, _ := m.Near()
	for i, x := range [][]float64{{1, 0, 0}, {-3, 2e-3, 40}, {0, 0, 0}, {1e-170, 1e-170, 0}} {
		law, seen := make([]float64, n), make([]int, n)
		for j := range law {
			law[j] = near.Not().Float64() / (n - k)
		}
		for _, j := range m.Nearest(x) {
			law[j] = near.Float64() / k
		}
		src := dptest.Source(t, uint64(i))
		for range draws {
			j, err := m.Choose(x, src)
			if err != nil {
				t.Fatal(err)
			}
			seen[j]++
		}
		checkCounts(t, fmt.Sprintf("Choose(%v)", x), seen, law)
	}
}

// TestCodebookNearest compares the selection with a full sort.
func TestCodebookNearest(t *testing.T) {
	const dim = 5
	for _, n := range []int{2, 3, 7, 64, 257} {
		for _, k := range []int{1, n / 3, n / 2, n - 1} {
			k = max(k, 1)
			m := codebook(t, mech.Params{Dim: dim, Epsilon: 2, Own: mech.CodebookParams{Codewords: n, Selected: k}})
			word := make([]float64, dim)
			for seed := range uint64(20) {
				x := normals(dim, seed)
				scores := make([]float64, n)
				order := make([]int, n)
				for i := range n {
					m.Codeword(word, i)
					scores[i], order[i] = inner(word, x), i
				}
				slices.SortFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
				got := m.Nearest(x)
				// Scores are computed in float32: a codeword within rounding of
				// the last selected one may stand in for it.
				least := scores[order[k-1]] - 1e-5*length(x)*m.Scale()
				for _, i := range got {
					if scores[i] < least {
						t.Errorf("N=%d K=%d: selected a score of %v, want at least %v", n, k, scores[i], least)
					}
				}
				slices.Sort(got)
				if len(got) != k || len(slices.Compact(got)) != k {
					t.Errorf("N=%d K=%d: selected %v, want K different codewords", n, k, got)
				}
			}
		}
	}
}

// TestCodebookError compares the mean squared error that is stated with
// releases of random directions.
//
// The stated error rests on a few hundred directions drawn from a public seed,
// so that it is itself off by a few parts in a thousand; 2 % is what the
// published comparison is given to, and twenty times the deviation of the mean.
func TestCodebookError(t *testing.T) {
	heavy(t)
	const draws = 20000
	m := codebook(t, mech.Params{Dim: 50, Epsilon: 4, Own: mech.CodebookParams{Codewords: 256, Selected: 16}})
	rng := weakrand.New(weakrand.NewPCG(5, 6))
	src := dptest.Source(t, 2)
	x, y := make([]float64, 50), make([]float64, 50)
	sum, along := 0.0, 0.0
	for range draws {
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		if err := m.PrivatizeTo(y, x, src); err != nil {
			t.Fatal(err)
		}
		for i, u := range directed(x) {
			sum += (y[i] - u) * (y[i] - u)
			along += y[i] * u
		}
	}
	if got := sum / draws; !within(got, m.MSE(), 0.02) {
		t.Errorf("mean squared error over %d draws is %.4g, want MSE() = %.4g up to 2 %%", draws, got, m.MSE())
	}
	if got := along / draws; !within(got, 1, 0.02) {
		t.Errorf("mean length along the input is %.4g, want 1 up to 2 %%", got)
	}
}

func TestCodebookIndex(t *testing.T) {
	m := codebook(t, mech.Params{Dim: 4, Epsilon: 1, Own: mech.CodebookParams{Codewords: 9, Selected: 2}})
	word := make([]float64, 4)
	for i := range 9 {
		m.Codeword(word, i)
		if got, err := m.Index(word); got != i || err != nil {
			t.Errorf("Index(Codeword(%d)) = %d, %v", i, got, err)
		}
		if got := length(word); !within(got, m.Scale(), 1e-6) {
			t.Errorf("codeword %d has length %v, want %v", i, got, m.Scale())
		}
	}
	word[0] = math.Nextafter(word[0], 9)
	if _, err := m.Index(word); !errors.Is(err, dp.ErrDomain) {
		t.Errorf("Index of no codeword = %v, want dp.ErrDomain", err)
	}
}

// TestCodebookSeed: the same parameters give the same public codewords, and
// another seed gives others.
func TestCodebookSeed(t *testing.T) {
	words := func(seed uint64) []float64 {
		m := codebook(t, mech.Params{Dim: 3, Epsilon: 1, Own: mech.CodebookParams{Codewords: 5, Seed: seed}})
		all := make([]float64, 0, 15)
		word := make([]float64, 3)
		for i := range 5 {
			m.Codeword(word, i)
			all = append(all, directed(word)...)
		}
		return all
	}
	if !slices.Equal(words(1), words(1)) {
		t.Error("codewords differ between two codebooks of the same seed")
	}
	if slices.Equal(words(1), words(2)) {
		t.Error("codewords of different seeds are equal")
	}
}

func TestCodebookChooseRefuses(t *testing.T) {
	m := codebook(t, mech.Params{Dim: 2, Epsilon: 1, Own: mech.CodebookParams{Codewords: 4}})
	for _, x := range [][]float64{nil, {1}, {1, 2, 3}, {math.NaN(), 1}, {math.Inf(1), 1}, {1e200, 1e200}} {
		if i, err := m.Choose(x, dptest.Source(t, 1)); !errors.Is(err, dp.ErrDomain) || i != 0 {
			t.Errorf("Choose of %d numbers = %d, %v, want 0 and dp.ErrDomain", len(x), i, err)
		}
	}
}
