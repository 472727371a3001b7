package train_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"sotto/compute/nn"
	"sotto/internal/safetensors"
	"sotto/learn/model"
	"sotto/learn/train"
	"sotto/promise/mech"
)

// interrupt fits until an epoch is complete and returns what is left: the
// model, the error and the written state.
func interrupt(t *testing.T, m train.Method, d planted, seed uint64, epoch int) (*model.Model, []byte, error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var last *train.State
	model, err := train.Fit(ctx, m, d.Data, train.Options{
		Seed: seed,
		Save: func(s *train.State) error { last = s; return nil },
		Progress: func(p model.Progress) {
			if p.Epoch == epoch {
				cancel()
			}
		},
	})
	var b bytes.Buffer
	if failed := last.Write(&b, "name"); failed != nil {
		t.Fatal(failed)
	}
	return model, b.Bytes(), err
}

func parse(t *testing.T, state []byte) *train.State {
	t.Helper()
	s, err := train.ParseState(state, "name")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// trained returns the methods that have epochs.
func trained(epochs int) map[string]train.Method {
	all := methods(epochs)
	delete(all, "majority")
	delete(all, "random")
	best := settings(epochs)
	best.Keep, best.Standardise = train.Best, true
	all["federate best"] = train.Federate{Training: best, Release: mech.Params{Mechanism: "laplace-l1", Epsilon: 5}}
	return all
}

func TestResume(t *testing.T) {
	d := plant(300, 0.5, 1, 1)
	for i := range d.Z {
		if i%5 == 0 {
			d.Z[i] = train.Unknown
		}
	}
	const epochs = 6
	for name, m := range trained(epochs) {
		t.Run(name, func(t *testing.T) {
			var whole []model.Progress
			straight, err := train.Fit(t.Context(), m, d.Data, train.Options{Seed: 3, Progress: func(p model.Progress) { whole = append(whole, p) }})
			if err != nil {
				t.Fatal(err)
			}
			want := weights(t, straight)
			for _, at := range []int{1, 4, epochs} {
				kept, state, err := interrupt(t, m, d, 3, at)
				// At the last epoch nothing is left to interrupt but what INLP does then.
				if want := at < epochs || name == "inlp"; errors.Is(err, context.Canceled) != want {
					t.Fatalf("stopped after epoch %d: error is %v, want one that wraps context.Canceled: %t", at, err, want)
				}
				if (kept == nil) != (name == "inlp") {
					t.Fatalf("stopped after epoch %d: model is %v", at, kept)
				}
				if kept != nil && (kept.Kept.Epoch > at || kept.Kept != whole[kept.Kept.Epoch-1]) {
					t.Errorf("stopped after epoch %d: kept is %+v, want an epoch of the whole training", at, kept.Kept)
				}
				s := parse(t, state)
				if s.Last() != whole[at-1] {
					t.Errorf("state after epoch %d is at %+v, want %+v", at, s.Last(), whole[at-1])
				}
				var rest []model.Progress
				resumed, err := train.Fit(t.Context(), m, d.Data, train.Options{
					Seed: 3, Resume: s, Pool: nn.NewPool(2), Progress: func(p model.Progress) { rest = append(rest, p) },
				})
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(weights(t, resumed), want) {
					t.Errorf("resumed after epoch %d: weights differ from those of a training that never stopped", at)
				}
				if resumed.Kept != straight.Kept || !reflect.DeepEqual(append([]model.Progress{}, whole[at:]...), append([]model.Progress{}, rest...)) {
					t.Errorf("resumed after epoch %d: progress differs", at)
				}
				var again bytes.Buffer
				if err := s.Write(&again, "name"); err != nil || !bytes.Equal(again.Bytes(), state) {
					t.Errorf("resuming changed the state that was given (%v)", err)
				}
			}
		})
	}
}

// TestInterruptedKeeps checks that the model of an interrupted training is the
// one of its best epoch so far, not of the epoch that was cut short.
func TestInterruptedKeeps(t *testing.T) {
	d := plant(300, 0.5, 1, 1)
	s := settings(6)
	kept, _, err := interrupt(t, train.Unprotected{Training: s}, d, 1, 2)
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	s.Epochs = 2
	if want := fit(t, train.Unprotected{Training: s}, d, 1); !bytes.Equal(weights(t, kept), weights(t, want)) {
		t.Error("weights are not those of a training with as many epochs")
	}
}

func TestInterruptedBefore(t *testing.T) {
	d := plant(100, 1, 1, 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, m := range trained(2) {
		model, err := train.Fit(ctx, m, d.Data, train.Options{Seed: 1})
		if model != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("%s: model is %v and error %v, want nil and context.Canceled", name, model, err)
		}
	}
}

func TestSaveFails(t *testing.T) {
	full := errors.New("disk full")
	d := plant(100, 1, 1, 1)
	m, err := train.Fit(t.Context(), train.Unprotected{Training: settings(3)}, d.Data, train.Options{Save: func(*train.State) error { return full }})
	if !errors.Is(err, full) || m == nil || m.Kept.Epoch != 1 {
		t.Errorf("model is %v and error %v, want the first epoch's and that of Save", m, err)
	}
}

// TestOtherState checks that a state goes on with its own training alone.
func TestOtherState(t *testing.T) {
	d := plant(300, 1, 1, 1)
	l1 := mech.Params{Mechanism: "laplace-l1", Epsilon: 8}
	base := train.Federate{Training: settings(3), Release: l1}
	_, state, _ := interrupt(t, base, d, 1, 1)
	changed := func(change func(*train.Federate)) train.Federate {
		h := base
		change(&h)
		return h
	}
	other := plant(300, 1, 1, 2)
	other.Y, other.Z = d.Y, d.Z
	unlike := plant(300, 1, 1, 2)
	for name, c := range map[string]struct {
		method train.Method
		data   planted
		seed   uint64
	}{
		"seed":      {base, d, 2},
		"rate":      {changed(func(h *train.Federate) { h.Rate = 0.1 }), d, 1},
		"epochs":    {changed(func(h *train.Federate) { h.Epochs = 4 }), d, 1},
		"lambda":    {changed(func(h *train.Federate) { h.Lambda = 2 }), d, 1},
		"epsilon":   {changed(func(h *train.Federate) { h.Release.Epsilon = 9 }), d, 1},
		"variant":   {changed(func(h *train.Federate) { h.Release.Variant = mech.Released }), d, 1},
		"dropout":   {changed(func(h *train.Federate) { h.Dropout = 0.2 }), d, 1},
		"widths":    {changed(func(h *train.Federate) { h.Encoder = []int{16, 9} }), d, 1},
		"adversary": {train.Noise{Training: settings(3), Release: l1}, d, 1},
		"bits":      {train.LDPNN{Epochs: 3, Release: mech.Params{Mechanism: "bitrr", Epsilon: 8}}, d, 1},
		"labels":    {base, unlike, 1},
		"numbers":   {base, other, 1},
	} {
		if _, err := train.Fit(t.Context(), c.method, c.data.Data, train.Options{Seed: c.seed, Resume: parse(t, state)}); err == nil || !strings.Contains(err.Error(), "another training") {
			t.Errorf("other %s: error is %v, want one that says so", name, err)
		}
	}
	if _, err := train.Fit(t.Context(), base, d.Data, train.Options{Seed: 1, Resume: parse(t, state)}); err != nil {
		t.Errorf("the same training: %v", err)
	}
	if _, err := train.Fit(t.Context(), base, d.Data, train.Options{Seed: 1, Resume: &train.State{}}); err == nil {
		t.Error("an empty state is resumed")
	}
}

// TestOtherRelease checks that a state remembers the mechanism that its data
// went through before training.
func TestOtherRelease(t *testing.T) {
	d := plant(100, 1, 1, 1)
	h := train.LDPNN{Epochs: 2, Release: mech.Params{Mechanism: "bitrr", Epsilon: 5000}} // hardly a bit is changed
	_, state, _ := interrupt(t, h, d, 1, 1)
	for name, change := range map[string]func(*train.LDPNN){
		"epsilon": func(h *train.LDPNN) { h.Release.Epsilon = 5001 },
		"dropout": func(h *train.LDPNN) { h.Dropout = 0.1 },
		"rate":    func(h *train.LDPNN) { h.Rate = 0.1 },
	} {
		g := h
		change(&g)
		if _, err := train.Fit(t.Context(), g, d.Data, train.Options{Seed: 1, Resume: parse(t, state)}); err == nil {
			t.Errorf("other %s: resumed", name)
		}
	}
}

func TestDamagedState(t *testing.T) {
	d := plant(100, 1, 1, 1)
	_, state, _ := interrupt(t, train.Federate{Training: settings(2), Release: mech.Params{Mechanism: "laplace-l1", Epsilon: 8}}, d, 1, 1)
	if _, err := train.ParseState(state, "other"); err == nil || !strings.Contains(err.Error(), "another training") {
		t.Errorf("other name: error is %v, want one that says so", err)
	}
	for _, size := range []int{0, 7, 8, 100, len(state) / 2, len(state) - 1} {
		if _, err := train.ParseState(state[:size], "name"); err == nil {
			t.Errorf("the first %d of %d bytes are accepted", size, len(state))
		}
	}
	for at := 0; at < len(state); at += 97 {
		damaged := bytes.Clone(state)
		damaged[at] ^= 1
		if _, err := train.ParseState(damaged, "name"); err == nil {
			t.Errorf("byte %d of %d is changed, and nobody sees it", at, len(state))
		}
	}
	f, err := safetensors.Decode(state)
	if err != nil {
		t.Fatal(err)
	}
	for key := range f.Metadata {
		for _, value := range []string{"", "{}", "null", f.Metadata[key] + " "} {
			changed := map[string]string{key: value}
			for k, v := range f.Metadata {
				if k != key {
					changed[k] = v
				}
			}
			var b bytes.Buffer
			if err := safetensors.Encode(&b, &safetensors.File{Tensors: f.Tensors, Metadata: changed}); err != nil {
				t.Fatal(err)
			}
			if _, err := train.ParseState(b.Bytes(), "name"); err == nil {
				t.Errorf("%s is %q: accepted", key, value)
			}
		}
	}
}

func FuzzParseState(f *testing.F) {
	d := plant(40, 1, 1, 1)
	h := train.Unprotected{Training: train.Training{Shape: train.Shape{Encoder: []int{2}}, Epochs: 2}}
	_, err := train.Fit(f.Context(), h, d.Data, train.Options{Save: func(s *train.State) error {
		var b bytes.Buffer
		if err := s.Write(&b, "name"); err != nil {
			return err
		}
		f.Add(b.Bytes())
		return nil
	}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte("{}"))
	f.Fuzz(func(_ *testing.T, data []byte) {
		s, err := train.ParseState(data, "name")
		if err != nil {
			return
		}
		_ = fmt.Sprint(s.Last())
		_, _ = train.Fit(context.Background(), h, d.Data, train.Options{Resume: s}) // any answer will do, but no panic
	})
}
