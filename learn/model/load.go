package model

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"sotto/compute/nn"
	"sotto/internal/regular"
	"sotto/internal/safetensors"
	"sotto/promise/mech"
)

// Bounds of files, which are read whole before anything is known of them.
const (
	maxManifest = 16 << 20
	maxWeights  = 1 << 30
)

// Load reads a model's folder. It runs nothing of it, and refuses with the
// reason what is damaged, incomplete, not a model, changed, or states another
// guarantee than its mechanism has. With an error the manifest is empty, so
// that nothing is printed that was not confirmed. Files must be regular; weights
// may have 1 GiB.
func Load(dir string) (*Model, Manifest, error) { return loadWithin(dir, maxWeights) }

// loadWithin is Load with a bound on the bytes of the weights.
func loadWithin(dir string, most int64) (*Model, Manifest, error) {
	path := filepath.Join(dir, ManifestFile)
	info, err := readManifest(path)
	if err != nil {
		return nil, Manifest{}, err
	}
	t, err := readWeights(filepath.Join(dir, WeightsFile), info.Weights, most, info.Architecture.Release)
	if err != nil {
		return nil, Manifest{}, err
	}
	m, err := New(info.Architecture, t)
	if err != nil {
		return nil, Manifest{}, fmt.Errorf("%s: %w", dir, err)
	}
	m.Kept, m.Compared = info.Kept, info.Compared
	if err := m.confirm(path, info); err != nil {
		return nil, Manifest{}, err
	}
	if err := info.identify(dir); err != nil {
		return nil, Manifest{}, err
	}
	return m, info, nil
}

func readManifest(path string) (Manifest, error) {
	var info Manifest
	if format, err := formatOf(path); errors.Is(err, fs.ErrNotExist) {
		return info, fmt.Errorf("model: %s is no model: %w", filepath.Dir(path), err)
	} else if err == nil && format == headFormat {
		return info, fmt.Errorf("model: %s is the head of a model, must be a whole one", filepath.Dir(path))
	}
	if err := readStrictly(path, &info); err != nil {
		return info, err
	}
	if info.Format != modelFormat {
		return info, fmt.Errorf("model: %s has format %q, must be %q", path, info.Format, modelFormat)
	}
	if err := info.checkMasks(); err != nil {
		return info, fmt.Errorf("train: %s: %w", path, err)
	}
	return info, nil
}

// readStrictly reads a manifest that is exactly as it was saved.
func readStrictly[M any](path string, info *M) error {
	content, err := readSome(path)
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(content))
	d.DisallowUnknownFields()
	if err = d.Decode(info); err != nil {
		return fmt.Errorf("model: %s is no manifest of a model: %w", path, err)
	}
	// A second text behind the first, a key that occurs twice or in capitals:
	// whoever reads the file would see something else than what was parsed.
	want, err := canonical(*info)
	if err != nil {
		return fmt.Errorf("model: %s is no manifest of a model: %w", path, err)
	}
	var seen, expected bytes.Buffer
	if json.Compact(&seen, content) != nil || json.Compact(&expected, want) != nil || !bytes.Equal(seen.Bytes(), expected.Bytes()) {
		return fmt.Errorf("model: %s is not as it was saved: something is added, missing, repeated or spelt differently", path)
	}
	return nil
}

// readSome reads a file that is not known to be small.
func readSome(path string) ([]byte, error) {
	content, err := regular.Read(path, maxManifest)
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	return content, nil
}

// readWeights reads tensors from a file with the given SHA-256 and at most so
// many bytes. It completes the mechanism whose releases they take, nil for none, by
// the public vectors that lie there.
func readWeights(path, digest string, most int64, takes *mech.Params) (Tensors, error) {
	weights, err := readDigested(path, digest, most)
	if err != nil {
		return nil, err
	}
	f, err := safetensors.Decode(weights)
	if err != nil {
		return nil, fmt.Errorf("model: %s: %w", path, err)
	}
	if public, ok := f.Metadata[publicKey]; ok {
		if takes == nil {
			return nil, fmt.Errorf("model: %s has public vectors, must have none without a mechanism", path)
		}
		if *takes, err = takes.WithPublic([]byte(public)); err != nil {
			return nil, fmt.Errorf("model: %s: %w", path, err)
		}
	}
	t := make(Tensors)
	for _, u := range f.Tensors {
		if len(u.Shape) != 2 {
			return nil, fmt.Errorf("model: %s: a tensor has %d dimensions, must have 2", path, len(u.Shape))
		}
		t[u.Name] = nn.Matrix{Rows: u.Shape[0], Cols: u.Shape[1], Data: u.Data}
	}
	return t, nil
}

// readDigested reads a file that has the given SHA-256. It is hashed before any of it is
// kept, since a file that is as large as may be, and is not what the manifest means, is to
// take no memory; and once more in memory, since it may have changed.
func readDigested(path, digest string, most int64) ([]byte, error) {
	f, _, err := regular.Open(path, most)
	if err != nil {
		return nil, fmt.Errorf("model: model has no weights: %w", err)
	}
	h := sha256.New()
	_, err = io.Copy(h, f)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("model: model has no weights: %w", err)
	}
	var weights []byte
	sum := [sha256.Size]byte(h.Sum(nil))
	if hex.EncodeToString(sum[:]) == digest {
		if weights, err = regular.Read(path, most); err != nil {
			return nil, fmt.Errorf("model: model has no weights: %w", err)
		}
		sum = sha256.Sum256(weights)
	}
	if hex.EncodeToString(sum[:]) != digest {
		return nil, fmt.Errorf("model: %s is damaged or of another model: its SHA-256 is not the manifest's; train the model again or copy its folder whole", path)
	}
	return weights, nil
}

// confirm refuses a manifest whose guarantee is not what the mechanism proves.
func (m *Model) confirm(path string, info Manifest) error {
	if info.Assumption != m.Coverage() {
		return fmt.Errorf("model: %s states another assumption than the model has, which is %q", path, m.Coverage())
	}
	s, ok := m.Statement()
	if !ok && info.Guarantee == nil {
		return nil
	}
	if !ok {
		return fmt.Errorf("model: %s states a guarantee, but the model has no mechanism", path)
	}
	if info.Guarantee == nil || normal(s) != normal(*info.Guarantee) {
		return fmt.Errorf("model: %s states another guarantee than its mechanism proves, ε = %v (%s-level); it was changed, or made by a version that computed it differently", path, s.True, s.Unit)
	}
	return nil
}

// normal returns a statement as JSON would give it back, so that two can be
// compared.
func normal(s mech.Statement) string {
	b, err := json.Marshal(s)
	if err != nil {
		return err.Error()
	}
	return string(b)
}
