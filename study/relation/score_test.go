package relation_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"sotto/study/relation"
)

func near(a, b float64) bool { return math.Abs(a-b) < 1e-12 }

// The counts of SemEval-2010 by hand: of A, one is right, one told in the wrong direction
// and one told where there is none; of B, one is missed.
func TestOf(t *testing.T) {
	want := []string{"A(e1,e2)", "A(e2,e1)", "", "B(e1,e2)", ""}
	got := []string{"A(e1,e2)", "A(e1,e2)", "A(e2,e1)", "", ""}
	r := relation.ScoreOf(want, got, 1)
	if r.Tally != (relation.Tally{Right: 1, Wrong: 2, Missed: 3}) || !near(r.Precision, 1.0/3) || !near(r.Recall, 1.0/4) {
		t.Errorf("over all: %+v", r.Score)
	}
	if a := r.Relations[0]; a.Name != "A" || !near(a.Precision, 1.0/3) || !near(a.Recall, 1.0/2) || !near(a.F1, 0.4) {
		t.Errorf("A: %+v", a)
	}
	if !near(r.MacroF1, 0.2) {
		t.Errorf("mean of F1 is %v, want 0.2", r.MacroF1)
	}
	if r := relation.ScoreOf(nil, nil, 0); r.F1 != 0 || r.MacroF1 != 0 {
		t.Errorf("of nothing: %+v", r)
	}
}

func TestWords(t *testing.T) {
	got := relation.RuleWords(`tokens <person>=subject "," []{0,3} works_for`)
	want := strings.Fields(`tokens < person > = subject " " [ ] { 0 3 } works_for`)
	if !slices.Equal(got, want) {
		t.Errorf("Words = %q, want %q", got, want)
	}
}

// The values are from the definition, worked out by hand.
func TestBLEU(t *testing.T) {
	f := strings.Fields
	for _, tt := range []struct {
		text       string
		references []string
		want       float64
	}{
		{"a b c d e", []string{"a b c d e"}, 1},
		{"a b c d e", []string{"x", "a b c d e"}, 1},
		{"a b c d", []string{"a b c d e f"}, math.Exp(1 - 6.0/4)},
		{"a b c d x", []string{"a b c d e"}, math.Pow(4.0/5*3/4*2/3*1/2, 0.25)},
		{"a a a a a", []string{"a b c d e"}, 0}, // no sequence of two
		{"a b", []string{"a b"}, 0},             // nor of four
	} {
		var b relation.BLEU
		var references [][]string
		for _, r := range tt.references {
			references = append(references, f(r))
		}
		b.Add(f(tt.text), references...)
		if got := b.Value(); !near(got, tt.want) {
			t.Errorf("BLEU of %q = %v, want %v", tt.text, got, tt.want)
		}
	}
	// Counts of texts are added up before shares are taken.
	var both relation.BLEU
	both.Add(f("a b c d x"), f("a b c d e"))
	both.Add(f("a b c d e"), f("a b c d e"))
	if got, want := both.Value(), math.Pow(9.0/10*7/8*5/6*3/4, 0.25); !near(got, want) {
		t.Errorf("BLEU of both = %v, want %v", got, want)
	}
	if one, other := relation.SentenceBLEU(f("a b"), f("a b")), relation.SentenceBLEU(f("a c"), f("a b")); !near(one, 1) || !(other > 0 && other < one) {
		t.Errorf("Sentence = %v and %v, want 1 and less", one, other)
	}
}

func ExampleScoreOf() {
	r := relation.ScoreOf([]string{"Kill", "", "Kill"}, []string{"Kill", "Kill", ""}, 0)
	fmt.Println(r.Precision, r.Recall, r.F1)
	// Output: 0.5 0.5 0.5
}
