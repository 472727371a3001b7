package bert

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sotto/internal/regular"
)

// Manifest is what the folder of a tuned encoder says of it, beside BERT's own
// files.
type Manifest struct {
	Format string `json:"format"`
	// Parent is the encoder that it was tuned from: its name, if it has one that is
	// no path, and the digest of its files.
	Parent     string          `json:"parent,omitempty"`
	ParentHash string          `json:"parent_sha256"`
	Data       string          `json:"data"`        // what it was tuned on
	DataHash   string          `json:"data_sha256"` // of that
	Settings   json.RawMessage `json:"settings"`
	History    json.RawMessage `json:"history,omitempty"` // how each epoch did
	Long       json.RawMessage `json:"long,omitempty"`    // how the rule for long texts was chosen, if it was
	Labels     []string        `json:"labels,omitempty"`  // of words, in order, if that is what was learnt; see package tune
	// Head is a digest of what decides how the layers learnt that were trained with
	// it; "" for a linear layer, of which the settings say it all.
	Head     string `json:"head,omitempty"`
	HeadHash string `json:"head_sha256"`         // of the file of these layers
	HeadFile string `json:"head_file,omitempty"` // its name, if it is not the usual one
	Hash     string `json:"sha256"`              // of the files that decide vectors; see [Digest]
}

const (
	// ManifestFile is the file of a [Manifest].
	ManifestFile = "manifest.json"
	// ManifestFormat is the format that is written.
	ManifestFormat = formatPrefix + "1"
	// TunedPrefix stands before the first digits of the digest of a tuned encoder in
	// its name.
	TunedPrefix = "tuned:"

	formatPrefix = "sotto-encoder-"
	nameDigits   = 16
)

// Name is what the encoder is known by, wherever its folder lies.
func (m Manifest) Name() string { return TunedPrefix + m.Hash[:nameDigits] }

// ReadManifest reads the manifest of a folder; nil if it has none, because it was
// not tuned.
func ReadManifest(dir string) (*Manifest, error) {
	var m Manifest
	found, err := readOptional(filepath.Join(dir, ManifestFile), &m)
	switch {
	case err != nil || !found:
		return nil, err //nolint:nilnil // as the comment says
	case !strings.HasPrefix(m.Format, formatPrefix):
		return nil, nil //nolint:nilnil // others call a file manifest.json too
	case m.Format != ManifestFormat:
		return nil, fmt.Errorf("bert: %s: format is %.40q, must be %q: it is of another version", filepath.Join(dir, ManifestFile), m.Format, ManifestFormat)
	case len(m.Hash) != 2*sha256.Size:
		return nil, fmt.Errorf("bert: %s has no SHA-256 of the folder, must have one", filepath.Join(dir, ManifestFile))
	}
	return &m, nil
}

// Files returns the names of those files of a folder that decide its vectors, sorted.
func Files(dir string) ([]string, error) {
	paths, err := filepath.Glob(filepath.Join(escape(dir), "model*.safetensors"))
	if err != nil {
		return nil, fmt.Errorf("bert: %s: %w", dir, err)
	}
	names := []string{"config.json", "tokenizer.json"}
	for _, p := range paths {
		names = append(names, filepath.Base(p))
	}
	for _, name := range []string{poolingFile, lengthFile, longFile} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// Digest returns the SHA-256 of what decides a folder's vectors: the names and
// contents of its files.
func Digest(dir string) (string, error) {
	names, err := Files(dir)
	if err != nil {
		return "", err
	}
	all := sha256.New()
	for _, name := range names {
		sum := sha256.New()
		if err := copyTo(sum, filepath.Join(dir, name)); err != nil {
			return "", err
		}
		all.Write(fmt.Appendf(nil, "%s %x\n", name, sum.Sum(nil)))
	}
	return hex.EncodeToString(all.Sum(nil)), nil
}

func copyTo(w io.Writer, path string) error {
	f, _, err := regular.Open(path, regular.Most)
	if err != nil {
		return fmt.Errorf("bert: %w", err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	if _, err := io.Copy(w, f); err != nil {
		return fmt.Errorf("bert: %w", err)
	}
	return nil
}

// name returns what a model is called, and refuses the folder of a tuned encoder
// whose files are not those of its manifest.
func (f *Folder) name(asked string) (string, error) {
	m, err := ReadManifest(f.dir)
	if err != nil || m == nil {
		return cmp.Or(asked, f.dir), err
	}
	sum, err := Digest(f.dir)
	if err != nil {
		return "", err
	}
	if sum != m.Hash {
		return "", fmt.Errorf("bert: %s: the files have SHA-256 %s, must have %s as %s says: copy the folder again", f.dir, sum, m.Hash, ManifestFile)
	}
	return cmp.Or(asked, m.Name()), nil
}
