package influence_test

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"sotto/data/dataset"
	"sotto/study/explain"
	"sotto/study/influence"
	"sotto/text"
	"sotto/text/encode/static"
)

// films is a set of short reviews that a static encoder tells apart.
func films(tb testing.TB) *dataset.Set {
	tb.Helper()
	set := &dataset.Set{Name: "films", Label: dataset.Column{Name: "sentiment", Classes: []string{"negative", "positive"}}}
	words := [][]string{
		{"bad", "terrible", "awful", "horrible", "dreadful", "worthless", "dull", "boring"},
		{"good", "great", "excellent", "wonderful", "brilliant", "superb", "terrific", "fantastic"},
	}
	things := []string{"film", "story", "cast", "plot", "movie", "script"}
	for i := range 192 {
		class := i % 2
		w, one, other := words[class][i/2%8], things[i/2%6], things[i/7%6]
		s := []string{"the " + one + " is " + w, "a " + w + " " + one, "this is a " + w + " " + one + " with a " + other}[i/16%3]
		set.Text = append(set.Text, s)
		set.Label.IDs = append(set.Label.IDs, class)
		part := dataset.Train
		switch i / 2 % 10 {
		case 0, 1:
			part = dataset.Validation
		case 2:
			part = dataset.Test
		}
		set.Split = append(set.Split, part)
	}
	set.Rows = len(set.Text)
	return set
}

func span(start, end int) text.Span { return text.Span{Start: start, End: end} }

var quick = influence.Settings{Epochs: 40, Batch: 128, Width: 32, Rate: 0.01}

