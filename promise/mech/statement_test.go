package mech_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"sotto/promise/dp"
	"sotto/promise/mech"
)

func statement(tb testing.TB, p mech.Params, dropout float64) mech.Statement {
	tb.Helper()
	s, err := mech.Describe(p, dropout)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// TestDescribe: what is stated is what the mechanism says, and the event proves
// it from below.
func TestDescribe(t *testing.T) {
	for _, s := range subjects() {
		for _, eps := range []float64{0.5, 8} {
			p := s.params(6, eps)
			m := must(t, p)
			got := statement(t, p, 0)
			g, a := m.Guarantee(), m.Profile()
			if got.Unit != g.Unit || got.True != g.Epsilon || got.Delta != g.Delta || got.Claimed != a.Claimed {
				t.Errorf("%v ε=%v: Describe = %v %v δ %v, want %v and claimed %v", s, eps, got.Unit, got.True, got.Delta, g, a.Claimed)
			}
			if got.Mechanism != s.Mechanism || got.Variant != s.Variant || got.Reason != a.Reason || got.TextLevel != nil || got.Dropout != 0 {
				t.Errorf("%v ε=%v: Describe = %+v, want the mechanism's account without dropout", s, eps, got)
			}
			if !(got.Witness.Attained <= got.True*(1+1e-9)) || !(got.Witness.Attained >= got.True*0.98) {
				t.Errorf("%v ε=%v: the witness attains %v of %v", s, eps, got.Witness.Attained, got.True)
			}
			if want := float64(got.True) <= float64(got.Claimed)*(1+1e-6); got.Honest() != want || s.honest && !want {
				t.Errorf("%v ε=%v: Honest() = %v with claimed %v and true %v", s, eps, got.Honest(), got.Claimed, got.True)
			}
			for _, f := range a.Facts {
				if got.Facts[f.Name] != f.Value {
					t.Errorf("%v ε=%v: fact %s is %v, want %v", s, eps, f.Name, got.Facts[f.Name], f.Value)
				}
			}
		}
	}
}

// TestDescribeDropout: the unit becomes word, for what is claimed and what is
// true alike, with the text-level figure beside it.
func TestDescribeDropout(t *testing.T) {
	p := mech.Params{Mechanism: "dpnr", Variant: mech.Paper, Dim: 768, Epsilon: 0.05}
	text, word := statement(t, p, 0), statement(t, p, 0.5)
	if word.Unit != dp.Word || word.Dropout != 0.5 || word.TextLevel == nil || *word.TextLevel != text.True {
		t.Errorf("Describe with dropout = %+v, want a word-level statement with the text-level ε beside it", word)
	}
	if want := 38.4 - math.Ln2; math.Abs(float64(word.True)-want) > 0.01 {
		t.Errorf("Describe with dropout: true %v, want %v", word.True, want)
	}
	if want := math.Log1p(0.5 * math.Expm1(0.05)); !within(float64(word.Claimed), want, 1e-9) {
		t.Errorf("Describe with dropout: claimed %v, want %v", word.Claimed, want)
	}
	if !(word.Witness.Attained <= word.True) || !within(float64(word.Witness.Attained), float64(word.True), 1e-3) {
		t.Errorf("Describe with dropout: the witness attains %v of %v", word.Witness.Attained, word.True)
	}
	if len(word.Assumptions) != len(text.Assumptions)+1 || !strings.Contains(word.Reason, text.Reason) {
		t.Errorf("Describe with dropout = %q, %q, want one assumption more and the release's reason", word.Assumptions, word.Reason)
	}
	p.Variant = mech.Released
	if s := statement(t, p, 0.9); s.True != dp.Infinite || s.Witness.Attained != dp.Infinite || *s.TextLevel != dp.Infinite || s.Honest() {
		t.Errorf("Describe of no promise with dropout = %+v, want infinite throughout", s)
	}
}

func TestDescribeRefuses(t *testing.T) {
	good := mech.Params{Mechanism: "laplace-l1", Dim: 2, Epsilon: 1}
	metric := mech.Params{Mechanism: "privemb", Epsilon: 1, Own: mech.PrivEmbParams{InputDim: 2, OutputDim: 1}}
	for _, tt := range []struct {
		p       mech.Params
		dropout float64
	}{
		{mech.Params{}, 0}, {good, -0.5}, {good, 1}, {good, math.NaN()}, {metric, 0.5},
	} {
		if s, err := mech.Describe(tt.p, tt.dropout); err == nil {
			t.Errorf("Describe(%+v, %v) = %+v, want an error", tt.p, tt.dropout, s)
		}
	}
}

// TestDescribeJSON: scripts read these names, and infinity as a word.
func TestDescribeJSON(t *testing.T) {
	for _, tt := range []struct {
		p    mech.Params
		want map[string]any
	}{
		{
			mech.Params{Mechanism: "ome", Dim: 50, Epsilon: 1, Own: mech.OMEParams{Bits: 10, Lambda: 100}},
			map[string]any{"mechanism": "ome", "variant": "paper", "unit": "text", "claimed": 1.0},
		},
		{
			mech.Params{Mechanism: "dpnr", Variant: mech.Released, Dim: 2, Epsilon: 1},
			map[string]any{"mechanism": "dpnr", "variant": "released", "unit": "text", "claimed": 1.0, "true": "infinite"},
		},
	} {
		text, err := json.Marshal(statement(t, tt.p, 0))
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]any
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		for name, want := range tt.want {
			if got[name] != want {
				t.Errorf("%s: %s is %v, want %v", tt.p.Mechanism, name, got[name], want)
			}
		}
		if got["reason"] == "" || got["true"] == nil {
			t.Errorf("%s: %s, want a reason and a true ε", tt.p.Mechanism, text)
		}
	}
}

// TestIndependent: mechanisms that say so release coordinates one by one, so
// that LogRatio is the sum over coordinates; the auditor multiplies their
// bounds.
func TestIndependent(t *testing.T) {
	want := map[string]bool{
		"laplace-l1/paper": true, "laplace-l1/released": true, "dpnr/true": true, "dpnr/paper": true,
		"sue/onehot": true, "sue/paper": true, "oue/onehot": true, "oue/tight": true, "oue/paper": true, "oue/moue": true,
		"ome/paper": true, "bitrand/paper": true, "bitrr/weighted": true, "bitrr/uniform": true, "bitrr/onebit": true,
		"gaussian/true": true,
	}
	for _, s := range subjects() {
		got := must(t, s.params(6, 1)).Profile().Independent
		if name := s.Mechanism + "/" + s.Variant; got && !want[name] {
			t.Errorf("%s says that its coordinates are independent, want it not to", name)
		}
	}
}
