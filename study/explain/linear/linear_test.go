package linear_test

import (
	"context"
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sotto/study/explain"
	"sotto/study/explain/linear"
)

func TestTokens(t *testing.T) {
	for _, tt := range []struct {
		s    string
		want []string
	}{
		{"they wo n't sit still .", []string{"they", "wo", "n't", "sit", "still", "."}},
		{"It's a \"re-imagining\", really...", []string{"It's", "a", "\"", "re-imagining", "\",", "really", "..."}},
		{"the film 's end", []string{"the", "film", "'s", "end"}},
		{" … ", []string{"…"}},
		{"", nil},
		{"caf\u00e9 cafe\u0301, \xff\xff!", []string{"café", "cafe\u0301", ",", "\xff\xff!"}},
	} {
		var got []string
		for _, w := range linear.Tokens(tt.s) {
			got = append(got, tt.s[w.Start:w.End])
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("Tokens(%q) = %q, want %q", tt.s, got, tt.want)
		}
	}
}

// corpus is texts in which some words tell the class.
func corpus(n, classes int, seed uint64) (texts []string, labels []int) {
	rng := weakrand.New(weakrand.NewPCG(seed, 1))
	for range n {
		y := rng.IntN(classes)
		words := make([]string, 4+rng.IntN(6))
		for i := range words {
			words[i] = fmt.Sprintf("w%d", rng.IntN(40))
		}
		if rng.IntN(3) > 0 {
			words[rng.IntN(len(words))] = fmt.Sprintf("tell%d", y)
		}
		texts, labels = append(texts, strings.Join(words, " ")), append(labels, y)
	}
	return texts, labels
}

func names(n int) []string { return []string{"no", "yes", "maybe", "later"}[:n] }

