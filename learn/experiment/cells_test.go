package experiment_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/learn/experiment"
	"sotto/text/encode/catalogue"
	"sotto/text/encode/cells"
)

// hashCells writes a file of three cells for the encoder hash:32.
func hashCells(t *testing.T) experiment.Path {
	t.Helper()
	digest, err := catalogue.Digest("hash:32")
	if err != nil {
		t.Fatal(err)
	}
	f := &cells.File{Head: cells.Head{Format: cells.Format, Encoder: "hash:32", EncoderSHA256: digest, Dim: 32, Texts: 30}}
	set := &cells.Set{Texts: []int{10, 12, 8}, Centres: make([][]float64, 3)}
	for c := range set.Centres {
		set.Centres[c] = make([]float64, 32)
		set.Centres[c][c] = 0.5
	}
	set.Epsilon = 4
	set.Chosen = cells.Trial{Cells: 3, Distortion: 0.9, Kept: 0.9}
	f.Add(set, nil, nil)
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "own.jsonl")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return experiment.Path(path)
}

// TestCellsRefused: cells that are not there, and a tuned encoder, which has none.
func TestCellsRefused(t *testing.T) {
	for text, s := range map[string]experiment.Spec{
		"no cells for the encoder hash:32": {Encoder: "hash:32"},
		"cells of an encoder as it is":     {Encoder: "minilm", Tune: true},
		"default":                          {Cells: hashCells(t)},
	} {
		s.Methods, s.Epsilons = []string{"cells"}, []float64{4}
		if _, err := s.Filled(t.Context()); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("error is %v, want one with %q", err, text)
		}
	}
}
