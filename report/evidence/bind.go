package evidence

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"sotto/mech"
)

// ErrUnbound is wrapped where a record is not that of the file in question: it
// holds no hash, or another one, or there is no such file.
var ErrUnbound = errors.New("evidence: the record does not belong to the vectors")

// Bind implements the binding of records, whatever the file that holds them is
// called, and in a file of everything, too.
func (r *Release) Bind(path string, alone bool) error {
	vectors := strings.TrimSuffix(path, ".privacy.json")
	if r.File != "" {
		if filepath.Base(r.File) != r.File {
			return fmt.Errorf("%w: its file is named with a folder, must be beside it", ErrUnbound)
		}
		vectors = filepath.Join(filepath.Dir(path), r.File)
	}
	err := Bound(r.Binding, vectors)
	if alone && errors.Is(err, fs.ErrNotExist) {
		r.Unbound = true
		return nil
	}
	return err
}

// Bound refuses a record that is not that of a file of vectors: one without a
// hash, with another one, or whose file is missing.
func Bound(b mech.Binding, vectors string) error {
	if b.SHA256 == "" {
		return fmt.Errorf("%w: it holds no hash of its file, as records of earlier versions do not; sotto bind %s renews it", ErrUnbound, filepath.Base(vectors))
	}
	sum, err := HashFile(vectors)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %s is missing, must be beside its record (sotto report --record-alone shows one without it): %w", ErrUnbound, filepath.Base(vectors), fs.ErrNotExist)
	} else if err != nil {
		return err
	}
	if sum != b.SHA256 {
		return fmt.Errorf("%w: %s was changed or replaced after it was released", ErrUnbound, filepath.Base(vectors))
	}
	return nil
}

// HashFile returns the SHA-256 of a file in hexadecimal.
func HashFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("evidence: %w", err)
	}
	h := sha256.New()
	_, err = io.Copy(h, f)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", fmt.Errorf("evidence: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
