package model

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sotto/compute/channel"
	"sotto/data/dataset"
	"sotto/internal/atomicfile"
	"sotto/internal/safetensors"
	"sotto/internal/signed"
	"sotto/promise/dp"
	"sotto/promise/mech"
	"sotto/text/encode/catalogue"
)

// The files of a model's folder.
const (
	ManifestFile = "manifest.json"
	WeightsFile  = "weights.safetensors"
)

const (
	formatPrefix = "sotto-model-"
	modelFormat  = formatPrefix + "1"
)

// Manifest is what a model's folder says of it. Save fills in the fields that
// the model itself decides.
type Manifest struct {
	Format   string          `json:"format"` // filled in by Save
	Method   string          `json:"method"`
	Settings json.RawMessage `json:"settings,omitempty"` // the method's hyper-parameters
	Seed     uint64          `json:"seed"`
	Data     DataRecord      `json:"data"`
	Masks    Masks           `json:"masks,omitzero"` // of the texts; Save takes dropout from the data
	// Interrupted says that the training was stopped before its last epoch.
	Interrupted bool               `json:"interrupted,omitempty"`
	Metrics     map[string]float64 `json:"metrics,omitempty"` // what was measured; what is not defined is absent

	Kept         Progress        `json:"kept"`               // filled in by Save
	Compared     *Compared       `json:"compared,omitempty"` // filled in by Save; null: the channel is not public, or nothing is known
	Architecture Architecture    `json:"architecture"`       // filled in by Save
	Guarantee    *mech.Statement `json:"guarantee"`          // filled in by Save; null: nothing protects the representation
	Assumption   string          `json:"assumption"`         // filled in by Save
	Weights      string          `json:"weights"`            // SHA-256 of the weights' file; filled in by Save

	// ID names the model outside of the trusted side, keyed with the folder's secret;
	// filled in by Load, and "" where the folder has none. It stands in no manifest.
	ID string `json:"-"`
}

// DataRecord says what a model was trained on.
type DataRecord struct {
	Name    string         `json:"name"`
	Variant string         `json:"variant,omitempty"`
	Encoder catalogue.Name `json:"encoder,omitempty"` // what made vectors of texts; "" for a table
	Vectors string         `json:"vectors,omitempty"` // of those vectors, SHA-256
	// Dropout is the probability with which each word was masked before it was
	// encoded, and MaskSeed what the masks were drawn by; 0 masked none.
	Dropout  float64 `json:"dropout,omitempty"`
	MaskSeed uint64  `json:"mask_seed,omitempty"`
	// Mask is the rule by which parts of texts were masked for what they are, as
	// text.Masker has it: types, policies, and the version of what finds them.
	Mask string `json:"mask,omitempty"`
	// Limit is how many rows there are to train at most, and four times as many
	// as there are to validate and to test; 0 means all.
	Limit   int      `json:"limit,omitempty"`
	Label   string   `json:"label"`
	Classes []string `json:"classes"`
	// More are further labels that the same release serves.
	More []LabelRecord `json:"more,omitempty"`
	// Unknown are labels that were known to nobody in training.
	Unknown []string `json:"unknown,omitempty"`
	// Reserve is the share of a release that was kept for labels unknown in
	// training.
	Reserve   float64 `json:"reserve,omitempty"`
	Attribute string  `json:"attribute,omitempty"`
	// Groups names the attribute's groups, unless they are so many that they may
	// name persons; GroupCount is how many there are.
	Groups     []string `json:"groups,omitempty"`
	GroupCount int      `json:"group_count,omitempty"`
	Hash       string   `json:"hash"` // of the data set, SHA-256
	// File tells of rows that came from a file of one's own; nil for a data set.
	File *FileRecord `json:"file,omitempty"`
}

// FileRecord says how a file of one's own was read. Where it lay is nowhere:
// the hash knows it by its content.
type FileRecord struct {
	dataset.Layout
	Rows int `json:"rows"`
	// Persons is how many persons the rows are of, and MostRows how many rows one
	// of them has at most; 0 if nobody said whose they are.
	Persons  int `json:"persons,omitempty"`
	MostRows int `json:"most_rows,omitempty"`
	LeftOut  int `json:"left_out,omitempty"` // rows of persons who have more than Layout.MaxRows
	// Linked says what decided which rows are of one person, by Layout.LinkBy: persons
	// are then clusters of rows. "" if a column says whose they are.
	Linked string `json:"linked,omitempty"`
	// Scales are those of Layout.Numbers, which stand behind the encoder's numbers.
	Scales []Scale `json:"scales,omitempty"`
}

