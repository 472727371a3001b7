package mech_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"sotto/promise/dp"
	"sotto/promise/dp/dptest"
	"sotto/promise/mech"
)

func privEmb(tb testing.TB, p mech.Params) *mech.PrivEmb {
	tb.Helper()
	m, err := mech.NewPrivEmb(p)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// fact returns a number of the mechanism's account.
func fact(tb testing.TB, m dp.Profiled, name string) float64 {
	tb.Helper()
	for _, f := range m.Profile().Facts {
		if f.Name == name {
			return f.Value
		}
	}
	tb.Fatalf("Profile() has no fact %q", name)
	return 0
}

// spectralNorm returns the largest singular value of Φ.
func spectralNorm(tb testing.TB, phi []float64, rows, cols int) float64 {
	tb.Helper()
	var svd mat.SVD
	if !svd.Factorize(mat.NewDense(rows, cols, slices.Clone(phi)), mat.SVDNone) {
		tb.Fatal("singular values did not converge")
	}
	return svd.Values(nil)[0]
}

// TestPrivEmbSpectral compares the proven bound with the singular values: above
// the largest, and within m^(1/1024) of it. At 300→50 it is about 1+√6.
func TestPrivEmbSpectral(t *testing.T) {
	heavy(t)
	const d, k = 300, 50
	for seed := range uint64(20) {
		m := privEmb(t, mech.Params{Variant: mech.Spectral, Epsilon: 1, Own: mech.PrivEmbParams{InputDim: d, OutputDim: k, Seed: seed}})
		bound := fact(t, m, "spectral_bound")
		if !(bound >= 3.2 && bound <= 3.7) {
			t.Errorf("seed %d: spectral bound of 300→50 is %v, want it in [3.2, 3.7]", seed, bound)
		}
		norm := spectralNorm(t, m.Phi(), k, d)
		if !(bound >= norm) || !(bound <= norm*math.Pow(k, 1.0/1024)*(1+1e-8)) {
			t.Errorf("seed %d: spectral bound is %v, want it above %v and within %v of it", seed, bound, norm, math.Pow(k, 1.0/1024))
		}
	}
}

func TestSpectralBound(t *testing.T) {
	for _, tt := range []struct {
		phi        []float64
		rows, cols int
		norm       float64
	}{
		{[]float64{3}, 1, 1, 3},
		{[]float64{3, 4}, 1, 2, 5},
		{[]float64{2, 0, 0, 2}, 2, 2, 2},
		{[]float64{1e-8, 0, 0, 1e8}, 2, 2, 1e8},
		{[]float64{1, 1, 1, 1}, 2, 2, 2},
	} {
		got := mech.SpectralBound(tt.phi, tt.rows, tt.cols)
		if !(got >= tt.norm && got <= tt.norm*math.Pow(float64(tt.rows), 1.0/1024)*(1+1e-8)) {
			t.Errorf("spectralBound(%v) = %v, want %v or a little more", tt.phi, got, tt.norm)
		}
	}
}

// TestPrivEmbOrthonormal: the default projection stretches nothing, and its
// guarantee is the ε that was asked for.
func TestPrivEmbOrthonormal(t *testing.T) {
	for _, shape := range [][2]int{{1, 1}, {7, 7}, {300, 50}, {64, 63}} {
		d, k := shape[0], shape[1]
		m := privEmb(t, mech.Params{Epsilon: 2, Own: mech.PrivEmbParams{InputDim: d, OutputDim: k}})
		paid := fact(t, m, "sensitivity")
		if norm := spectralNorm(t, m.Phi(), k, d); !(norm <= paid) || !(paid <= 1+1e-12) {
			t.Errorf("%d→%d: rows of norm %v are paid for with %v, want that not below and at most 1+1e-12", d, k, norm, paid)
		}
		if got := mech.IsometryBound(m.Phi(), k, d); got != paid {
			t.Errorf("%d→%d: isometryBound = %v, want what is paid, %v", d, k, got, paid)
		}
		if g := m.Guarantee(); g.Unit != dp.Metric || !within(float64(g.Epsilon), 2, 1e-12) || len(g.Assumptions) != 1 {
			t.Errorf("%d→%d: Guarantee() = %+v, want metric ε = 2 with one assumption", d, k, g)
		}
	}
}

// TestPrivEmbPaper: the published sensitivity 1+β, and what it means for inputs
// of which nothing is assumed.
func TestPrivEmbPaper(t *testing.T) {
	heavy(t)
	for _, tt := range []struct {
		outputs int
		beta    float64
	}{{50, 0.93}, {100, 0.66}, {198, 0.468}} {
		m := privEmb(t, mech.Params{Variant: mech.Paper, Epsilon: 1, Delta: 1e-6, Own: mech.PrivEmbParams{InputDim: 300, OutputDim: tt.outputs}})
		beta := fact(t, m, "beta")
		if math.Abs(beta-tt.beta) > 0.005 {
			t.Errorf("β at m = %d is %v, want %v", tt.outputs, beta, tt.beta)
		}
		if paid := fact(t, m, "sensitivity"); paid != 1+beta {
			t.Errorf("sensitivity at m = %d is %v, want 1+β", tt.outputs, paid)
		}
		want := fact(t, m, "spectral_bound") / (1 + beta)
		if g := m.Guarantee(); !within(float64(g.Epsilon), want, 1e-9) || !(want > 1) {
			t.Errorf("Guarantee() at m = %d is %v, want %v, above the claimed 1", tt.outputs, g, want)
		}
		if claimed := m.Profile().Claimed; claimed != 1 {
			t.Errorf("claimed ε is %v, want 1", claimed)
		}
	}
	m := privEmb(t, mech.Params{Variant: mech.Paper, Epsilon: 1, Own: mech.PrivEmbParams{InputDim: 300, OutputDim: 50}})
	if beta := fact(t, m, "beta"); math.Abs(beta-0.93) > 0.005 {
		t.Errorf("β with the default δ is %v, want that of δ = 1e-6, 0.93", beta)
	}
}

// TestPrivEmbNoise compares the noise around Φx with its law, for every
// variant.
func TestPrivEmbNoise(t *testing.T) {
	const d, k, draws = 9, 4, 10000
	for i, variant := range []string{mech.Orthonormal, mech.Spectral, mech.Paper, mech.M1, mech.Vocabulary} {
		own := mech.PrivEmbParams{InputDim: d, OutputDim: k}
		if variant == mech.M1 {
			own.OutputDim = d
		}
		if variant == mech.Vocabulary {
			own.Vocabulary = vocabulary(d)
		}
		m := privEmb(t, mech.Params{Variant: variant, Epsilon: 2, Own: own})
		x := vocabulary(d)[3]
		center := x
		if variant != mech.M1 {
			center = make([]float64, k)
			for j := range center {
				center[j] = inner(m.Phi()[j*d:(j+1)*d], x)
			}
		}
		var noise [][]float64
		draw(t, m, x, draws, dptest.Source(t, uint64(i)), func(y []float64) {
			v := make([]float64, len(y))
			for j := range v {
				v[j] = y[j] - center[j]
			}
			noise = append(noise, v)
		})
		checkSpherical(t, "privemb "+variant, fact(t, m, "sensitivity")/2, noise)
	}
}

// TestPrivEmbClip: a longer vector is released as its shortening, and then any
// two inputs are neighbours.
func TestPrivEmbClip(t *testing.T) {
	for _, variant := range []string{mech.Orthonormal, mech.M1} {
		p := mech.Params{Variant: variant, Epsilon: 2, Own: mech.PrivEmbParams{InputDim: 6, OutputDim: 6, Clip: 0.5}}
		m := privEmb(t, p)
		if g := m.Guarantee(); g.Unit != dp.Text || !within(float64(g.Epsilon), 2*2*0.5, 1e-9) {
			t.Errorf("Guarantee() = %v, want text-level 2·ε·clip = 2", g)
		}
		long := normals(6, 1)
		for i := range long {
			long[i] *= 1024
		}
		short := directed(long)
		for i := range short {
			short[i] *= 0.5
		}
		a, errA := m.Privatize(long, dptest.Source(t, 1))
		b, errB := m.Privatize(short, dptest.Source(t, 1))
		for i := range a {
			if errA != nil || errB != nil || math.Abs(a[i]-b[i]) > 1e-5 {
				t.Fatalf("%s: a long vector gives %v, %v, its shortening %v, %v", variant, a, errA, b, errB)
			}
		}
		p.Epsilon, p.Own = 1, mech.PrivEmbParams{InputDim: 6, OutputDim: 6}
		if g := privEmb(t, p).Guarantee(); g.Unit != dp.Metric {
			t.Errorf("Guarantee() without a clip radius = %v, want a metric one", g)
		}
	}
}

// TestPrivEmbVocabulary: listed vectors are released and others are not; the
// noise pays for the worst pair.
func TestPrivEmbVocabulary(t *testing.T) {
	const d, k = 8, 3
	words := vocabulary(d)
	m := privEmb(t, mech.Params{Variant: mech.Vocabulary, Epsilon: 1, Own: mech.PrivEmbParams{InputDim: d, OutputDim: k, Vocabulary: words}})
	worst := 0.0
	for i := range words {
		for j := range i {
			diff, image := make([]float64, d), make([]float64, k)
			for c := range diff {
				diff[c] = words[i][c] - words[j][c]
			}
			for r := range image {
				image[r] = inner(m.Phi()[r*d:(r+1)*d], diff)
			}
			worst = max(worst, length(image)/length(diff))
		}
	}
	if paid := fact(t, m, "sensitivity"); !(paid >= worst) || !within(paid, worst, 1e-9) {
		t.Errorf("sensitivity is %v, want the worst pair's stretch, %v", paid, worst)
	}
	near := slices.Clone(words[5])
	near[2] = math.Nextafter(near[2], 9)
	for _, x := range [][]float64{near, make([]float64, d), normals(d, 77)} {
		if _, err := m.Privatize(x, dptest.Source(t, 1)); !errors.Is(err, dp.ErrDomain) {
			t.Errorf("Privatize of a vector that is not listed = %v, want dp.ErrDomain", err)
		}
	}
	for _, x := range words {
		if _, err := m.Privatize(x, dptest.Source(t, 1)); err != nil {
			t.Errorf("Privatize of a listed vector = %v, want none", err)
		}
	}
}

// TestPrivEmbVocabularyClip: clipping turns the differences that the noise pays
// for into others, which must be paid for too.
func TestPrivEmbVocabularyClip(t *testing.T) {
	// One row φ. Two words whose difference is nearly orthogonal to φ, so that it
	// is hardly stretched, and whose shortenings differ along φ.
	free := privEmb(t, mech.Params{Variant: mech.Spectral, Epsilon: 1, Own: mech.PrivEmbParams{InputDim: 2, OutputDim: 1}})
	f := directed(free.Phi())
	g := []float64{-f[1], f[0]}
	words := [][]float64{{f[0], f[1]}, {1.1*f[0] + 10*g[0], 1.1*f[1] + 10*g[1]}}
	m, err := mech.NewPrivEmb(mech.Params{Variant: mech.Vocabulary, Epsilon: 1, Own: mech.PrivEmbParams{InputDim: 2, OutputDim: 1, Clip: 1, Vocabulary: words}})
	if err != nil {
		return // refusing the combination is as good
	}
	y := []float64{length(free.Phi())} // where the first word is projected to
	r, err := m.LogRatio(y, words[0], words[1])
	if most := float64(m.Guarantee().Epsilon); err != nil || !(math.Abs(r) <= most*1.001) {
		t.Errorf("LogRatio of two listed words = %v, %v, want at most the guarantee, %v", r, err, most)
	}
}

// TestPrivEmbVocabularyCopied: a mechanism is immutable, whatever becomes of the
// slices that it was made from.
func TestPrivEmbVocabularyCopied(t *testing.T) {
	words := vocabulary(4)
	m := privEmb(t, mech.Params{Variant: mech.Vocabulary, Epsilon: 1, Own: mech.PrivEmbParams{InputDim: 4, OutputDim: 2, Vocabulary: words}})
	x := slices.Clone(words[0])
	before := fmt.Sprint(m.Profile())
	for _, w := range words {
		w[0]++
	}
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("Profile() panicked after the caller's vocabulary changed: %v", r)
		}
	}()
	if _, err := m.Privatize(x, dptest.Source(t, 1)); err != nil {
		t.Errorf("Privatize after the caller's vocabulary changed = %v, want none", err)
	}
	if after := fmt.Sprint(m.Profile()); after != before {
		t.Errorf("Profile() changed with the caller's vocabulary")
	}
}

// TestPrivEmbSeed: the projection is public and follows from the seed.
func TestPrivEmbSeed(t *testing.T) {
	phi := func(seed uint64) []float64 {
		return privEmb(t, mech.Params{Epsilon: 1, Own: mech.PrivEmbParams{InputDim: 5, OutputDim: 3, Seed: seed}}).Phi()
	}
	if !slices.Equal(phi(1), phi(1)) || slices.Equal(phi(1), phi(2)) {
		t.Error("projections are not those of their seeds")
	}
}
