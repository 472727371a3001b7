package writer_test

import (
	weakrand "math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sotto/nn"
	"sotto/nn/sequence"
	"sotto/relation/writer"
)

func TestAlphabet(t *testing.T) {
	rules := []string{"tokens <person>=subject []{0,3} of <org>=object", "tree {lemma:work} >nsubj {}=subject"}
	a := writer.Learn(rules)
	again, err := writer.NewAlphabet(a.Pieces())
	if err != nil || again.Size() != a.Size() {
		t.Fatalf("an alphabet of %d pieces is read as one of %d, %v", a.Size(), again.Size(), err)
	}
	for _, r := range rules {
		if !slices.Equal(a.Numbers(r), again.Numbers(r)) || a.Numbers(r) == nil {
			t.Errorf("%q is %v, then %v", r, a.Numbers(r), again.Numbers(r))
		}
	}
	if a.Numbers("tokens unheard") != nil {
		t.Error("a rule of other pieces has numbers")
	}
	if _, err := writer.NewAlphabet([]string{"a", "a"}); err == nil {
		t.Error("a piece is taken twice")
	}
}

// TestWrite learns to write one of two rules by where its layers begin.
func TestWrite(t *testing.T) {
	rules := []string{"tokens a", "tree b"}
	a := writer.Learn(rules)
	rng := weakrand.New(weakrand.NewPCG(1, 2))
	w, err := writer.New(a, writer.Shape{Memory: 4, Hidden: writer.Hidden, Drop: writer.Drop}, 1, rng)
	if err != nil {
		t.Fatal(err)
	}
	from := sequence.Sources{X: nn.NewMatrix(2, 4), Rows: [][]int{{0}, {1}}}
	for k := range from.Start {
		from.Start[k] = nn.NewMatrix(2, writer.Hidden)
		for j := range writer.Hidden {
			from.Start[k].Row(0)[j], from.Start[k].Row(1)[j] = 0.5, -0.5
		}
	}
	adam, err := nn.Adam{Rate: 0.01}.New(w.Params())
	if err != nil {
		t.Fatal(err)
	}
	targets := [][]int{a.Numbers(rules[0]), nil, a.Numbers(rules[1])}
	which := writer.Order(targets)
	if !slices.Equal(which, []int{0, 2}) {
		t.Fatalf("the order is %v", which)
	}
	p := nn.NewPool(1)
	for range 30 {
		w.Learn(p, from, nn.Pick(targets, which), 2)
		adam.Step(p)
	}
	if got := w.Write(p, from); !slices.Equal(got, rules) {
		t.Errorf("it writes %q, want %q", got, rules)
	}
	if best, _ := w.Best(p, from, func(int, string) bool { return false }); !slices.Equal(best, rules) {
		t.Errorf("where none holds, it writes %q, want %q", best, rules)
	}
	if loss, _, _ := w.Learn(p, sequence.Sources{}, nil, 1); loss != 0 {
		t.Errorf("nothing to learn has loss %v", loss)
	}
}

func TestPieces(t *testing.T) {
	for _, text := range []string{"tokens <person>=subject works for []{0,3} <org>=object", `tree {lemma:work} >obl:for {ner:ORG}=object`, "", "a_b c1"} {
		if got := strings.Join(writer.Pieces(text), ""); got != text {
			t.Errorf("pieces of %q are %q", text, writer.Pieces(text))
		}
	}
}
