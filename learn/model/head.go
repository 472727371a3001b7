package model

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"sotto/compute/channel"
	"sotto/compute/nn"
	"sotto/promise/dp"
	"sotto/promise/mech"
)

// headFormat begins as that of a model does, since both lie in folders of the
// same files. Load refuses it.
const headFormat = formatPrefix + "head-1"

// Head is what a receiver needs of a model: the classifier behind the release,
// and what is promised of the vectors that it takes. The encoder, with whatever
// it has kept of the texts that it was trained on, stays on the trusted side. Of
// codes it is the table of what each of them says.
//
// [Model.Head] and [LoadHead] make one. It is not safe for concurrent use, but
// its clones are independent of each other.
type Head struct {
	Manifest  HeadManifest
	model     *Model // without encoder and mechanism: it takes what was released
	guarantee dp.Guarantee
}

// HeadManifest is what the folder of a head says of it.
type HeadManifest struct {
	Format      string `json:"format"`
	Method      string `json:"method"`
	Interrupted bool   `json:"interrupted,omitempty"` // the training was stopped before its last epoch
	// Labels are those that are answered, in the order of the classifier's
	// columns; columns behind them are for nobody.
	Labels       []LabelRecord  `json:"labels"`
	Receives     mech.Statement `json:"receives"`   // what is promised of the vectors
	Assumption   string         `json:"assumption"` // whose texts that covers
	Architecture Architecture   `json:"architecture"`
	// Tells says what the head tells of the texts that the model was trained on, which
	// no guarantee covers; "" if it tells nothing.
	Tells string `json:"tells,omitempty"`
	// Model is the ID of the whole model, by which its releases are known; of a model
	// that has none, and where there is no whole model, the SHA-256 of the numbers below.
	Model   string `json:"model"`
	Weights string `json:"weights"` // SHA-256 of the head's; filled in by Save
}

// Labels returns the labels that the model answers, the first one first. Those
// that it has beyond the named ones were trained for what is not known yet, and
// are not among them. Classes without names are numbered.
func (info Manifest) Labels() ([]LabelRecord, error) {
	labels := append([]LabelRecord{{info.Data.Label, info.Data.Classes}}, info.Data.More...)
	sizes := info.Architecture.Labels()
	for l := range min(len(labels), len(sizes)) {
		if len(labels[l].Classes) == sizes[l] {
			continue
		}
		labels[l].Classes = make([]string, sizes[l])
		for c := range sizes[l] {
			labels[l].Classes[c] = strconv.Itoa(c)
		}
	}
	return labels, checkLabels(labels, sizes)
}

// checkLabels refuses labels that a classifier of the given sizes has not, or
// that could not be told apart.
func checkLabels(labels []LabelRecord, sizes []int) error {
	if len(labels) < 1 || len(labels) > len(sizes) {
		return fmt.Errorf("model: manifest names %d labels, must name from 1 to the model's %d", len(labels), len(sizes))
	}
	seen := make(map[string]bool, len(labels))
	for l, label := range labels {
		if label.Name == "" && len(labels) > 1 || seen[label.Name] {
			return fmt.Errorf("model: label %d of the manifest has no name of its own, must have one", l+1)
		}
		if len(label.Classes) != sizes[l] {
			return fmt.Errorf("model: label %d of the manifest has %d classes, must have %d", l+1, len(label.Classes), sizes[l])
		}
		seen[label.Name] = true
	}
	return nil
}

