package explain_test

import (
	"fmt"
	"math"
	"testing"

	"sotto/promise/dp/dptest"
	"sotto/promise/noise"
	"sotto/study/explain"
)

func explained(weights ...float64) *explain.Explanation {
	e := &explain.Explanation{}
	for i, w := range weights {
		e.Tokens = append(e.Tokens, explain.Token{Text: []string{"Good", "BAD", "odd", "unheard"}[i], Weight: w})
	}
	return e
}

var list = []string{"good", "bad", "odd"}

// TestAudit counts what is told of two texts and fails if any answer is more than e^ε
// times as likely for one as for the other, beyond what chance does to counts once in
// 10⁵ runs.
func TestAudit(t *testing.T) {
	draws := dptest.Count(t, 8_000, 100_000)
	src := dptest.Source(t, 1)
	for _, top := range []int{1, 2} {
		m, err := explain.NewReleased(list, explain.ReleaseOptions{Epsilon: 1, Top: top})
		if err != nil {
			t.Fatal(err)
		}
		g, err := m.Guarantee()
		if err != nil || !(g.Epsilon > 0.9 && g.Epsilon <= 1+1e-9) {
			t.Fatalf("guarantee is %v, %v", g, err)
		}
		texts := []*explain.Explanation{explained(2, -1, .1), explained(-2, 1, 0), explained(0, 0, 0, 5), nil}
		counts := make([]map[string]int, len(texts))
		for i, e := range texts {
			counts[i] = map[string]int{}
			for range draws {
				told, err := m.Release(e, src)
				if err != nil || len(told) != top {
					t.Fatalf("told %v, %v", told, err)
				}
				counts[i][fmt.Sprint(told)]++
			}
		}
		// A share of n draws is off by more than 5.5 standard errors once in 2·10⁷ times;
		// at most 49 answers of 4 texts are compared.
		share := func(i int, answer string, sign float64) float64 {
			p := float64(counts[i][answer]) / float64(draws)
			return p + sign*5.5*math.Sqrt(max(p, 1/float64(draws))/float64(draws))
		}
		for i := range texts {
			for j := range texts {
				for answer := range counts[i] {
					if share(i, answer, -1) > math.Exp(float64(g.Epsilon))*share(j, answer, 1) {
						t.Errorf("top %d: %s is told of text %d in %d and of text %d in %d of %d draws", top, answer, i, counts[i][answer], j, counts[j][answer], draws)
					}
				}
			}
		}
	}
}

// TestTruth checks that at a large ε the truth is told.
func TestTruth(t *testing.T) {
	m, err := explain.NewReleased(list, explain.ReleaseOptions{Epsilon: 300, Top: 3})
	if err != nil {
		t.Fatal(err)
	}
	told, err := m.Release(explained(0.2, -0.7), dptest.Source(t, 1))
	want := []explain.Told{{Word: "bad", Speaks: explain.Against}, {Word: "good", Speaks: explain.For}, {}}
	if err != nil || fmt.Sprint(told) != fmt.Sprint(want) {
		t.Errorf("told %v, %v; want %v", told, err, want)
	}
}

func TestReleaseRefused(t *testing.T) {
	for name, tt := range map[string]struct {
		words []string
		o     explain.ReleaseOptions
	}{
		"no word":   {nil, explain.ReleaseOptions{Epsilon: 1}},
		"two words": {[]string{"very good"}, explain.ReleaseOptions{Epsilon: 1}},
		"twice":     {[]string{"good", "Good"}, explain.ReleaseOptions{Epsilon: 1}},
		"epsilon":   {list, explain.ReleaseOptions{}},
		"NaN":       {list, explain.ReleaseOptions{Epsilon: math.NaN()}},
		"top":       {list, explain.ReleaseOptions{Epsilon: 1, Top: 21}},
	} {
		if _, err := explain.NewReleased(tt.words, tt.o); err == nil {
			t.Errorf("%s: not refused", name)
		}
	}
}

// What may be let out of an explanation, and what that costs.
func ExamplereleaseWords() {
	m, err := explain.NewReleased([]string{"dull", "moving", "wonderful"}, explain.ReleaseOptions{Epsilon: 4})
	if err != nil {
		fmt.Println(err)
		return
	}
	g, err := m.Guarantee() // which a ledger is asked for first
	if err != nil {
		fmt.Println(err)
		return
	}
	told, err := m.Release(&explain.Explanation{Tokens: []explain.Token{{Text: "wonderful", Weight: 0.4}}}, noise.Crypto())
	fmt.Println(len(told), err, g.Epsilon <= 4)
	// Output: 1 <nil> true
}
