package joint_test

import (
	"fmt"
	"strings"
	"testing"

	"sotto/compute/nn"
	"sotto/study/language"
	"sotto/study/relation"
	"sotto/study/relation/joint"
	"sotto/study/relation/rule"
)

// toy returns instances: a verb between two names tells their relation, and so does the
// rule that matches, but for the verb that no rule knows.
func toy(n, filler int) ([]relation.Instance, *rule.File) {
	f, err := rule.Parse(strings.NewReader(`rule works: Work_For
  tokens <person>=subject works for <org>=object
rule lives: Live_In
  tokens <person>=subject lives []? in <org>=object
`))
	if err != nil {
		panic(err)
	}
	var all []relation.Instance
	for k := range n {
		verb := [][]string{{"works", "for"}, {"lives", "in"}, {"sees", "with"}}[k%3]
		words := []string{fmt.Sprintf("w%d", k%7), "Ann", verb[0], verb[1], "Acme", "."}
		for j := range filler {
			words = append(words, fmt.Sprintf("w%d", (k+j)%7))
		}
		d := &language.Document{Text: strings.Join(words, " ")}
		at := 0
		for i, w := range words {
			head := 2
			if i == 2 {
				head = -1
			}
			d.Tokens = append(d.Tokens, language.Token{Text: w, Start: at, End: at + len(w), XPOS: "NN", Lemma: w, Head: head, DepRel: "dep"})
			at += len(w) + 1
		}
		d.Entities = []language.Entity{
			{Type: language.Person, Start: d.Tokens[1].Start, End: d.Tokens[1].End, Confidence: 1},
			{Type: language.Organisation, Start: d.Tokens[4].Start, End: d.Tokens[4].End, Confidence: 1},
		}
		x := relation.Instance{Doc: d, Subject: rule.Span{First: 1, End: 2}, Object: rule.Span{First: 4, End: 5}}
		x.Relation = []string{"Work_For", "Live_In", relation.None}[k%3]
		all = append(all, x)
	}
	return all, f
}

// vectors are those of few words.
type vectors struct{ dim int }

func (v vectors) Dim() int { return v.dim }

func (v vectors) Words() []string { return []string{"works", "lives", "sees", "never"} }

func (v vectors) Vector(word string) ([]float32, bool) {
	for k, w := range v.Words() {
		if w == word {
			x := make([]float32, v.dim)
			x[k] = 1
			return x, true
		}
	}
	return nil, false
}

// BenchmarkEpoch trains on 500 sentences of 20 words, on one worker.
func BenchmarkEpoch(b *testing.B) {
	all, rules := toy(503, 14)
	for b.Loop() {
		t, err := joint.New(joint.Data{Train: all[:500], Dev: all[500:], Rules: rules, Vectors: vectors{100}}, joint.Settings{Epochs: 1, Seed: 1})
		if err != nil {
			b.Fatal(err)
		}
		if err := t.Run(b.Context(), joint.Options{Pool: nn.NewPool(1)}); err != nil {
			b.Fatal(err)
		}
	}
}
