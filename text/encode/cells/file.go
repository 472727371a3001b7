package cells

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"sotto/internal/atomicfile"
	"sotto/internal/regular"
	"sotto/promise/dp"
	"sotto/promise/mech"
)

// Format marks a file of cells, in its first line.
const Format = "sotto-cells-1"

// File is public cells of one encoder's vectors, for one ε or for several. On disk it
// is JSON lines: a [Head], then the cells of each of its sets, a line each. It may be
// compressed with gzip.
type File struct {
	Head
	Cells [][]Cell // of each set
}

// Head says what the cells of a file are, and how they were found.
type Head struct {
	Format        string   `json:"format"`
	Encoder       string   `json:"encoder"`        // as the user names it
	EncoderSHA256 string   `json:"encoder_sha256"` // of what decides its vectors
	Dim           int      `json:"dim"`
	Texts         int      `json:"texts"`             // that the cells were made of
	Private       *Private `json:"private,omitempty"` // how, if they were made of private texts
	// Labelled says by which labels cells were pulled apart; nil if by none.
	Labelled *Labelled `json:"labelled,omitempty"`
	Notice   string    `json:"notice,omitempty"` // whose texts they were, and on which terms
	Sets     []Made    `json:"sets"`
}

// Private says what is promised to whoever wrote texts that cells were made of.
type Private struct {
	Guarantee dp.Guarantee `json:"guarantee"`
	// Neighbours is [Replacement]; empty in files of before, whose promise is the same.
	Neighbours string `json:"neighbours,omitempty"`
	Of         string `json:"of"` // which public cells the texts were counted in, as the user names them
}

// Made is a set of cells as a file's head tells of it.
type Made struct {
	Epsilon float64  `json:"epsilon"` // for which it was made
	Cells   int      `json:"cells"`
	SHA256  string   `json:"cells_sha256"`
	Chosen  Trial    `json:"chosen"`
	Tried   []Trial  `json:"tried,omitempty"`
	Channel *Channel `json:"channel,omitempty"`
}

// Cell is one cell.
type Cell struct {
	Set     int       `json:"set"`
	Cell    int       `json:"cell"`
	Texts   int       `json:"texts"`             // how many of the public texts lie in it
	About   string    `json:"about,omitempty"`   // words that are commoner in it than elsewhere
	Example string    `json:"example,omitempty"` // a public text near the centre
	Y       []float64 `json:"y"`                 // its centre
}

// Words says what a cell is about in few words, for people.
func (c Cell) Words() string {
	switch {
	case c.About != "":
		return "about: " + c.About
	case c.Example != "":
		return "like: " + c.Example
	}
	return "nothing is known of it"
}

// Own returns the parameters of the mechanism that releases in which cell of a set a
// vector lies.
func (f *File) Own(set int) mech.CellsParams {
	var own mech.CellsParams
	for _, c := range f.Cells[set] {
		own.Centres, own.Shares = append(own.Centres, c.Y), append(own.Shares, float64(c.Texts))
	}
	own.Direction, own.SHA256 = f.Direction(), f.Sets[set].SHA256
	return own
}

// Direction returns the direction that counts for more, nil if there is none.
func (h Head) Direction() []float64 {
	if h.Labelled == nil {
		return nil
	}
	return h.Labelled.Direction
}

// For returns the set that was made for ε, or else the one whose releases tell most at
// ε: of which the means that a receiver takes are spread most widely around the mean of
// all. More cells are finer, and the right one is released less often.
func (f *File) For(epsilon float64) int {
	best, most := 0, math.Inf(-1)
	for set, all := range f.Cells {
		if f.Sets[set].Epsilon == epsilon {
			return set
		}
		if told := explained(all, epsilon); told > most {
			best, most = set, told
		}
	}
	return best
}

// explained returns the variance of what a receiver takes, Σ_k P(k)·‖m_k − m‖².
func explained(all []Cell, epsilon float64) float64 {
	var centres [][]float64
	var texts []float64
	total := 0.0
	for _, c := range all {
		centres, texts = append(centres, c.Y), append(texts, float64(c.Texts))
		total += float64(c.Texts)
	}
	p, q := odds(len(all), epsilon)
	middle, of := means(centres, texts, epsilon)
	sum := 0.0
	for k, v := range of {
		sum += float64((q + float64((p-q)*texts[k]/total)) * square(v, middle))
	}
	return sum
}

// maxFile bounds a file, also when it is not compressed.
const maxFile = 1 << 29

// Write writes the file.
func (f *File) Write(w io.Writer) error {
	b := bufio.NewWriter(w)
	lines := json.NewEncoder(b)
	lines.SetEscapeHTML(false)
	if err := lines.Encode(f.Head); err != nil {
		return err
	}
	for _, set := range f.Cells {
		for _, c := range set {
			if err := lines.Encode(c); err != nil {
				return err
			}
		}
	}
	return b.Flush()
}

// plain returns what r holds, without its compression.
func plain(r io.Reader) (*bufio.Reader, error) {
	b := bufio.NewReader(r)
	if head, err := b.Peek(2); err != nil || !bytes.Equal(head, []byte{0x1f, 0x8b}) {
		return b, nil //nolint:nilerr // what is too short is not compressed
	}
	z, err := gzip.NewReader(b)
	if err != nil {
		return nil, err
	}
	return bufio.NewReader(z), nil
}

