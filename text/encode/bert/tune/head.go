package tune

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	weakrand "math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"sotto/compute/nn"
	"sotto/internal/regular"
	"sotto/internal/safetensors"
	"sotto/text/encode/bert"
)

// Head is what is trained behind an encoder, on the vectors of some texts: a layer
// for their labels, or the network of a method with its noise and its adversaries.
// It draws by counters, so that a training which was stopped can go on to the same
// bits.
type Head interface {
	// Params returns what learns, always in the same order.
	Params() []nn.Param
	// Learn returns the mean loss over texts whose vectors are the rows of x, and its
	// gradient with respect to x, valid until the next call. It sets the gradients of
	// Params. An error says that numbers are no longer finite.
	Learn(p *nn.Pool, texts []int, x nn.Matrix) (loss float64, grad nn.Matrix, err error)
	// Scores returns what is said of each class of each label, valid until the next
	// call. Its error says what that of Learn does.
	Scores(p *nn.Pool, texts []int, x nn.Matrix) (nn.Matrix, error)
	// Advance says which share of the training is done, before each step.
	Advance(done float64) error
	// Passes returns the counters of what draws.
	Passes() []*uint64
	// About is a digest of what decides how the head learns.
	About() string
}

// Filed is a [Head] that keeps what it learnt in a file of its own, in place of
// [HeadFile].
type Filed interface {
	Head
	// File returns the name and the content of the file, for the present values of
	// Params.
	File() (name string, content []byte, err error)
}

// linear is the head that tells labels by one layer.
type linear struct {
	layers  nn.Sequential
	dropout *nn.Dropout // the one in layers
	loss    nn.Heads
	data    Data
	y       [][]int // of the last texts
}

// newLinear returns one for vectors of the given width.
func newLinear(d Data, width int, s Settings) (*linear, error) {
	rng := weakrand.New(weakrand.NewPCG(s.Seed, 0x74756e65))
	dropout, err := nn.NewDropout(s.Dropout, rng.Uint64())
	if err != nil {
		return nil, err
	}
	classes := 0
	for _, c := range d.Classes {
		classes += c
	}
	return &linear{
		layers: nn.Sequential{dropout, nn.NewDense(width, classes, rng)}, dropout: dropout,
		loss: nn.Heads{Classes: d.Classes, Weights: d.Weights}, data: d, y: make([][]int, len(d.Classes)),
	}, nil
}

// Params implements [Head].
func (h *linear) Params() []nn.Param { return h.layers.Params() }

// Learn implements [Head].
func (h *linear) Learn(p *nn.Pool, texts []int, x nn.Matrix) (float64, nn.Matrix, error) {
	for l := range h.y {
		h.y[l] = h.data.told(h.y[l][:0], l, texts)
	}
	loss, grad := h.loss.Loss(p, h.layers.Forward(p, nn.Train, x), h.y)
	return loss, h.layers.Backward(p, grad), nil
}

// Scores implements [Head].
func (h *linear) Scores(p *nn.Pool, _ []int, x nn.Matrix) (nn.Matrix, error) {
	return h.layers.Forward(p, nn.Infer, x), nil
}

// Advance implements [Head].
func (*linear) Advance(float64) error { return nil }

// Passes implements [Head].
func (h *linear) Passes() []*uint64 { return []*uint64{&h.dropout.Pass} }

// About implements [Head]: the settings of the training say it all.
func (*linear) About() string { return "" }

const (
	// HeadFile is the file of what was trained behind an encoder.
	HeadFile = "head.safetensors"
	// HeadScale is the tensor in it by which the columns of a vector are multiplied
	// before the first layer. A linear layer has that in its weights.
	HeadScale = "scale"

	linearWeight, linearBias = "weight", "bias" // of a linear layer

	mostHead = 1 << 30 // bytes of that file
)

