package gateway_test

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	weakrand "math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sotto/compute/nn"
	"sotto/learn/model"
	"sotto/learn/train"
	"sotto/promise/mech"
	"sotto/service/gateway"
	"sotto/service/ledger"
	"sotto/text/encode"
)

// codesModel makes a mechanism of a model whose codes answer two labels with
// names and a third without one, and returns the classes of each code.
func codesModel(t *testing.T) (gateway.Mechanism, [][]int) {
	t.Helper()
	r := weakrand.New(weakrand.NewPCG(7, 8))
	d := train.Data{X: nn.NewMatrix(90, width), Y: make([]int, 90), Classes: 2}
	colour, hidden := make([]int, 90), make([]int, 90)
	for i := range d.Y {
		d.Y[i], colour[i], hidden[i] = i%2, i/2%2, i/4%2
		for j, on := range []int{d.Y[i], colour[i], hidden[i]} {
			d.X.Row(i)[j] = float32(r.NormFloat64()/4 + float64(on))
		}
		if i < 60 {
			d.Train = append(d.Train, i)
		} else {
			d.Validation = append(d.Validation, i)
		}
	}
	d.More = []train.Target{{Y: colour, Classes: 2}, {Y: hidden, Classes: 2}}
	h := train.Codes{Training: train.Training{Shape: train.Shape{Encoder: []int{}}, Epochs: 20}, Release: mech.Params{Epsilon: 2}}
	m, err := train.Fit(t.Context(), h, d, train.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "model")
	err = m.Save(dir, model.Manifest{Method: "codes", Data: model.DataRecord{
		Label: "mood", Classes: []string{"low", "high"}, More: []model.LabelRecord{{Name: "colour", Classes: []string{"red", "blue"}}}, Reserve: 0.5,
	}})
	if err != nil {
		t.Fatal(err)
	}
	m, info, err := model.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	f, err := gateway.FromModel(m, info)
	if err != nil {
		t.Fatal(err)
	}
	return f, m.Architecture().Answers
}

// numbers reads an embedding, in whichever form it came.
func numbers(t *testing.T, raw json.RawMessage) []float32 {
	t.Helper()
	var v []float32
	if json.Unmarshal(raw, &v) == nil {
		return v
	}
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		t.Fatal(err)
	}
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(b)%4 != 0 {
		t.Fatalf("%d bytes, %v", len(b), err)
	}
	for ; len(b) > 0; b = b[4:] {
		v = append(v, math.Float32frombits(binary.LittleEndian.Uint32(b)))
	}
	return v
}

// TestCodes asks for the same releases as vectors and as indices.
func TestCodes(t *testing.T) {
	c := config(t)
	var answers [][]int
	c.Mechanism, answers = codesModel(t)
	k := len(answers)
	s := serve(t, c, gateway.ServiceConfig{Page: &gateway.Page{Vocabulary: vocabulary}})
	const body = `{"input": ["one", "two", "three", "four", "five"]`
	var indices []float32
	for i, form := range []string{`}`, `, "dimensions": 1}`, `, "encoding_format": "base64", "dimensions": 1}`} {
		a := s.embed(t, body+form)
		if a.Privacy.Paid != max(0, 5-5*i) || a.Privacy.Mechanism != "codes" {
			t.Errorf("%s: paid for %d by %s, want the first five by codes", form, a.Privacy.Paid, a.Privacy.Mechanism)
		}
		for j, d := range a.Data {
			v := numbers(t, d.Embedding)
			if i == 0 {
				sum := float32(0)
				for _, x := range v {
					sum += x
				}
				indices = append(indices, float32(slices.Index(v, 1)))
				if len(v) != k || indices[j] < 0 || sum != 1 {
					t.Errorf("text %d is released as %v, want one 1 among %d", j, v, k)
				}
			} else if len(v) != 1 || v[0] != indices[j] {
				t.Errorf("%s: text %d is released as %v, want %v alone", form, j, v, indices[j])
			}
		}
	}
	for _, wrong := range []string{"2", "1000"} {
		status, content, _ := s.ask(t, http.MethodPost, "/v1/embeddings", body+`, "dimensions": `+wrong+`}`)
		if a := parse(t, content); status != http.StatusBadRequest || a.Error.Param == nil || *a.Error.Param != "dimensions" || !strings.Contains(a.Error.Message, "or 1 for the index") {
			t.Errorf("%s dimensions: status %d, %s", wrong, status, content)
		}
	}
	got, _ := s.trials(t, `{"input": "one"}`)
	index := int(indices[0])
	if x := got[0].Code; x == nil || x.Index != index || x.Of != k || len(x.Means) != 2 || got[0].Read != nil || got[0].Cosine != nil {
		t.Fatalf("the page shows %+v, want code %d of %d and no words", got[0], index, k)
	}
	want := [][]string{{"low", "high"}, {"red", "blue"}}
	for l, m := range got[0].Code.Means {
		if m.Label != []string{"mood", "colour"}[l] || m.Class != want[l][answers[index][l]] {
			t.Errorf("code %d stands for %+v, want %s", index, m, want[l][answers[index][l]])
		}
	}
}

