package influence

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"sotto/compute/nn"
	"sotto/data/dataset"
	"sotto/internal/atomicfile"
	"sotto/internal/safetensors"
	"sotto/text"
	"sotto/text/encode/catalogue"
)

// The files of a student's folder. The teacher's is there where the teacher was tuned
// for it. What lies in the cache is made from texts and is as secret as they are; the
// rest holds no text and no vector of one.
const (
	ManifestFile = "manifest.json"
	WeightsFile  = "weights.safetensors"
	TeacherDir   = "teacher"
	CacheDir     = "cache"
	// ReadingDir is where a training keeps what it has read until it is done.
	ReadingDir = "reading"

	// Format is that of a manifest.
	Format = "sotto-influence-student-1"

	wordsFile   = "words.safetensors"
	wordsFormat = "sotto-influence-words-1"
)

// ErrTeacher is wrapped by the error for a student whose teacher is another one.
var ErrTeacher = errors.New("influence: the student learnt from another teacher")

// Manifest is what the folder of a student says of it.
type Manifest struct {
	Format   string         `json:"format"`
	Kind     TeacherKind    `json:"teacher"`
	Digest   string         `json:"teacher_sha256"`
	Encoder  catalogue.Name `json:"encoder"`
	Noise    TeacherNoise   `json:"noise,omitempty"`
	Draws    int            `json:"draws,omitempty"`
	Seed     uint64         `json:"noise_seed,omitempty"`
	Label    string         `json:"label"`
	Classes  []string       `json:"classes"`
	Data     string         `json:"data"`
	DataHash string         `json:"data_sha256"`
	// Layout is how the data is read, if it is a file of one's own; where that lay is
	// nowhere.
	Layout   *dataset.Layout `json:"layout,omitempty"`
	Settings Settings        `json:"settings"`
	Result   Result          `json:"result"`
	Weights  string          `json:"weights_sha256"`
}

// Save writes the student into a folder, which may hold its teacher already.
func (s *Student) Save(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	t := s.Teacher
	f := &safetensors.File{Tensors: s.network.tensors()}
	if t.Kind() == fitted {
		weight, bias := t.Head()
		f.Tensors = append(f.Tensors,
			safetensors.Tensor{Name: "head.weight", Shape: []int{weight.Rows, weight.Cols}, Data: weight.Data},
			safetensors.Tensor{Name: "head.bias", Shape: []int{len(bias)}, Data: bias})
	}
	info := Manifest{
		Format: Format, Kind: t.Kind(), Digest: t.Digest(), Encoder: catalogue.Name(t.Name()), Label: t.Label, Classes: t.Names,
		Data: s.Data, DataHash: s.DataHash, Layout: s.Layout, Settings: s.Settings, Result: s.Result, Weights: f.Digest(nil),
	}
	noise := t.Noise()
	info.Noise, info.Draws, info.Seed = noise.Noise, noise.Draws, noise.Seed
	// The manifest goes last, and goes first where another student was: a folder with
	// one is whole.
	manifest := filepath.Join(dir, ManifestFile)
	if err := os.Remove(manifest); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.RemoveAll(filepath.Join(dir, CacheDir)); err != nil {
		return err
	}
	if err := safetensors.Write(filepath.Join(dir, WeightsFile), f); err != nil {
		return err
	}
	if err := s.saveWords(dir); err != nil {
		return err
	}
	return atomicfile.WriteSharedJSON(manifest, info)
}

// ReadManifest reads the manifest of a student's folder.
func ReadManifest(dir string) (Manifest, error) {
	var info Manifest
	if err := atomicfile.ReadJSON(filepath.Join(dir, ManifestFile), &info); err != nil {
		return Manifest{}, err
	}
	if info.Format != Format {
		return Manifest{}, fmt.Errorf("influence: format is %q, must be %q", info.Format, Format)
	}
	if len(info.Classes) < 2 || info.Settings.Width < 1 || info.Settings.Validate() != nil {
		return Manifest{}, errors.New("influence: the manifest has fewer than two classes or settings out of range, must be one that training wrote")
	}
	return info, nil
}

// OpenOptions say where what a folder does not hold is.
type OpenOptions struct {
	Model   string // folder of the teacher, if it is a model of sotto train
	Workers int    // 0 means 2
}

