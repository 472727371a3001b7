package bert

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"sotto/compute/nn/transformer"
	"sotto/internal/regular"
	"sotto/text"
)

// Folder is the folder of a model, read but not yet made a model of: what Open and
// package tune have in common.
type Folder struct {
	Tokeniser *text.WordPiece
	// First says that the vector of a text is that of its first token, not the mean
	// over all.
	First bool
	// Length is the most tokens of a sequence that the folder asks for; 0 if it does
	// not.
	Length int
	// Long is how longer texts are read.
	Long Long

	dir    string
	config config
	loader *loader
}

// The files in which libraries of sentence transformers keep what BERT's own do
// not say.
const (
	poolingFile = "1_Pooling/config.json"
	lengthFile  = "sentence_bert_config.json"
)

// Read reads a folder.
func Read(dir string) (*Folder, error) {
	c, err := readConfig(filepath.Join(dir, "config.json"))
	if err != nil {
		return nil, err
	}
	f := &Folder{dir: dir, config: c}
	if err = f.readSentences(); err != nil {
		return nil, err
	}
	if f.Tokeniser, err = text.LoadWordPiece(filepath.Join(dir, "tokenizer.json")); err != nil {
		return nil, err
	}
	if n := len(f.Tokeniser.Vocabulary()); n > c.Vocabulary {
		return nil, fmt.Errorf("bert: %s: tokenizer.json has %d tokens, must have at most the vocab_size of config.json, which is %d", dir, n, c.Vocabulary)
	}
	if f.loader, err = readTensors(dir); err != nil {
		return nil, err
	}
	return f, nil
}

// Digest is that of [Digest] for the folder.
func (f *Folder) Digest() (string, error) { return Digest(f.dir) }

// readSentences reads how the vector of a text is made, where a file says so.
func (f *Folder) readSentences() error {
	var pooling struct {
		First bool `json:"pooling_mode_cls_token"`
		Mean  bool `json:"pooling_mode_mean_tokens"`
	}
	switch found, err := readOptional(filepath.Join(f.dir, poolingFile), &pooling); {
	case err != nil:
		return err
	case found && pooling.First == pooling.Mean:
		return fmt.Errorf("bert: %s: %s asks for another pooling, must ask for that of the first token or for the mean", f.dir, poolingFile)
	}
	f.First = pooling.First
	var length struct {
		Tokens int `json:"max_seq_length"`
	}
	if _, err := readOptional(filepath.Join(f.dir, lengthFile), &length); err != nil {
		return err
	}
	if length.Tokens != 0 && (length.Tokens < 2 || length.Tokens > f.config.Positions) {
		return fmt.Errorf("bert: %s: max_seq_length is %d, must be from 2 to %d", f.dir, length.Tokens, f.config.Positions)
	}
	f.Length = length.Tokens
	if _, err := readOptional(filepath.Join(f.dir, longFile), &f.Long); err != nil {
		return err
	}
	var err error
	if f.Long, err = f.Long.filled(); err != nil {
		return fmt.Errorf("%w (in %s)", err, filepath.Join(f.dir, longFile))
	}
	return nil
}

// readOptional reads JSON, if the file is there.
func readOptional(path string, to any) (found bool, err error) {
	content, err := regular.Read(path, maxConfig)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("bert: %w", err)
	}
	if err := json.Unmarshal(content, to); err != nil {
		return false, fmt.Errorf("bert: %s is no JSON of a model: %w", path, err)
	}
	return true, nil
}

// Limit returns the most tokens of a text: what is asked for, what the folder asks
// for, or else 256, or what the model can take if that is less.
func (f *Folder) Limit(asked int) (int, error) {
	limit := cmp.Or(asked, f.Length, min(defaultTokens, f.config.Positions))
	if limit < 2 || limit > f.config.Positions {
		return 0, fmt.Errorf("bert: length is %d tokens, must be from 2 to %d", limit, f.config.Positions)
	}
	return limit, nil
}

// Shape returns the sizes of the encoder, with which nothing is frozen or dropped.
func (f *Folder) Shape() transformer.Config {
	c := f.config
	return transformer.Config{
		Hidden: c.Hidden, Layers: c.Layers, Heads: c.Heads, Intermediate: c.Intermediate, Vocabulary: c.Vocabulary,
		Positions: c.Positions, Types: c.Types, Epsilon: c.Epsilon, Frozen: transformer.Nothing,
	}
}

// Encoder makes an encoder for training, which takes over the folder's tensors: it
// can be made once.
func (f *Folder) Encoder(c transformer.Config, kernel string) (*transformer.Encoder, error) {
	l := f.loader
	e, err := transformer.New(c, kernel, func(name string, shape ...int) []float32 {
		if data := l.take(name, shape...); l.err == nil {
			return data
		}
		n := 1
		for _, d := range shape {
			n *= d
		}
		return make([]float32, n) // the error is told below
	})
	if err == nil && l.err != nil {
		err = fmt.Errorf("bert: %s: %w", f.dir, l.err)
	}
	return e, err
}

// CopyTo copies everything but the weights to another folder, with a length of
// sequences and a rule for longer texts in place of its own.
func (f *Folder) CopyTo(dir string, length int, long Long) error {
	files := map[string][]byte{lengthFile: fmt.Appendf(nil, "{\n  \"max_seq_length\": %d,\n  \"do_lower_case\": false\n}\n", length)}
	if long.Rule != Truncate {
		content, err := json.MarshalIndent(long, "", "  ")
		if err != nil {
			return fmt.Errorf("bert: %w", err)
		}
		files[longFile] = append(content, '\n')
	}
	for _, name := range []string{"config.json", "tokenizer.json", poolingFile} {
		content, err := regular.Read(filepath.Join(f.dir, name), 1<<30)
		if errors.Is(err, fs.ErrNotExist) && name == poolingFile {
			continue
		}
		if err != nil {
			return fmt.Errorf("bert: %w", err)
		}
		files[name] = content
	}
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // an encoder is meant to be read by others
			return fmt.Errorf("bert: %w", err)
		}
		if err := os.WriteFile(path, content, 0o644); err != nil { //nolint:gosec // see above
			return fmt.Errorf("bert: %w", err)
		}
	}
	return nil
}