// headTensors returns what is kept of the head.
func (t *Trainer) headTensors() map[string]nn.Matrix {
	kept, all := t.kept(), map[string]nn.Matrix{}
	for _, q := range t.head.Params() {
		all[q.Name] = nn.Matrix{Rows: q.Value.Rows, Cols: q.Value.Cols, Data: kept[headPrefix+q.Name]}
	}
	by := t.vectors.scale.by
	if _, ok := t.head.(*linear); !ok {
		all[HeadScale] = nn.Matrix{Rows: 1, Cols: len(by), Data: by}
		return all
	}
	params := t.head.Params()
	weight := all[params[0].Name].Clone()
	for j, by := range by {
		for c := range weight.Row(j) {
			weight.Row(j)[c] *= by
		}
	}
	return map[string]nn.Matrix{linearWeight: weight, linearBias: all[params[1].Name]}
}

// writeHead writes what is kept of the head into a folder, and says in info how.
func (t *Trainer) writeHead(dir string, info *bert.Manifest) error {
	name, content, err := HeadFile, []byte(nil), error(nil)
	if own, ok := t.head.(Filed); ok {
		kept := t.kept()
		for _, q := range t.head.Params() {
			copy(q.Value.Data, kept[headPrefix+q.Name])
		}
		name, content, err = own.File()
		info.HeadFile = name
	} else {
		content, err = t.encodeHead()
	}
	if err != nil {
		return err
	}
	if err = os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil { //nolint:gosec // an encoder is meant to be read by others
		return fmt.Errorf("tune: %w", err)
	}
	sum := sha256.Sum256(content)
	info.HeadHash = hex.EncodeToString(sum[:])
	return nil
}

// encodeHead returns the file of the head's tensors.
func (t *Trainer) encodeHead() ([]byte, error) {
	var f safetensors.File
	tensors := t.headTensors()
	for _, name := range slices.Sorted(maps.Keys(tensors)) {
		x := tensors[name]
		f.Tensors = append(f.Tensors, safetensors.Tensor{Name: name, Shape: []int{x.Rows, x.Cols}, Data: x.Data})
	}
	var b bytes.Buffer
	err := safetensors.Encode(&b, &f)
	return b.Bytes(), err
}

// Linear tells the labels by the vectors of an encoder that was tuned with it: a row's
// scores are x·Weight + Bias, those of the first label's classes first.
type Linear struct {
	Weight nn.Matrix
	Bias   []float32
}

// ReadHead reads the linear layer that was trained behind an encoder from its folder.
func ReadHead(dir string) (*Linear, error) {
	all, err := ReadNetwork(dir)
	if err != nil {
		return nil, err
	}
	weight, found := all[linearWeight]
	bias, also := all[linearBias]
	if !found || !also || bias.Rows != 1 || bias.Cols != weight.Cols {
		return nil, fmt.Errorf("tune: %s holds no linear layer, must hold a weight and a bias that fit", filepath.Join(dir, HeadFile))
	}
	return &Linear{weight, bias.Data}, nil
}

// ReadNetwork reads the tensors of what was trained behind an encoder from its folder,
// by the names that [Head.Params] gave them, and [HeadScale].
func ReadNetwork(dir string) (map[string]nn.Matrix, error) {
	m, err := bert.ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, HeadFile)
	content, err := regular.Read(path, mostHead)
	if err != nil {
		return nil, fmt.Errorf("tune: %w", err)
	}
	if err = CheckHead(m, content); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	f, err := safetensors.Decode(content)
	if err != nil {
		return nil, err
	}
	all := map[string]nn.Matrix{}
	for _, x := range f.Tensors {
		switch len(x.Shape) {
		case 1: // of a bias, as folders once had it
			all[x.Name] = nn.Matrix{Rows: 1, Cols: x.Shape[0], Data: x.Data}
		case 2:
			all[x.Name] = nn.Matrix{Rows: x.Shape[0], Cols: x.Shape[1], Data: x.Data}
		default:
			return nil, fmt.Errorf("tune: %s: %s has %d dimensions, must have 2", path, x.Name, len(x.Shape))
		}
	}
	return all, nil
}

// CheckHead reports that the file of what was trained behind an encoder is not the one
// that the manifest of its folder means.
func CheckHead(m *bert.Manifest, content []byte) error {
	if sum := sha256.Sum256(content); m == nil || hex.EncodeToString(sum[:]) != m.HeadHash {
		return fmt.Errorf("tune: it is not the file of which %s has the SHA-256: copy the folder again", bert.ManifestFile)
	}
	return nil
}
