package tune_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sotto/compute/nn"
	"sotto/compute/nn/transformer/tiny"
	"sotto/promise/dp/dptest"
	"sotto/text/encode/bert"
	"sotto/text/encode/bert/tune"
)

// folder writes a random model, whose vectors are those of first tokens if asked.
func folder(tb testing.TB, m *tiny.Model, first bool) string {
	tb.Helper()
	dir := tb.TempDir()
	if err := m.Write(dir); err != nil {
		tb.Fatal(err)
	}
	if first {
		if err := errors.Join(os.Mkdir(filepath.Join(dir, "1_Pooling"), 0o700), tiny.WriteJSON(filepath.Join(dir, "1_Pooling", "config.json"), map[string]any{
			"word_embedding_dimension": m.Hidden, "pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false,
		})); err != nil {
			tb.Fatal(err)
		}
	}
	return dir
}

// data has texts of several lengths, whose first label is whether they speak of a
// cat, and whose second, where it is known, how they begin.
func data(texts int) tune.Data {
	words := []string{"a", "man", "is", "playing", "the", "guitar", "no", "plays"}
	d := tune.Data{Labels: [][]int{{}, {}}, Classes: []int{2, 2}, Weights: []float64{0.75, 0.25}}
	rng := tiny.Generator()
	for i := range texts {
		var text []string
		for range 1 + rng.IntN(9) {
			text = append(text, words[rng.IntN(len(words))])
		}
		text[0] = []string{"the", "a"}[i/2%2]
		if i%2 == 1 {
			text = slices.Insert(text, 1+rng.IntN(len(text)), "cat")
		}
		d.Texts = append(d.Texts, strings.Join(text, " "))
		start := i / 2 % 2
		if i%5 == 0 {
			start = -1
		}
		d.Labels[0], d.Labels[1] = append(d.Labels[0], i%2), append(d.Labels[1], start)
		if i < texts*2/3 {
			d.Train = append(d.Train, i)
		} else {
			d.Validation = append(d.Validation, i)
		}
	}
	return d
}

func settings(layers int) tune.Settings {
	return tune.Settings{Layers: layers, Rate: 5e-3, Epochs: 6, Length: 12, Batch: 8, Seed: 3, Patience: 6}
}

