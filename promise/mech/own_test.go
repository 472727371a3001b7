package mech_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"sotto/promise/mech"
)

// TestParamsJSON: own parameters stand beside the others, in the order in which
// files have them, and are read back in their type.
func TestParamsJSON(t *testing.T) {
	for _, tt := range []struct {
		p    mech.Params
		want string
	}{
		{mech.Params{}, `{"mechanism":""}`},
		{mech.Params{Mechanism: "laplace-l1", Variant: mech.Paper, Epsilon: 8, Dim: 3}, `{"mechanism":"laplace-l1","variant":"paper","epsilon":8,"dim":3}`},
		{mech.Params{Mechanism: "ome", Epsilon: 1, Dim: 50, Own: mech.OMEParams{Bits: 10, Lambda: 100}}, `{"mechanism":"ome","epsilon":1,"dim":50,"bits":10,"lambda":100}`},
		{mech.Params{Mechanism: "sue", Own: mech.BitParams{}}, `{"mechanism":"sue"}`},
		{
			mech.Params{Mechanism: "privemb", Variant: mech.Paper, Epsilon: 2, Delta: 1e-6, Own: mech.PrivEmbParams{InputDim: 3, OutputDim: 2, Clip: 0.5, Seed: 7}},
			`{"mechanism":"privemb","variant":"paper","epsilon":2,"delta":0.000001,"input_dim":3,"output_dim":2,"clip":0.5,"seed":7}`,
		},
		{mech.Params{Mechanism: "codebook", Dim: 2, Own: mech.CodebookParams{Codewords: 4, Selected: 1, Seed: 1 << 60}}, `{"mechanism":"codebook","dim":2,"codewords":4,"selected":1,"seed":1152921504606846976}`},
		{mech.Params{Mechanism: "codes", Dim: 2, Own: mech.CodesParams{Weights: []float64{0.25, 0.5}}}, `{"mechanism":"codes","dim":2,"weights":[0.25,0.5]}`},
		{mech.Params{Epsilon: 1, Own: mech.Given{"classes": 3, "bits": 2}}, `{"mechanism":"","epsilon":1,"bits":2,"classes":3}`},
		{mech.Params{Mechanism: "sue", Own: mech.Given{"classes": 3}}, `{"mechanism":"sue","classes":3}`},
	} {
		got, err := json.Marshal(tt.p)
		if err != nil || string(got) != tt.want {
			t.Errorf("Marshal(%+v) = %s, %v, want %s", tt.p, got, err, tt.want)
		}
		var p mech.Params
		if err := json.Unmarshal([]byte(tt.want), &p); err != nil || !reflect.DeepEqual(p, tt.p) {
			t.Errorf("Unmarshal(%s) = %+v, %v, want %+v", tt.want, p, err, tt.p)
		}
	}
	hidden, err := json.Marshal(mech.Params{Own: mech.Given{"vocabulary": vocabulary(2)}})
	if err != nil || string(hidden) != `{"mechanism":""}` {
		t.Errorf("Marshal with a vocabulary = %s, %v, want none of it", hidden, err)
	}
}

// TestParamsJSONRefused: what no mechanism takes is refused when it is read, and
// what another mechanism takes when the mechanism is made.
func TestParamsJSONRefused(t *testing.T) {
	for text, want := range map[string]string{
		`{"mechanism":"ome","sigma":1}`:          `unknown field "sigma"`,
		`{"mechanism":"ome","vocabulary":[[1]]}`: `unknown field "vocabulary"`,
		`{"mechanism":"ome","Own":{}}`:           `unknown field "Own"`,
		`{"mechanism":"ome","bits":"ten"}`:       "cannot unmarshal string",
		`{"mechanism":"ome","dim":1.5}`:          "cannot unmarshal number 1.5",
		`[1]`:                                    "cannot unmarshal array",
	} {
		var p mech.Params
		if err := json.Unmarshal([]byte(text), &p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Unmarshal(%s) error = %v, want %q in it", text, err, want)
		}
	}
	var p mech.Params
	if err := json.Unmarshal([]byte(`{"mechanism":"ome","epsilon":1,"dim":2,"bits":4,"classes":3}`), &p); err != nil {
		t.Fatal(err)
	}
	if _, err := mech.New(p); err == nil || err.Error() != `mech: ome takes no parameter "classes"` {
		t.Errorf("New(%+v) error = %v, want classes refused", p, err)
	}
}

