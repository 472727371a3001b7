package model

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"sotto/data/dataset"
	"sotto/evidence"
	"sotto/internal/regular"
	"sotto/text"
)

// TrainedFile is the file of a model's folder that knows the rows again that the model
// was trained on: hashes under the [Secret] of the folder, which tell nothing without.
const TrainedFile = evidence.TrainedFile

const (
	trainedFormat = "sotto-trained-1"
	keptSize      = 16 // bytes of each hash, so that a row of others is one by chance never
	maxTrained    = 1 << 30
)

// ErrNotKnown is wrapped by [ReadTrained] where a folder does not say which rows its
// model saw: it was made before folders did.
var ErrNotKnown = errors.New("it is not known which rows the model was trained on")

// Saw is what a training saw, with all rows that it learnt from or chose by: those of
// the training part and of the validation part. It stays in memory.
type Saw struct {
	// A row whose text is not of ASCII is twice among them: also as it is found where the
	// file is read in another encoding than its own.
	Rows []dataset.Digest
	// Persons are those whom rows of Rows are of; nil where no column names them.
	Persons []dataset.Digest
}

// Trained knows again what a model was trained on. It is safe for concurrent use.
type Trained struct {
	secret  Secret
	rows    [][keptSize]byte // in order
	persons [][keptSize]byte
	named   bool
}

// newTrained keys what was seen.
func newTrained(secret Secret, saw Saw) *Trained {
	t := &Trained{secret: secret, named: saw.Persons != nil}
	t.rows, t.persons = t.all("trained row", saw.Rows), t.all("trained person", saw.Persons)
	return t
}

func (t *Trained) all(purpose string, of []dataset.Digest) [][keptSize]byte {
	all := make([][keptSize]byte, len(of))
	for i, d := range of {
		all[i] = t.key(purpose, d)
	}
	slices.SortFunc(all, func(a, b [keptSize]byte) int { return bytes.Compare(a[:], b[:]) })
	return slices.Compact(all)
}

func (t *Trained) key(purpose string, d dataset.Digest) [keptSize]byte {
	k := t.secret.Keyed(purpose, d[:])
	return [keptSize]byte(k[:keptSize])
}

// Row reports whether the model was trained on a row.
func (t *Trained) Row(d dataset.Digest) bool { return t.has(t.rows, "trained row", d) }

// Text reports whether the model was trained on a text, of which it sees what maskers
// leave, with the numbers beside it. Where letters of it were lost, since it was not
// read in its own encoding, it is taken for every row that is like it but for those.
func (t *Trained) Text(s string, maskers []text.Masker, numbers []float32) bool {
	k := text.Mask(s, nil, maskers...)
	if t.Row(dataset.RowDigest(s, k, numbers)) {
		return true
	}
	broken, ok := dataset.BrokenDigest(s, k, numbers)
	return ok && strings.ContainsRune(s, unicode.ReplacementChar) && t.Row(broken)
}

// Person reports whether the model was trained on a row of a person; false for all
// where nobody knows: see [Trained.Persons].
func (t *Trained) Person(d dataset.Digest) bool { return t.has(t.persons, "trained person", d) }

// Persons reports whether it is known whose rows the model was trained on.
func (t *Trained) Persons() bool { return t.named }

func (t *Trained) has(all [][keptSize]byte, purpose string, d dataset.Digest) bool {
	k := t.key(purpose, d)
	_, ok := slices.BinarySearchFunc(all, k, func(a, b [keptSize]byte) int { return bytes.Compare(a[:], b[:]) })
	return ok
}

// file is what is written of t: a line that says how many there are, the hashes, and
// a MAC, so that hashes under another secret do not pass for rows that were never seen.
func (t *Trained) file() []byte {
	persons := "unknown"
	if t.named {
		persons = fmt.Sprint(len(t.persons))
	}
	b := fmt.Appendf(nil, "%s %d %s\n", trainedFormat, len(t.rows), persons)
	for _, h := range slices.Concat(t.rows, t.persons) {
		b = append(b, h[:]...)
	}
	mac := t.secret.Keyed("trained file", b)
	return append(b, mac[:]...)
}

// ReadTrained reads what a model's folder knows of the rows that the model was trained
// on. Where it knows nothing the error wraps [ErrNotKnown].
func ReadTrained(dir string) (*Trained, error) {
	path := filepath.Join(dir, TrainedFile)
	f, err := regular.OpenSecret(path, maxTrained)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("model: %s: %w", dir, ErrNotKnown)
	} else if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	content, err := io.ReadAll(f)
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	secret, err := ReadSecret(dir)
	if err != nil {
		return nil, err
	}
	if t, ok := parseTrained(secret, content); ok {
		return t, nil
	}
	return nil, fmt.Errorf("model: %s is damaged or of another model than the secret beside it; copy the model's folder whole", path)
}

func parseTrained(secret Secret, content []byte) (*Trained, bool) {
	if len(content) < sha256.Size {
		return nil, false
	}
	said, mac := content[:len(content)-sha256.Size], content[len(content)-sha256.Size:]
	if want := secret.Keyed("trained file", said); !hmac.Equal(mac, want[:]) {
		return nil, false
	}
	line, hashes, ok := bytes.Cut(said, []byte("\n"))
	var rows, persons int
	if n, err := fmt.Sscanf(string(line), trainedFormat+" %d %d", &rows, &persons); n < 1 || n == 1 && !bytes.HasSuffix(line, []byte(" unknown")) || n == 2 && err != nil {
		return nil, false
	}
	if !ok || rows < 0 || persons < 0 || len(hashes)%keptSize != 0 || len(hashes)/keptSize != rows+persons {
		return nil, false
	}
	all := make([][keptSize]byte, 0, rows+persons)
	for h := range slices.Chunk(hashes, keptSize) {
		all = append(all, [keptSize]byte(h))
	}
	return &Trained{secret: secret, rows: all[:rows], persons: all[rows:], named: !bytes.HasSuffix(line, []byte(" unknown"))}, true
}
