package safetensors_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/internal/safetensors"
)

func TestSealed(t *testing.T) {
	var b bytes.Buffer
	tensors := []safetensors.Tensor{{Name: "x", Shape: []int{1, 2}, Data: []float32{1, 2}}}
	if err := safetensors.Seal(&b, tensors, []byte(`{"epoch":3}`)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "state")
	for damaged, content := range map[bool]string{false: b.String(), true: strings.Replace(b.String(), `epoch\":3`, `epoch\":4`, 1)} {
		if damaged == (content == b.String()) {
			t.Fatal("nothing was damaged")
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		got, about, err := safetensors.ReadSealed(path)
		if damaged != (err != nil) {
			t.Errorf("damaged %v: error is %v", damaged, err)
		}
		if !damaged && (string(about) != `{"epoch":3}` || len(got) != 1 || got[0].Data[1] != 2) {
			t.Errorf("read %q and %v", about, got)
		}
	}
}
