package predictor_test

import (
	"context"
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sotto/compute/nn"
	"sotto/learn/model"
	"sotto/promise/mech"
	"sotto/study/explain"
	"sotto/study/explain/predictor"
	"sotto/text/encode"
	"sotto/text/encode/static"
)

const review = "The film's wonderful, moving and never dull; I don't regret a minute of it!"

// made returns a model with weights from a seed: of a release, "codes", "noise" or
// "" for none.
func made(tb testing.TB, inputs int, release string) (*model.Model, model.Manifest) {
	tb.Helper()
	a := model.Architecture{Inputs: inputs, Encoder: []int{16}, Classifier: []int{2}, Classes: 2}
	released := 16
	switch release {
	case "noise":
		a.Release = &mech.Params{Mechanism: "laplace-l1", Dim: 16, Epsilon: 20}
	case "codes":
		a.Encoder, a.Answers, released = []int{16, 2}, [][]int{{0}, {1}}, 2
		a.Release = &mech.Params{Mechanism: "codes", Dim: 2, Epsilon: 1}
	}
	rng := weakrand.New(weakrand.NewPCG(5, uint64(inputs)))
	tensors := model.Tensors{}
	for part, widths := range map[string][]int{"encoder": a.Encoder, "classifier": a.Classifier} {
		in := inputs
		if part == "classifier" {
			in = released
		}
		for i, out := range widths {
			for kind, rows := range map[string]int{"weight": in, "bias": 1} {
				tensors[fmt.Sprintf("%s.%d.%s", part, i, kind)] = nn.NewMatrix(rows, out)
			}
			in = out
		}
	}
	names := make([]string, 0, len(tensors))
	for name := range tensors {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		for i := range tensors[name].Data {
			tensors[name].Data[i] = float32(rng.NormFloat64()) * 0.8
		}
	}
	if release == "codes" { // what is read is what was said
		clear(tensors["classifier.0.bias"].Data)
		copy(tensors["classifier.0.weight"].Data, []float32{1, 0, 0, 1})
	}
	m, err := model.New(a, tensors)
	if err != nil {
		tb.Fatal(err)
	}
	return m, model.Manifest{Data: model.DataRecord{Label: "sentiment", Classes: []string{"bad", "good"}, Encoder: "x"}}
}