// Person returns what releases of all rows promise to one person of a file, if
// each release promises so much; nil if nobody said whose rows are, or the
// promise is of another unit than a text.
func (r DataRecord) Person(each dp.Guarantee) *dp.Person {
	if r.File == nil || r.File.MostRows == 0 || each.Unit != dp.Text {
		return nil
	}
	p, err := dp.PerPerson(each, r.File.MostRows)
	if r.File.Linked != "" {
		p, err = dp.PerCluster(each, r.File.MostRows, dp.Linked{Columns: r.File.LinkBy, By: r.File.Linked, Clusters: r.File.Persons})
	}
	if err != nil {
		return nil
	}
	p.Column, p.LeftOut = r.File.Person, int64(r.File.LeftOut)
	return &p
}

// NoID says why a release of a model names none.
const NoID = "the model's folder was made before folders had a secret, or its secret cannot be read here, so that the model has no name that tells nothing of its training"

// identify fills in the ID of a model that was loaded from a folder.
func (info *Manifest) identify(dir string) error {
	secret, err := ReadSecret(dir)
	if errors.Is(err, ErrNoSecret) || errors.Is(err, fs.ErrPermission) {
		return nil
	} else if err != nil {
		return err
	}
	digest, err := info.Digest()
	if err != nil {
		return err
	}
	id := secret.Keyed("model", []byte(digest))
	info.ID = hex.EncodeToString(id[:])
	return nil
}

// Digest tells models apart by everything that they compute with: the weights,
// and the architecture, of which codes and the mechanism are a part. It is the
// SHA-256 of both, and stays on the trusted side: who knows all training texts but
// one can try candidates for the last.
func (info Manifest) Digest() (string, error) {
	if len(info.Weights) != 2*sha256.Size {
		return "", errors.New("model: the manifest has no SHA-256 of weights, must be that of a saved model")
	}
	about, err := json.Marshal(info.Architecture)
	if err != nil {
		return "", fmt.Errorf("model: manifest: %w", err)
	}
	sum := sha256.Sum256(append([]byte(info.Weights+" "), about...))
	return hex.EncodeToString(sum[:]), nil
}

// LabelRecord names a label and its classes.
type LabelRecord struct {
	Name    string   `json:"name"`
	Classes []string `json:"classes"`
}

// coverage is printed with every guarantee of a model.
const coverage = "the guarantee covers a text whose vector is released; the texts that the encoder was trained on are not covered"

// codesCoverage is printed where codes and what they say were found on texts,
// too.
const codesCoverage = "the guarantee covers a text whose code is released; the texts that the model was trained, validated and its codes were found on are not covered"

// openCoverage is printed where the codes and what they say are public.
const openCoverage = "the guarantee covers a text whose code is released; the codes and what they say are public, and the texts that the model was trained and validated on are not covered"

// releasedCoverage is printed where a classifier was trained from releases alone.
const releasedCoverage = "the guarantee covers a text whose vector is released; those that were trained on were released before, with what their own records promise, and training saw nothing else of them"

// serverCoverage is printed where nothing is trained before the release. The
// seed of the noise stands in the manifest, so that noise protects nobody.
const serverCoverage = "the guarantee covers a text whose vector is released; those that were trained on went through the same mechanism, but with noise from a seed, so they are not covered"

// Trusted is what a model's folder holds for the trusted side alone: in files that
// only its owner may read, and of which nothing else in the folder depends.
type Trusted struct {
	Secret Secret // the zero value draws a new one
	Saw    *Saw   // what the training saw; nil if nobody knows
}

// Save is [Model.SaveTrusted] with a secret drawn anew.
func (m *Model) Save(dir string, info Manifest) error {
	return m.SaveTrusted(dir, info, Trusted{})
}

// SaveTrusted writes the model as a folder: weights, manifest, and what is for the
// trusted side alone. The folder appears whole or not at all. An empty folder or
// another model's at that place is replaced; anything else there is refused. If the
// machine stops between taking the old one away and putting the new one there, both
// lie beside the place, under names that begin with ".sotto-".
func (m *Model) SaveTrusted(dir string, info Manifest, own Trusted) error {
	if err := replaceable(dir); err != nil {
		return err
	}
	info.Format, info.Kept, info.Compared, info.Architecture = modelFormat, m.Kept, m.Compared, m.architecture
	info.Guarantee, info.Assumption, info.Masks = nil, m.Coverage(), info.Masked()
	if err := info.checkMasks(); err != nil {
		return fmt.Errorf("model: %w", err)
	}
	if s, ok := m.Statement(); ok {
		info.Guarantee = &s
	} else if m.mechanism != nil {
		return fmt.Errorf("model: mechanism %s has no statement of what it promises", m.architecture.Release.Mechanism)
	}
	if own.Secret == (Secret{}) {
		own.Secret = NewSecret()
	}
	secrets := map[string][]byte{SecretFile: own.Secret.text()}
	if own.Saw != nil {
		secrets[TrainedFile] = newTrained(own.Secret, *own.Saw).file()
	}
	return writeFolder(dir, m, m.architecture.Release, &info, &info.Weights, secrets)
}