// Head returns the classifier of a model with its manifest, as [Load] returns
// both. It refuses a model whose releases nothing protects, and one that
// releases nothing.
func (m *Model) Head(info Manifest) (*Head, error) {
	a := m.architecture
	if a.Constant != "" {
		return nil, errors.New("model: the model releases nothing, so there is nothing to receive")
	}
	s, ok := m.Statement()
	if !ok {
		return nil, errors.New("model: the model takes vectors that nothing protects")
	}
	info.Architecture = m.architecture
	labels, err := info.Labels()
	if err != nil {
		return nil, err
	}
	if info.Weights == "" {
		return nil, errors.New("model: the manifest names no weights, must be that of a saved model")
	}
	behind := make(Tensors)
	for name, t := range m.Tensors() {
		if strings.HasPrefix(name, "classifier.") {
			behind[name] = t
		}
	}
	if info.ID == "" {
		info.ID = behind.digest()
	}
	return newHead(HeadManifest{
		Format: headFormat, Method: info.Method, Interrupted: info.Interrupted, Labels: labels, Receives: s, Assumption: m.Coverage(),
		Architecture: Architecture{Inputs: m.Dim(), Classifier: a.Classifier, Classes: a.Classes, More: a.More}.clone(), Tells: m.Tells(), Model: info.ID,
	}, behind)
}

// ReleasedHead returns a linear classifier that was trained from releases alone, by a
// method of that name, of vectors that a mechanism released. There is no whole model
// that it is a part of, and it names its own weights in its place.
func ReleasedHead(method string, receives mech.Params, label LabelRecord, l *Linear) (*Head, error) {
	s, err := mech.Describe(receives, 0)
	if err != nil {
		return nil, err
	}
	if !l.Fits(l.Weight.Rows, len(label.Classes)) {
		return nil, fmt.Errorf("model: a classifier has %d scores, must have one for each of %d classes", len(l.Bias), len(label.Classes))
	}
	numbers := l.Tensors("classifier.0.")
	return newHead(HeadManifest{
		Format: headFormat, Method: method, Labels: []LabelRecord{label}, Receives: s, Assumption: releasedCoverage,
		Architecture: Architecture{Inputs: l.Weight.Rows, Classifier: []int{len(l.Bias)}, Classes: len(l.Bias)}, Model: numbers.digest(),
	}, numbers)
}

