package tune_test

import (
	"context"
	"errors"
	"math"
	weakrand "math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"sotto/compute/nn"
	"sotto/compute/nn/transformer/tiny"
	"sotto/text/encode/bert"
	"sotto/text/encode/bert/tune"
)

// noisy is a head of its own: a layer behind noise, drawn in training and in use, that
// can be told to fail.
type noisy struct {
	layer  *nn.Dense
	loss   nn.SoftmaxCrossEntropy
	labels []int
	pass   uint64
	shares []float64 // that Advance was told
	fail   uint64    // the pass that fails; 0 for none
}

func newNoisy(d tune.Data, width int) *noisy {
	return &noisy{layer: nn.NewDense(width, 2, tiny.Generator()), labels: d.Labels[0]}
}

func (h *noisy) Params() []nn.Param         { return h.layer.Params() }
func (h *noisy) Passes() []*uint64          { return []*uint64{&h.pass} }
func (h *noisy) About() string              { return "noisy" }
func (h *noisy) Advance(done float64) error { h.shares = append(h.shares, done); return nil }

func (h *noisy) scores(p *nn.Pool, mode nn.Mode, x nn.Matrix) (nn.Matrix, error) {
	h.pass++
	if h.pass == h.fail {
		return nn.Matrix{}, errors.New("not finite")
	}
	rng := weakrand.New(weakrand.NewPCG(h.pass, 0))
	y := x.Clone()
	for i := range y.Data {
		y.Data[i] += float32(rng.NormFloat64() / 16)
	}
	return h.layer.Forward(p, mode, y), nil
}

func (h *noisy) Learn(p *nn.Pool, texts []int, x nn.Matrix) (float64, nn.Matrix, error) {
	scores, err := h.scores(p, nn.Train, x)
	if err != nil {
		return 0, nn.Matrix{}, err
	}
	loss, grad := h.loss.Loss(p, scores, nn.Pick(h.labels, texts))
	return loss, h.layer.Backward(p, grad), nil
}

func (h *noisy) Scores(p *nn.Pool, _ []int, x nn.Matrix) (nn.Matrix, error) {
	return h.scores(p, nn.Infer, x)
}

// TestOwnHead trains a head of one's own, which draws: it learns, knows how far the
// training is, keeps the last epoch, goes on to the same bits where it was stopped in
// the middle of a validation, and ends a training when it fails.
func TestOwnHead(t *testing.T) {
	dir := folder(t, tiny.Even(), false)
	d := data(960)
	d.Labels, d.Classes, d.Weights = d.Labels[:1], d.Classes[:1], []float64{1}
	begin := func(fail uint64) (*tune.Trainer, *noisy) {
		f, err := bert.Read(dir)
		if err != nil {
			t.Fatal(err)
		}
		h := newNoisy(d, f.Shape().Hidden)
		h.fail, d.Head = fail, h
		s := settings(0)
		s.Last, s.Epochs, s.Batch = true, 5, 16
		trainer, err := tune.New(f, d, s)
		if err != nil {
			t.Fatal(err)
		}
		return trainer, h
	}
	one, h := begin(0)
	run(t, one, tune.Options{})
	kept, epoch := one.Kept()
	if epoch != 5 || !(kept.Accuracy > 0.7) { // chance is 0.5 ± 0.04
		t.Errorf("epoch %d is kept with accuracy %.2f, want the last, 5, above 0.7", epoch, kept.Accuracy)
	}
	if n := len(h.shares); n != 5*40 || h.shares[0] != 0 || math.Abs(h.shares[n-1]-199.0/200) > 1e-9 {
		t.Errorf("the head was told of %d shares up to %v, want 200 up to 199/200", n, h.shares[n-1])
	}
	out, info := write(t, one)
	if info.Head != "noisy" {
		t.Errorf("the manifest says of the head %q, want what it says of itself", info.Head)
	}
	tensors, err := tune.ReadNetwork(out)
	if err != nil || tensors["weight"].Cols != 2 || tensors[tune.HeadScale].Cols != tensors["weight"].Rows {
		t.Errorf("the folder has the tensors %v with error %v", tensors, err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	path := filepath.Join(t.TempDir(), "state")
	stopped, h := begin(0)
	err = stopped.Run(watched{ctx, func() bool { return len(h.shares) == 40 && h.pass >= 41 }, cancel}, tune.Options{Save: func(s *tune.State) error {
		f, failed := os.Create(path)
		if failed != nil {
			return failed
		}
		return errors.Join(s.Write(f), f.Close())
	}})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("a training that was stopped returns %v", err)
	}
	state, err := tune.ReadState(path)
	if err != nil {
		t.Fatal(err)
	}
	again, _ := begin(0)
	run(t, again, tune.Options{Pool: nn.NewPool(3), Resume: state})
	if digest(t, again) != info.Hash {
		t.Error("stopped in the middle of a validation and resumed, the encoder is another")
	}

	for _, fail := range []uint64{7, 41} { // in a step, and in the first validation
		failed, _ := begin(fail)
		if err := failed.Run(t.Context(), tune.Options{}); !errors.Is(err, tune.ErrDiverged) {
			t.Errorf("a head that fails in pass %d gives %v, want ErrDiverged", fail, err)
		}
	}
}

// watched is a context that ends when something has come about.
type watched struct {
	context.Context
	when func() bool
	end  func()
}

func (w watched) Err() error {
	if w.when() {
		w.end()
	}
	return w.Context.Err()
}
