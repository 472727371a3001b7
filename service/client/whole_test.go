package client_test

import (
	"bytes"
	"errors"
	"math"
	"net/http/httptest"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"sotto/compute/nn"
	"sotto/learn/experiment"
	"sotto/learn/model"
	"sotto/promise/dp"
	"sotto/service/client"
	"sotto/service/gateway"
	"sotto/service/ledger"
	"sotto/service/server"
	"sotto/text/encode"
	"sotto/text/encode/catalogue"
)

// pair starts a server and a gateway for one trained model and returns clients
// of both, with what ends the server.
func pair(t *testing.T, spec experiment.Spec, budget float64) (*client.Client, *client.Server, func()) {
	t.Helper()
	dir := t.TempDir()
	spec.Data, spec.Limit, spec.Encoder, spec.Epochs = "reviews", 300, "hash:32", 2
	if _, err := experiment.Run(t.Context(), spec, experiment.Options{Out: dir}); err != nil {
		t.Fatal(err)
	}
	s, err := server.New(server.Config{Model: dir})
	if err != nil {
		t.Fatal(err)
	}
	untrusted := httptest.NewServer(s.Handler())
	t.Cleanup(untrusted.Close)
	sc, err := client.NewServer(untrusted.URL, "", client.Options{Backoff: time.Microsecond})
	if err != nil {
		t.Fatal(err)
	}
	m, info, err := model.Load(filepath.Join(dir, "seed-1"))
	if err != nil {
		t.Fatal(err)
	}
	e, err := catalogue.Open(t.Context(), catalogue.Said(string(info.Data.Encoder)), "")
	if err != nil {
		t.Fatal(err)
	}
	mechanism, err := gateway.FromModel(m, info)
	if err != nil {
		t.Fatal(err)
	}
	book, err := ledger.OpenFile(filepath.Join(t.TempDir(), "ledger.db"), ledger.Options{Budget: ledger.Budget{Unit: dp.Text, Epsilon: budget, Window: 24 * time.Hour}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { book.Close() })
	secret, err := gateway.NewSecret(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	g, err := gateway.New(t.Context(), gateway.Config{Encoder: e, Mechanism: mechanism, Ledger: book, Secret: secret})
	if err != nil {
		t.Fatal(err)
	}
	service, err := gateway.NewService(gateway.ServiceConfig{Gateway: g, Classifier: sc})
	if err != nil {
		t.Fatal(err)
	}
	trusted := httptest.NewServer(service)
	t.Cleanup(trusted.Close)
	c, err := client.New(trusted.URL, client.Options{Backoff: time.Microsecond})
	if err != nil {
		t.Fatal(err)
	}
	return c, sc, untrusted.Close
}

// TestWhole sends texts through both programs.
func TestWhole(t *testing.T) {
	c, s, stop := pair(t, experiment.Spec{Methods: []string{"noise"}, Epsilons: []float64{4}, Hidden: []int{16}, Dims: []int{8}}, 10)
	ctx := t.Context()
	texts := []string{"a wonderful film, I loved it", "dull and far too long"}
	e, err := c.Embed(ctx, client.Request{Texts: texts, User: "alice"})
	if err != nil {
		t.Fatal(err)
	}
	// The window has ε = 10, and two texts cost a little under 4 each.
	if p := e.Privacy; math.Abs(p.Cost-8) > 1e-4 || math.Abs(p.Left-2) > 1e-4 || p.Unit != dp.Text || p.Renews.IsZero() {
		t.Errorf("privacy %+v, want cost 8, 2 left and when it renews", p)
	}
	direct, err := s.Classify(ctx, e.Vectors, e.Privacy.Guarantee())
	if err != nil {
		t.Fatal(err)
	}
	// The same texts are memoised: the same vectors, so the same classes, for nothing.
	through, err := c.Classify(ctx, client.Request{Texts: texts, User: "alice"})
	if err != nil {
		t.Fatal(err)
	}
	if through.Privacy.Cost != 0 || through.Privacy.Repeated != 2 || !slices.EqualFunc(direct, through.Answers, func(a, b client.Answer) bool {
		return a.Class == b.Class && a.Scores["positive"] == b.Scores["positive"]
	}) {
		t.Errorf("gateway says %+v for ε %v, the server itself %+v", through.Answers, through.Privacy.Cost, direct)
	}
	if sum := direct[0].Scores["positive"] + direct[0].Scores["negative"]; math.Abs(sum-1) > 1e-6 {
		t.Errorf("probabilities sum to %v, want 1", sum)
	}
	var over *client.OverBudget
	if _, err = c.Embed(ctx, client.Request{Texts: []string{"one more"}, User: "alice"}); !errors.As(err, &over) || math.Abs(over.Asked-4) > 1e-4 || math.Abs(over.Left-2) > 1e-4 || over.Renews.IsZero() {
		t.Errorf("error %v, want 4 asked and 2 left", err)
	}
	b, err := c.Budget(ctx, "alice")
	if err != nil || math.Abs(b.Spent-8) > 1e-4 || b.Epsilon != 10 || b.Release.Mechanism != "laplace-l1" {
		t.Errorf("budget %+v, %v, want 8 spent of 10", b, err)
	}
	var refused *client.Refused
	if _, err = s.Classify(ctx, e.Vectors, dp.Guarantee{Unit: dp.Text, Epsilon: 5}); !errors.As(err, &refused) || refused.Code != "guarantee_mismatch" {
		t.Errorf("error %v, want guarantee_mismatch", err)
	}
	m, err := s.Model(ctx)
	if err != nil || m.Width != 8 || m.Method != "noise" || m.Name != "seed-1" || len(m.Classes) != 2 {
		t.Errorf("model %+v, %v, want seed-1 of width 8", m, err)
	}
	stop()
	var unavailable *client.Unavailable
	if _, err = c.Classify(ctx, client.Request{Texts: texts, User: "alice"}); !errors.As(err, &unavailable) || unavailable.Code != "server_unavailable" {
		t.Errorf("error %v with the server gone, want server_unavailable", err)
	}
}

// TestWholeCodes sends texts through both programs whose release is a code that
// answers two labels, as its vector and as its index.
func TestWholeCodes(t *testing.T) {
	c, s, _ := pair(t, experiment.Spec{Methods: []string{"codes"}, Labels: []string{"sentiment", "author"}, Epsilons: []float64{4}}, 40)
	ctx := t.Context()
	texts := []string{"a wonderful film, I loved it", "dull and far too long", "three", "four"}
	e, err := c.Embed(ctx, client.Request{Texts: texts})
	if err != nil {
		t.Fatal(err)
	}
	indexed, err := c.Embed(ctx, client.Request{Texts: texts, Index: true})
	if err != nil {
		t.Fatal(err)
	}
	m, err := s.Model(ctx)
	if err != nil || m.Codes != m.Width || len(m.Labels) != 2 || m.Labels[1].Name != "author" {
		t.Fatalf("model %+v, %v, want codes with two labels", m, err)
	}
	codes := make([]int, len(texts))
	for i, v := range indexed.Vectors {
		if len(v) != 1 || len(e.Vectors[i]) != m.Codes || e.Vectors[i][int(v[0])] != 1 {
			t.Fatalf("text %d: the index is %v of %v", i, v, e.Vectors[i])
		}
		codes[i] = int(v[0])
	}
	if indexed.Privacy.Cost != 0 || indexed.Privacy.Repeated != len(texts) {
		t.Errorf("the indices cost %v, want nothing: the releases are the same", indexed.Privacy.Cost)
	}
	want, err := s.Classify(ctx, e.Vectors, e.Privacy.Guarantee())
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range want {
		if len(a.Labels) != 2 || a.Labels["sentiment"].Class != a.Class || len(a.Labels["author"].Scores) != 2 || a.Labels["author"].Labels != nil {
			t.Errorf("text %d: %+v, want an answer to each of two labels, the first also by itself", i, a)
		}
	}
	got, err := s.ClassifyCodes(ctx, codes, e.Privacy.Guarantee())
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("as indices: %+v, %v, want %+v", got, err, want)
	}
	got, err = s.Classify(ctx, indexed.Vectors, e.Privacy.Guarantee())
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("as vectors of one number: %+v, %v, want %+v", got, err, want)
	}
	// Index is for embeddings; the gateway has a server of its own to ask.
	through, err := c.Classify(ctx, client.Request{Texts: texts, Index: true})
	if err != nil || !reflect.DeepEqual(through.Answers, want) {
		t.Errorf("through the gateway: %+v, %v, want %+v", through, err, want)
	}
	var refused *client.Refused
	if _, err = s.ClassifyCodes(ctx, []int{m.Codes}, e.Privacy.Guarantee()); !errors.As(err, &refused) || refused.Code != "no_code" {
		t.Errorf("an index beyond: %v, want no_code", err)
	}
	for _, code := range []int{-1, 1 << 24} {
		if _, err = s.ClassifyCodes(ctx, []int{code}, e.Privacy.Guarantee()); err == nil || errors.As(err, &refused) {
			t.Errorf("index %d: %v, want an error before it is sent", code, err)
		}
	}
}