func open(tb testing.TB, dir string, texts int, s tune.Settings) *tune.Trainer {
	tb.Helper()
	f, err := bert.Read(dir)
	if err != nil {
		tb.Fatal(err)
	}
	t, err := tune.New(f, data(texts), s)
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

func run(tb testing.TB, t *tune.Trainer, o tune.Options) {
	tb.Helper()
	if err := t.Run(tb.Context(), o); err != nil {
		tb.Fatal(err)
	}
}

// write writes the folder of a training and returns its manifest.
func write(tb testing.TB, t *tune.Trainer) (string, bert.Manifest) {
	tb.Helper()
	dir := filepath.Join(tb.TempDir(), "tuned")
	info, err := t.Write(dir, bert.Manifest{ParentHash: "parent", Data: "cats", DataHash: "data"})
	if err != nil {
		tb.Fatal(err)
	}
	return dir, info
}

// TestTune tunes all layers and one, of models that take the mean and the first
// token, and checks that the labels are learnt, and that the folder makes the
// vectors that were trained.
func TestTune(t *testing.T) {
	for _, layers := range []int{0, 1} {
		for _, first := range []bool{false, true} {
			if first != (layers == 1) && !dptest.Long() {
				continue // each of both is there once, and in the long run with each
			}
			dir := folder(t, tiny.Even(), first)
			s := settings(layers)
			s.Epochs, s.Batch = 10, 16
			trainer := open(t, dir, 960, s)
			run(t, trainer, tune.Options{Pool: nn.NewPool(2)})
			kept, epoch := trainer.Kept()
			if want := []float64{0.85, 0.6}[layers]; !(kept.Accuracy >= want) { // above a random layer there is less to learn; chance is 0.5 ± 0.02
				t.Errorf("%d layers, first token %v: validation accuracy is %.2f in epoch %d, want at least %.2f", layers, first, kept.Accuracy, epoch, want)
			}
			out, info := write(t, trainer)
			m, err := bert.Open(out, bert.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if m.Name() != info.Name() || m.Limit() != 12 {
				t.Errorf("the folder is opened as %s with length %d, want %s and 12", m.Name(), m.Limit(), info.Name())
			}
			f, err := bert.Read(out)
			if err != nil {
				t.Fatal(err)
			}
			again, err := tune.New(f, data(96), settings(0))
			if err != nil {
				t.Fatal(err)
			}
			d := data(96)
			want := again.Vectors(d.Validation)
			got := nn.NewMatrix(len(d.Texts), m.Dim())
			if err := m.EncodeBatch(t.Context(), got, d.Texts, 2); err != nil {
				t.Fatal(err)
			}
			for i, row := range d.Validation {
				for j, v := range want.Row(i) {
					if off := math.Abs(float64(v - got.Row(row)[j])); !(off < 1e-5) {
						t.Fatalf("number %d of the vector of text %d is off by %g from what is trained, want less than 1e-5", j, row, off)
					}
				}
			}
		}
	}
}

// TestHead checks that the layer in the folder tells labels as the kept epoch did.
func TestHead(t *testing.T) {
	d := data(960)
	s := settings(0)
	s.Epochs, s.Batch = 4, 16
	trainer := open(t, folder(t, tiny.Even(), false), 960, s)
	run(t, trainer, tune.Options{})
	kept, _ := trainer.Kept()
	dir, _ := write(t, trainer)
	m, err := bert.Open(dir, bert.Options{})
	if err != nil {
		t.Fatal(err)
	}
	head, err := tune.ReadHead(dir)
	if err != nil {
		t.Fatal(err)
	}
	x := nn.NewMatrix(len(d.Texts), m.Dim())
	if err = m.EncodeBatch(t.Context(), x, d.Texts, 2); err != nil {
		t.Fatal(err)
	}
	scores := nn.NewMatrix(x.Rows, head.Weight.Cols)
	nn.NewPool(1).Mul(scores, x, head.Weight)
	right, known := [2]float64{}, [2]float64{}
	for _, i := range d.Validation {
		for l := range 2 {
			row := scores.Row(i)[2*l : 2*l+2]
			if y := d.Labels[l][i]; y >= 0 {
				known[l]++
				if got := nn.Argmax([]float32{row[0] + head.Bias[2*l], row[1] + head.Bias[2*l+1]}); got == y {
					right[l]++
				}
			}
		}
	}
	if got := 0.75*right[0]/known[0] + 0.25*right[1]/known[1]; math.Abs(got-kept.Accuracy) > 0.005 { // a text on the border may fall to the other side
		t.Errorf("the head in the folder has accuracy %v, want %v", got, kept.Accuracy)
	}
	if err := os.WriteFile(filepath.Join(dir, tune.HeadFile), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := tune.ReadHead(dir); err == nil {
		t.Error("a head that was changed is read")
	}
}

// digest returns what a training makes.
func digest(t *testing.T, trainer *tune.Trainer) string {
	t.Helper()
	_, info := write(t, trainer)
	return info.Hash
}

// TestSameBits checks that workers, what is kept of frozen layers, and a stop do
// not show in the result.
func TestSameBits(t *testing.T) {
	for _, layers := range []int{0, 1} {
		dir := folder(t, tiny.Even(), false)
		one := open(t, dir, 96, settings(layers))
		run(t, one, tune.Options{})
		want := digest(t, one)

		two := open(t, dir, 96, settings(layers))
		two.KeepLess(4000)
		run(t, two, tune.Options{Pool: nn.NewPool(2)})
		if digest(t, two) != want {
			t.Errorf("%d layers: two workers that keep little make another encoder than one that keeps all", layers)
		}

		for _, stop := range []int{3, 8, 21} { // within the first epoch, at its end, later
			path := filepath.Join(t.TempDir(), "state")
			ctx, cancel := context.WithCancel(t.Context())
			save := func(s *tune.State) error {
				f, err := os.Create(path)
				if err != nil {
					return err
				}
				return errors.Join(s.Write(f), f.Close())
			}
			err := open(t, dir, 96, settings(layers)).Run(ctx, tune.Options{Save: save, Progress: func(p tune.Progress) {
				if p.Step == stop {
					cancel()
				}
			}})
			cancel()
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("a training that was stopped returns %v", err)
			}
			state, err := tune.ReadState(path)
			if err != nil {
				t.Fatal(err)
			}
			resumed := open(t, dir, 96, settings(layers))
			run(t, resumed, tune.Options{Pool: nn.NewPool(2), Resume: state})
			if digest(t, resumed) != want {
				t.Errorf("%d layers: stopped after %d steps and resumed, the encoder is another", layers, stop)
			}
			other := settings(layers)
			other.Seed++
			if err := open(t, dir, 96, other).Run(t.Context(), tune.Options{Resume: state}); !errors.Is(err, tune.ErrState) {
				t.Errorf("the state of another seed gives %v, want ErrState", err)
			}
		}
	}
}

// TestDamagedState: a byte of what is unfinished that is another is an error, wherever it
// stands, and never a training that goes on elsewhere.
func TestDamagedState(t *testing.T) {
	var whole bytes.Buffer
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err := open(t, folder(t, tiny.Small(), false), 96, settings(1)).Run(ctx, tune.Options{
		Save: func(s *tune.State) error {
			whole.Reset()
			return s.Write(&whole)
		},
		Progress: func(tune.Progress) { cancel() },
	})
	if !errors.Is(err, context.Canceled) || whole.Len() == 0 {
		t.Fatalf("a training that was stopped returns %v and keeps %d bytes", err, whole.Len())
	}
	path := filepath.Join(t.TempDir(), "state")
	for _, at := range []int{0, 20, whole.Len() / 3, whole.Len() / 2, whole.Len() - 2} {
		damaged := bytes.Clone(whole.Bytes())
		damaged[at] ^= 1
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := tune.ReadState(path); err == nil {
			t.Errorf("byte %d of %d is another, and no error says so", at, whole.Len())
		}
	}
	if err := os.WriteFile(path, whole.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := tune.ReadState(path); err != nil {
		t.Errorf("the state as it was written: %v", err)
	}
}

// TestPatience checks that a training which does not get better ends.
func TestPatience(t *testing.T) {
	s := settings(0)
	s.Rate, s.Epochs, s.Patience = 1e-12, 50, 1
	trainer := open(t, folder(t, tiny.Small(), false), 96, s)
	last := 0
	run(t, trainer, tune.Options{Progress: func(p tune.Progress) { last = p.Epoch }})
	if last > 10 {
		t.Errorf("a training at no rate has %d epochs, want a few", last)
	}
}

// TestDefaultEpochs checks that few rows and many classes are trained for longer.
func TestDefaultEpochs(t *testing.T) {
	for _, tt := range []struct {
		rows, classes    int
		epochs, patience int
	}{
		{rows: 96, classes: 2, epochs: 15, patience: 5},
		{rows: 32 * 250, classes: 2, epochs: 4, patience: 2},
		{rows: 32 * 250, classes: 100, epochs: 6, patience: 2},
		{rows: 32 * 1000, classes: 2, epochs: 3, patience: 2},
	} {
		d := data(96)
		d.Classes[0] = tt.classes
		d.Train = slices.Repeat(d.Train[:1], tt.rows)
		f, err := bert.Read(folder(t, tiny.Small(), false))
		if err != nil {
			t.Fatal(err)
		}
		trainer, err := tune.New(f, d, tune.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		if s := trainer.Settings(); s.Epochs != tt.epochs || s.Patience != tt.patience {
			t.Errorf("%d rows of %d classes have %d epochs and patience %d, want %d and %d", tt.rows, tt.classes, s.Epochs, s.Patience, tt.epochs, tt.patience)
		}
	}
}

func TestRefusals(t *testing.T) {
	dir := folder(t, tiny.Small(), false)
	for want, change := range map[string]func(*tune.Data, *tune.Settings){
		"layers is 3":          func(_ *tune.Data, s *tune.Settings) { s.Layers = 3 },
		"rate is NaN":          func(_ *tune.Data, s *tune.Settings) { s.Rate = math.NaN() },
		"length is 41":         func(_ *tune.Data, s *tune.Settings) { s.Length = 41 },
		"dropout is 1":         func(_ *tune.Data, s *tune.Settings) { s.Dropout = 1 },
		"epochs is -1":         func(_ *tune.Data, s *tune.Settings) { s.Epochs = -1 },
		"0 to validate":        func(d *tune.Data, _ *tune.Settings) { d.Validation = nil },
		"no text 96":           func(d *tune.Data, _ *tune.Settings) { d.Train = []int{96} },
		"label 1 of text 2":    func(d *tune.Data, _ *tune.Settings) { d.Labels[0][2] = 2 },
		"label 2 has 96 texts": func(d *tune.Data, _ *tune.Settings) { d.Weights[1] = 0 },
	} {
		f, err := bert.Read(dir)
		if err != nil {
			t.Fatal(err)
		}
		d, s := data(96), settings(0)
		change(&d, &s)
		if _, err := tune.New(f, d, s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error is %v, want one with %q", err, want)
		}
	}
	if _, err := open(t, dir, 96, settings(0)).Write(filepath.Join(t.TempDir(), "x"), bert.Manifest{}); err == nil {
		t.Error("a training that has not begun is written")
	}
	s := settings(0)
	s.Rate, s.Epochs = 1, 200
	if err := open(t, dir, 96, s).Run(t.Context(), tune.Options{}); err != nil && !strings.Contains(err.Error(), "diverged") {
		t.Errorf("a training at a rate of 1 returns %v", err)
	}
}

// TestManifest checks that a folder whose files were changed is refused.
func TestManifest(t *testing.T) {
	s := settings(1)
	s.Epochs = 1
	trainer := open(t, folder(t, tiny.Small(), false), 96, s)
	run(t, trainer, tune.Options{})
	dir, _ := write(t, trainer)
	path := filepath.Join(dir, "model.safetensors")
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	content[len(content)-3] ^= 1
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := bert.Open(dir, bert.Options{}); err == nil || !strings.Contains(err.Error(), "manifest.json says") {
		t.Errorf("weights that were changed give %v, want an error about the manifest", err)
	}
}