// writeFolder writes a folder of a model's weights, with the public vectors of the
// mechanism whose releases it takes, and a manifest, into which it enters their
// SHA-256, whole or not at all, in place of what is there. Files of secrets are for
// the owner alone.
func writeFolder[M any](dir string, m *Model, takes *mech.Params, info *M, digest *string, secrets map[string][]byte) error {
	weights, err := m.encodeWeights(takes)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(weights)
	*digest = hex.EncodeToString(sum[:])
	manifest, err := canonical(*info)
	if err != nil {
		return fmt.Errorf("model: manifest: %w", err)
	}
	dir = filepath.Clean(dir)
	fresh, err := os.MkdirTemp(filepath.Dir(dir), ".sotto-*.new")
	if err != nil {
		return fmt.Errorf("model: %w", err)
	}
	defer os.RemoveAll(fresh) //nolint:errcheck // it is gone, or nothing can be done
	for name, content := range map[string][]byte{WeightsFile: weights, ManifestFile: manifest} {
		if err := writeSynced(filepath.Join(fresh, name), content, 0o644); err != nil { // whoever may write a model decides what it promises
			return err
		}
	}
	for name, content := range secrets {
		if err := writeSynced(filepath.Join(fresh, name), content, 0o600); err != nil {
			return err
		}
	}
	if err := os.Chmod(fresh, 0o755); err != nil { //nolint:gosec // a model is meant to be read by others
		return fmt.Errorf("model: %w", err)
	}
	return atomicfile.SwapDir(fresh, dir)
}

// canonical returns the only text of a manifest that is accepted, apart from
// white space. What is not UTF-8 in a string is replaced when the first text is
// parsed.
func canonical[M any](info M) ([]byte, error) {
	text, err := json.Marshal(info)
	if err != nil {
		return nil, err
	}
	var parsed M
	if err = json.Unmarshal(text, &parsed); err != nil {
		return nil, err
	}
	text, err = json.MarshalIndent(parsed, "", "  ")
	return append(text, '\n'), err
}

// Coverage says whose texts the guarantee covers; "" if there is none.
func (m *Model) Coverage() string {
	switch {
	case m.mechanism == nil:
		return ""
	case m.architecture.Channel == channel.Public:
		return openCoverage
	case len(m.architecture.Answers) > 0:
		return codesCoverage
	case len(m.architecture.Encoder) == 0 && !m.architecture.Standardise:
		return serverCoverage
	}
	return coverage
}

// publicKey is the key in the metadata of weights below which the public vectors of
// the mechanism lie, as JSON, since they are exact to the last bit and weights are not.
const publicKey = "public"

func (m *Model) encodeWeights(takes *mech.Params) ([]byte, error) {
	var f safetensors.File
	for name, t := range m.Tensors() {
		f.Tensors = append(f.Tensors, safetensors.Tensor{Name: name, Shape: []int{t.Rows, t.Cols}, Data: t.Data})
	}
	f.Metadata = map[string]string{"format": modelFormat}
	if takes != nil {
		public, err := takes.Public()
		if err != nil {
			return nil, fmt.Errorf("model: %w", err)
		}
		if public != nil {
			f.Metadata[publicKey] = string(public)
		}
	}
	var b bytes.Buffer
	err := safetensors.Encode(&b, &f)
	return b.Bytes(), err
}

// replaceable refuses a place that holds something else than a model.
func replaceable(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("model: %w", err)
	}
	for _, e := range entries {
		if !slices.Contains([]string{ManifestFile, WeightsFile, SecretFile, TrainedFile, signed.ListFile, signed.ListFile + signed.End}, e.Name()) || !e.Type().IsRegular() {
			return fmt.Errorf("model: %s holds %q, must be empty or a model's folder", dir, e.Name())
		}
	}
	if len(entries) == 0 {
		return nil
	}
	// Others call a file manifest.json too.
	if format, err := formatOf(filepath.Join(dir, ManifestFile)); err != nil || !strings.HasPrefix(format, formatPrefix) {
		return fmt.Errorf("model: %s holds no manifest of a model, must be empty or a model's folder; remove it if it is not needed", dir)
	}
	return nil
}