// Open opens the student in a folder, with its teacher: the one beside it, or the model
// that is named. Another teacher is refused, with an error that wraps [ErrTeacher].
func Open(ctx context.Context, dir string, o OpenOptions) (*Student, error) {
	info, err := ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	f, err := safetensors.Read(filepath.Join(dir, WeightsFile))
	if err != nil {
		return nil, err
	}
	if f.Digest(nil) != info.Weights {
		return nil, fmt.Errorf("influence: %s is not as it was written, must be", WeightsFile)
	}
	t, err := openTeacher(ctx, dir, info, f, o)
	if err != nil {
		return nil, err
	}
	if t.Digest() != info.Digest {
		return nil, fmt.Errorf("%w: its digest is %.12s, must be %.12s", ErrTeacher, t.Digest(), info.Digest)
	}
	s := &Student{Teacher: t, Settings: info.Settings, Data: info.Data, DataHash: info.DataHash, Layout: info.Layout, Result: info.Result, workers: Options{Workers: o.Workers}.workers()}
	if s.network, err = readNetwork(f, t.Context(), t.Word(), info.Settings.Width, t.Size()); err != nil {
		return nil, err
	}
	return s, s.openWords(dir, info)
}

// openTeacher opens the teacher of a student.
func openTeacher(ctx context.Context, dir string, info Manifest, f *safetensors.File, o OpenOptions) (*Teacher, error) {
	if o.Model != "" && info.Kind != stored {
		return nil, fmt.Errorf("%w: a model is named, but the teacher is %s and lies with the student", ErrTeacher, info.Kind)
	}
	switch info.Kind {
	case fitted:
		e, err := catalogue.OpenNamed(ctx, info.Encoder, catalogue.Beside(dir, dataset.Dir()))
		if err != nil {
			return nil, err
		}
		w, ok := f.Tensor("head.weight")
		b, too := f.Tensor("head.bias")
		if !ok || !too || len(w.Shape) != 2 {
			return nil, errors.New("influence: the weights have no linear layer, must have the teacher's")
		}
		return Refitted(ctx, e, info.Label, info.Classes, nn.Matrix{Rows: w.Shape[0], Cols: w.Shape[1], Data: w.Data}, b.Data)
	case Tuned:
		return OpenTuned(filepath.Join(dir, TeacherDir), info.Label, info.Classes)
	case stored:
		if o.Model == "" {
			return nil, errors.New("influence: the teacher is a model of its own, must be named: its folder")
		}
		return OpenStored(ctx, o.Model, StoredOptions{Noise: info.Noise, Draws: info.Draws, Seed: info.Seed})
	}
	return nil, fmt.Errorf("influence: the teacher is %q, must be %s, %s or %s", info.Kind, fitted, Tuned, stored)
}

// saveWords writes the table of words into the cache.
func (s *Student) saveWords(dir string) error {
	f := &safetensors.File{Metadata: map[string]string{"format": wordsFormat, "teacher": s.Teacher.Digest()}}
	words, err := json.Marshal(s.vocabulary)
	if err != nil {
		return err
	}
	f.Metadata["words"] = string(words)
	for _, tag := range slices.Sorted(maps.Keys(s.table)) {
		t := s.table[tag]
		f.Tensors = append(f.Tensors, safetensors.Tensor{Name: tag, Shape: []int{t.Rows, t.Cols}, Data: t.Data})
	}
	f.Metadata["digest"] = f.Digest(words)
	if err := os.MkdirAll(filepath.Join(dir, CacheDir), 0o700); err != nil {
		return err
	}
	return safetensors.WritePrivate(filepath.Join(dir, CacheDir, wordsFile), f)
}

// openWords reads the table of words.
func (s *Student) openWords(dir string, info Manifest) error {
	f, err := safetensors.Read(filepath.Join(dir, CacheDir, wordsFile))
	if err != nil {
		return err
	}
	words := f.Metadata["words"]
	if f.Metadata["format"] != wordsFormat || f.Metadata["teacher"] != info.Digest || f.Metadata["digest"] != f.Digest([]byte(words)) {
		return fmt.Errorf("influence: %s is of another student or damaged, must be as it was written", wordsFile)
	}
	if err := atomicfile.ParseJSON([]byte(words), &s.vocabulary); err != nil {
		return err
	}
	s.table = map[string]nn.Matrix{}
	for tag, listed := range s.vocabulary {
		t, ok := f.Tensor(tag)
		if !ok || len(t.Data) != len(listed)*s.network.width {
			return fmt.Errorf("influence: %s has no numbers of %s, must have", wordsFile, tag)
		}
		s.table[tag] = nn.Matrix{Rows: len(listed), Cols: s.network.width, Data: t.Data}
	}
	return nil
}

