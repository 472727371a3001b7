package marks_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sotto/compute/nn"
	"sotto/compute/nn/transformer/tiny"
	"sotto/study/language"
	"sotto/study/relation"
	"sotto/study/relation/marks"
	"sotto/study/relation/rule"
	"sotto/text/encode/bert/tune"
)

// toy returns sentences in which who stands first plays with the other; who of the two
// the subject is, only the marks tell.
func toy(n int) []relation.Instance {
	rng := tiny.Generator()
	var all []relation.Instance
	for range n {
		words := []string{"the", "man", "is", "playing", "the", "cat"}[rng.IntN(2):]
		text := strings.Join(words, " ")
		first, last := rule.Span{First: len(words) - 5, End: len(words) - 4}, rule.Span{First: len(words) - 2, End: len(words)}
		x := relation.Instance{Doc: &language.Document{Text: text, Tokens: language.Tokens(text)}, Subject: first, Object: last, Relation: "plays"}
		if rng.IntN(2) == 0 {
			x.Subject, x.Object, x.Relation = last, first, "played"
		}
		all = append(all, x)
	}
	return all
}

// rules are those of the toy.
func rules(tb testing.TB) *rule.File {
	tb.Helper()
	f, err := rule.Parse(strings.NewReader("rule a: plays\n tokens man=subject []{2} (the cat)=object\nrule b: played\n tokens man=object []{2} (the cat)=subject"))
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

func parent(tb testing.TB) string {
	tb.Helper()
	m := tiny.Even()
	for name, x := range m.Tensors {
		if strings.HasPrefix(name, "encoder.") && !strings.Contains(name, "LayerNorm") {
			for i := range x.Data {
				x.Data[i] *= 0.2 // so that tokens can still be told after the layers
			}
		}
	}
	dir := tb.TempDir()
	if err := m.Write(dir); err != nil {
		tb.Fatal(err)
	}
	return dir
}

func settings() tune.Settings {
	return tune.Settings{Rate: 2e-3, Epochs: 8, Batch: 8, Length: 16, Seed: 1, Last: true}
}

// TestTrain learns what only the marks tell, stops and goes on to the same bytes, and
// checks that the folder says the same for any number of workers.
func TestTrain(t *testing.T) {
	all := toy(150)
	d := marks.Data{Name: "toy", Train: all[:130], Dev: all[130:], Rules: rules(t)}
	from, dir := parent(t), filepath.Join(t.TempDir(), "model")
	s := settings()
	if testing.Short() {
		s.Epochs = 1 // enough to look for races
	}
	result, err := marks.Train(t.Context(), from, dir, d, s, tune.Options{Pool: nn.NewPool(2)})
	if err != nil {
		t.Fatal(err)
	}
	if !(result.Accuracy > 0.95) && !testing.Short() { // a guess is right in half of them
		t.Errorf("accuracy is %.3f in epoch %d, want above 0.95", result.Accuracy, result.Epoch)
	}
	m, err := marks.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := m.Relations(), []string{"played", "plays"}; !slices.Equal(got, want) || m.Data() != "toy" || !m.Knows("", "") {
		t.Fatalf("relations are %q, want %q", got, want)
	}
	one, err := m.Judge(t.Context(), d.Dev)
	if err != nil {
		t.Fatal(err)
	}
	m.Workers = 3
	two, err := m.Judge(t.Context(), d.Dev)
	if err != nil || !slices.Equal(one, two) {
		t.Errorf("three workers say %v, %v, want %v", two, err, one)
	}
	quick, err := m.Quick().Judge(t.Context(), d.Dev)
	if err != nil {
		t.Fatal(err)
	}
	right, written := 0, 0
	for i, v := range one {
		if q := quick[i]; q.Relation != v.Relation || q.Confidence != v.Confidence || q.Source == relation.Decoded && v.Source != q.Source {
			t.Errorf("in less time it says %+v, want the relation of %+v", q, v)
		}
		if v.Relation == d.Dev[i].Relation {
			right++
		}
		if v.Source == relation.Decoded && v.Rule == v.Wrote {
			written++
		}
	}
	if got := float64(right) / float64(len(one)); got < result.Accuracy-0.05 || written < len(one)*9/10 && !testing.Short() {
		t.Errorf("the folder has accuracy %v and writes %d rules that match, want %v and nearly %d", got, written, result.Accuracy, len(one))
	}
}

// TestResume stops a training and goes on to the same bytes.
func TestResume(t *testing.T) {
	all := toy(40)
	d := marks.Data{Name: "toy", Train: all[:30], Dev: all[30:], Rules: rules(t)}
	short := settings()
	short.Epochs = 2
	from, dir := parent(t), filepath.Join(t.TempDir(), "model")
	result, err := marks.Train(t.Context(), from, dir, d, short, tune.Options{Pool: nn.NewPool(2)})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var state *tune.State
	path := filepath.Join(t.TempDir(), "state")
	_, err = marks.Train(ctx, from, dir, d, short, tune.Options{
		Progress: func(p tune.Progress) {
			if p.Step == 5 {
				cancel()
			}
		},
		Save: func(s *tune.State) error {
			f, failed := os.Create(path)
			if failed != nil {
				return failed
			}
			return errors.Join(s.Write(f), f.Close())
		},
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("a training that was stopped returns %v", err)
	}
	if state, err = tune.ReadState(path); err != nil {
		t.Fatal(err)
	}
	again, err := marks.Train(t.Context(), from, filepath.Join(t.TempDir(), "again"), d, short, tune.Options{Resume: state})
	if err != nil || again.Manifest.Hash != result.Manifest.Hash || again.Manifest.HeadHash != result.Manifest.HeadHash {
		t.Errorf("stopped and resumed, the model is another: %v", err)
	}
}

func TestRefusals(t *testing.T) {
	from, out := parent(t), filepath.Join(t.TempDir(), "x")
	good := toy(8)
	outside := slices.Clone(good)
	outside[1].Object = rule.Span{First: 3, End: 9}
	typed := slices.Clone(good)
	doc := *typed[0].Doc
	doc.Entities = []language.Entity{{Type: language.Person, Start: 0, End: len(doc.Text)}}
	typed[0].Doc = &doc
	none, err := rule.Parse(strings.NewReader("rule a: plays\n tokens nobody=subject knows []=object"))
	if err != nil {
		t.Fatal(err)
	}
	for want, d := range map[string]marks.Data{
		"one relation":                 {Train: good[:1], Dev: good},
		"must be some of the sentence": {Train: outside, Dev: good[:1]},
		"unused tokens":                {Train: typed, Dev: good[:1], Typed: true}, // the tiny vocabulary has four
		"nothing to write":             {Train: good, Dev: good[:1], Rules: none},
		"0 to validate":                {Train: good},
	} {
		if _, err := marks.Train(t.Context(), from, out, d, settings(), tune.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error is %v, want one with %q", err, want)
		}
		if _, err := os.Stat(out); err == nil {
			t.Error("something was written")
		}
	}
	if _, err := marks.Open(from); err == nil || !strings.Contains(err.Error(), "is no model of relations") {
		t.Errorf("a plain encoder is opened: %v", err)
	}
}