func predict(tb testing.TB, source encode.Source, release string, o predictor.Options) *predictor.Model {
	tb.Helper()
	m, info := made(tb, source.Dim(), release)
	p, err := predictor.New(m, info, source, o)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

func table(tb testing.TB) *static.Encoder {
	tb.Helper()
	e, err := static.Default()
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

func vectors(tb testing.TB) *encode.WordVectors {
	tb.Helper()
	w, err := encode.ReadWordVectors("few", strings.NewReader("wonderful 1 0 .5 0\nnever -1 .3 0 0\ndull -.5 -1 0 .2\ndon't 0 0 1 1\nfilm .1 .1 .1 0\nit 0 .4 0 .1\n"))
	if err != nil {
		tb.Fatal(err)
	}
	return w
}

// hashed is a table of random rows for hashed words.
func hashed(tb testing.TB, g static.Grams) *static.Hashed {
	tb.Helper()
	rng := weakrand.New(weakrand.NewPCG(3, 4))
	rows := make([]float32, 64*8)
	for i := range rows {
		rows[i] = float32(rng.NormFloat64())
	}
	e, err := static.NewHashed("random", "", g, 64, 8, rows)
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

func sources(tb testing.TB) map[string]encode.Source {
	tb.Helper()
	return map[string]encode.Source{
		"static": table(tb), "hash": encode.Hash{}, "vectors": vectors(tb),
		"pairs": hashed(tb, static.Grams{Words: 2}), "parts": hashed(tb, static.Grams{Words: 1, From: 3, To: 5}),
	}
}

// TestOpened compares what is computed of a text with words left out with what the
// encoder makes of what is left.
func TestOpened(t *testing.T) {
	for name, source := range sources(t) {
		for _, s := range []string{review, "dull", "dull dull film", "wonderful film, never dull", "«dull»\u00ad film\u200dfilm 電影 x_y"} {
			p := predict(t, source, "", predictor.Options{})
			words := explain.Words(s)
			opened, err := p.Open(t.Context(), s, words)
			if err != nil {
				t.Fatal(err)
			}
			if opened == nil {
				if name == "static" || name == "parts" && s == "dull dull film" {
					t.Errorf("the table does not add up %q", s)
				}
				continue
			}
			var kept [][]bool
			var texts []string
			for i := range 40 {
				k := make([]bool, len(words))
				for j := range k {
					k[j] = i>>(j%6)&1 == 1
				}
				kept, texts = append(kept, k), append(texts, explain.Without(s, words, k))
			}
			got, err := opened(t.Context(), kept)
			if err != nil {
				t.Fatal(err)
			}
			want, err := p.Predict(t.Context(), texts)
			if err != nil {
				t.Fatal(err)
			}
			for i := range got {
				if math.Abs(got[i][1]-want[i][1]) > 1e-5 {
					t.Errorf("%s: with %v of %q the probability is %v, want %v", name, kept[i], s, got[i][1], want[i][1])
				}
			}
		}
	}
}

// TestComplete checks integrated gradients on every encoder that adds up words, before
// releases of every form.
func TestComplete(t *testing.T) {
	for name, source := range sources(t) {
		for _, release := range []string{"", "noise", "codes"} {
			p := predict(t, source, release, predictor.Options{})
			e, err := explain.Gradients{}.Explain(t.Context(), p, review, explain.Predicted)
			if err != nil {
				t.Errorf("%s, %q: %v", name, release, err)
				continue
			}
			empty, err := p.Predict(t.Context(), []string{""})
			if err != nil {
				t.Fatal(err)
			}
			class := slices.Index(p.Classes(), e.Class)
			if math.Abs(e.Base-e.Rest-empty[0][class]) > 1e-6 || e.Check > explain.CompleteTo {
				t.Errorf("%s, %q: from %v, want %v; check %v", name, release, e.Base-e.Rest, empty[0][class], e.Check)
			}
			g, err := explain.GradientInput{}.Explain(t.Context(), p, review, explain.Predicted)
			if err != nil || len(g.Tokens) != len(e.Tokens) {
				t.Errorf("%s, %q: gradient × input: %v", name, release, err)
			}
		}
	}
}

// TestSlope compares the slopes of a path with differences of its values.
func TestSlope(t *testing.T) {
	for name, source := range sources(t) {
		p := predict(t, source, "noise", predictor.Options{})
		path, err := p.Path(t.Context(), review, explain.Words(review), 1)
		if err != nil {
			t.Fatal(err)
		}
		const h = 1.0 / 1024
		values, slopes, err := path.At(t.Context(), []float64{0.5 - h, 0.5, 0.5 + h})
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for _, v := range slopes[1] {
			sum += v
		}
		if want := (values[2] - values[0]) / (2 * h); math.Abs(sum-want) > 1e-3 {
			t.Errorf("%s: slopes have sum %v, want %v", name, sum, want)
		}
	}
}

// TestExpected compares the exact view of codes with their law, and the counted view of
// noise with the standard error that it states.
func TestExpected(t *testing.T) {
	p := predict(t, table(t), "codes", predictor.Options{View: predictor.Expected})
	rows, err := p.Predict(t.Context(), []string{review})
	if err != nil {
		t.Fatal(err)
	}
	top := math.E / (1 + math.E) // of two codes at ε = 1
	if got := slices.Max(rows[0]); math.Abs(got-top) > 1e-6 {
		t.Errorf("the likeliest answer has probability %v, want %v", got, top)
	}
	n, err := p.Noise(t.Context(), review)
	if err != nil || !n.Exact || math.Abs(n.Flips-(1-top)) > 1e-6 || n.Error != 0 || n.Before != n.Likely {
		t.Errorf("noise of codes is %+v, %v", n, err)
	}
	e, err := explain.SHAP{}.Explain(t.Context(), p, "never dull film", explain.Predicted)
	if err != nil || e.Check > explain.AdditiveTo {
		t.Errorf("explanation of what is expected is %+v, %v", e, err)
	}
	if _, err := (explain.Gradients{}).Explain(t.Context(), p, review, explain.Predicted); err == nil {
		t.Error("what is expected has gradients")
	}

	// Counted on 5,000 draws of two seeds each, shares differ by more than 4.9 of the
	// standard error of a difference once in 10⁶ times.
	var noises []*predictor.Noise
	for seed := range uint64(2) {
		q := predict(t, table(t), "noise", predictor.Options{View: predictor.Expected, Draws: 5000, Seed: seed})
		noise, err := q.Noise(t.Context(), review)
		if err != nil || noise.Exact || noise.Draws != 5000 {
			t.Fatalf("noise is %+v, %v", noise, err)
		}
		noises = append(noises, noise)
	}
	if d, e := math.Abs(noises[0].Flips-noises[1].Flips), math.Hypot(noises[0].Error, noises[1].Error); d > 4.9*e {
		t.Errorf("noise flips %v ± %v and %v ± %v", noises[0].Flips, noises[0].Error, noises[1].Flips, noises[1].Error)
	}
	bare := predict(t, table(t), "", predictor.Options{})
	if n, err := bare.Noise(t.Context(), review); n != nil || err != nil {
		t.Errorf("a model that draws nothing has the noise %+v, %v", n, err)
	}
}

// TestReceive: how far a release moves a text is the distance between what the mechanism
// is given and what it gives, in whatever company the text is asked about.
func TestReceive(t *testing.T) {
	m, info := made(t, 512, "noise")
	p, err := predictor.New(m, info, encode.Hash{}, predictor.Options{Draws: 20, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Receive(t.Context(), []string{"a film", review})
	if err != nil {
		t.Fatal(err)
	}
	pool := nn.NewPool(1)
	x, err := encode.Texts(t.Context(), encode.Hash{}, []string{review}, 1)
	if err != nil {
		t.Fatal(err)
	}
	released, err := m.Release(pool, x, make([]int, 20), model.SimulationKey(3))
	if err != nil {
		t.Fatal(err)
	}
	given, err := m.Represent(pool, x, []int{0})
	if err != nil {
		t.Fatal(err)
	}
	want := 0.0
	for i := range released.Rows {
		square := 0.0
		for j, v := range released.Row(i) {
			square += math.Pow(float64(v-given.Row(0)[j]), 2)
		}
		want += math.Sqrt(square) / 20
	}
	if math.Abs(r.Moved[1]-want) > 1e-4*want || r.Moved[0] == r.Moved[1] {
		t.Errorf("releases lie at %v, want the second at %v", r.Moved, want)
	}
	if sum := r.Answers[1][0] + r.Answers[1][1]; math.Abs(sum-1) > 1e-9 {
		t.Errorf("answers add up to %v", sum)
	}
	codes := predict(t, encode.Hash{}, "codes", predictor.Options{})
	if r, err := codes.Receive(t.Context(), []string{review}); err != nil || r.Moved != nil {
		t.Errorf("codes lie at %v (%v), want no place", r.Moved, err)
	}
	bare := predict(t, encode.Hash{}, "", predictor.Options{})
	if _, err := bare.Receive(t.Context(), []string{review}); err == nil {
		t.Error("a model that releases nothing has receivers")
	}
}

func TestRefused(t *testing.T) {
	for name, tt := range map[string]struct {
		inputs  int
		release string
		o       predictor.Options
	}{
		"nothing is drawn": {512, "", predictor.Options{View: predictor.Expected}},
		"width":            {511, "", predictor.Options{}},
		"view":             {512, "", predictor.Options{View: "after"}},
		"draws":            {512, "noise", predictor.Options{Draws: 1}},
		"workers":          {512, "", predictor.Options{Workers: -1}},
		"label":            {512, "", predictor.Options{Label: "other"}},
	} {
		m, info := made(t, tt.inputs, tt.release)
		if _, err := predictor.New(m, info, encode.Hash{}, tt.o); err == nil {
			t.Errorf("%s: not refused", name)
		}
	}
	m, info := made(t, 512, "")
	info.Masks.Rules = []string{"list"}
	if _, err := predictor.New(m, info, encode.Hash{}, predictor.Options{}); err == nil {
		t.Error("a model of masked texts is asked about others")
	}
}

// TestStop checks that a context ends what takes long.
func TestStop(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := predict(t, table(t), "noise", predictor.Options{View: predictor.Expected})
	if _, err := (explain.LIME{}).Explain(ctx, p, review, explain.Predicted); err == nil {
		t.Error("a context that is done explains")
	}
}

// twenty has about as many words.
const twenty = "The plot is thin and the jokes are old, but two fine actors make this a warm and often funny evening"

// BenchmarkStaticLIME is an explanation by 5,000 samples of twenty words.
func BenchmarkStaticLIME(b *testing.B) {
	p := predict(b, table(b), "", predictor.Options{Workers: 2})
	for b.Loop() {
		if _, err := (explain.LIME{}).Explain(b.Context(), p, twenty, explain.Predicted); err != nil {
			b.Fatal(err)
		}
	}
}
