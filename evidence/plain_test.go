package evidence_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"sotto/evidence"
	"sotto/promise/dp"
)

func ExamplePlainMeaning() {
	fmt.Println(evidence.PlainMeaning(dp.Guarantee{Unit: dp.Text, Epsilon: 4}))
	fmt.Println(evidence.PlainMeaning(dp.None(dp.Text)))
	// Output:
	// a release changes the odds of anything about the text behind it at most 54.6-fold: who held it for as likely as not (50 %) is at most 98.3 % sure of it afterwards
	// no protection: a release may tell everything about the text behind it
}

// No observer of randomised response, whose ε is exact, believes more than
// Belief says; one who sees the likelier answer believes just that.
func TestBelief(t *testing.T) {
	for _, epsilon := range []float64{0, 0.05, 1, 4, 8} {
		for _, prior := range []float64{0, 0.001, 0.01, 0.5, 0.9, 1} {
			p := math.Exp(epsilon) / (1 + math.Exp(epsilon)) // to tell the truth
			after := prior * p / (prior*p + (1-prior)*(1-p))
			if got := evidence.PlainBelief(prior, dp.Epsilon(epsilon)); !(math.Abs(got-after) < 1e-12) {
				t.Errorf("Belief(%v, %v) = %v, want %v", prior, epsilon, got, after)
			}
		}
	}
	if got := evidence.PlainBelief(0.5, dp.Infinite); got != 1 {
		t.Errorf("Belief without a limit = %v, want 1", got)
	}
}

// What is shown is never below what is meant, and near it.
func TestRoundedUpwards(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	for range 10_000 {
		p := rng.Float64()
		shown, err := strconv.ParseFloat(strings.TrimSuffix(evidence.PlainPercent(p), " %"), 64)
		if err != nil || shown < 100*p*(1-1e-9) || shown > min(100*p+0.101, 100) {
			t.Fatalf("Percent(%v) = %q", p, evidence.PlainPercent(p))
		}
		e := dp.Epsilon(math.Exp(30*rng.Float64() - 10))
		if shown, err = strconv.ParseFloat(evidence.PlainEpsilon(e), 64); err != nil || shown < float64(e)*(1-1e-9) || shown > float64(e)*1.0011 {
			t.Fatalf("Epsilon(%v) = %q", float64(e), evidence.PlainEpsilon(e))
		}
		if e > 13 {
			continue
		}
		if shown, err = strconv.ParseFloat(evidence.PlainFactor(e), 64); err != nil || shown < math.Exp(float64(e))*(1-1e-9) || shown > math.Exp(float64(e))*1.011 {
			t.Fatalf("Factor(%v) = %q", float64(e), evidence.PlainFactor(e))
		}
	}
}

func TestMeaning(t *testing.T) {
	for _, tt := range []struct {
		g    dp.Guarantee
		want string
	}{
		{dp.Guarantee{Unit: dp.Text, Epsilon: 20}, "no protection in practice"},
		{dp.Guarantee{Unit: dp.Word, Epsilon: 1}, "one word of the text"},
		{dp.Guarantee{Unit: dp.Metric, Epsilon: 1}, "vectors lie 1 apart"},
		{dp.Guarantee{Unit: dp.Text, Epsilon: 1, Delta: 1e-6}, "plus δ = 1e-06"},
		{dp.Guarantee{Unit: "person", Epsilon: 1}, "the person behind it"},
		{dp.Guarantee{Unit: dp.Text, Epsilon: dp.Epsilon(math.NaN())}, "no protection:"},
		{dp.Guarantee{Unit: dp.Text, Epsilon: 1, Delta: 1}, "no protection:"},
		{dp.Guarantee{Unit: dp.Text, Epsilon: -1}, "no protection:"},
	} {
		if got := evidence.PlainMeaning(tt.g); !strings.Contains(got, tt.want) {
			t.Errorf("Meaning(%+v) = %q, want it to say %q", tt.g, got, tt.want)
		}
	}
}

// Each ε has one row, by size, and what has no such meaning has none.
func TestSection(t *testing.T) {
	all := []dp.Guarantee{
		{Unit: dp.Text, Epsilon: 8},
		{Unit: dp.Text, Epsilon: 1},
		{Unit: dp.Text, Epsilon: 8 - 1e-10},
		dp.None(dp.Text),
		{Unit: dp.Metric, Epsilon: 3},
		{Unit: dp.Text, Epsilon: 2, Delta: 1e-6},
		{Unit: dp.Word, Epsilon: 1},
	}
	s := evidence.PlainSection(all)
	var got []string
	for _, row := range s.Blocks[len(s.Blocks)-1].Table.Rows {
		got = append(got, row[0].Text+" "+row[1].Text+" "+row[5].Text)
	}
	if want := "1 a text by this limit, 1 a word by this limit, 8 a text by this limit, ∞ a text none"; strings.Join(got, ", ") != want {
		t.Errorf("rows %q, want %q", got, want)
	}
	if s = evidence.PlainSection(nil); len(s.Blocks) != 1 {
		t.Errorf("%d blocks without any ε, want one", len(s.Blocks))
	}
}
