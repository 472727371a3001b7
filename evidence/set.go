package evidence

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"sotto/internal/regular"
	"sotto/promise/dp"
	"sotto/promise/mech"
)

// SetFormat is the format of the record of a set.
const SetFormat = "sotto-set-1"

// SetFile is the name of the record of a set, beside its parts.
const SetFile = "set.privacy.json"

// Set is the record of releases in many files, as "sotto-batch" writes it: what each
// release promises, and which files hold them. It stands there when all of them are
// whole.
type Set struct {
	Format   string        `json:"format"`
	Job      string        `json:"job"`
	Encoder  string        `json:"encoder,omitempty"`
	Secret   string        `json:"secret"` // names it, without telling it
	Identity               // of the job
	Dropout  float64       `json:"dropout,omitempty"`
	Masks    []string      `json:"masks,omitempty"` // rules by which texts were masked
	Release  mech.Record   `json:"release"`
	Word     *dp.Guarantee `json:"word_level,omitempty"` // as in [Release]
	Rows     int64         `json:"rows"`                 // read
	Released int64         `json:"released"`             // and written
	LeftOut  int64         `json:"left_out"`             // of users who could not pay, and bad ones
	Paid     *Paid         `json:"paid,omitempty"`
	Kept     []string      `json:"kept,omitempty"`   // columns that stand beside the releases as they were
	Counts   []int         `json:"counts,omitempty"` // how many releases name each answer, where they were counted
	Parts    []Part        `json:"parts"`
	// Unbound says that nobody compared the record with its parts.
	Unbound bool `json:"unbound,omitempty"`
}

// Identity says what a job was, for who would run it again. But for the scheme and the
// family of kernels it is made of digests under the job's secret, which tell nothing to
// whoever does not have it.
type Identity struct {
	Scheme   string `json:"scheme,omitempty"`   // by which noise was drawn
	Numerics string `json:"numerics,omitempty"` // how vectors round; "" if every machine computes the same bits
	Settings string `json:"settings,omitempty"`
	Files    string `json:"files,omitempty"`
}

// Part is one file of a set, and what was done to make it.
type Part struct {
	mech.Binding
	Read    int64 `json:"read"`              // rows of the chunk, bad ones included
	LeftOut int64 `json:"left_out"`          // rows of users who cannot pay
	Skipped int64 `json:"skipped,omitempty"` // bad rows
	// Empty and Masked counted texts of which no word is known, and what was masked. They
	// are of records of before alone: no ε covers such a count.
	Empty  int64            `json:"empty,omitempty"`
	Masked map[string]int64 `json:"masked,omitempty"`
	Counts []int            `json:"counts,omitempty"` // on their way to those of the set
}

// Paid says what was paid for before anything was released.
type Paid struct {
	Users     int64 `json:"users"`     // who paid
	Releases  int64 `json:"releases"`  // that they paid for
	Exhausted int64 `json:"exhausted"` // users who could not pay, whose rows are left out
}

// Add adds what others paid.
func (p *Paid) Add(other Paid) {
	p.Users += other.Users
	p.Releases += other.Releases
	p.Exhausted += other.Exhausted
}

// Check refuses a record whose numbers contradict each other.
func (s *Set) Check() error {
	if err := s.Release.Guarantee.Validate(); err != nil {
		return fmt.Errorf("evidence: a set: %w", err)
	}
	var read, released int64
	seen := map[string]bool{}
	for _, p := range s.Parts {
		if p.File == "" || filepath.Base(p.File) != p.File || seen[p.File] {
			return errors.New("evidence: a part of a set has no name, one with a folder, or that of another, must have its own")
		}
		if p.Read < 0 || p.Rows < 0 || p.Rows > p.Read {
			return fmt.Errorf("evidence: %s has %d of %d rows, must have no more than were read", p.File, p.Rows, p.Read)
		}
		seen[p.File] = true
		read, released = read+p.Read, released+p.Rows
	}
	if len(s.Parts) == 0 || s.Rows != read || s.Released != released || s.LeftOut != read-released || s.Release.Rows != released {
		return fmt.Errorf("evidence: a set has %d rows, %d released and %d left out in %d parts, must be what the parts add up to", s.Rows, s.Released, s.LeftOut, len(s.Parts))
	}
	return nil
}

// Bind holds the record against its parts, which must all be beside it.
func (s *Set) Bind(path string, alone bool) error {
	for _, p := range s.Parts {
		err := Bound(p.Binding, filepath.Join(filepath.Dir(path), p.File))
		if alone && errors.Is(err, fs.ErrNotExist) {
			s.Unbound = true
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// AsRelease returns the set as the release of one file.
func (s *Set) AsRelease() *Release {
	return &Release{Name: "set " + s.Job, Record: s.Release, Word: s.Word, Unbound: s.Unbound}
}

// ReadSet reads the record of a set, and does not look at its parts.
func ReadSet(path string) (*Set, error) {
	content, err := regular.Read(path, 1<<30)
	if err != nil {
		return nil, fmt.Errorf("evidence: %w", err)
	}
	return ParseSet(content)
}

// ParseSet is [ReadSet] for what was read.
func ParseSet(content []byte) (*Set, error) {
	s := &Set{}
	if err := Strictly(content, s); err != nil {
		return nil, err
	}
	if s.Format != SetFormat {
		return nil, fmt.Errorf("evidence: format is %.40q, must be %s, the record of a set", s.Format, SetFormat)
	}
	return s, s.Check()
}
