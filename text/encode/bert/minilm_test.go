package bert_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"

	"sotto/compute/nn"
	"sotto/data/testenv"
	"sotto/text/encode/bert"
)

// openMiniLM opens all-MiniLM-L6-v2, or skips the test where it is absent.
func openMiniLM(tb testing.TB) *bert.Model {
	tb.Helper()
	m, err := bert.Open(testenv.Encoder(tb, "minilm"), bert.Options{Name: "minilm"})
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// TestMiniLM compares with vectors of the reference implementation, which have
// six decimals: their rounding alone costs up to 384·(5e-7)²/2 = 5e-11 of the
// cosine.
func TestMiniLM(t *testing.T) {
	m := openMiniLM(t)
	content, err := os.ReadFile("testdata/minilm.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		Texts   []string
		Vectors [][]float64
	}
	if err = json.Unmarshal(content, &golden); err != nil {
		t.Fatal(err)
	}
	got := nn.NewMatrix(len(golden.Texts), m.Dim())
	if err = m.EncodeBatch(t.Context(), got, golden.Texts, 2); err != nil {
		t.Fatal(err)
	}
	for i, want := range golden.Vectors {
		if d := distance(got.Row(i), want); !(d < 1.5e-6) || !(1-cosine(got.Row(i), want) < 1e-6) {
			t.Errorf("text %d: largest difference %.3g, 1 − cosine = %.3g, want less than 1.5e-6 and 1e-6", i, d, 1-cosine(got.Row(i), want))
		}
	}
}

func cosine(a []float32, b []float64) float64 {
	var ab, aa, bb float64
	for i, v := range b {
		x := float64(a[i])
		ab, aa, bb = ab+x*v, aa+x*x, bb+v*v
	}
	return ab / math.Sqrt(aa*bb)
}

// BenchmarkMiniLM reports sentences per second by length and batch.
func BenchmarkMiniLM(b *testing.B) {
	m := openMiniLM(b)
	for _, workers := range []int{1, 2} {
		for _, batch := range []int{1, 32} {
			for _, tokens := range []int{16, 32, 128} {
				b.Run(fmt.Sprintf("tokens=%d/batch=%d/workers=%d", tokens, batch, workers), func(b *testing.B) {
					texts, dst := sentences(batch, tokens), nn.NewMatrix(batch, m.Dim())
					for b.Loop() {
						if err := m.EncodeTokens(b.Context(), dst, texts, workers); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(float64(batch)*float64(b.N)/b.Elapsed().Seconds(), "sentences/s")
				})
			}
		}
	}
}

func BenchmarkOpen(b *testing.B) {
	openMiniLM(b)
	for b.Loop() {
		openMiniLM(b)
	}
}