// TestEveryMethod: the model of every method that releases anything private
// answers through a server as it does by itself.
func TestEveryMethod(t *testing.T) {
	dir := t.TempDir()
	if _, err := experiment.Run(t.Context(), experiment.Spec{
		Data: "reviews", Encoder: "hash:32", Methods: []string{"noise", "dpnr", "federate", "ldpnn", "privemb", "label", "codes"}, Epsilons: []float64{8},
		Hidden: []int{16}, Dims: []int{8}, Epochs: 1, Limit: 200,
	}, experiment.Options{Out: dir}); err != nil {
		t.Fatal(err)
	}
	s, err := server.New(server.Config{Model: dir})
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(s.Handler())
	defer h.Close()
	e, err := catalogue.Open(t.Context(), catalogue.Said("hash:32"), "")
	if err != nil {
		t.Fatal(err)
	}
	x, err := encode.Texts(t.Context(), e, []string{"a wonderful film", "dull and far too long", "three"}, 1)
	if err != nil {
		t.Fatal(err)
	}
	folders, err := filepath.Glob(filepath.Join(dir, "*", "seed-1"))
	if err != nil || len(folders) != 7 || s.Models() != 7 {
		t.Fatalf("%d folders, %d models served, %v, want 7", len(folders), s.Models(), err)
	}
	for _, folder := range folders {
		name := filepath.Base(filepath.Dir(folder)) + "-seed-1"
		m, info, err := model.Load(folder)
		if err != nil {
			t.Fatal(err)
		}
		p := nn.NewPool(1)
		y, err := m.Release(p, x, []int{0, 1, 2}, model.SimulationKey(1))
		if err != nil {
			t.Fatal(err)
		}
		c, err := client.NewServer(h.URL, name, client.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.Classify(t.Context(), [][]float32{y.Row(0), y.Row(1), y.Row(2)}, m.Guarantee())
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for i, class := range m.Predict(p, y, 0)[0] {
			if got[i].Class != info.Data.Classes[class] {
				t.Errorf("%s: row %d is %s, want %s", name, i, got[i].Class, info.Data.Classes[class])
			}
		}
	}
}
