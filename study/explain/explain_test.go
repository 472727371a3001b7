package explain_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"sotto/study/explain"
	"sotto/text"
)

// toy is a predictor of two classes whose log-odds add up what words are worth, and
// what pairs of them are.
type toy struct {
	words map[string]float64
	pairs map[[2]string]float64
	bias  float64
	asked *int
}

func (toy) Classes() []string { return []string{"bad", "good"} }

func (t toy) Predict(_ context.Context, texts []string) ([][]float64, error) {
	rows := make([][]float64, len(texts))
	for i, s := range texts {
		has := map[string]bool{}
		sum := t.bias
		for _, w := range explain.Words(s) {
			has[s[w.Start:w.End]] = true
			sum += t.words[s[w.Start:w.End]]
		}
		for p, v := range t.pairs {
			if has[p[0]] && has[p[1]] {
				sum += v
			}
		}
		p := 1 / (1 + math.Exp(-sum))
		rows[i] = []float64{1 - p, p}
	}
	if t.asked != nil {
		*t.asked += len(texts)
	}
	return rows, nil
}

var film = toy{
	words: map[string]float64{"wonderful": 2, "dull": -1.5, "film": 0.1, "never": -0.7, "and": 0.05},
	pairs: map[[2]string]float64{{"never", "dull"}: 2.5},
	bias:  -0.2,
}

const review = "A wonderful film, never dull and oddly moving, I say."

func TestWords(t *testing.T) {
	for _, tt := range []struct {
		s    string
		want []string
	}{
		{"A dull film.", []string{"A", "dull", "film"}},
		{"don't – snake_case 3D", []string{"don", "t", "snake_case", "3D"}},
		{" \n", nil},
		{"", nil},
		{"café naïve", []string{"café", "naïve"}},
		{"e\u0301t\u00e9 \u0301x", []string{"e\u0301t\u00e9", "x"}},
		{"a\xffb", []string{"a", "b"}},
		{"nicht", []string{"nicht"}},
	} {
		var got []string
		for _, w := range explain.Words(tt.s) {
			got = append(got, tt.s[w.Start:w.End])
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("Words(%q) = %q, want %q", tt.s, got, tt.want)
		}
	}
}

func FuzzWords(f *testing.F) {
	f.Add("A dull film.")
	f.Add("a\xff\u0301")
	f.Fuzz(func(t *testing.T, s string) {
		words := explain.Words(s)
		at := 0
		for _, w := range words {
			if w.Start < at || w.End <= w.Start || w.End > len(s) {
				t.Fatalf("word %v of %q lies wrongly", w, s)
			}
			at = w.End
		}
		all, none := make([]bool, len(words)), make([]bool, len(words))
		for i := range all {
			all[i] = true
		}
		if got := explain.Without(s, words, all); got != s {
			t.Errorf("Without of nothing = %q, want %q", got, s)
		}
		rest := explain.Without(s, words, none)
		for _, w := range words {
			at -= w.End - w.Start
		}
		if len(rest) > len(s) {
			t.Errorf("Without of all has %d bytes of %d", len(rest), len(s))
		}
	})
}

func TestOcclusion(t *testing.T) {
	e, err := explain.Occlusion{}.Explain(t.Context(), film, review, explain.Predicted)
	if err != nil {
		t.Fatal(err)
	}
	if e.Prediction != "good" || e.Class != "good" || e.Tokens[1].Text != "wonderful" {
		t.Fatalf("explanation is %+v", e)
	}
	without := strings.Replace(review, "wonderful", "", 1)
	rows, _ := film.Predict(t.Context(), []string{review, without})
	if got, want := e.Tokens[1].Weight, rows[0][1]-rows[1][1]; got != want {
		t.Errorf("weight of wonderful is %v, want %v", got, want)
	}
	other, err := explain.Occlusion{}.Explain(t.Context(), film, review, 0)
	if err != nil || other.Class != "bad" || other.Prediction != "good" {
		t.Fatalf("explanation of the other class is %+v, %v", other, err)
	}
	for i, w := range other.Tokens {
		if math.Abs(w.Weight+e.Tokens[i].Weight) > 1e-12 {
			t.Errorf("weight of %s is %v for one class of two and %v for the other", w.Text, e.Tokens[i].Weight, w.Weight)
		}
	}
}