// TestParamsWith: parameters set one by one are those of the type, and one that
// the mechanism does not take is never lost.
func TestParamsWith(t *testing.T) {
	p := mech.Params{Mechanism: "ome", Own: mech.OMEParams{Bits: 4}}.With(mech.Given{"lambda": 2.0, "bits": 0})
	if want := (mech.OMEParams{Bits: 4, Lambda: 2}); p.Own != want || mech.OwnOf[mech.OMEParams](p) != want {
		t.Errorf("With gives %+v, want %+v", p.Own, want)
	}
	if got := mech.OwnOf[mech.CodesParams](mech.Params{Own: mech.Given{"selected": 2, "bits": 3}}); got.Selected != 2 {
		t.Errorf("OwnOf without a mechanism = %+v, want 2 selected", got)
	}
	for name, p := range map[string]mech.Params{
		"Fit":    mech.Params{Mechanism: "privemb", Epsilon: 1}.With(mech.Given{"bits": 3}).Fit(4),
		"Assume": mech.Params{Mechanism: "privemb", Epsilon: 1}.With(mech.Given{"bits": 3}).Assume(),
		"labels": mech.Params{Mechanism: "krr", Epsilon: 1}.With(mech.Given{"bits": 3}).Assume().Fit(4),
		"Grid":   mech.Params{Mechanism: "bitrand", Epsilon: 1, Dim: 2}.With(mech.Given{"clip": 3.0}).Grid(),
		"Clone":  mech.Params{Mechanism: "gaussian", Epsilon: 1, Dim: 2}.With(mech.Given{"clip": 3.0}).Clone(),
		"typed":  {Mechanism: "gaussian", Epsilon: 1, Dim: 2, Own: mech.KRRParams{Classes: 2}},
	} {
		if _, err := mech.New(p); err == nil || !strings.Contains(err.Error(), "takes no parameter") {
			t.Errorf("%s: New(%+v) error = %v, want a refusal", name, p, err)
		}
	}
	if _, err := mech.New(mech.Params{Mechanism: "sue", Epsilon: 1, Dim: 2, Own: mech.Given{"bits": 3.0}}); err == nil || !strings.Contains(err.Error(), "float64, must be of type int") {
		t.Errorf("New with bits of another type: error = %v, want one that names both types", err)
	}
}

// TestParameters: each own parameter is listed once, with the mechanisms that
// take it.
func TestParameters(t *testing.T) {
	help := map[string]string{}
	for _, p := range mech.Parameters() {
		if help[p.Name] != "" {
			t.Errorf("Parameters lists %s twice", p.Name)
		}
		help[p.Name] = p.Help
	}
	for name, want := range map[string]string{
		"bits":     "number of bits for each coordinate of sue, oue, ome, bitrand, bitrr (default 10)",
		"selected": "number of near codewords of codebook; number of likely codes of codes; number of labels in a set of subset (default: the best for ε)",
		"classes":  "number of labels of krr, subset (default: none)",
	} {
		if help[name] != want {
			t.Errorf("help of %s = %q, want %q", name, help[name], want)
		}
	}
}

func FuzzParamsJSON(f *testing.F) {
	f.Add([]byte(`{"mechanism":"ome","epsilon":1,"dim":50,"bits":10,"lambda":100}`))
	f.Add([]byte(`{"mechanism":"codes","dim":2,"weights":[0.25,0.5]}`))
	f.Add([]byte(`{"epsilon":1,"classes":3,"bits":null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var p, again mech.Params
		if json.Unmarshal(data, &p) != nil {
			return
		}
		first, err := json.Marshal(p)
		if err != nil {
			t.Fatalf("Marshal(%+v) error = %v", p, err)
		}
		if err := json.Unmarshal(first, &again); err != nil {
			t.Fatalf("Unmarshal(%s) error = %v", first, err)
		}
		if second, err := json.Marshal(again); err != nil || !bytes.Equal(first, second) {
			t.Errorf("%s becomes %s, %v", first, second, err)
		}
	})
}
