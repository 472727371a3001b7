package relation_test

import (
	weakrand "math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sotto/compute/nn"
	"sotto/compute/nn/sequence"
	"sotto/study/relation"
)

func TestAlphabet(t *testing.T) {
	rules := []string{"tokens <person>=subject []{0,3} of <org>=object", "tree {lemma:work} >nsubj {}=subject"}
	a := relation.LearnAlphabet(rules)
	again, err := relation.NewAlphabet(a.Pieces())
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
	if _, err := relation.NewAlphabet([]string{"a", "a"}); err == nil {
		t.Error("a piece is taken twice")
	}
}

// two returns sources whose layers begin differently.
func two() sequence.Sources {
	from := sequence.Sources{X: nn.NewMatrix(2, 4), Rows: [][]int{{0}, {1}}}
	for k := range from.Start {
		from.Start[k] = nn.NewMatrix(2, relation.WriterHidden)
		for j := range relation.WriterHidden {
			from.Start[k].Row(0)[j], from.Start[k].Row(1)[j] = 0.5, -0.5
		}
	}
	return from
}

// learnt returns a writer that learnt lessons by heart: of each, which of the two sources it
// is about and the rule to write. All are of one length.
func learnt(t *testing.T, p *nn.Pool, steps int, lessons ...lesson) *relation.Writer {
	t.Helper()
	var rules []string
	for _, l := range lessons {
		rules = append(rules, l.rule)
	}
	a := relation.LearnAlphabet(rules)
	w, err := relation.NewWriter(a, relation.WriterShape{Memory: 4, Hidden: relation.WriterHidden, Drop: relation.WriterDrop}, 1, weakrand.New(weakrand.NewPCG(1, 2)))
	if err != nil {
		t.Fatal(err)
	}
	adam, err := nn.Adam{Rate: 0.01}.New(w.Params())
	if err != nil {
		t.Fatal(err)
	}
	var sources []int
	var targets [][]int
	for _, l := range lessons {
		sources, targets = append(sources, l.source), append(targets, a.Numbers(l.rule))
	}
	from := two().Pick(sources)
	for range steps {
		w.Learn(p, from, targets, len(lessons))
		adam.Step(p)
	}
	return w
}

type lesson struct {
	source int
	rule   string
}

// TestWrite learns to write one of two rules by where its layers begin.
func TestWrite(t *testing.T) {
	rules := []string{"tokens a", "tree b"}
	p := nn.NewPool(1)
	w := learnt(t, p, 30, lesson{0, rules[0]}, lesson{1, rules[1]})
	if got := w.Write(p, two()); !slices.Equal(got, rules) {
		t.Errorf("it writes %q, want %q", got, rules)
	}
	if loss, _, _ := w.Learn(p, sequence.Sources{}, nil, 1); loss != 0 {
		t.Errorf("nothing to learn has loss %v", loss)
	}
	a := relation.LearnAlphabet(rules)
	if which := relation.WriteOrder([][]int{a.Numbers(rules[0]), nil, a.Numbers(rules[1])}); !slices.Equal(which, []int{0, 2}) {
		t.Errorf("the order is %v", which)
	}
}

// TestBest has a writer whose likeliest rule about the first source is right in two lessons of
// three, so that a beam knows another; about the second source it knows one rule alone.
func TestBest(t *testing.T) {
	p := nn.NewPool(2)
	w := learnt(t, p, 60, lesson{0, "tokens a"}, lesson{0, "tokens a"}, lesson{0, "tree b"}, lesson{1, "tree b"}, lesson{1, "tree b"})
	greedy := []string{"tokens a", "tree b"}
	for name, tt := range map[string]struct {
		holds func(source int, text string) bool
		want  []string
	}{
		"what is greedy holds":                     {func(int, string) bool { return true }, greedy},
		"nothing holds, and what is greedy stays":  {func(int, string) bool { return false }, greedy},
		"another holds and replaces it":            {func(_ int, text string) bool { return text == "tree b" }, []string{"tree b", "tree b"}},
		"another holds about one source alone":     {func(k int, text string) bool { return k == 1 || text == "tree b" }, []string{"tree b", "tree b"}},
		"what is too unlikely is not even written": {func(k int, text string) bool { return k == 0 || text == "tokens a" }, greedy},
	} {
		best, wrote := w.Best(p, two(), tt.holds)
		if !slices.Equal(best, tt.want) || !slices.Equal(wrote, greedy) {
			t.Errorf("%s: it writes %q, greedily %q, want %q and %q", name, best, wrote, tt.want, greedy)
		}
	}
}

// TestBestWidth has a writer that knows ten rules about a source, all as likely: it tries
// eight of them, each once, and what is greedy.
func TestBestWidth(t *testing.T) {
	var lessons []lesson
	for _, c := range "abcdefghij" {
		lessons = append(lessons, lesson{0, "tokens " + string(c)})
	}
	p := nn.NewPool(1)
	w := learnt(t, p, 40, lessons...)
	asked := map[string]int{}
	best, greedy := w.Best(p, two().Pick([]int{0}), func(_ int, text string) bool {
		asked[text]++
		return false
	})
	if !slices.Equal(best, greedy) || len(asked) != 8 || asked[greedy[0]] != 2 {
		t.Errorf("it writes %q, greedily %q, and tried %v, want eight", best, greedy, asked)
	}
	for text := range asked {
		if !slices.Contains(lessons, lesson{0, text}) {
			t.Errorf("it tried %q, which it never learnt", text)
		}
	}
}

func TestPieces(t *testing.T) {
	for _, text := range []string{"tokens <person>=subject works for []{0,3} <org>=object", `tree {lemma:work} >obl:for {ner:ORG}=object`, "", "a_b c1"} {
		if got := strings.Join(relation.Pieces(text), ""); got != text {
			t.Errorf("pieces of %q are %q", text, relation.Pieces(text))
		}
	}
}
