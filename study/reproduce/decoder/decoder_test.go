package decoder_test

import (
	"bytes"
	"strings"
	"testing"

	"sotto/study/relation/joint"
	"sotto/study/relation/judge"
	"sotto/study/reproduce/decoder"
)

// made is a case in which both together are better by about a point of F1 with every seed,
// and by nothing that seeds do not do by themselves in BLEU.
func made() *decoder.Result {
	return decoder.Made(5, func(on, without string, share float64, seed int) (f1, bleu float64) {
		f1, bleu = 0.5*share+0.001*float64(seed), 0.8+0.01*float64(seed)
		if on == joint.RulesAndLabels {
			f1 += 0.2
		}
		switch without {
		case joint.Decoder:
			f1 -= 0.01 + 0.001*float64(seed%2)
		case joint.Classifier:
			bleu += 0.01 * float64(2*(seed%2)-1)
		}
		return f1, bleu
	})
}

func TestTables(t *testing.T) {
	r := made()
	s := r.Sets[0]
	if len(s.Table) != 6 || len(s.Curve) != 5 || len(s.Together) != 4 {
		t.Fatalf("there are %d lines, %d of the curve and %d gains", len(s.Table), len(s.Curve), len(s.Together))
	}
	for _, g := range s.Together {
		want := "better together"
		if strings.HasPrefix(g.Name, "BLEU") {
			want = "not told apart"
		}
		if g.Says != want {
			t.Errorf("%s: %+v says %s, want %s", g.Name, g.Difference, g.Says, want)
		}
	}
	var b bytes.Buffer
	if err := r.Print(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"trained on rules and labels, without classifier", "20 % of the rules", "31.7", "45.5", "better together", "other data"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("what is printed lacks %q:\n%s", want, b.String())
		}
	}
	if err := decoder.Kind.Check(r); err != nil {
		t.Errorf("it is refused: %v", err)
	}
	if got := decoder.Kind.Subjects(r); len(got) != 6 || got[0].Numbers["f1"].Value < 0.4 {
		t.Errorf("gates see %+v", got)
	}
}

func TestStore(t *testing.T) {
	same, _, found, err := decoder.Keep(t.TempDir(), judge.ModelNumbers{MicroF1: 0.5})
	if err != nil || same.MicroF1 != 0.5 || found {
		t.Errorf("the store has %+v, %v; for another seed %v", same, err, found)
	}
}

func TestRefuses(t *testing.T) {
	for want, o := range map[string]decoder.Options{
		"must be some of": {Data: []string{"tacred"}},
		"seeds is -1":     {Seeds: -1},
	} {
		if _, err := decoder.Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error is %v, want one with %q", err, want)
		}
	}
}
