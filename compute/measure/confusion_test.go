package measure_test

import (
	"math"
	"testing"

	"sotto/compute/measure"
)

// TestBalanceByHand holds the measures against what scikit-learn prints for the
// examples of its manual (f1_score with average="macro", balanced_accuracy_score)
// and against fractions that were worked out by hand.
func TestBalanceByHand(t *testing.T) {
	for _, tt := range []struct {
		name            string
		classes         int
		want, got       []int
		f1, mean, least float64
	}{
		// Classes 0, 1, 2 have 2 rows each and 3, 2, 1 answers: F1 is 4/5, 0 and 0.
		{"three classes", 3, []int{0, 1, 2, 0, 1, 2}, []int{0, 2, 1, 0, 0, 1}, 4.0 / 15, 1.0 / 3, 0},
		// Recalls 3/4 and 1/2; F1 is 2·3/(4+4) and 2·1/(2+2).
		{"two classes", 2, []int{0, 1, 0, 0, 1, 0}, []int{0, 1, 0, 0, 0, 1}, 0.625, 0.625, 0.5},
		{"perfect", 2, []int{0, 1, 1}, []int{0, 1, 1}, 1, 1, 1},
		// Nobody has class 2 and nobody says it: it does not count.
		{"absent", 3, []int{0, 0, 1, 1}, []int{0, 1, 1, 1}, (2.0/3 + 4.0/5) / 2, 0.75, 0.5},
		// Nobody has class 2 and somebody says it: its F1 is 0, its recall not defined.
		{"absent but answered", 3, []int{0, 0, 1, 1}, []int{0, 2, 1, 1}, (2.0/3 + 1) / 3, 0.75, 0.5},
		// The commonest class alone: accuracy 0.9 and hardly more than nothing else.
		{"a class vanishes", 2, []int{0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, []int{0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 9.0 / 19, 0.5, 0},
		{"unknown rows", 2, []int{0, -1, 1}, []int{0, 0, -1}, 0.5, 0.5, 0},
	} {
		c := measure.NewConfusion(tt.classes)
		c.Add(tt.want, tt.got)
		b := c.Balance(nil)
		for _, n := range []struct {
			name      string
			got       measure.Number
			want      float64
			low, high measure.Number
		}{
			{"macro-F1", b.MacroF1, tt.f1, b.MacroF1Low, b.MacroF1High},
			{"balanced accuracy", b.Balanced, tt.mean, b.BalancedLow, b.BalancedHigh},
			{"least recall", b.Least, tt.least, b.LeastLow, b.LeastHigh},
		} {
			if math.Abs(float64(n.got)-n.want) > 1e-12 {
				t.Errorf("%s: %s is %v, want %v", tt.name, n.name, n.got, n.want)
			}
			if !(n.low <= n.got && n.got <= n.high && n.low >= 0 && n.high <= 1) {
				t.Errorf("%s: %s is %v in [%v, %v], want it within", tt.name, n.name, n.got, n.low, n.high)
			}
		}
		if got, want := float64(b.Balanced), measure.BalancedAccuracy(tt.want, tt.got); got != want {
			t.Errorf("%s: balanced accuracy is %v, BalancedAccuracy has %v", tt.name, got, want)
		}
		if got, want := float64(c.Accuracy()), measure.Accuracy(tt.want, tt.got); got != want {
			t.Errorf("%s: accuracy is %v, Accuracy has %v", tt.name, got, want)
		}
	}
}

func TestRecalls(t *testing.T) {
	c := measure.NewConfusion(3)
	c.Add([]int{0, 0, 0, 1}, []int{0, 0, 1, 0})
	b := c.Balance([]string{"a", "b", "c"})
	if len(b.Recalls) != 3 {
		t.Fatalf("there are %d recalls, want one a class", len(b.Recalls))
	}
	low, high := measure.ClopperPearson(2, 3, 0.95)
	if r := b.Recalls[0]; r != (measure.Recall{Class: "a", Rows: 3, Value: 2.0 / 3, Low: measure.Number(low), High: measure.Number(high)}) {
		t.Errorf("the first is %+v, want 2 of 3 between %v and %v", r, low, high)
	}
	if r := b.Recalls[1]; r.Value != 0 || r.Rows != 1 || r.Low != 0 {
		t.Errorf("the second is %+v, want 0 of 1", r)
	}
	if r := b.Recalls[2]; !math.IsNaN(float64(r.Value)) || r.Rows != 0 {
		t.Errorf("a class without rows has %+v, want it undefined", r)
	}
	if b.Vanished != 1 {
		t.Errorf("%d classes are never told, want the second alone", b.Vanished)
	}
	if measure.NewConfusion(300).Balance(nil).Recalls != nil {
		t.Error("classes without names have recalls")
	}
}

// TestBalanceOfLaw: the measures of the probabilities of answers are those of the
// answers that were drawn, up to the chance of the draws.
func TestBalanceOfLaw(t *testing.T) {
	const rows = 20_000
	r := rng(5)
	drawn, law := measure.NewConfusion(2), measure.NewConfusion(2)
	for range rows {
		y := 0
		if r.Float64() < 0.2 {
			y = 1
		}
		p := 0.3 + 0.5*float64(y)
		got := 0
		if r.Float64() < p {
			got = 1
		}
		drawn.Add([]int{y}, []int{got})
		law.AddLaw(y, []float64{1 - p, p})
	}
	a, b := drawn.Balance([]string{"no", "yes"}), law.Balance([]string{"no", "yes"})
	if v := float64(b.Balanced); math.Abs(v-0.75) > 1e-9 {
		t.Errorf("balanced accuracy of the law is %v, want (0.7 + 0.8)/2", v)
	}
	// A recall of some 4,000 rows deviates by 0.008 at most; 4.5 deviations have
	// a chance of 10⁻⁵.
	if math.Abs(float64(a.Balanced-b.Balanced)) > 4.5*0.008 || math.Abs(float64(a.MacroF1-b.MacroF1)) > 4.5*0.008 {
		t.Errorf("drawn %+v, by the law %+v", a, b)
	}
	if !(b.MacroF1Low < b.MacroF1 && b.MacroF1 < b.MacroF1High && b.MacroF1High-b.MacroF1Low < 0.03) {
		t.Errorf("macro-F1 is %v in [%v, %v], want a narrow interval around it", b.MacroF1, b.MacroF1Low, b.MacroF1High)
	}
}

func TestSummariseBalance(t *testing.T) {
	of := func(want, got []int) *measure.Balance {
		c := measure.NewConfusion(2)
		c.Add(want, got)
		b := c.Balance([]string{"a", "b"})
		return &b
	}
	one, two := of([]int{0, 0, 1, 1}, []int{0, 0, 1, 1}), of([]int{0, 0, 1, 1}, []int{0, 0, 0, 1})
	mean, deviation := measure.SummariseBalance([]*measure.Balance{one, two})
	if mean.Balanced != 0.875 || mean.Least != 0.75 || mean.Recalls[1].Value != 0.75 || mean.Recalls[0].Class != "a" {
		t.Errorf("mean is %+v, want 0.875 and 0.75", mean)
	}
	if d := float64(deviation.Balanced); math.Abs(d-0.125*math.Sqrt2) > 1e-12 {
		t.Errorf("deviation is %v, want 0.125·√2", d)
	}
	if mean.BalancedLow < 0 || mean.BalancedHigh > 1 || !(mean.BalancedLow <= mean.Balanced) {
		t.Errorf("interval is [%v, %v], want one of a share", mean.BalancedLow, mean.BalancedHigh)
	}
	alone, _ := measure.SummariseBalance([]*measure.Balance{two})
	if alone.BalancedLow != two.BalancedLow || alone.Recalls[1] != two.Recalls[1] {
		t.Errorf("of one seed it is %+v, want %+v", alone, two)
	}
	if m, d := measure.SummariseBalance([]*measure.Balance{one, nil}); m != nil || d != nil {
		t.Error("a mean was taken of what one seed does not have")
	}
}