// Is reports whether the file at path begins as a file of cells does.
func Is(path string) bool {
	f, _, err := regular.Open(path, maxFile)
	if err != nil {
		return false
	}
	defer f.Close() //nolint:errcheck // it was only read
	r, err := plain(f)
	if err != nil {
		return false
	}
	want := `{"format":"` + Format + `"`
	head, _ := r.Peek(len(want)) // a shorter file is none
	return string(head) == want
}

// Open reads the file at path.
func Open(path string) (*File, error) {
	in, _, err := regular.Open(path, maxFile)
	if err != nil {
		return nil, fmt.Errorf("cells: %w", err)
	}
	defer in.Close() //nolint:errcheck // it was only read
	f, err := Read(in)
	if err != nil {
		return nil, fmt.Errorf("%w, in %s", err, path)
	}
	return f, nil
}

// Read reads a file of cells, all of it or nothing.
func Read(r io.Reader) (*File, error) {
	from, err := plain(r)
	if err != nil {
		return nil, fmt.Errorf("cells: the file is damaged: %w", err)
	}
	lines := json.NewDecoder(io.LimitReader(from, maxFile))
	lines.DisallowUnknownFields()
	f := &File{}
	if err = lines.Decode(&f.Head); err != nil {
		return nil, fmt.Errorf("cells: the file is damaged in its first line: %w", err)
	}
	if err = f.check(); err != nil {
		return nil, err
	}
	for set, s := range f.Sets {
		all := make([]Cell, 0, s.Cells)
		for cell := range s.Cells {
			var c Cell
			if err = lines.Decode(&c); err != nil {
				return nil, fmt.Errorf("cells: the file is damaged at cell %d of set %d: %w", cell, set, err)
			}
			if c.Set != set || c.Cell != cell || c.Texts < 1 || len(c.Y) != f.Dim {
				return nil, fmt.Errorf("cells: cell %d of set %d has %d texts and %d numbers where cell %d of set %d is expected, must have at least 1 and %d", c.Cell, c.Set, c.Texts, len(c.Y), cell, set, f.Dim)
			}
			all = append(all, c)
		}
		f.Cells = append(f.Cells, all)
		if own := f.Own(set); !own.Is(s.SHA256) {
			return nil, fmt.Errorf("cells: set %d has SHA-256 %s, must have that of its head, %s: the file is damaged", set, own.Digest(), s.SHA256)
		}
	}
	if _, err = lines.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("cells: the file goes on behind its last cell, must end there")
	}
	return f, nil
}

// check refuses a head that cannot be that of a file.
func (h Head) check() error {
	switch {
	case h.Format != Format:
		return fmt.Errorf("cells: format is %.40q, must be %q", h.Format, Format)
	case h.Encoder == "" || h.EncoderSHA256 == "":
		return errors.New("cells: the encoder's name or digest is missing, must be there: make the cells again")
	case h.Dim < 1 || h.Dim > mech.MaxDim:
		return fmt.Errorf("cells: dim is %d, must be from 1 to %d", h.Dim, mech.MaxDim)
	case len(h.Sets) == 0:
		return errors.New("cells: there is no set of cells, must be one at least")
	case h.Private != nil && h.Private.Neighbours != "" && h.Private.Neighbours != Replacement:
		return fmt.Errorf("cells: neighbours are %.40q, must be %q", h.Private.Neighbours, Replacement)
	case h.Labelled != nil && (len(h.Labelled.Direction) != h.Dim || !(h.Labelled.Weight > 0)):
		return fmt.Errorf("cells: labels count by %v along %d numbers, must be positive and %d", h.Labelled.Weight, len(h.Labelled.Direction), h.Dim)
	}
	for _, s := range h.Sets {
		if s.Cells < 2 || s.Cells > most || !(s.Epsilon > 0) {
			return fmt.Errorf("cells: a set for epsilon %v has %d cells, must be positive and from 2 to %d", s.Epsilon, s.Cells, most)
		}
	}
	return nil
}

// Fits refuses vectors of another encoder than that whose cells these are.
func (f *File) Fits(encoder, sha256 string) error {
	if f.EncoderSHA256 == sha256 {
		return nil
	}
	return fmt.Errorf("cells: these are cells of the encoder %s (SHA-256 %.12s…), must be of %s (SHA-256 %.12s…), whose vectors are released: make others by sotto cells make --encoder %s",
		f.Encoder, f.EncoderSHA256, encoder, sha256, encoder)
}

// Add appends a set of cells, with what is said of each, if anything.
func (f *File) Add(s *Set, about []string, example []string) {
	at := len(f.Sets)
	var all []Cell
	for c, centre := range s.Centres {
		cell := Cell{Set: at, Cell: c, Texts: s.Texts[c], Y: slices.Clone(centre)}
		if about != nil {
			cell.About = about[c]
		}
		if example != nil {
			cell.Example = example[c]
		}
		all = append(all, cell)
	}
	f.Sets = append(f.Sets, Made{Epsilon: s.Epsilon, Cells: len(all), Chosen: s.Chosen, Tried: s.Tried, Channel: s.Channel})
	f.Cells = append(f.Cells, all)
	own := f.Own(at)
	own.SHA256 = ""
	f.Sets[at].SHA256 = own.Digest()
}

// Save writes the file to a path, compressed unless that ends in .jsonl, whole or not
// at all.
func (f *File) Save(path string) error {
	return atomicfile.WriteShared(path, func(w io.Writer) error {
		if strings.HasSuffix(path, ".jsonl") {
			return f.Write(w)
		}
		z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
		if err != nil {
			return err
		}
		return errors.Join(f.Write(z), z.Close())
	})
}