// contextsFormat is that of a table of contexts.
const contextsFormat = "sotto-influence-contexts-1"

// contextsFile is the file of the contexts of a part of speech and a class.
func contextsFile(dir, pos string, class int) string {
	return filepath.Join(dir, CacheDir, fmt.Sprintf("contexts-%s-%d.safetensors", pos, class))
}

// SaveContexts writes contexts into the cache of a student's folder: places, which are
// numbers of texts and bytes, and what the student makes of them; no text.
func (s *Student) SaveContexts(dir string, c *Contexts) error {
	counts, err := json.Marshal([3]int{c.All, c.Unclear, c.Stubborn})
	if err != nil {
		return err
	}
	places := nn.NewMatrix(len(c.rows), 5)
	for i, r := range c.rows {
		for j, v := range []int{r.text, r.phrase.Start, r.phrase.End, r.word.Start, r.word.End} {
			if v >= 1<<24 {
				return errors.New("influence: a place is beyond 2²⁴, must be below")
			}
			places.Row(i)[j] = float32(v)
		}
	}
	f := &safetensors.File{Metadata: map[string]string{"format": contextsFormat, "student": s.mark(), "counts": string(counts)}}
	for _, m := range []struct {
		name string
		nn.Matrix
	}{{"places", places}, {"context", c.context}, {"without", c.without}} {
		f.Tensors = append(f.Tensors, safetensors.Tensor{Name: m.name, Shape: []int{m.Rows, m.Cols}, Data: m.Data})
	}
	f.Metadata["digest"] = f.Digest(counts)
	if err := os.MkdirAll(filepath.Join(dir, CacheDir), 0o700); err != nil {
		return err
	}
	return safetensors.WritePrivate(contextsFile(dir, c.POS, c.Class), f)
}

// mark tells students apart, with what they learnt from.
func (s *Student) mark() string {
	return (&safetensors.File{Tensors: s.network.tensors()}).Digest([]byte(s.Teacher.Digest() + s.DataHash))
}

// OpenContexts reads contexts from the cache of a student's folder, for the data that
// they were taken from. The error for those that are not there wraps fs.ErrNotExist.
func (s *Student) OpenContexts(dir string, d *Data, pos string, class int) (*Contexts, error) {
	f, err := safetensors.Read(contextsFile(dir, pos, class))
	if err != nil {
		return nil, err
	}
	counts := f.Metadata["counts"]
	if f.Metadata["format"] != contextsFormat || f.Metadata["digest"] != f.Digest([]byte(counts)) {
		return nil, errors.New("influence: the table of contexts is damaged, must be as it was written")
	}
	if f.Metadata["student"] != s.mark() || d.Hash != s.DataHash {
		return nil, fmt.Errorf("influence: the table of contexts is of another student or other data: %w", fs.ErrNotExist)
	}
	c := &Contexts{POS: pos, Class: class}
	var n [3]int
	if err := json.Unmarshal([]byte(counts), &n); err != nil {
		return nil, errors.New("influence: the table of contexts has no counts, must have")
	}
	c.All, c.Unclear, c.Stubborn = n[0], n[1], n[2]
	places, _ := f.Tensor("places")
	context, _ := f.Tensor("context")
	without, _ := f.Tensor("without")
	rows := len(places.Data) / 5
	if len(context.Data) != rows*s.network.width || len(without.Data) != rows*len(s.Teacher.Names) {
		return nil, errors.New("influence: the table of contexts has the wrong size, must be as it was written")
	}
	c.context = nn.Matrix{Rows: rows, Cols: s.network.width, Data: context.Data}
	c.without = nn.Matrix{Rows: rows, Cols: len(s.Teacher.Names), Data: without.Data}
	for i := range rows {
		var v [5]int
		for j := range v {
			v[j] = int(places.Data[5*i+j])
		}
		r := contextRow{v[0], text.Span{Start: v[1], End: v[2]}, text.Span{Start: v[3], End: v[4]}}
		if r.text < 0 || r.text >= len(d.Texts) || r.phrase.Start < 0 || r.phrase.End > len(d.Texts[r.text]) || r.word.Start < r.phrase.Start || r.word.End > r.phrase.End || r.word.Start > r.word.End {
			return nil, errors.New("influence: the table of contexts has a place that no text has")
		}
		c.rows = append(c.rows, r)
	}
	c.prepare(s)
	return c, nil
}
