package gateway_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sotto/promise/dp"
	"sotto/promise/mech"
	"sotto/service/gateway"
	"sotto/service/ledger"
	"sotto/text/encode"
)

// embed releases texts and fails on any error.
func embed(t *testing.T, g *gateway.Gateway, subject string, o gateway.Options, texts ...string) *gateway.Embeddings {
	t.Helper()
	e, err := g.Embed(t.Context(), subject, texts, o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestMemoised(t *testing.T) {
	c := config(t)
	g := newGateway(t, c)
	first := embed(t, g, "alice", gateway.Options{}, "one text", "another", "one text")
	if !slices.Equal(first.Vectors[0], first.Vectors[2]) || slices.Equal(first.Vectors[0], first.Vectors[1]) {
		t.Error("equal texts of a request differ, or different ones are equal")
	}
	if p := first.Privacy; p.Paid != 2 || p.Repeated != 1 || math.Abs(p.Cost-4) > 1e-5 || math.Abs(p.Left-16) > 1e-5 {
		t.Errorf("paid %d, repeated %d, cost %v, left %v, want 2, 1, 4 and 16", p.Paid, p.Repeated, p.Cost, p.Left)
	}
	again := embed(t, newGateway(t, c), "alice", gateway.Options{IdempotencyKey: "of no meaning here"}, "one text")
	if !slices.Equal(first.Vectors[0], again.Vectors[0]) || again.Privacy.Cost != 0 || again.Privacy.Repeated != 1 {
		t.Errorf("asked again, also after a restart: equal %v, cost %v, want the same and 0", slices.Equal(first.Vectors[0], again.Vectors[0]), again.Privacy.Cost)
	}
	vary := map[string]func(*gateway.Config) string{
		"subject":   func(*gateway.Config) string { return "bob" },
		"mechanism": func(c *gateway.Config) string { c.Mechanism = mechanism(t, 1.5); return "alice" },
		"secret":    func(c *gateway.Config) string { c.Secret = secretOf(t, 2); return "alice" },
		"encoder":   func(c *gateway.Config) string { c.Encoder = renamed{c.Encoder.(encode.Encoder)}; return "alice" },
		"noise":     func(c *gateway.Config) string { c.Noise = gateway.Fresh; return "alice" },
	}
	for name, change := range vary {
		other := c
		subject := change(&other)
		e := embed(t, newGateway(t, other), subject, gateway.Options{}, "one text")
		if slices.Equal(first.Vectors[0], e.Vectors[0]) || e.Privacy.Paid != 1 {
			t.Errorf("another %s gave the same release or was not paid for", name)
		}
	}
}

type renamed struct{ encode.Encoder }

func (renamed) Name() string { return "renamed" }

// TestChangedVector has an encoder that comes to answer differently under the
// same name. With the same noise the difference of the two releases would be
// that of the vectors, so noise and payment must be new.
func TestChangedVector(t *testing.T) {
	c := config(t)
	x := [2][]float64{make([]float64, width), make([]float64, width)}
	var y [2][]float32
	for i := range y {
		c.Encoder = badEncoder{value: float32(i)} // zeros, and then ones
		e := embed(t, newGateway(t, c), "alice", gateway.Options{}, "one text")
		if y[i] = e.Vectors[0]; e.Privacy.Paid != 1 {
			t.Errorf("vector %d was not paid for", i)
		}
		for j := range x[i] {
			x[i][j] = float64(i) / width // on the L1 sphere
		}
	}
	same := true
	for j := range y[0] {
		same = same && math.Abs(float64(y[1][j]-y[0][j])-(x[1][j]-x[0][j])) < 1e-3
	}
	if same {
		t.Error("the releases of two vectors differ as the vectors do: the noise is the same")
	}
}

func TestFresh(t *testing.T) {
	c := config(t)
	c.Noise = gateway.Fresh
	g := newGateway(t, c)
	batch := embed(t, g, "alice", gateway.Options{}, "one text", "one text")
	again := embed(t, g, "alice", gateway.Options{}, "one text")
	if slices.Equal(batch.Vectors[0], batch.Vectors[1]) || slices.Equal(batch.Vectors[0], again.Vectors[0]) {
		t.Error("two fresh releases are equal")
	}
	if batch.Privacy.Paid != 2 || again.Privacy.Paid != 1 {
		t.Errorf("paid for %d and %d releases, want 2 and 1", batch.Privacy.Paid, again.Privacy.Paid)
	}
	key := gateway.Options{IdempotencyKey: "k1"}
	first := embed(t, g, "alice", key, "a", "b")
	retry := embed(t, newGateway(t, c), "alice", key, "a", "b")
	if !reflect.DeepEqual(first.Vectors, retry.Vectors) || retry.Privacy.Cost != 0 || retry.Privacy.Repeated != 2 {
		t.Errorf("a retry: equal %v, cost %v, want equal and 0", reflect.DeepEqual(first.Vectors, retry.Vectors), retry.Privacy.Cost)
	}
	for _, texts := range [][]string{{"a", "c"}, {"b", "a"}, {"a"}, {"a", "b", "c"}} {
		if _, err := g.Embed(t.Context(), "alice", texts, key); !errors.Is(err, ledger.ErrConflict) {
			t.Errorf("the key with %d other texts: %v, want ErrConflict", len(texts), err)
		}
	}
	other := embed(t, g, "bob", key, "a", "b")
	if reflect.DeepEqual(first.Vectors, other.Vectors) || other.Privacy.Paid != 2 {
		t.Error("another subject's key was taken for the same")
	}
	// After the loss of the ledger a key may come to stand for another text. The
	// noise must not be the same.
	c.Ledger = openLedger(t, filepath.Join(t.TempDir(), "new"), 20)
	c.Encoder = badEncoder{value: 0}
	y0 := embed(t, newGateway(t, c), "alice", key, "a").Vectors[0]
	c.Ledger = openLedger(t, filepath.Join(t.TempDir(), "newer"), 20)
	y1 := embed(t, newGateway(t, c), "alice", key, "b").Vectors[0]
	if slices.Equal(y0, y1) { // both vectors are zeros, so the releases are the noise
		t.Error("one key with two texts in two ledgers had the same noise")
	}
}

func TestOrder(t *testing.T) {
	c, d := config(t), new(diary)
	book := &spyLedger{Ledger: c.Ledger, diary: d}
	c.Ledger, c.Mechanism = book, &spyMechanism{Mechanism: mechanism(t, 2), diary: d}
	g := newGateway(t, c)
	embed(t, g, "alice", gateway.Options{}, "a", "b")
	if got, want := d.String(), "spent spent drawn drawn"; got != want { // the first is for nothing, by New
		t.Errorf("order is %q, want %q", got, want)
	}
	for _, err := range []error{ledger.ErrUnavailable, ledger.ErrDamaged, &ledger.OverBudget{}, errors.New("disk full")} {
		book.err, d.lines = err, nil
		e, got := g.Embed(t.Context(), "alice", []string{"c"}, gateway.Options{})
		if over := new(ledger.OverBudget); errors.As(err, &over) {
			err = dp.ErrBudget // of which the gateway makes an error of its own
		}
		if e != nil || !errors.Is(got, err) || d.String() != "" {
			t.Errorf("with the ledger's error %v: got %v, %v and %q, want the error and nothing drawn", err, e, got, d)
		}
	}
}

// TestSpentStaysSpent has a mechanism that fails after the payment.
func TestSpentStaysSpent(t *testing.T) {
	c := config(t)
	c.Mechanism = &spyMechanism{Mechanism: mechanism(t, 2), diary: new(diary), instead: func() error { return dp.ErrDomain }}
	g := newGateway(t, c)
	if e, err := g.Embed(t.Context(), "alice", []string{"a"}, gateway.Options{}); e != nil || !errors.Is(err, dp.ErrDomain) {
		t.Fatalf("got %v and %v, want the mechanism's error", e, err)
	}
	b, err := g.Balance(t.Context(), "alice")
	if err != nil || math.Abs(b.Spent.EpsilonValue()-2) > 1e-5 {
		t.Errorf("spent %v (%v), want 2", b.Spent, err)
	}
	c.Mechanism = mechanism(t, 2)
	if e := embed(t, newGateway(t, c), "alice", gateway.Options{}, "a"); e.Privacy.Cost != 0 {
		t.Errorf("asked again it cost %v, want 0: it was paid for", e.Privacy.Cost)
	}
}

func TestOverBudget(t *testing.T) {
	g := newGateway(t, config(t))
	texts := make([]string, 11)
	for i := range texts {
		texts[i] = fmt.Sprint("text ", i)
	}
	_, err := g.Embed(t.Context(), "alice", texts, gateway.Options{})
	var over *ledger.OverBudget
	if !errors.As(err, &over) || math.Abs(over.Asked.EpsilonValue()-22) > 1e-4 || over.Left.EpsilonValue() != 20 || over.Renews.IsZero() {
		t.Fatalf("11 texts: %v, want *OverBudget that asked 22 of 20", err)
	}
	// All or none: nothing was spent, so that ten of them can be paid for.
	e := embed(t, g, "alice", gateway.Options{}, texts[:10]...)
	if e.Privacy.Paid != 10 {
		t.Errorf("paid for %d, want 10", e.Privacy.Paid)
	}
	if _, err = g.Embed(t.Context(), "alice", texts[10:], gateway.Options{}); !errors.As(err, &over) {
		t.Errorf("the eleventh: %v, want *OverBudget", err)
	}
	embed(t, g, "alice", gateway.Options{}, texts[:10]...) // paid for
}

func TestEncoderRefused(t *testing.T) {
	for name, value := range map[string]float32{"NaN": float32(math.NaN()), "infinite": float32(math.Inf(-1))} {
		c, d := config(t), new(diary)
		c.Encoder, c.Ledger = badEncoder{value: value}, &spyLedger{Ledger: c.Ledger, diary: d}
		g := newGateway(t, c)
		d.lines = nil
		if _, err := g.Embed(t.Context(), "alice", []string{"a"}, gateway.Options{}); !errors.Is(err, gateway.ErrEncoder) || d.String() != "" {
			t.Errorf("%s: %v and %q, want ErrEncoder and nothing spent", name, err, d)
		}
	}
}

func TestEmbedInput(t *testing.T) {
	c := config(t)
	c.MaxTexts, c.MaxBytes = 2, 5
	g := newGateway(t, c)
	for _, tt := range []struct {
		name, subject string
		texts         []string
		key           string
		large         bool
	}{
		{name: "no text", subject: "alice"},
		{name: "empty text", subject: "alice", texts: []string{"a", ""}},
		{name: "too many", subject: "alice", texts: []string{"a", "b", "c"}, large: true},
		{name: "too long", subject: "alice", texts: []string{"abcdef"}, large: true},
		{name: "not UTF-8", subject: "alice", texts: []string{"\xff"}},
		{name: "no subject", texts: []string{"a"}},
		{name: "control character", subject: "a\nb", texts: []string{"a"}},
		{name: "long subject", subject: strings.Repeat("a", 257), texts: []string{"a"}},
		{name: "long key", subject: "alice", texts: []string{"a"}, key: strings.Repeat("k", 256)},
	} {
		_, err := g.Embed(t.Context(), tt.subject, tt.texts, gateway.Options{IdempotencyKey: tt.key})
		var input *gateway.InputError
		if !errors.As(err, &input) || input.TooLarge != tt.large || strings.Contains(err.Error(), "abcdef") {
			t.Errorf("%s: %v, want an InputError that quotes nothing", tt.name, err)
		}
	}
}

func TestConfigValidate(t *testing.T) {
	for name, change := range map[string]func(*gateway.Config){
		"no encoder":   func(c *gateway.Config) { c.Encoder = nil },
		"no secret":    func(c *gateway.Config) { c.Secret = gateway.Secret{} },
		"noise":        func(c *gateway.Config) { c.Noise = "none" },
		"limit":        func(c *gateway.Config) { c.MaxTexts = -1 },
		"width":        func(c *gateway.Config) { c.Encoder = encode.Hash{} },
		"no guarantee": func(c *gateway.Config) { c.Mechanism = unprotected(t) },
	} {
		c := config(t)
		change(&c)
		if _, err := gateway.New(t.Context(), c); err == nil {
			t.Errorf("%s: New accepted it", name)
		}
	}
}

func unprotected(t *testing.T) mech.Mechanism {
	t.Helper()
	m, err := mech.New(mech.Params{Mechanism: "dpnr", Variant: mech.Released, Dim: width, Epsilon: 1})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestPinned holds on to the noise of one release. If this fails because a
// mechanism has come to draw or scale its noise differently, the version in
// embed.go must change with it: a text that was released before would otherwise
// get the same noise on another scale, and the two releases would show it.
func TestPinned(t *testing.T) {
	c := config(t)
	c.Encoder = badEncoder{value: 0} // so that the release is the noise
	for noise, want := range map[gateway.Noise]string{
		gateway.Memoised: "fa176fbe47c5af62",
		gateway.Fresh:    "4cd9899712e78b03",
	} {
		c.Noise = noise
		e := embed(t, newGateway(t, c), "alice", gateway.Options{IdempotencyKey: "k"}, "one text")
		h := sha256.New()
		for _, v := range e.Vectors[0] {
			fmt.Fprintf(h, "%x,", math.Float32bits(v)) //nolint:errcheck // a hash takes everything
		}
		if got := fmt.Sprintf("%x", h.Sum(nil)[:8]); got != want {
			t.Errorf("%s noise is %s, want %s", noise, got, want)
		}
	}
}
