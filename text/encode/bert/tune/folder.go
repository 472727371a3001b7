package tune

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"sotto/internal/atomicfile"
	"sotto/internal/safetensors"
	"sotto/text/encode/bert"
)

// Kept returns how the epoch did that is kept, and which it is, from 1; 0 if not
// one is complete.
func (t *Trainer) Kept() (Epoch, int) {
	if t.state.Kept == 0 {
		return Epoch{}, 0
	}
	return t.state.History[t.state.Kept-1], t.state.Kept
}

// Settings returns the settings with their defaults.
func (t *Trainer) Settings() Settings { return t.settings }

// About is a digest of what decides how the head learns; "" for a linear layer.
func (t *Trainer) About() string { return t.head.About() }

// Make runs a training and writes what it comes to, as Run and Write do, with the digest
// of the folder that it began with in the manifest.
func (t *Trainer) Make(ctx context.Context, dir string, info bert.Manifest, o Options) (bert.Manifest, error) {
	var err error
	if info.ParentHash, err = t.folder.Digest(); err != nil {
		return info, err
	}
	if err = t.Run(ctx, o); err != nil {
		return info, err
	}
	return t.Write(dir, info)
}

// Write writes the encoder of the best epoch as a folder, whole or not at all, in
// place of what is there, and returns its manifest: info with the settings, how
// epochs did, and the digest of the files.
func (t *Trainer) Write(dir string, info bert.Manifest) (bert.Manifest, error) {
	if t.state.Kept == 0 {
		return info, fmt.Errorf("tune: not one epoch is complete, must be before %s is written", dir)
	}
	dir = filepath.Clean(dir)
	fresh, err := os.MkdirTemp(filepath.Dir(dir), ".sotto-*.new")
	if err != nil {
		return info, fmt.Errorf("tune: %w", err)
	}
	defer os.RemoveAll(fresh) //nolint:errcheck // it is gone, or nothing can be done
	if err = t.folder.CopyTo(fresh, t.settings.Length, t.long); err != nil {
		return info, err
	}
	if err = safetensors.Write(filepath.Join(fresh, "model.safetensors"), t.file()); err != nil {
		return info, err
	}
	if err = t.writeHead(fresh, &info); err != nil {
		return info, err
	}
	info.Format, info.Head = bert.ManifestFormat, t.head.About()
	if info.Settings, err = json.Marshal(t.settings); err != nil {
		return info, fmt.Errorf("tune: %w", err)
	}
	if info.History, err = json.Marshal(t.state.History); err != nil {
		return info, fmt.Errorf("tune: %w", err)
	}
	if info.Hash, err = bert.Digest(fresh); err != nil {
		return info, err
	}
	if err = atomicfile.WriteSharedJSON(filepath.Join(fresh, bert.ManifestFile), info); err != nil {
		return info, err
	}
	if err = os.Chmod(fresh, 0o755); err != nil { //nolint:gosec // an encoder is meant to be read by others
		return info, fmt.Errorf("tune: %w", err)
	}
	return info, atomicfile.SwapDir(fresh, dir)
}

// kept returns what is kept of everything that learnt, by name.
func (t *Trainer) kept() map[string][]float32 {
	all := map[string][]float32{}
	for i, q := range t.params() {
		all[q.Name] = t.state.kept[i].Data
	}
	return all
}

// file returns the weights: those of the kept epoch, and what was frozen.
func (t *Trainer) file() *safetensors.File {
	kept := t.kept()
	f := &safetensors.File{Metadata: map[string]string{"format": "pt"}} // by which libraries know whose names these are
	for _, q := range t.encoder.All() {
		x := safetensors.Tensor{Name: q.Name, Shape: []int{q.Value.Rows, q.Value.Cols}, Data: q.Value.Data}
		if strings.HasSuffix(q.Name, ".bias") || strings.HasSuffix(q.Name, "LayerNorm.weight") {
			x.Shape = x.Shape[1:]
		}
		if data, ok := kept[q.Name]; ok {
			x.Data = data
		}
		f.Tensors = append(f.Tensors, x)
	}
	return f
}