func fitted(t *testing.T, texts []string, labels []int, classes int, o linear.Options) (*linear.Model, *linear.Rows) {
	t.Helper()
	f := linear.Learn(texts)
	x, err := f.Rows(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	m, err := linear.Fit(t.Context(), f, x, labels, names(classes), o)
	if err != nil {
		t.Fatal(err)
	}
	return m, x
}

// TestMinimum: of one column that is 1 in every row of one class and 0 in the other, the
// minimum of ½w² + 2·log(1+exp(−(w+b))) + 2·log(1+exp(b)) has b = −w/2 by symmetry, and
// there w = 2/(1+exp(w/2)), by setting the derivative in w to zero.
func TestMinimum(t *testing.T) {
	m, _ := fitted(t, []string{"tell", "tell", "", ""}, []int{1, 1, 0, 0}, 2, linear.Options{})
	w, rank, ok := m.Weights("tell", 1)
	if want := 2 / (1 + math.Exp(w/2)); !ok || rank != 1 || math.Abs(w-want) > 1e-6 {
		t.Errorf("weight of the word is %v, rank %d; want a weight w with w = 2/(1+exp(w/2)), which is %v here, and rank 1", w, rank, want)
	}
	if opposite, _, _ := m.Weights("tell", 0); opposite != -w {
		t.Errorf("weight for the other class is %v, want %v", opposite, -w)
	}
}

// TestOpen: leaving words out by the quick way is reading what is left.
func TestOpen(t *testing.T) {
	for _, classes := range []int{2, 3} {
		texts, labels := corpus(200, classes, 1)
		texts[0] = "tell0 is n't w1 w2-w3, w1 w2 \"w4\" w1 w2! 's w5's"
		texts[1] = "they don't tell1 : tell1"
		m, _ := fitted(t, texts, labels, classes, linear.Options{})
		rng := weakrand.New(weakrand.NewPCG(3, 4))
		for _, s := range texts[:20] {
			words := explain.Words(s)
			opened, err := m.Open(t.Context(), s, words)
			if err != nil || opened == nil {
				t.Fatalf("Open: %v, %v", opened == nil, err)
			}
			var kept [][]bool
			var left []string
			for range 30 {
				k := make([]bool, len(words))
				for i := range k {
					k[i] = rng.IntN(2) == 0
				}
				kept, left = append(kept, k), append(left, explain.Without(s, words, k))
			}
			got, err := opened(t.Context(), kept)
			if err != nil {
				t.Fatal(err)
			}
			want, err := m.Predict(t.Context(), left)
			if err != nil {
				t.Fatal(err)
			}
			for i := range got {
				for c := range got[i] {
					if math.Abs(got[i][c]-want[i][c]) > 1e-12 {
						t.Fatalf("%q: opened gives %v, reading it %v", left[i], got[i], want[i])
					}
				}
			}
		}
	}
}

// TestGradients: the slopes are those of the probabilities, so that integrated gradients
// are complete.
func TestGradients(t *testing.T) {
	for _, classes := range []int{2, 4} {
		texts, labels := corpus(300, classes, 2)
		m, _ := fitted(t, texts, labels, classes, linear.Options{})
		for class := range classes {
			for _, s := range append(texts[:5:5], "tell0 , tell1 tell1 w1-w2 !") {
				e, err := explain.Gradients{Steps: 800}.Explain(t.Context(), m, s, class)
				if err != nil || e.Check > 1e-6 {
					t.Fatalf("integrated gradients of class %d: check %v, error %v", class, e.Check, err)
				}
			}
		}
	}
}

// TestInfluence: influence is, to first order, what leaving a row out does. With rows that
// count little, the first order is nearly all.
func TestInfluence(t *testing.T) {
	texts, labels := corpus(150, 2, 5)
	o := linear.Options{C: 0.02}
	m, x := fitted(t, texts, labels, 2, o)
	e := m.Examples(x, labels)
	asked, err := m.Features().Rows(t.Context(), []string{"tell1 w3 w7 w9"})
	if err != nil {
		t.Fatal(err)
	}
	loss := func(m *linear.Model) float64 { return -math.Log(m.Answer(asked)[0][0]) }
	help, harm := e.Influence(asked, 0, 0, 5)
	for _, ex := range append(help, harm...) {
		var rest []int
		var y []int
		for i := range texts {
			if i != ex.Row {
				rest, y = append(rest, i), append(y, labels[i])
			}
		}
		without, err := linear.Fit(t.Context(), m.Features(), x.Gather(rest), y, names(2), o)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := ex.Score, loss(without)-loss(m); got*want <= 0 || math.Abs(got-want) > 0.1*math.Abs(want) {
			t.Errorf("influence of row %d is %.4g, leaving it out changes the loss by %.4g", ex.Row, got, want)
		}
	}
	if help[0].Score < help[1].Score || harm[0].Score > harm[1].Score || help[0].Score <= 0 || harm[0].Score >= 0 {
		t.Errorf("rows that help have %v, that harm %v; want the strongest first", help, harm)
	}
}

// TestMislabelled: a row with a wrong label is found by each finder, alike on any number
// of workers.
func TestMislabelled(t *testing.T) {
	var texts []string
	var labels []int
	for i := range 60 {
		texts, labels = append(texts, fmt.Sprintf("tell%d w%d w%d", i%2, i%7, i%5)), append(labels, i%2)
	}
	labels[8] = 1
	m, x := fitted(t, texts, labels, 2, linear.Options{})
	e := m.Examples(x, labels)
	near, err := e.Disagreement(t.Context(), 10, 1)
	if err != nil {
		t.Fatal(err)
	}
	self, err := e.SelfInfluence(t.Context(), 30, 1)
	if err != nil {
		t.Fatal(err)
	}
	for name, scores := range map[string][]float64{"loss": e.Losses(), "neighbours": near, "influence": self} {
		if got := linear.Order(scores)[0]; got != 8 {
			t.Errorf("%s suspects row %d first, want 8", name, got)
		}
	}
	near2, _ := e.Disagreement(t.Context(), 10, 4)
	self2, _ := e.SelfInfluence(t.Context(), 30, 4)
	if !reflect.DeepEqual(near, near2) || !reflect.DeepEqual(self, self2) {
		t.Error("other numbers with four workers, want the same")
	}
	if got := e.Nearest(x, 8, 3, 8); len(got) != 3 || got[0].Score < got[2].Score || got[0].Row == 8 {
		t.Errorf("Nearest = %v, want three others, nearest first", got)
	}
}

// TestAgainst: a penalty on what a word is worth makes it worth little.
func TestAgainst(t *testing.T) {
	texts, labels := corpus(300, 2, 7)
	m, x := fitted(t, texts, labels, 2, linear.Options{})
	before, _, _ := m.Weights("tell1", 1)
	against, err := linear.Attributed(t.Context(), m.Features(), texts, map[string]bool{"tell1": true}, 1000)
	if err != nil {
		t.Fatal(err)
	}
	held, err := linear.Fit(t.Context(), m.Features(), x, labels, names(2), linear.Options{Against: against})
	if err != nil {
		t.Fatal(err)
	}
	worth := 0.0
	for _, s := range texts {
		if rest, ok := linear.Without(s, map[string]bool{"tell1": true}); ok {
			p, err := held.Predict(t.Context(), []string{s, rest})
			if err != nil {
				t.Fatal(err)
			}
			worth = max(worth, math.Abs(math.Log(p[0][1]/p[0][0])-math.Log(p[1][1]/p[1][0])))
		}
	}
	if before < 1 || worth > before/3 {
		t.Errorf("the word was worth %.3f and is worth up to %.3f with a penalty, want less than a third", before, worth)
	}
}

func TestFitRefuses(t *testing.T) {
	f := linear.Learn([]string{"a b"})
	x, err := f.Rows(t.Context(), []string{"a", "b"})
	if err != nil {
		t.Fatal(err)
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		name   string
		ctx    context.Context
		labels []int
		o      linear.Options
	}{
		{"one class", t.Context(), []int{1, 1}, linear.Options{}},
		{"no such class", t.Context(), []int{0, 2}, linear.Options{}},
		{"negative C", t.Context(), []int{0, 1}, linear.Options{C: -1}},
		{"NaN", t.Context(), []int{0, 1}, linear.Options{C: math.NaN()}},
		{"done", done, []int{0, 1}, linear.Options{}},
	} {
		if _, err := linear.Fit(tt.ctx, f, x, tt.labels, names(2), tt.o); err == nil {
			t.Errorf("%s: no error", tt.name)
		}
	}
}

func ExampleFit() {
	texts := []string{"a dull film", "a great film", "dull", "great"}
	ctx := context.Background()
	f := linear.Learn(texts)
	rows, _ := f.Rows(ctx, texts)
	m, _ := linear.Fit(ctx, f, rows, []int{0, 1, 0, 1}, []string{"negative", "positive"}, linear.Options{})
	p, _ := m.Predict(ctx, []string{"great acting"})
	fmt.Println(p[0][1] > 0.5)
	// Output: true
}
