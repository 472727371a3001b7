package evidence

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"sotto/internal/regular"
	"sotto/promise/dp"
	"sotto/promise/mech"
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

// Stated is what the record of a file of vectors says of each.
type Stated struct {
	Guarantee *dp.Guarantee
	Claimed   dp.Epsilon
	Mechanism mech.Params
	Codes     []Saying // what each code says; nil where that is not recorded
	// Kept are columns that stand beside the releases, Person is what is promised to the
	// person with the most rows, and Paid says who paid; empty where that is not recorded.
	Kept   []string
	Person *dp.Person
	Paid   *Paid
}

// Several says how it is known that somebody has several of the releases, and is "" where
// it is not.
func (s *Stated) Several() string {
	switch p := s.Person; {
	case p != nil && p.Rows > 1 && p.Linked != nil:
		return fmt.Sprintf("one cluster of linked rows has up to %d of the releases", p.Rows)
	case p != nil && p.Rows > 1:
		return fmt.Sprintf("one person has up to %d of the releases", p.Rows)
	case s.Paid != nil && s.Paid.Releases > s.Paid.Users:
		return fmt.Sprintf("%d users have %d of the releases", s.Paid.Users, s.Paid.Releases)
	}
	return ""
}

// ReadStated returns what the record beside a file of vectors says, or that at
// another place unless metadata is "", and nil where none is beside it. A record of
// other vectors is refused.
func ReadStated(vectors, metadata string) (*Stated, error) {
	path := cmp.Or(metadata, vectors+".privacy.json")
	said, binding, err := ReadRecord(path)
	if errors.Is(err, fs.ErrNotExist) && metadata == "" {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	if err := Bound(binding, vectors); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return said, nil
}

// ReadRecord returns what the record of a release says, and to which vectors it
// belongs: whoever reads these from a stream compares their hash in the end.
func ReadRecord(path string) (*Stated, mech.Binding, error) {
	content, err := regular.Read(path, 1<<30)
	if err != nil {
		return nil, mech.Binding{}, fmt.Errorf("evidence: %w", err)
	}
	// "sotto privatize" writes the guarantee itself, "sotto encode" a level below.
	var record struct {
		Stated
		Release Stated
		mech.Binding
	}
	if err := json.Unmarshal(content, &record); err != nil {
		return nil, mech.Binding{}, fmt.Errorf("%s: not the record of a release: %w", path, err)
	}
	said := record.Stated
	if said.Guarantee == nil {
		top := said
		said = record.Release
		said.Codes, said.Kept, said.Person = top.Codes, top.Kept, top.Person
	}
	if said.Guarantee == nil {
		return nil, mech.Binding{}, fmt.Errorf("%s: no guarantee is recorded, must be what sotto privatize or sotto encode wrote", path)
	}
	if err := said.Guarantee.Validate(); err != nil {
		return nil, mech.Binding{}, fmt.Errorf("%s: %w", path, err)
	}
	return &said, record.Binding, nil
}

// HashFile returns the SHA-256 of a file in hexadecimal.
func HashFile(path string) (string, error) {
	f, _, err := regular.Open(path, regular.Most)
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