// seen keeps what the ledger is told of a mechanism.
type seen struct {
	gateway.Ledger
	record any
}

func (s *seen) Spend(ctx context.Context, r ...ledger.Request) ([]ledger.Receipt, error) {
	if len(r) > 0 {
		s.record = r[0].Mechanism
	}
	return s.Ledger.Spend(ctx, r...)
}

// TestManyCodes checks that weights are not repeated beside every answer.
func TestManyCodes(t *testing.T) {
	const k = 1024
	weights, sum := make([]float64, k), 0.0
	for i := range weights {
		weights[i] = 0.4 / k * (1 + float64(i%7)/100)
		sum += weights[i]
	}
	m, err := mech.New(mech.Params{Mechanism: "codes", Epsilon: 2, Dim: k, Own: mech.CodesParams{Weights: weights}})
	if err != nil {
		t.Fatal(err)
	}
	e, err := encode.NewHash(k)
	if err != nil {
		t.Fatal(err)
	}
	c := config(t)
	book := &seen{Ledger: c.Ledger}
	c.Encoder, c.Mechanism, c.Ledger = e, m, book
	s := serve(t, c, gateway.ServiceConfig{Page: &gateway.Page{Vocabulary: vocabulary}})
	_, content, _ := s.ask(t, http.MethodPost, "/v1/embeddings", `{"input": "a text", "dimensions": 1}`)
	a := parse(t, content)
	p := a.Privacy.Parameters
	if len(content) > 1500 || p.Dim != k || p.Value("weights") != nil || p.WeightSum != sum || len(p.WeightsDigest) != 64 {
		t.Errorf("the answer has %d bytes with %+v, want codes, sum and digest of the weights alone", len(content), p)
	}
	record, err := json.Marshal(book.record)
	if err != nil || len(record) > 500 || !strings.Contains(string(record), p.WeightsDigest) {
		t.Errorf("the ledger is told %d bytes (%v), want the digest in place of the weights", len(record), err)
	}
	// Without a model nothing says what a code stands for.
	got, _ := s.trials(t, `{"input": "a text"}`)
	if x := got[0].Code; x == nil || x.Of != k || len(x.Means) != 0 || got[0].Read != nil {
		t.Errorf("the page shows %+v, want a code without a meaning, and no words", x)
	}
	// Other weights are another mechanism, with noise of its own.
	weights[0] *= 1.5
	if c.Mechanism, err = mech.New(mech.Params{Mechanism: "codes", Epsilon: 2, Dim: k, Own: mech.CodesParams{Weights: weights}}); err != nil {
		t.Fatal(err)
	}
	if e := embed(t, newGateway(t, c), "anonymous", gateway.Options{}, "a text"); e.Privacy.Paid != 1 || e.Privacy.Parameters.WeightsDigest == p.WeightsDigest {
		t.Errorf("other weights: paid for %d with digest %s, want to be paid for anew", e.Privacy.Paid, e.Privacy.Parameters.WeightsDigest)
	}
}