// digest is the SHA-256 of the numbers of tensors, in the order of their names.
func (t Tensors) digest() string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(t)) {
		fmt.Fprintf(h, "%s %d %d ", name, t[name].Rows, t[name].Cols) //nolint:errcheck // see below
		binary.Write(h, binary.LittleEndian, t[name].Data)            //nolint:errcheck // a hash takes everything
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Tells says what the head of a model, and the parameters of its releases, tell of the
// texts that it was trained and validated on; "" if they tell nothing of them. No
// guarantee covers it.
func (m *Model) Tells() string {
	switch {
	case m.mechanism == nil || m.architecture.Channel == channel.Public:
		return ""
	case len(m.architecture.Answers) > 0:
		return "the codes, their weights and what each says were fitted to private texts: they change with one of them, and no guarantee covers what they tell"
	}
	return "the classifier's weights were trained on private texts: they change with one of them, and no guarantee covers what they tell"
}

// newHead makes a head, and refuses one that is more than a classifier or states
// another guarantee than the mechanism of its vectors has.
func newHead(info HeadManifest, t Tensors) (*Head, error) {
	a := info.Architecture
	if a.Constant != "" || a.Standardise || a.Scaling != "" || len(a.Encoder) > 0 || a.Release != nil || len(a.Answers) > 0 || len(a.Importance) > 0 || a.Groups != 0 {
		return nil, errors.New("model: a head is more than a classifier, must be nothing else")
	}
	if err := checkLabels(info.Labels, a.Labels()); err != nil {
		return nil, err
	}
	if digest, err := hex.DecodeString(info.Model); err != nil || len(digest) != sha256.Size {
		return nil, errors.New("model: a head names no model by 64 hexadecimal digits, must be of one that was saved")
	}
	if !slices.Contains([]string{coverage, codesCoverage, openCoverage, serverCoverage, releasedCoverage}, info.Assumption) {
		return nil, errors.New("model: a head states an assumption that no model has")
	}
	mechanism, err := mech.New(info.Receives.Parameters)
	if err != nil {
		return nil, err
	}
	g := mechanism.Guarantee()
	if g.Validate() != nil || !(g.Epsilon < dp.Infinite) {
		return nil, errors.New("model: a head takes vectors that nothing protects")
	}
	proven, err := mech.Describe(info.Receives.Parameters, 0)
	if err != nil || normal(proven) != normal(info.Receives) {
		return nil, fmt.Errorf("model: a head states another guarantee than the mechanism of its vectors proves, %v; it was changed, or made by a version that computed it differently", g)
	}
	if _, out := mechanism.Shape(); out != a.Inputs {
		return nil, fmt.Errorf("model: a head takes %d numbers, must take the %d that are released", a.Inputs, out)
	}
	m, err := New(a, t)
	if err != nil {
		return nil, err
	}
	return &Head{info, m, g}, nil
}

// Guarantee returns what is promised of each vector.
func (h *Head) Guarantee() dp.Guarantee { return h.guarantee }

// Dim returns how many numbers a vector has.
func (h *Head) Dim() int { return h.model.Dim() }

// Codes returns how many codes a vector stands for one of, 0 if it is no code.
func (h *Head) Codes() int {
	if mech.VariantOf(h.Manifest.Receives.Parameters).Form != mech.FormCode {
		return 0
	}
	return h.Dim()
}

// Cells returns the vector that stands for each of the public cells of which a release
// names one, a row each; none if a release is anything else.
func (h *Head) Cells() nn.Matrix {
	p := h.Manifest.Receives.Parameters
	if mech.VariantOf(p).Form != mech.FormCell {
		return nn.Matrix{}
	}
	m, err := mech.NewCells(p)
	if err != nil { // the head was made with it
		return nn.Matrix{}
	}
	law, err := m.Law()
	if err != nil {
		return nn.Matrix{}
	}
	all, row := nn.NewMatrix(len(law.Least), h.Dim()), make([]float64, h.Dim())
	for c := range all.Rows {
		m.Vector(row, c)
		for j, v := range row {
			all.Row(c)[j] = float32(v)
		}
	}
	return all
}

// Logits returns the scores of released rows, as [Model.Logits] does.
func (h *Head) Logits(p *nn.Pool, released nn.Matrix) nn.Matrix { return h.model.Logits(p, released) }

// Clone returns a head that can be used beside h, with weights of its own.
func (h *Head) Clone() *Head { return &Head{h.Manifest, h.model.Clone(), h.guarantee} }

// Save writes the head as a folder, whole or not at all, as [Model.Save] does. An
// empty folder or another head's at that place is replaced; a whole model's is
// not.
func (h *Head) Save(dir string) error {
	if err := replaceable(dir); err != nil {
		return err
	}
	if format, err := formatOf(filepath.Join(dir, ManifestFile)); err == nil && format != headFormat {
		return fmt.Errorf("model: %s holds a whole model, must be empty or a head's folder", dir)
	}
	info := h.Manifest
	return writeFolder(dir, h.model, &info.Receives.Parameters, &info, &info.Weights, nil)
}

// LoadHead reads the folder of a head, or that of a whole model, of which it
// keeps the head alone. It runs nothing of it, and refuses what [Load] would.
func LoadHead(dir string) (*Head, error) { return LoadHeadWithin(dir, maxWeights) }

// LoadHeadWithin is [LoadHead] of weights that have at most so many bytes.
func LoadHeadWithin(dir string, most int64) (*Head, error) {
	path := filepath.Join(dir, ManifestFile)
	if format, err := formatOf(path); err != nil || format != headFormat {
		m, info, err := loadWithin(dir, most)
		if err != nil {
			return nil, err
		}
		h, err := m.Head(info)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", dir, err)
		}
		return h, nil
	}
	var info HeadManifest
	if err := readStrictly(path, &info); err != nil {
		return nil, err
	}
	t, err := readWeights(filepath.Join(dir, WeightsFile), info.Weights, most, &info.Receives.Parameters)
	if err != nil {
		return nil, err
	}
	h, err := newHead(info, t)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return h, nil
}

// formatOf returns the format that a manifest states.
func formatOf(path string) (string, error) {
	var stated struct {
		Format string `json:"format"`
	}
	content, err := readSome(path)
	if err == nil {
		err = json.Unmarshal(content, &stated)
	}
	return stated.Format, err
}