// TestSHAP compares KernelSHAP on all choices, and the definition over subsets, with
// the definition over orders.
func TestSHAP(t *testing.T) {
	for _, s := range []string{"wonderful", "never dull", "A wonderful film never dull", review} {
		exact, err := explain.SHAP{}.Explain(t.Context(), film, s, explain.Predicted)
		if err != nil {
			t.Fatal(err)
		}
		kernel, err := explain.SHAP{Exact: -1}.Explain(t.Context(), film, s, explain.Predicted)
		if err != nil {
			t.Fatal(err)
		}
		for i, w := range exact.Tokens {
			if math.Abs(w.Weight-kernel.Tokens[i].Weight) > 1e-9 {
				t.Errorf("value of %s in %q is %v by KernelSHAP, want %v", w.Text, s, kernel.Tokens[i].Weight, w.Weight)
			}
		}
		if exact.Check > 1e-12 || kernel.Check > 1e-12 {
			t.Errorf("values of %q miss by %v and %v, want none", s, exact.Check, kernel.Check)
		}
	}
	small, err := explain.SHAP{}.Explain(t.Context(), film, "wonderful never dull", 1)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range overOrders(t, "wonderful never dull") {
		if got := small.Tokens[i].Weight; math.Abs(got-want) > 1e-12 {
			t.Errorf("value of word %d is %v, want %v by orders", i, got, want)
		}
	}
}

// overOrders returns the Shapley values of three words, by the six orders.
func overOrders(t *testing.T, s string) []float64 {
	t.Helper()
	words := explain.Words(s)
	values := make([]float64, 3)
	for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		kept := make([]bool, 3)
		for _, w := range order {
			before := good(t, explain.Without(s, words, kept))
			kept[w] = true
			values[w] += (good(t, explain.Without(s, words, kept)) - before) / 6
		}
	}
	return values
}

func good(t *testing.T, s string) float64 {
	t.Helper()
	rows, err := film.Predict(t.Context(), []string{s})
	if err != nil {
		t.Fatal(err)
	}
	return rows[0][1]
}

