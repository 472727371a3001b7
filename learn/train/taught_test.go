package train_test

import (
	"bytes"
	"testing"

	"sotto/learn/train"
)

// One teaching gives, at each ε, the model that a fit with that ε gives.
func TestTaught(t *testing.T) {
	for name, c := range coded() {
		h, ok := c.method.(train.Codes)
		if !ok {
			continue
		}
		t.Run(name, func(t *testing.T) {
			first := h
			first.Release.Epsilon = 7
			taught, err := first.Teach(t.Context(), c.data.Data, train.Options{Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			got, err := taught.At(t.Context(), c.epsilon, train.Options{})
			if err != nil {
				t.Fatal(err)
			}
			want := fit(t, h, c.data, 1)
			if !bytes.Equal(weights(t, got), weights(t, want)) || got.Kept != want.Kept {
				t.Errorf("At(%v) is not the model of a fit", c.epsilon)
			}
			if h.Fair {
				return // it is taught more than what plain tells
			}
			plain, err := taught.Plain()
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(weights(t, plain), weights(t, fit(t, train.TrustedSide{Training: h.Training}, c.data, 1))) {
				t.Error("Plain is not the model of the trusted side")
			}
		})
	}
}

func TestTaughtRefuses(t *testing.T) {
	d := plant(2000, 0.8, 0.6, 1)
	taught, err := codes(1, 0, 0).Teach(t.Context(), d.Data, train.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, epsilon := range []float64{0, -1, 1e9} {
		if _, err := taught.At(t.Context(), epsilon, train.Options{}); err == nil {
			t.Errorf("At(%v) made a model, want an error", epsilon)
		}
	}
	if _, err := codes(0, 0, 0).Teach(t.Context(), d.Data, train.Options{}); err == nil {
		t.Error("codes without ε were taught, want an error")
	}
	if _, err := codes(1, 0, 0).Teach(t.Context(), train.Data{}, train.Options{}); err == nil {
		t.Error("nothing was taught, want an error")
	}
}
