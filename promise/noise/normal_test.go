package noise_test

import (
	"fmt"
	"math"
	"testing"

	"sotto/promise/noise"
)

func phi(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

// unitWord returns the word that symmetric maps to the odd multiple of 2⁻⁵² at
// or next above x.
func unitWord(x float64) uint64 { return uint64(int64(math.Floor(x*0x1p52))) << 11 }

func TestUniformWords(t *testing.T) {
	for _, tt := range []struct {
		word               uint64
		uniform, symmetric float64
	}{
		{0, 0x1p-53, 0x1p-52},
		{1<<12 - 1, 0x1p-53, 0x1p-52}, // the last twelve bits are not used
		{1 << 12, 3 * 0x1p-53, 3 * 0x1p-52},
		{1<<63 - 1, 0.5 - 0x1p-53, 1 - 0x1p-52},
		{1 << 63, 0.5 + 0x1p-53, -1 + 0x1p-52},
		{math.MaxUint64, 1 - 0x1p-53, -0x1p-52},
	} {
		if got := scripted(tt.word).Uniform(); got != tt.uniform {
			t.Errorf("Uniform from %#x = %v, want %v", tt.word, got, tt.uniform)
		}
		if got := scripted(tt.word).Symmetric(); got != tt.symmetric {
			t.Errorf("symmetric from %#x = %v, want %v", tt.word, got, tt.symmetric)
		}
	}
}

// TestNormalWords follows the polar method by hand: (1, 1) lies outside of the
// circle and is drawn again; (0.6, −0.5) has q = 0.61.
func TestNormalWords(t *testing.T) {
	words := []uint64{unitWord(0.9999), unitWord(0.9999), unitWord(0.6), unitWord(-0.5)}
	f := math.Sqrt(-2 * math.Log(0.61) / 0.61)
	near := func(got, want float64) bool { return math.Abs(got-want) < 1e-14 }
	if got := scripted(words...).Normal(); !near(got, 0.6*f) {
		t.Errorf("Normal() = %v, want %v", got, 0.6*f)
	}
	var pair [2]float64
	scripted(words...).Normals(pair[:])
	if !near(pair[0], 0.6*f) || !near(pair[1], -0.5*f) {
		t.Errorf("Normals = %v, want [%v %v]", pair, 0.6*f, -0.5*f)
	}
	for n := range 6 { // each number once, also the odd one
		x := make([]float64, n)
		src := &script{words: []uint64{words[2], words[3], words[3], words[2], words[2], words[2]}}
		noise.From(src).Normals(x)
		want := []float64{0.6 * f, -0.5 * f, -0.5 * f, 0.6 * f, math.Sqrt(-math.Log(0.72))}
		for i := range x {
			if !near(x[i], want[i]) {
				t.Errorf("Normals of length %d = %v, want %v", n, x, want[:n])
				break
			}
		}
		if used := (n + 1) / 2 * 2; src.used != used {
			t.Errorf("Normals of length %d used %d words, want %d", n, src.used, used)
		}
	}
}

func TestUniformLaw(t *testing.T) {
	s, x := seeded(t, 31), make([]float64, 500_000)
	for i := range x {
		x[i] = s.Uniform()
		if odd := x[i] * 0x1p53; !(x[i] > 0 && x[i] < 1) || math.Mod(odd, 2) != 1 {
			t.Fatalf("Uniform() = %v, want an odd multiple of 2⁻⁵³ in (0, 1)", x[i])
		}
	}
	checkLaw(t, "Uniform", x, 0, func(v float64) float64 { return min(max(v, 0), 1) })
}

func TestNormalLaw(t *testing.T) {
	s, x := seeded(t, 32), make([]float64, 500_000)
	for i := range x {
		x[i] = s.Normal()
	}
	checkLaw(t, "Normal", x, 0, phi)
}

// TestNormalsLaw checks each place of a slice of odd length, and that the two
// numbers of a point, and of neighbouring points, are independent.
func TestNormalsLaw(t *testing.T) {
	const length, rounds = 5, 200_000
	s := seeded(t, 33)
	var places [length][]float64
	pairs := make([][]int, length-1)
	for i := range pairs {
		pairs[i] = make([]int, 64)
	}
	var dst [length]float64
	for range rounds {
		s.Normals(dst[:])
		for i, v := range dst {
			places[i] = append(places[i], v)
			if i > 0 {
				pairs[i-1][int(8*phi(dst[i-1]))*8+int(8*phi(v))]++
			}
		}
	}
	even := make([]float64, 64)
	for i := range even {
		even[i] = 1.0 / 64
	}
	for i := range places {
		checkLaw(t, fmt.Sprintf("Normals, place %d of %d", i, length), places[i], 0, phi)
		if i > 0 {
			checkCounts(t, fmt.Sprintf("Normals, places %d and %d of %d", i-1, i, length), pairs[i-1], even)
		}
	}
	x := make([]float64, 500_000)
	noise.Crypto().Normals(x)
	checkLaw(t, "Normals, Crypto", x, 0, phi)
}

func TestGammaLaw(t *testing.T) {
	for i, shape := range []float64{0.5, 0.75, 0.999, 1, 1.5, 4, 50, 768} {
		t.Run(fmt.Sprint(shape), func(t *testing.T) {
			s, x := seeded(t, byte(40+i)), make([]float64, 100_000)
			for i := range x {
				x[i] = s.Gamma(shape)
			}
			checkLaw(t, fmt.Sprintf("Gamma(%v)", shape), x, 0, func(v float64) float64 {
				below, _ := gammaTails(shape, v)
				return below
			})
		})
	}
}

// TestGammaPanics includes the shape for which no float can be returned: the
// script ends a loop that would not.
func TestGammaPanics(t *testing.T) {
	for _, shape := range []float64{math.NaN(), math.Inf(-1), -1, 0, 0.49999, math.Inf(1)} {
		src := &script{words: make([]uint64, 10_000)}
		for i := range src.words {
			src.words[i] = unitWord([]float64{0.6, -0.5, 0.3}[i%3])
		}
		got := recovered(func() { noise.From(src).Gamma(shape) })
		if want := "noise: gamma shape"; !hasPrefix(got, want) {
			t.Errorf("Gamma(%v) drew %d words and panicked with %q, want %q…", shape, src.used, got, want)
		}
	}
}