// TestLongSHAP holds KernelSHAP on a sample against what it should find: the values
// of words that do not interact and of which each is worth little are nearly those of
// a linear function.
func TestLongSHAP(t *testing.T) {
	var b strings.Builder
	worth := map[string]float64{}
	for i := range 40 {
		w := "w" + string(rune('a'+i%26)) + string(rune('a'+i/26))
		worth[w] = 0.01 * float64(i%7-3)
		b.WriteString(w + " ")
	}
	p := toy{words: worth}
	e, err := explain.SHAP{Seed: 3}.Explain(t.Context(), p, b.String(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if e.Check > explain.AdditiveTo {
		t.Errorf("values miss by %v, want at most %v", e.Check, explain.AdditiveTo)
	}
	for _, w := range e.Tokens {
		if want := worth[w.Text] / 4; math.Abs(w.Weight-want) > 2e-4 { // the slope of the logistic function at 0
			t.Errorf("value of %s is %v, want about %v", w.Text, w.Weight, want)
		}
	}
	again, err := explain.SHAP{Seed: 3}.Explain(t.Context(), p, b.String(), 1)
	if err != nil || !slices.Equal(e.Tokens, again.Tokens) {
		t.Errorf("the same seed gives other values, %v", err)
	}
}

func TestLIME(t *testing.T) {
	asked := 0
	p := film
	p.asked = &asked
	e, err := explain.LIME{Seed: 1}.Explain(t.Context(), p, review, explain.Predicted)
	if err != nil {
		t.Fatal(err)
	}
	again, err := explain.LIME{Seed: 1}.Explain(t.Context(), p, review, explain.Predicted)
	if err != nil || !slices.Equal(e.Tokens, again.Tokens) || *e.Local != *again.Local {
		t.Errorf("the same seed gives other bits: %v, %v", again, err)
	}
	other, err := explain.LIME{Seed: 2}.Explain(t.Context(), p, review, explain.Predicted)
	if err != nil || slices.Equal(e.Tokens, other.Tokens) {
		t.Errorf("another seed gives the same bits: %v", err)
	}
	if e.Tokens[1].Weight < 0.2 || !(e.Local.R2 > 0.5 && e.Local.R2 <= 1) || !(e.Local.Agreement > 0.5) || e.Local.Samples != 5000 {
		t.Errorf("explanation is %+v with %+v", e.Tokens, e.Local)
	}
	if asked > 3*1024+3 { // ten words: what is asked twice is asked once
		t.Errorf("the predictor was asked %d times, want at most %d", asked, 3*1024+3)
	}
}

// TestLIMEFeatures checks that so many words have a weight, by both ways of choosing,
// and that a word at two places has one weight.
func TestLIMEFeatures(t *testing.T) {
	for _, n := range []int{1, 2, 6, 7, 8, 100} {
		e, err := explain.LIME{Features: n, Samples: 1000}.Explain(t.Context(), film, "wonderful wonderful film never dull and oddly moving I say so", 1)
		if err != nil {
			t.Fatal(err)
		}
		if e.Tokens[0].Weight != e.Tokens[1].Weight {
			t.Errorf("one word has the weights %v and %v", e.Tokens[0].Weight, e.Tokens[1].Weight)
		}
		if e.Tokens[0].Weight == 0 {
			t.Errorf("the strongest word has no weight among %d", n)
		}
		have := 0
		for _, w := range e.Tokens[1:] {
			if w.Weight != 0 {
				have++
			}
		}
		if have > n || n <= 8 && have < n {
			t.Errorf("%d words have a weight, want %d", have, n)
		}
	}
}

func TestRefused(t *testing.T) {
	for name, f := range map[string]func() error{
		"no word": func() error { _, err := explain.Occlusion{}.Explain(t.Context(), film, "?!", 0); return err },
		"many words": func() error {
			_, err := explain.SHAP{}.Explain(t.Context(), film, strings.Repeat("a ", 3000), 0)
			return err
		},
		"class":   func() error { _, err := explain.LIME{}.Explain(t.Context(), film, "a", 2); return err },
		"samples": func() error { _, err := explain.LIME{Samples: 3}.Explain(t.Context(), film, "a b", 1); return err },
		"width": func() error {
			_, err := explain.LIME{Width: math.NaN()}.Explain(t.Context(), film, "a b", 1)
			return err
		},
		"features":    func() error { _, err := explain.LIME{Features: -1}.Explain(t.Context(), film, "a b", 1); return err },
		"exact":       func() error { _, err := explain.SHAP{Exact: 40}.Explain(t.Context(), film, "a b", 1); return err },
		"few choices": func() error { _, err := explain.SHAP{Samples: 2}.Explain(t.Context(), film, "a b c", 1); return err },
		"gradients":   func() error { _, err := explain.Gradients{}.Explain(t.Context(), film, "a b c", 1); return err },
		"bad rows":    func() error { _, err := explain.Occlusion{}.Explain(t.Context(), broken{}, "a b c", 1); return err },
	} {
		if err := f(); err == nil {
			t.Errorf("%s is not refused", name)
		}
	}
	_, err := explain.Occlusion{}.Explain(t.Context(), film, "…", 0)
	if !errors.Is(err, explain.ErrWords) {
		t.Errorf("error of a text without words is %v", err)
	}
}

// broken gives what is no probability.
type broken struct{ toy }

func (broken) Predict(_ context.Context, texts []string) ([][]float64, error) {
	rows := make([][]float64, len(texts))
	for i := range rows {
		rows[i] = []float64{math.NaN(), 1}
	}
	return rows, nil
}

// bent is a predictor with gradients, whose probability is a power of how far it has
// come, shared by words.
type bent struct {
	toy
	power float64
}

func (b bent) Predict(_ context.Context, texts []string) ([][]float64, error) {
	rows := make([][]float64, len(texts))
	for i := range rows {
		rows[i] = []float64{0.2, 0.8}
	}
	return rows, nil
}

func (b bent) Path(_ context.Context, _ string, words []text.Span, _ int) (explain.Path, error) {
	return way{b.power, len(words)}, nil
}

type way struct {
	power float64
	words int
}

func (w way) At(_ context.Context, shares []float64) (values []float64, slopes [][]float64, err error) {
	for _, a := range shares {
		values = append(values, 0.8*math.Pow(a, w.power))
		row := make([]float64, w.words+1)
		if math.IsInf(w.power, 1) { // a jump at the end, of which no slope tells
			slopes = append(slopes, row)
			continue
		}
		for i := range w.words {
			row[i] = 0.8 * w.power * math.Pow(a, w.power-1) / float64(w.words)
		}
		slopes = append(slopes, row)
	}
	return values, slopes, nil
}

func TestGradients(t *testing.T) {
	for _, tt := range []struct {
		power float64
		steps int // that are enough
	}{{1, 50}, {2, 50}, {60, 60}, {1e6, 200}} {
		e, err := explain.Gradients{}.Explain(t.Context(), bent{power: tt.power}, "a b c d", 1)
		if err != nil {
			t.Fatal(err)
		}
		if e.Check > explain.CompleteTo || e.Steps > tt.steps || math.Abs(e.Tokens[2].Weight-0.2) > 1e-3 {
			t.Errorf("to the power of %v: check %v after %d steps, weight %v", tt.power, e.Check, e.Steps, e.Tokens[2].Weight)
		}
	}
	if _, err := (explain.Gradients{}).Explain(t.Context(), bent{power: math.Inf(1)}, "a b", 1); err == nil {
		t.Error("what is not complete is explained all the same")
	}
	e, err := explain.GradientInput{}.Explain(t.Context(), bent{power: 2}, "a b", 1)
	if err != nil || math.Abs(e.Tokens[0].Weight-0.8) > 1e-12 {
		t.Errorf("gradient × input is %+v, %v", e, err)
	}
}
