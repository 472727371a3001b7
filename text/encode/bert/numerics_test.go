package bert_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"sotto/compute/nn"
	"sotto/text/encode"
	"sotto/text/encode/bert"
)

// TestNumerics: what a model says of its bits is another thing just where they are: on
// other kernels, and with other files. Kernels of one family say the same.
func TestNumerics(t *testing.T) {
	dir := t.TempDir()
	if err := even().Write(dir); err != nil {
		t.Fatal(err)
	}
	said, vectors := map[string]encode.Numerics{}, map[string][]float32{}
	for _, kernel := range []string{"avx512", "avx2", "portable"} {
		end, err := nn.Force(kernel)
		if err != nil {
			continue // this machine cannot
		}
		m, err := bert.Open(dir, bert.Options{})
		if err != nil {
			t.Fatal(err)
		}
		x := make([]float32, m.Dim())
		m.Encode(x, "the cat is playing the guitar.")
		if said[kernel], err = m.Numerics(); err != nil {
			t.Fatal(err)
		}
		if again, err := m.Numerics(); err != nil || again != said[kernel] {
			t.Errorf("%s says %+v and then %+v, %v", kernel, said[kernel], again, err)
		}
		vectors[kernel] = x
		end()
	}
	for a := range said {
		for b := range said {
			if (said[a] == said[b]) != slices.Equal(vectors[a], vectors[b]) {
				t.Errorf("%s says %+v and %s %+v, and vectors are the same: %v", a, said[a], b, said[b], slices.Equal(vectors[a], vectors[b]))
			}
		}
	}
	if len(said) > 1 && (said["avx2"].Kernel != "fma" || said["portable"].Kernel != "portable" || said["avx2"].Bits == said["portable"].Bits) {
		t.Errorf("families and bits are %+v", said)
	}
	other := even()
	other.Tensors["encoder.layer.0.output.dense.bias"].Data[0] += 0.5
	if err := other.Write(dir); err != nil {
		t.Fatal(err)
	}
	m, err := bert.Open(dir, bert.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n, failed := m.Numerics(); failed != nil || n.Weights == said["portable"].Weights || n.Bits == said["portable"].Bits {
		t.Errorf("other weights say %+v, %v", n, failed)
	}
	if err = os.Remove(filepath.Join(dir, "config.json")); err != nil {
		t.Fatal(err)
	}
	if n, err := m.Numerics(); err == nil {
		t.Errorf("a folder that is gone says %+v", n)
	}
}
