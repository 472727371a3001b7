package shard

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"sotto/data/textfile"
	"sotto/data/vecfile"
	"sotto/promise/mech"
)

// Spec says what is released and how. It is the same on every worker and holds no
// secret, only where each worker finds it.
type Spec struct {
	In     []string `json:"in"`               // files, or patterns of files
	Format string   `json:"format,omitempty"` // of texts; "" means what the names say
	Text   string   `json:"text,omitempty"`   // column of the texts
	ID     string   `json:"id,omitempty"`     // column of the ids; "" means job, file and line
	User   string   `json:"user,omitempty"`   // column that says whose a row is
	Keep   []string `json:"keep,omitempty"`   // columns that are written as they are

	Encoding  string `json:"encoding,omitempty"`
	Delimiter rune   `json:"delimiter,omitempty"`
	NoHeader  bool   `json:"no_header,omitempty"`
	Header    bool   `json:"header,omitempty"` // CSV of vectors begins with a line of names
	SkipBad   bool   `json:"skip_bad,omitempty"`

	Vectors   bool        `json:"vectors,omitempty"` // files hold vectors, and there is no encoder
	Encoder   string      `json:"encoder,omitempty"`
	Mechanism mech.Params `json:"mechanism"`
	// Public is what [mech.Params.Public] returned: centres of cells, which are not among the
	// parameters that are written down, but which every worker needs.
	Public  json.RawMessage `json:"public,omitempty"`
	Dropout float64         `json:"dropout,omitempty"`
	Masks   mech.Masks      `json:"masks,omitempty"`
	Count   bool            `json:"count,omitempty"` // how many releases name each answer
	Secret  string          `json:"secret"`          // file that holds it, on every worker

	Out       string         `json:"out"` // folder
	OutFormat vecfile.Format `json:"out_format"`
	// SplitBytes is about how much of a file a chunk is.
	SplitBytes int64 `json:"split_bytes"`

	// Name is that of the job, under which it pays; "" means one by what it does and of
	// which files.
	Name  string `json:"name,omitempty"`
	Known *Known `json:"known,omitempty"` // what the job is, when it was planned

	Trusted // what stays
}

// DefaultSplit is about how many bytes of a file are one chunk: some ten thousand texts,
// which take about a second, so that what an engine does for each chunk does not count.
const DefaultSplit = 4 << 20

// Validate reports what cannot be done.
func (s *Spec) Validate() error {
	switch {
	case s.Secret == "":
		return errors.New("shard: there is no secret, must be a file: noise is keyed by it")
	case s.SplitBytes < 1:
		return fmt.Errorf("shard: a chunk has %d bytes, must have at least one", s.SplitBytes)
	case s.Vectors && (s.Encoder != "" || s.Text != "" || s.ID != "" || s.User != "" || len(s.Keep) > 0 || s.Dropout != 0):
		return errors.New("shard: files of vectors have no texts, ids or users, must not be told how to read them")
	case !s.Vectors && s.Header:
		return errors.New("shard: texts in CSV have a line of names, must not be told so (no_header says that there is none)")
	case !s.Vectors && s.Encoder == "":
		return errors.New("shard: there is no encoder, must be one for texts")
	case !(s.Dropout >= 0 && s.Dropout < 1):
		return fmt.Errorf("shard: dropout is %v, must be in [0, 1)", s.Dropout)
	case s.Dropout > 0 && s.Masks != mech.Bernoulli && s.Masks != mech.FixedCount:
		return fmt.Errorf("shard: masks are %q, must be %s or %s", s.Masks, mech.Bernoulli, mech.FixedCount)
	case s.Text != "" && slices.Contains(append(slices.Clone(s.Keep), s.ID, s.User), s.Text):
		return fmt.Errorf("shard: the column of the texts, %s, is also kept, an id or a user, must not be: these are not made private", s.Text)
	}
	if s.Format != "" {
		if _, err := textfile.ParseFormat(s.Format); err != nil && !s.Vectors {
			return err
		}
	}
	if _, err := vecfile.ParseFormat(string(s.OutFormat)); err != nil {
		return err
	}
	if s.OutFormat == vecfile.NPY && len(s.written()) > 0 {
		return errors.New("shard: the format is npy, which has no place for ids and kept columns; must be jsonl, csv or parquet, or there must be none")
	}
	return s.checkTrusted()
}

// written lists the columns that stand beside the releases: the id first.
func (s *Spec) written() []string {
	var all []string
	for _, c := range append([]string{s.ID}, s.Keep...) {
		if c != "" && !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	return all
}

// read lists the columns that are read beside the texts: those that are written, and
// then those of the users, and of what stays on the trusted side.
func (s *Spec) read() []string {
	all := s.written()
	for _, c := range slices.Concat([]string{s.User}, s.Labels, s.Attributes) {
		if c != "" && !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	return all
}
