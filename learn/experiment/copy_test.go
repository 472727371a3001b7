package experiment_test

import (
	"os"
	"path/filepath"
	"testing"

	"sotto/compute/nn/transformer/tiny"
	"sotto/learn/experiment"
	"sotto/text/encode/bert"
	"sotto/text/encode/bert/tune"
)

// What was trained behind an encoder goes with it, whatever its file is called.
func TestCopy(t *testing.T) {
	for _, own := range []string{"", "own.model"} {
		from, to := t.TempDir(), filepath.Join(t.TempDir(), "encoder")
		if err := tiny.Small().Write(from); err != nil {
			t.Fatal(err)
		}
		name := tune.HeadFile
		if own != "" {
			name = own
		}
		if err := os.WriteFile(filepath.Join(from, name), []byte("layers"), 0o600); err != nil {
			t.Fatal(err)
		}
		hash, err := bert.Digest(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := tiny.WriteJSON(filepath.Join(from, bert.ManifestFile), bert.Manifest{Format: bert.ManifestFormat, Hash: hash, HeadFile: own}); err != nil {
			t.Fatal(err)
		}
		if err := experiment.CopyTuned(from, to); err != nil {
			t.Fatal(err)
		}
		if content, err := os.ReadFile(filepath.Join(to, name)); err != nil || string(content) != "layers" {
			t.Errorf("%s: %q, %v", name, content, err)
		}
		if sum, err := bert.Digest(to); err != nil || sum != hash {
			t.Errorf("digest %s, %v, want %s", sum, err, hash)
		}
	}
}
