package aec_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	weakrand "math/rand/v2"
	"strings"
	"testing"

	"sotto/compute/nn"
	"sotto/data/dataset"
	"sotto/data/testenv"
	"sotto/evidence"
	"sotto/study/errors/feature"
	"sotto/study/reproduce/aec"
)

// small makes the case of 300 invented tweets, of which questions are answered
// wrongly more often.
func small(t *testing.T) *aec.Result {
	t.Helper()
	rng := weakrand.New(weakrand.NewPCG(1, 1))
	var texts []string
	var labels []int
	p := nn.NewMatrix(300, 3)
	for i := range 300 {
		text, chance := "@airline thanks for the great crew!", 0.2
		if i%2 == 0 {
			text, chance = "@airline could you tell me where my bag is?", 0.8
		}
		label := rng.IntN(3)
		answer := label
		if rng.Float64() < chance {
			answer = (label + 1) % 3
		}
		for c := range 3 {
			p.Row(i)[c] = 0.2
		}
		p.Row(i)[answer] = 0.6
		texts, labels = append(texts, text), append(labels, label)
	}
	r, err := aec.Small(context.Background(), texts, labels, p, aec.Options{Splits: 2, Seed: 1, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestCase(t *testing.T) {
	r := small(t)
	c := r.Cases[0]
	if len(c.Table) != 5 || c.Table[0].PublishedForest != 0.70 || len(c.Ablation) != 11 || len(c.Tops) != 25 || len(c.Examples) == 0 {
		t.Fatalf("the case is %+v", c)
	}
	if got := c.Rankings.Rankers[0].AUC; !(got > 0.6) {
		t.Errorf("area of the forest is %v, want above 0.6", got)
	}
	if first := c.Examples[0]; !strings.Contains(first.Segments[0].Text, "@username") || len(first.Reasons) == 0 || first.Answer == first.Label {
		t.Errorf("the first example is %+v", first)
	}
	var text bytes.Buffer
	if err := r.Print(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"published 60.09 %", "without dependency", "dependency alone", "cue:yes-no-question", "Table 5", "[", "note: "} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is not printed", want)
		}
	}
	if strings.Contains(text.String(), "@airline") {
		t.Error("the name of a user is printed")
	}
	content, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	e, err := evidence.Kinds{aec.Kind}.New()
	if err != nil {
		t.Fatal(err)
	}
	if err = e.Add("aec.json", bytes.NewReader(content)); err != nil {
		t.Fatal(err)
	}
	sections, _, _ := e.Sections()
	subjects := e.Subjects()
	if len(sections) != 1 || len(subjects) != 1 || len(subjects[0].Numbers) != 7 {
		t.Errorf("%d sections and subjects %+v", len(sections), subjects)
	}
	if err = e.Add("empty.json", strings.NewReader(`{"format": "sotto-aec-1"}`)); err == nil {
		t.Error("a case of nothing was read")
	}
}

func TestMasked(t *testing.T) {
	got := aec.Masked([]feature.Segment{{Text: "Hi "}, {Text: "@", Weight: 1}, {Text: "Some_one"}, {Text: ", @two!"}})
	if s := fmt.Sprint(got); s != "[{Hi  0 []} {@username 1 []} {, @username! 0 []}]" {
		t.Errorf("masked is %s", s)
	}
}

// TestData holds the sizes of the sets against those of the paper.
func TestData(t *testing.T) {
	testenv.Set(t, "sst5")
	testenv.Set(t, "airline")
	dir := dataset.Dir()
	train, dev, err := aec.Films(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := train.Counts(); got != [3]int{3305, 1622, 3606} {
		t.Errorf("films are %v, want one more of two classes than 3304, 1622, 3605", got)
	}
	test, err := aec.Tweets(dir, 1)
	if err != nil {
		t.Fatal(err)
	}
	if got := test.Counts(); got != [3]int{7366, 2451, 1847} {
		t.Errorf("tweets are %v", got)
	}
	b, err := aec.TrainLinear(t.Context(), train, dev, test)
	if err != nil {
		t.Fatal(err)
	}
	// Always the commonest class is right on 63 % and balanced on a third.
	if !(b.Balanced > 0.45) || b.Errors == 0 {
		t.Errorf("the linear base is right on %v, balanced %v", b.Accuracy, b.Balanced)
	}
}

func TestRefuses(t *testing.T) {
	if _, err := aec.Run(t.Context(), aec.Options{Splits: -1}); err == nil || !strings.Contains(err.Error(), "splits is -1") {
		t.Errorf("of -1 splits: %v", err)
	}
	if _, err := aec.Run(t.Context(), aec.Options{Dir: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "sst5") {
		t.Errorf("without data: %v", err)
	}
}
