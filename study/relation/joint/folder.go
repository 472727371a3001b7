package joint

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sotto/compute/nn"
	"sotto/internal/atomicfile"
	"sotto/internal/regular"
	"sotto/internal/safetensors"
	"sotto/study/relation"
	"sotto/study/relation/rule"
)

// Format is that of the folder of a model.
const Format = "sotto-relations-joint-1"

// The files of a folder.
const (
	AboutFile   = "relations.json"
	wordsFile   = "words.txt"
	rulesFile   = "rules.txt"
	weightsFile = "weights.safetensors"
)

// most is how many bytes a file of a folder may have.
const most = 1 << 30

// about is what a folder says of a model beside its numbers.
type about struct {
	Format    string            `json:"format"`
	Data      string            `json:"data"`
	Settings  Settings          `json:"settings"`
	Kept      int               `json:"kept"` // the epoch, from 1
	History   []Epoch           `json:"history"`
	Relations []string          `json:"relations"`
	Tags      []string          `json:"tags"`
	Types     []string          `json:"types"`
	Pairs     [][2]string       `json:"pairs"`  // of types that had a relation
	Pieces    []string          `json:"pieces"` // of rules
	Learnt    int               `json:"learnt"` // rows of words that learnt
	Hashes    map[string]string `json:"sha256"` // of the other files
}

func (t *Trainer) about() about {
	return about{
		Format: Format, Data: t.name, Settings: t.settings, Kept: t.state.Kept, History: t.state.History,
		Relations: t.v.relations[1:], Tags: t.v.tags.names, Types: t.v.types.names, Pairs: t.v.pairs, Pieces: t.v.pieces.Pieces(), Learnt: t.v.learn,
	}
}

// Kept returns how the epoch did that is kept, and which it is, from 1; 0 if not one is
// complete.
func (t *Trainer) Kept() (Epoch, int) {
	if t.state.Kept == 0 {
		return Epoch{}, 0
	}
	return t.state.History[t.state.Kept-1], t.state.Kept
}

// Write writes the model of the best epoch as a folder, whole or not at all, in place of
// what is there. It holds words, rules and numbers, and no sentence: but the words are those
// of the sentences to learn from that have a vector of their own or stand in several, beside
// all others that have a vector, and the rules tell how sentences are built.
func (t *Trainer) Write(dir string) error {
	if t.state.Kept == 0 {
		return fmt.Errorf("joint: not one epoch is complete, must be before %s is written", dir)
	}
	weights, err := t.weights()
	if err != nil {
		return err
	}
	files := map[string][]byte{
		wordsFile:   []byte(strings.Join(t.v.words.names, "\n") + "\n"),
		rulesFile:   []byte(t.rules.String()),
		weightsFile: weights,
	}
	a := t.about()
	a.Hashes = map[string]string{}
	dir = filepath.Clean(dir)
	fresh, err := os.MkdirTemp(filepath.Dir(dir), ".sotto-*.new")
	if err != nil {
		return fmt.Errorf("joint: %w", err)
	}
	defer os.RemoveAll(fresh) //nolint:errcheck // it is gone, or nothing can be done
	for name, content := range files {
		a.Hashes[name] = digest(content)
		if err := os.WriteFile(filepath.Join(fresh, name), content, 0o644); err != nil { //nolint:gosec // a model is meant to be read by others
			return fmt.Errorf("joint: %w", err)
		}
	}
	if err := atomicfile.WriteSharedJSON(filepath.Join(fresh, AboutFile), a); err != nil {
		return err
	}
	if err := os.Chmod(fresh, 0o755); err != nil { //nolint:gosec // as its files
		return fmt.Errorf("joint: %w", err)
	}
	return atomicfile.SwapDir(fresh, dir)
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// weights returns the file of what is kept: all words, and everything else that learnt.
func (t *Trainer) weights() ([]byte, error) {
	f := &safetensors.File{}
	for i, q := range t.net.params() {
		x := t.state.kept[i]
		if i == 0 {
			x = t.words()
		}
		f.Tensors = append(f.Tensors, safetensors.Tensor{Name: q.Name, Shape: []int{x.Rows, x.Cols}, Data: x.Data})
	}
	var b bytes.Buffer
	err := safetensors.Encode(&b, f)
	return b.Bytes(), err
}

// Is reports whether a folder says that it is one of a model of this package.
func Is(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, AboutFile))
	return err == nil
}

