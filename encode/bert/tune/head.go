package tune

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"sotto/encode/bert"
	"sotto/internal/regular"
	"sotto/internal/safetensors"
	"sotto/nn"
)

// HeadFile is the file of the linear layer that was trained with an encoder.
const HeadFile = "head.safetensors"

// mostHead bounds that file.
const mostHead = 1 << 30

// Head tells the labels by the vectors of an encoder that was tuned with it: a row's
// scores are x·Weight + Bias, those of the first label's classes first.
type Head struct {
	Weight nn.Matrix
	Bias   []float32
}

// writeHead writes the layer for vectors of length 1 and returns its SHA-256.
func (t *Trainer) writeHead(path string) (string, error) {
	params, kept := t.head.Params(), t.kept()
	weight := params[0].Value
	data := slices.Clone(kept["head."+params[0].Name])
	for i := range data {
		data[i] *= t.scale.by
	}
	var b bytes.Buffer
	err := safetensors.Encode(&b, &safetensors.File{Tensors: []safetensors.Tensor{
		{Name: "weight", Shape: []int{weight.Rows, weight.Cols}, Data: data},
		{Name: "bias", Shape: []int{weight.Cols}, Data: kept["head."+params[1].Name]},
	}})
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil { //nolint:gosec // an encoder is meant to be read by others
		return "", fmt.Errorf("tune: %w", err)
	}
	sum := sha256.Sum256(b.Bytes())
	return hex.EncodeToString(sum[:]), nil
}

// ReadHead reads the layer in the folder of a tuned encoder.
func ReadHead(dir string) (*Head, error) {
	m, err := bert.ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, HeadFile)
	content, err := regular.Read(path, mostHead)
	if err != nil {
		return nil, fmt.Errorf("tune: %w", err)
	}
	if sum := sha256.Sum256(content); m == nil || hex.EncodeToString(sum[:]) != m.HeadHash {
		return nil, fmt.Errorf("tune: %s is not the file of which %s has the SHA-256: copy the folder again", path, bert.ManifestFile)
	}
	f, err := safetensors.Decode(content)
	if err != nil {
		return nil, err
	}
	weight, found := f.Tensor("weight")
	bias, also := f.Tensor("bias")
	if !found || !also || len(weight.Shape) != 2 || !slices.Equal(bias.Shape, weight.Shape[1:]) {
		return nil, fmt.Errorf("tune: %s holds no linear layer, must hold a weight and a bias that fit", path)
	}
	return &Head{nn.Matrix{Rows: weight.Shape[0], Cols: weight.Shape[1], Data: weight.Data}, bias.Data}, nil
}
