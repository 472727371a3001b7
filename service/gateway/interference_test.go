package gateway_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sotto/compute/nn/transformer/tiny"
	"sotto/promise/mech"
	"sotto/service/gateway"
	"sotto/study/language/mask"
	"sotto/text"
	"sotto/text/encode"
	"sotto/text/encode/bert"
)

// TestNonInterference: a text has the release that it has alone beside whatever others it is
// asked with, in whatever order and number, with masks and with a transformer, which computes
// them together. Noise is memoised, so that another vector would be another release.
func TestNonInterference(t *testing.T) {
	dir := t.TempDir()
	if err := tiny.Even().Write(dir); err != nil {
		t.Fatal(err)
	}
	transformer, err := bert.Open(dir, bert.Options{})
	if err != nil {
		t.Fatal(err)
	}
	hash, err := encode.NewHash(32)
	if err != nil {
		t.Fatal(err)
	}
	masker, err := mask.Open("types:all", mask.Pseudonym, nil)
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{"the cat is playing the guitar", "a man", "Ann Miller, no man, wrote to ann@example.org", strings.Repeat("no cats. ", 30), "caf\u00e9 \ufeff"}
	others := []string{
		"a", strings.Repeat("guitar ", 4000), "\x00", "\ufeff", "a\nb\r\n", `"`, "Ann Miller and Miller", "男は公園でギターを弾いています", "[CLS] [PAD]", "1", "{}", "\u2028",
	}
	for name, e := range map[string]encode.Source{"hash": hash, "transformer": transformer} {
		c := config(t)
		c.Encoder, c.Ledger, c.Maskers = e, discard{c.Ledger}, []text.Masker{masker}
		if c.Mechanism, err = mech.New(mech.Params{Mechanism: "laplace-l1", Dim: 32, Epsilon: 2}); err != nil {
			t.Fatal(err)
		}
		g := newGateway(t, c)
		alone := map[string][]float32{}
		for _, s := range texts {
			alone[s] = embed(t, g, "alice", gateway.Options{}, s).Vectors[0]
		}
		g = newGateway(t, c) // which remembers nothing of the first
		rng := rand.New(rand.NewPCG(6, 6))
		for i, other := range others {
			asked := append(slices.Clone(texts[i%3:]), other)
			if i%2 > 0 {
				asked = append(asked, others[:i]...)
			}
			rng.Shuffle(len(asked), func(a, b int) { asked[a], asked[b] = asked[b], asked[a] })
			got := embed(t, g, "alice", gateway.Options{}, asked...)
			for k, s := range asked {
				if want, known := alone[s]; known && !slices.Equal(got.Vectors[k], want) {
					t.Errorf("%s: beside %.10q text %d of %d has another release than alone", name, other, k, len(asked))
				}
			}
		}
		if beside := fmt.Sprint(embed(t, g, "bob", gateway.Options{}, texts[0]).Vectors[0]); beside == fmt.Sprint(alone[texts[0]]) {
			t.Errorf("%s: two subjects have one release", name)
		}
	}
}
