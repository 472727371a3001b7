package bert

import (
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"sotto/compute/nn"
	"sotto/internal/safetensors"
)

// affine is x·weight + bias, with the weight in×out, packed.
type affine struct {
	weight *nn.Packed
	bias   []float32
}

// normal holds the parameters of a normalisation.
type normal struct{ scale, shift []float32 }

// layer is one layer of the encoder.
type layer struct {
	mixed        affine // queries, divided by the root of a head's width, then keys, then values
	attended     affine
	attendedNorm normal
	inner, outer affine
	outerNorm    normal
}

// weights are the parameters of a model.
type weights struct {
	words, positions, types nn.Matrix
	norm                    normal
	layers                  []layer
}

// prefix stands before the names of models that were saved with a head.
const prefix = "bert."

// readTensors reads the files model*.safetensors of a folder.
func readTensors(dir string) (*loader, error) {
	paths, err := filepath.Glob(filepath.Join(escape(dir), "model*.safetensors"))
	if err != nil {
		return nil, fmt.Errorf("bert: %s: %w", dir, err)
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("bert: %s holds no model*.safetensors, must hold the weights: %w", dir, fs.ErrNotExist)
	}
	l := &loader{pool: nn.NewPool(1), tensors: map[string]safetensors.Tensor{}}
	for _, path := range paths {
		f, err := safetensors.ReadOnly(path, wanted)
		if err != nil {
			return nil, err
		}
		for _, t := range f.Tensors {
			name := strings.TrimPrefix(t.Name, prefix)
			if _, twice := l.tensors[name]; twice {
				return nil, fmt.Errorf("bert: %s: tensor %.60q is there twice, must be there once: leave one model in the folder", path, name)
			}
			l.tensors[name] = t
		}
	}
	return l, nil
}

// escape quotes what Glob would take for a pattern.
func escape(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

// wanted leaves out what the encoder does not use: the pooling layer, the heads
// of other tasks and the stored positions.
func wanted(name string) bool {
	name = strings.TrimPrefix(name, prefix)
	return name != "embeddings.position_ids" && (strings.HasPrefix(name, "embeddings.") || strings.HasPrefix(name, "encoder.layer."))
}

// loader hands out tensors and keeps the first fault.
type loader struct {
	pool    *nn.Pool
	tensors map[string]safetensors.Tensor
	err     error
}

// take returns the numbers of a tensor, which must have the given shape, and
// forgets it, so that memory can be used again.
func (l *loader) take(name string, shape ...int) []float32 {
	t, ok := l.tensors[name]
	delete(l.tensors, name)
	switch {
	case l.err != nil:
	case !ok:
		l.err = fmt.Errorf("tensor %q is absent, must be there", name)
	case !slices.Equal(t.Shape, shape):
		l.err = fmt.Errorf("tensor %q has shape %v, must have %v as config.json says", name, t.Shape, shape)
	default:
		return t.Data
	}
	return nil
}

func (l *loader) matrix(name string, rows, cols int) nn.Matrix {
	return nn.Matrix{Rows: rows, Cols: cols, Data: l.take(name, rows, cols)}
}

func (l *loader) norm(name string, size int) normal {
	return normal{l.take(name+".weight", size), l.take(name+".bias", size)}
}

// affine joins layers of equal sizes side by side. The first is multiplied by
// a factor.
func (l *loader) affine(in, out int, factor float64, names ...string) affine {
	var weight, bias []float32
	for _, name := range names {
		weight = appendScaled(weight, l.take(name+".weight", out, in), float32(factor))
		bias = appendScaled(bias, l.take(name+".bias", out), float32(factor))
		factor = 1
	}
	if l.err != nil {
		return affine{}
	}
	return affine{l.pool.PackT(nn.Matrix{Rows: len(names) * out, Cols: in, Data: weight}), bias}
}

func appendScaled(dst, src []float32, factor float32) []float32 {
	for _, v := range src {
		dst = append(dst, v*factor)
	}
	return dst
}

func (l *loader) weights(c config) *weights {
	w := &weights{
		words:     l.matrix("embeddings.word_embeddings.weight", c.Vocabulary, c.Hidden),
		positions: l.matrix("embeddings.position_embeddings.weight", c.Positions, c.Hidden),
		types:     l.matrix("embeddings.token_type_embeddings.weight", c.Types, c.Hidden),
		norm:      l.norm("embeddings.LayerNorm", c.Hidden),
	}
	root := 1 / math.Sqrt(float64(c.Hidden/c.Heads))
	for i := 0; i < c.Layers && l.err == nil; i++ {
		at := "encoder.layer." + strconv.Itoa(i) + "."
		self := at + "attention.self."
		w.layers = append(w.layers, layer{
			mixed:        l.affine(c.Hidden, c.Hidden, root, self+"query", self+"key", self+"value"),
			attended:     l.affine(c.Hidden, c.Hidden, 1, at+"attention.output.dense"),
			attendedNorm: l.norm(at+"attention.output.LayerNorm", c.Hidden),
			inner:        l.affine(c.Hidden, c.Intermediate, 1, at+"intermediate.dense"),
			outer:        l.affine(c.Intermediate, c.Hidden, 1, at+"output.dense"),
			outerNorm:    l.norm(at+"output.LayerNorm", c.Hidden),
		})
	}
	for name := range l.tensors {
		if l.err == nil && strings.HasPrefix(name, "encoder.layer.") {
			l.err = fmt.Errorf("tensor %.60q is there, must be absent with num_hidden_layers %d", name, c.Layers)
		}
	}
	return w
}