// Open opens the folder of a model. A file that is not as it was written is an error.
func Open(dir string) (*Model, error) {
	m := &Model{}
	if err := atomicfile.ReadJSON(filepath.Join(dir, AboutFile), &m.about); err != nil {
		return nil, fmt.Errorf("joint: %s is no model of relations, must be a folder that sotto relations train made: %w", dir, err)
	}
	if m.about.Format != Format {
		return nil, fmt.Errorf("joint: format of %s is %.60q, must be %s", dir, m.about.Format, Format)
	}
	files := map[string][]byte{}
	for _, name := range []string{wordsFile, rulesFile, weightsFile} {
		content, err := regular.Read(filepath.Join(dir, name), most)
		if err != nil {
			return nil, fmt.Errorf("joint: %w", err)
		}
		if digest(content) != m.about.Hashes[name] {
			return nil, fmt.Errorf("joint: %s is damaged: its content is not what its SHA-256 says", filepath.Join(dir, name))
		}
		files[name] = content
	}
	if err := m.read(files); err != nil {
		return nil, fmt.Errorf("joint: %s: %w", dir, err)
	}
	return m, nil
}

// read takes the files of a folder.
func (m *Model) read(files map[string][]byte) (err error) {
	a := &m.about
	if a.Settings, err = a.Settings.filled(); err != nil {
		return err
	}
	words := strings.Split(strings.TrimSuffix(string(files[wordsFile]), "\n"), "\n")
	m.v = vocabulary{
		mask: a.Settings.Mask, words: newIndex(words), learn: a.Learnt, tags: newIndex(a.Tags), types: newIndex(a.Types),
		relations: append([]string{""}, a.Relations...),
	}
	if m.v.pieces, err = relation.NewAlphabet(a.Pieces); err != nil {
		return err
	}
	if len(a.Relations) == 0 || a.Learnt < 1 || a.Learnt > m.v.words.size() || len(m.v.words.at) != len(words) ||
		a.Settings.Without != Decoder && len(a.Pieces) == 0 {
		return errors.New("what it says of words, relations and pieces of rules does not fit together")
	}
	if m.rules, err = rule.Parse(bytes.NewReader(files[rulesFile])); err != nil {
		return err
	}
	if m.gate, err = relation.NewGate(m.rules); err != nil {
		return err
	}
	f, err := safetensors.Decode(files[weightsFile])
	if err != nil {
		return err
	}
	return m.take(f)
}

// take takes the numbers, which must be those that such a network has.
func (m *Model) take(f *safetensors.File) error {
	x, ok := f.Tensor("words")
	if !ok || len(x.Shape) != 2 || x.Shape[0] != m.v.words.size() || x.Shape[1] < 1 {
		return fmt.Errorf("its vectors of words are not as many as its %d words", m.v.words.size())
	}
	m.table = nn.Matrix{Rows: x.Shape[0], Cols: x.Shape[1], Data: x.Data}
	n, err := newNetwork(&m.v, m.table, m.about.Settings, usual)
	if err != nil {
		return err
	}
	params := n.params()
	if len(f.Tensors) != len(params) {
		return fmt.Errorf("it holds %d tensors, must hold %d", len(f.Tensors), len(params))
	}
	for i, q := range params {
		x, ok := f.Tensor(q.Name)
		if i > 0 && (!ok || !slices.Equal(x.Shape, []int{q.Value.Rows, q.Value.Cols})) {
			return fmt.Errorf("its %s is missing or of another size, must be %d×%d", q.Name, q.Value.Rows, q.Value.Cols)
		}
		m.kept = append(m.kept, nn.Matrix{Rows: q.Value.Rows, Cols: q.Value.Cols, Data: x.Data})
	}
	return nil
}
