package experiment

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"sotto/internal/atomicfile"
	"sotto/internal/regular"
	"sotto/text/encode/bert"
	"sotto/text/encode/bert/tune"
	"sotto/text/encode/catalogue"
)

// CarryTuned adds to notes what is to be known of an encoder that was tuned before, and puts a
// copy of its folder beside the models that are trained on it in dir, if that is not "",
// so that they find it and dir can be moved as a whole. It does nothing for others.
func CarryTuned(notes []string, name, folder, dir string) ([]string, error) {
	if !strings.HasPrefix(name, bert.TunedPrefix) {
		return notes, nil
	}
	notes = append(notes, fmt.Sprintf("the encoder %s was tuned before: if it has seen rows that are tested here, what is measured is too good", name))
	if dir == "" {
		return notes, nil
	}
	return notes, CopyTuned(folder, filepath.Join(dir, catalogue.TunedDir))
}

// CopyTuned puts the folder of a tuned encoder to another place, whole or not at all. It does
// nothing where the same encoder is there already.
func CopyTuned(from, to string) error {
	m, err := bert.ReadManifest(from)
	if err != nil || m == nil {
		return errors.Join(err, fmt.Errorf("tuned: %s is no tuned encoder, must be one", from))
	}
	if had, failed := bert.ReadManifest(to); failed == nil && had != nil && had.Hash == m.Hash {
		return nil
	}
	names, err := bert.Files(from)
	if err != nil {
		return err
	}
	fresh, err := os.MkdirTemp(filepath.Dir(to), ".sotto-*.new")
	if err != nil {
		return fmt.Errorf("tuned: %w", err)
	}
	defer os.RemoveAll(fresh) //nolint:errcheck // it is gone, or nothing can be done
	for _, name := range append(names, cmp.Or(m.HeadFile, tune.HeadFile), bert.ManifestFile) {
		if err := copyFile(filepath.Join(from, name), filepath.Join(fresh, name)); err != nil {
			return fmt.Errorf("tuned: %w", err)
		}
	}
	if sum, err := bert.Digest(fresh); err != nil || sum != m.Hash {
		return errors.Join(err, fmt.Errorf("tuned: %s has changed while it was copied, must not", from))
	}
	if err := os.Chmod(fresh, 0o755); err != nil { //nolint:gosec // an encoder is meant to be read by others
		return fmt.Errorf("tuned: %w", err)
	}
	return atomicfile.SwapDir(fresh, to)
}

func copyFile(from, to string) error {
	in, _, err := regular.Open(from, regular.Most)
	if err != nil {
		return err
	}
	defer in.Close()                                             //nolint:errcheck // it was only read
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil { //nolint:gosec // as the folder itself
		return err
	}
	return atomicfile.WriteShared(to, func(w io.Writer) error {
		_, err := io.Copy(w, in)
		return err
	})
}
