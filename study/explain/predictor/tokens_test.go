package predictor_test

import (
	"math"
	"slices"
	"testing"

	"sotto/compute/nn/transformer/tiny"
	"sotto/data/testenv"
	"sotto/promise/dp/dptest"
	"sotto/study/explain"
	"sotto/study/explain/predictor"
	"sotto/text/encode/bert"
)

func small(t *testing.T, o bert.Options) *bert.Model {
	t.Helper()
	dir := t.TempDir()
	if err := tiny.Even().Write(dir); err != nil {
		t.Fatal(err)
	}
	b, err := bert.Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestTransformer checks that the way of a transformer ends at the text, that its
// slopes are those of its values, that weights add up, and that nothing is left moved.
func TestTransformer(t *testing.T) {
	const s = "A man is playing the guitar. No cats, no guitars!"
	for name, o := range map[string]bert.Options{"whole": {}, "windows": {MaxTokens: 8, Long: bert.Windows}, "truncated": {MaxTokens: 8}} {
		p := predict(t, small(t, o), "noise", predictor.Options{Workers: 2})
		before, err := p.Predict(t.Context(), []string{s})
		if err != nil {
			t.Fatal(err)
		}
		path, err := p.Path(t.Context(), s, explain.Words(s), 1)
		if err != nil {
			t.Fatal(name, err)
		}
		const h = 1.0 / 512
		values, slopes, err := path.At(t.Context(), []float64{1, 0.6 - h, 0.6, 0.6 + h})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(values[0]-before[0][1]) > 1e-4 {
			t.Errorf("%s: the way ends at %v, want %v", name, values[0], before[0][1])
		}
		sum := 0.0
		for _, v := range slopes[2] {
			sum += v
		}
		if want := (values[3] - values[1]) / (2 * h); math.Abs(sum-want) > 1e-2*(math.Abs(want)+0.01) {
			t.Errorf("%s: slopes have sum %v, want %v", name, sum, want)
		}
		e, err := explain.Gradients{}.Explain(t.Context(), p, s, explain.Predicted)
		if err != nil || e.Check > explain.CompleteTo {
			t.Errorf("%s: %+v, %v", name, e, err)
		}
		again, err := p.Predict(t.Context(), []string{s})
		if err != nil || !slices.Equal(before[0], again[0]) {
			t.Errorf("%s: after gradients the answer is %v, want %v", name, again, before)
		}
		other, err := explain.Gradients{}.Explain(t.Context(), p, s, explain.Predicted)
		if err != nil || !slices.Equal(e.Tokens, other.Tokens) {
			t.Errorf("%s: the second explanation differs from the first: %v", name, err)
		}
	}
}

func miniLM(tb testing.TB) *bert.Model {
	tb.Helper()
	b, err := bert.Open(testenv.Encoder(tb, "minilm"), bert.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// TestMiniLM checks completeness on a real transformer.
func TestMiniLM(t *testing.T) {
	if !dptest.Long() {
		t.Skip("reads a real transformer twice: SOTTO_LONG=1 runs it")
	}
	p := predict(t, miniLM(t), "", predictor.Options{Workers: 2})
	e, err := explain.Gradients{}.Explain(t.Context(), p, review, explain.Predicted)
	if err != nil || e.Check > explain.CompleteTo {
		t.Errorf("explanation is %+v, %v", e, err)
	}
}

// BenchmarkMiniLMLIME is an explanation by 5,000 samples of twenty words.
func BenchmarkMiniLMLIME(b *testing.B) {
	p := predict(b, miniLM(b), "", predictor.Options{Workers: 2})
	for b.Loop() {
		if _, err := (explain.LIME{}).Explain(b.Context(), p, twenty, explain.Predicted); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkMiniLMGradients is an explanation by integrated gradients of twenty words.
func BenchmarkMiniLMGradients(b *testing.B) {
	p := predict(b, miniLM(b), "", predictor.Options{Workers: 2})
	for b.Loop() {
		if _, err := (explain.Gradients{}).Explain(b.Context(), p, twenty, explain.Predicted); err != nil {
			b.Fatal(err)
		}
	}
}
