package gateway_test

import (
	"errors"
	"slices"
	"testing"

	"sotto/compute/nn"
	"sotto/compute/nn/transformer/tiny"
	"sotto/learn/train"
	"sotto/promise/mech"
	"sotto/service/gateway"
	"sotto/service/ledger"
	"sotto/text/encode/bert"
)

// onKernel makes a gateway on some kernels, as on another machine, and asks it.
func onKernel(t *testing.T, kernel string, configured func() gateway.Config, ask func(g *gateway.Gateway)) {
	t.Helper()
	end, err := nn.Force(kernel)
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	ask(newGateway(t, configured()))
}

// TestOtherKernels: two gateways on one ledger, on machines that round differently. What
// comes out otherwise on the second is another release, with noise of its own, and is paid
// for, or refused under the key of the first; what is computed alike everywhere is the same
// release and costs nothing.
func TestOtherKernels(t *testing.T) {
	fast := nn.NewPool(1).Kernel()
	if fast == "portable" {
		t.Skip("this machine has no other kernels")
	}
	dir := t.TempDir()
	if err := tiny.Even().Write(dir); err != nil {
		t.Fatal(err)
	}
	transformer := func(noise gateway.Noise) func() gateway.Config {
		c := config(t)
		c.Noise = noise
		var err error
		if c.Mechanism, err = mech.New(mech.Params{Mechanism: "laplace-l1", Dim: 32, Epsilon: 2}); err != nil {
			t.Fatal(err)
		}
		return func() gateway.Config {
			if c.Encoder, err = bert.Open(dir, bert.Options{}); err != nil {
				t.Fatal(err)
			}
			return c
		}
	}
	method := train.Noise{Training: train.Training{Shape: train.Shape{Encoder: []int{8}}, Epochs: 1}, Release: mech.Params{Mechanism: "laplace-l1", Epsilon: 2}}
	m, info := trained(t, method, 1)
	layers := func(noise gateway.Noise) func() gateway.Config {
		c := config(t)
		c.Noise = noise
		return func() gateway.Config {
			var err error
			if c.Mechanism, err = gateway.FromModel(m, info); err != nil {
				t.Fatal(err)
			}
			return c
		}
	}
	exact := func(noise gateway.Noise) func() gateway.Config {
		c := config(t)
		c.Noise = noise
		return func() gateway.Config { return c }
	}
	const text = "the cat is playing the guitar"
	for name, tt := range map[string]struct {
		make func(gateway.Noise) func() gateway.Config
		same bool
	}{"a transformer": {transformer, false}, "a model with layers": {layers, false}, "an exact encoder": {exact, true}} {
		var first, second *gateway.Embeddings
		memoised := tt.make(gateway.Memoised)
		onKernel(t, fast, memoised, func(g *gateway.Gateway) { first = embed(t, g, "alice", gateway.Options{}, text) })
		onKernel(t, "portable", memoised, func(g *gateway.Gateway) { second = embed(t, g, "alice", gateway.Options{}, text) })
		if slices.Equal(first.Vectors[0], second.Vectors[0]) != tt.same || second.Privacy.Paid == 0 != tt.same {
			t.Errorf("%s: on other kernels %d were paid for, and releases are the same: %v", name, second.Privacy.Paid, slices.Equal(first.Vectors[0], second.Vectors[0]))
		}
		if d := first.Vectors[0][0] - second.Vectors[0][0]; !tt.same && d > -1e-3 && d < 1e-3 {
			t.Errorf("%s: releases on two kernels differ by %v, as if they had the same noise", name, d)
		}
		fresh, once := tt.make(gateway.Fresh), gateway.Options{IdempotencyKey: "once"}
		onKernel(t, fast, fresh, func(g *gateway.Gateway) { embed(t, g, "alice", once, text) })
		onKernel(t, "portable", fresh, func(g *gateway.Gateway) {
			if _, err := g.Embed(t.Context(), "alice", []string{text}, once); errors.Is(err, ledger.ErrConflict) == tt.same || err != nil && tt.same {
				t.Errorf("%s: the same key on other kernels: %v", name, err)
			}
		})
	}
}
