package measure_test

import (
	"encoding/json"
	"math"
	"testing"

	"sotto/compute/measure"
)

func TestSummarise(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   measure.Summary
	}{
		{nil, measure.Summary{measure.Number(nan), measure.Number(nan), measure.Number(nan), measure.Number(nan), 0}},
		{[]float64{3}, measure.Summary{3, measure.Number(nan), measure.Number(nan), measure.Number(nan), 1}},
		// Quantiles of Student's law from tables: 12.7062 and 2.7764.
		{[]float64{1, 3}, measure.Summary{2, math.Sqrt2, 2 - 12.7062, 2 + 12.7062, 2}},
		{[]float64{1, 2, 3, 4, 5}, measure.Summary{
			3, measure.Number(math.Sqrt(2.5)),
			3 - 2.7764*math.Sqrt2/2, 3 + 2.7764*math.Sqrt2/2, 5,
		}},
		{[]float64{7, 7, 7}, measure.Summary{7, 0, 7, 7, 3}},
	} {
		got := measure.Summarise(c.values)
		for _, f := range []struct {
			name      string
			got, want measure.Number
		}{
			{"mean", got.Mean, c.want.Mean},
			{"deviation", got.Deviation, c.want.Deviation},
			{"low", got.Low, c.want.Low},
			{"high", got.High, c.want.High},
		} {
			if !near(float64(f.got), float64(f.want), 1e-4) {
				t.Errorf("%v: %s = %v, want %v", c.values, f.name, f.got, f.want)
			}
		}
		if got.N != c.want.N {
			t.Errorf("%v: n = %d, want %d", c.values, got.N, c.want.N)
		}
	}
}

func TestNumberJSON(t *testing.T) {
	b, err := json.Marshal(measure.Summarise([]float64{0.5}))
	if want := `{"mean":0.5,"deviation":null,"low":null,"high":null,"n":1}`; err != nil || string(b) != want {
		t.Fatalf("Marshal = %s, %v, want %s", b, err, want)
	}
	var back measure.Summary
	if err := json.Unmarshal(b, &back); err != nil || back.Mean != 0.5 || !math.IsNaN(float64(back.Deviation)) || back.N != 1 {
		t.Errorf("Unmarshal = %+v, %v, want a mean of 0.5 and no deviation", back, err)
	}
	if err := json.Unmarshal([]byte(`{"mean":"much"}`), &back); err == nil {
		t.Error("Unmarshal of a string succeeded")
	}
	if b, err := json.Marshal(measure.Number(math.Inf(1))); string(b) != "null" || err != nil {
		t.Errorf("Marshal of ∞ = %s, %v, want null", b, err)
	}
}

// binomialTail returns P(Binomial(n, p) ≥ k).
func binomialTail(n, k int, p float64) float64 {
	sum := 0.0
	for i := k; i <= n; i++ {
		a, _ := math.Lgamma(float64(n + 1))
		b, _ := math.Lgamma(float64(i + 1))
		c, _ := math.Lgamma(float64(n - i + 1))
		sum += math.Exp(a - b - c + float64(i)*math.Log(p) + float64(n-i)*math.Log1p(-p))
	}
	return sum
}

func TestClopperPearson(t *testing.T) {
	for _, c := range []struct{ hits, draws int }{{1, 1}, {1, 10}, {5, 10}, {9, 10}, {37, 500}, {499, 500}} {
		low, high := measure.ClopperPearson(c.hits, c.draws, 0.95)
		if got := binomialTail(c.draws, c.hits, low); !near(got, 0.025, 1e-8) {
			t.Errorf("%v: P(≥ hits | low) = %v, want 0.025", c, got)
		}
		if c.hits < c.draws {
			if got := 1 - binomialTail(c.draws, c.hits+1, high); !near(got, 0.025, 1e-8) {
				t.Errorf("%v: P(≤ hits | high) = %v, want 0.025", c, got)
			}
		}
	}
	for _, c := range []struct {
		hits, draws int
		low, high   float64
	}{{0, 0, 0, 1}, {0, 10, 0, 1 - math.Pow(0.025, 0.1)}, {10, 10, math.Pow(0.025, 0.1), 1}} {
		if low, high := measure.ClopperPearson(c.hits, c.draws, 0.95); !near(low, c.low, 1e-9) || !near(high, c.high, 1e-9) {
			t.Errorf("%d of %d: [%v, %v], want [%v, %v]", c.hits, c.draws, low, high, c.low, c.high)
		}
	}
}