func data(tb testing.TB) *influence.Data {
	tb.Helper()
	d, err := influence.NewData(context.Background(), films(tb), "", influence.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return d
}

func master(tb testing.TB, d *influence.Data) *influence.Teacher {
	tb.Helper()
	e, err := static.Default()
	if err != nil {
		tb.Fatal(err)
	}
	t, err := influence.NewTeacher(context.Background(), e, d, 1)
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

func TestStudent(t *testing.T) {
	ctx, d := context.Background(), data(t)
	taught := master(t, d)
	s, err := influence.Train(ctx, taught, d, quick, influence.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	v := s.Result.Validation
	if v.AllCorrect < v.Baseline || v.AllCorrect < 0.8 {
		t.Errorf("all correct is %v with a baseline of %v, want at least that and 0.8", v.AllCorrect, v.Baseline)
	}
	t.Run("tail", func(t *testing.T) {
		const text = "the film is dull"
		places := []influence.TeacherPlace{{Text: text, Span: span(4, 8)}, {Text: text, Span: span(12, 16)}, {Text: text, Span: span(12, 16)}}
		whole, quick, err := s.BothWays(ctx, places, []string{"film", "dull", "brilliant"})
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range whole.Data { // tanh is wrong by 10⁻⁴, and 48 of them are added up with weights of a few
			if got := quick.Data[i]; math.Abs(float64(got-want)) > 0.05 {
				t.Errorf("score %d is %v, want the network's %v", i, got, want)
			}
		}
	})
	t.Run("scores", func(t *testing.T) { testScores(t, s) })
	t.Run("swaps", func(t *testing.T) { testSwaps(t, s) })
	t.Run("bias", func(t *testing.T) { testBias(t, s, d) })
	t.Run("explainer", func(t *testing.T) { testExplainer(t, s) })
	t.Run("importance", func(t *testing.T) {
		wrong := *d // every label turned round, so that each answer is an error
		wrong.Labels = slices.Clone(d.Labels)
		for i := range wrong.Labels {
			wrong.Labels[i] = 1 - wrong.Labels[i]
		}
		test, err := s.TestImportance(ctx, &wrong, d.Validation[:6], explain.LIME{Samples: 200}, influence.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if test.Errors != 6 || len(test.Methods) != 5 {
			t.Fatalf("%d errors and %d methods, want 6 and 5", test.Errors, len(test.Methods))
		}
		for _, m := range test.Methods {
			if !slices.IsSorted(m.Covered) || m.Covered[len(m.Covered)-1] > 1+1e-9 {
				t.Errorf("%s covers %v, want shares that grow", m.Method, m.Covered)
			}
		}
	})
	t.Run("workers", func(t *testing.T) {
		again, err := influence.Train(ctx, taught, d, quick, influence.Options{Workers: 3})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(again.Result.History, s.Result.History) {
			t.Error("three workers learn something else than one")
		}
	})
	t.Run("store", func(t *testing.T) { testStore(t, s, d) })
}

func testScores(t *testing.T, s *influence.Student) {
	const text = "the film is dull and the cast is brilliant"
	x, err := s.Scores(context.Background(), text, influence.ScoreOptions{})
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]influence.Score{}
	for _, w := range x.Words {
		if text[w.Start:w.End] != w.Text {
			t.Errorf("word %q is at %d to %d", w.Text, w.Start, w.End)
		}
		if !(w.Unlike >= 0 && w.Unlike <= 1) || !(w.Influence >= -1 && w.Influence <= 1) || !(w.Hybrid >= 0 && w.Hybrid <= 1) {
			t.Errorf("scores are out of range: %+v", w)
		}
		of[w.Text] = w
	}
	if !(of["dull"].Influence < 0) || !(of["brilliant"].Influence > 0) {
		t.Errorf("dull has influence %v and brilliant %v, want one below 0 and one above", of["dull"].Influence, of["brilliant"].Influence)
	}
	phrases, err := s.Phrases(text)
	if err != nil || len(phrases) == 0 {
		t.Fatalf("phrases are %v, error %v, want some", phrases, err)
	}
	if x, err = s.Scores(context.Background(), text, influence.ScoreOptions{Phrases: append(phrases, span(21, 42))}); err != nil || len(x.Phrases) != len(phrases)+1 {
		t.Fatalf("%d phrases are scored, error %v, want %d", len(x.Phrases), err, len(phrases)+1)
	}
	if p := x.Phrases[len(phrases)]; p.Text != "the cast is brilliant" || !(p.Influence > 0) || p.Unlike != -1 {
		t.Errorf("the last phrase is %+v, want one that speaks for positive", p)
	}
	if _, err := s.Scores(context.Background(), "  ", influence.ScoreOptions{}); !errors.Is(err, influence.ErrEmpty) {
		t.Errorf("a text without a word has error %v", err)
	}
}

func testSwaps(t *testing.T, s *influence.Student) {
	const text = "this is a good story"
	x, err := s.Counterfactuals(context.Background(), text, influence.SwapOptions{At: -1})
	if err != nil {
		t.Fatal(err)
	}
	if x.Checked == 0 || x.Confirmed == 0 {
		t.Fatalf("%d of %d replacements are confirmed, want some", x.Confirmed, x.Checked)
	}
	for _, l := range x.Words {
		if len(l.Swaps) > 10 || len(l.Swaps) > l.Flips {
			t.Errorf("%q has %d replacements of %d", l.Text, len(l.Swaps), l.Flips)
		}
		for i, w := range l.Swaps {
			if w.Prediction == x.Prediction || i > 0 && w.Probability > l.Swaps[i-1].Probability {
				t.Errorf("replacement %+v is out of order or flips nothing", w)
			}
			if got, err := s.Teacher.Answers(context.Background(), []string{text[:l.Start] + w.Word + text[l.End:]}, 1); err != nil || (s.Teacher.Names[got[0]] != x.Prediction) != w.Confirmed {
				t.Errorf("replacement %+v is not what the teacher says", w)
			}
		}
	}
}

func testBias(t *testing.T, s *influence.Student, d *influence.Data) {
	ctx := context.Background()
	c, err := s.NewContexts(ctx, d, "ADJ", 1, influence.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := s.Ask(ctx, d, c, influence.Query{Control: "good", Probe: "bad"})
	if err != nil {
		t.Fatal(err)
	}
	back, err := s.Ask(ctx, d, c, influence.Query{Control: "bad", Probe: "good"})
	if err != nil {
		t.Fatal(err)
	}
	if b.Flips == 0 || b.Confirmed < 0.5 || b.Flips <= b.ReverseFlips {
		t.Errorf("from good to bad %d contexts flip and %d back, %v confirmed; want most of one direction", b.Flips, b.ReverseFlips, b.Confirmed)
	}
	if b.Flips != back.ReverseFlips || b.ReverseFlips != back.Flips || b.Confirmed != back.Reverse.Share {
		t.Error("the query turned round is not the answer turned round")
	}
	if !(b.Low <= b.Confirmed && b.Confirmed <= b.High) || len(b.Examples) == 0 {
		t.Errorf("confirmed is %v within %v to %v, with %d examples", b.Confirmed, b.Low, b.High, len(b.Examples))
	}
	for _, bad := range []influence.Query{{Control: "good"}, {Control: "good", Probe: "Good"}, {Control: "a", Probe: "b", Verify: -2}} {
		if _, err := s.Ask(ctx, d, c, bad); err == nil {
			t.Errorf("query %+v is answered", bad)
		}
	}
	if _, err := s.NewContexts(ctx, d, "NONE", 1, influence.Options{}); err == nil {
		t.Error("an unknown part of speech has contexts")
	}
}

func testExplainer(t *testing.T, s *influence.Student) {
	e, err := influence.Explainer{Student: s}.Explain(context.Background(), s.Teacher, "the plot is awful", explain.Predicted)
	if err != nil {
		t.Fatal(err)
	}
	if len(e.Tokens) != 4 || e.Prediction != "negative" || !(e.Tokens[3].Weight > e.Tokens[0].Weight) {
		t.Errorf("explanation is %+v, want awful to speak for negative most", e)
	}
}

func testStore(t *testing.T, s *influence.Student, d *influence.Data) {
	ctx, dir := context.Background(), t.TempDir()
	c, err := s.NewContexts(ctx, d, "ADJ", 1, influence.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err = errors.Join(s.Save(dir), s.SaveContexts(dir, c)); err != nil {
		t.Fatal(err)
	}
	got, err := influence.Open(ctx, dir, influence.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	same, err := got.OpenContexts(dir, d, "ADJ", 1)
	if err != nil {
		t.Fatal(err)
	}
	q := influence.Query{Control: "good", Probe: "bad"}
	a, err := s.Ask(ctx, d, c, q)
	if err != nil {
		t.Fatal(err)
	}
	b, err := got.Ask(ctx, d, same, q)
	if err != nil {
		t.Fatal(err)
	}
	if a.Flips != b.Flips || a.Contexts != b.Contexts || !slices.Equal(a.Examples, b.Examples) {
		t.Error("a stored student answers otherwise")
	}
	if _, err = got.OpenContexts(dir, d, "NOUN", 1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("contexts that are not there have error %v", err)
	}
	if _, err = influence.Open(ctx, dir, influence.OpenOptions{Model: dir}); !errors.Is(err, influence.ErrTeacher) {
		t.Errorf("another teacher has error %v", err)
	}
	path := filepath.Join(dir, influence.WeightsFile)
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	content[len(content)-3] ^= 1
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := influence.Open(ctx, dir, influence.OpenOptions{}); err == nil {
		t.Error("a student of which a byte is wrong is opened")
	}
}

// A training that was stopped while it read goes on to the same result.
func TestResume(t *testing.T) {
	d := data(t)
	taught := master(t, d)
	whole, err := influence.Train(context.Background(), taught, d, quick, influence.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	keep := filepath.Join(t.TempDir(), "reading")
	ctx, stop := context.WithCancel(context.Background())
	_, err = influence.Train(ctx, taught, d, quick, influence.Options{Keep: keep, Progress: func(stage string, _, _ int) {
		if stage == "teaching the student" {
			stop()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("a stopped training has error %v", err)
	}
	if files, _ := filepath.Glob(filepath.Join(keep, "*")); len(files) == 0 {
		t.Error("a stopped training keeps nothing")
	}
	again, err := influence.Train(context.Background(), taught, d, quick, influence.Options{Keep: keep})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(again.Result.History, whole.Result.History) {
		t.Error("a resumed training differs from one that was not stopped")
	}
}

func TestTanh(t *testing.T) {
	worst := 0.0
	for x := -12.0; x <= 12; x += 1e-3 {
		worst = max(worst, math.Abs(float64(influence.Tanh(float32(x)))-math.Tanh(x)))
	}
	if worst > 1.2e-4 {
		t.Errorf("tanh is wrong by %v, want at most 1.2e-4", worst)
	}
}

func TestSettings(t *testing.T) {
	for _, bad := range []influence.Settings{{Width: -1}, {Words: -1, Phrases: -1}, {Rate: math.NaN()}, {Rate: 2}, {Epochs: 1e6}} {
		if bad.Validate() == nil {
			t.Errorf("settings %+v are taken", bad)
		}
	}
}
