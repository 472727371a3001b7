package evidence

import (
	"errors"
	"fmt"
	"path/filepath"

	"sotto/internal/regular"
	"sotto/promise/mech"
)

// PairsFormat is the format of the record of pairs.
const PairsFormat = "sotto-pairs-1"

// PairsFile is the name of the record of pairs, beside their parts.
const PairsFile = "pairs.json"

// The columns of the parts of pairs, of which each row has two vectors.
const (
	RawColumn      = "x" // before the release
	ReleasedColumn = "y"
)

// Pairs is the record of vectors beside their releases, as "sotto-batch --pairs" writes
// it: what attacks are tried on by whoever has the texts. The vectors are raw, and the
// attributes as they were, so that nothing of it is private.
type Pairs struct {
	Format     string         `json:"format"`
	Warning    string         `json:"warning"`
	Job        string         `json:"job"`
	Encoder    string         `json:"encoder"`
	Attributes []string       `json:"attributes"` // columns beside the vectors
	Release    mech.Record    `json:"release"`    // what is promised of the releases alone
	Rows       int64          `json:"rows"`
	Parts      []mech.Binding `json:"parts"`
}

// Check refuses a record whose numbers contradict each other.
func (p *Pairs) Check() error {
	if p.Format != PairsFormat {
		return fmt.Errorf("evidence: format is %.40q, must be %s, the record of pairs", p.Format, PairsFormat)
	}
	if err := p.Release.Guarantee.Validate(); err != nil {
		return fmt.Errorf("evidence: pairs: %w", err)
	}
	rows, seen := int64(0), map[string]bool{}
	for _, b := range p.Parts {
		if b.File == "" || filepath.Base(b.File) != b.File || seen[b.File] || b.Rows < 0 {
			return errors.New("evidence: a part of pairs has no name, one with a folder, or that of another, must have its own")
		}
		seen[b.File], rows = true, rows+b.Rows
	}
	if rows != p.Rows || len(p.Parts) == 0 {
		return fmt.Errorf("evidence: pairs have %d rows in %d parts, must be what the parts add up to", p.Rows, len(p.Parts))
	}
	return nil
}

// OpenPairs reads the record of a folder of pairs, holds it against its parts, and
// returns it with the paths of those that have rows, in order.
func OpenPairs(dir string) (*Pairs, []string, error) {
	content, err := regular.Read(filepath.Join(dir, PairsFile), 1<<30)
	if err != nil {
		return nil, nil, fmt.Errorf("evidence: %w; must be a folder that sotto-batch --pairs has finished", err)
	}
	p := &Pairs{}
	if err = Strictly(content, p); err == nil {
		err = p.Check()
	}
	var parts []string
	for _, b := range p.Parts {
		if err == nil {
			err = Bound(b, filepath.Join(dir, b.File))
		}
		if b.Rows > 0 {
			parts = append(parts, filepath.Join(dir, b.File))
		}
	}
	if err != nil {
		return nil, nil, err
	}
	return p, parts, nil
}
