package erase

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// FileFormat names the format of [Eraser.Write].
const FileFormat = "sotto-eraser-1"

// maxFile bounds what Read takes in.
const maxFile = 1 << 31

// stored is an eraser as it is written.
type stored struct {
	Format   string      `json:"format"`
	Privacy  string      `json:"privacy"`
	Method   Method      `json:"method"`
	Dim      int         `json:"dim"`
	Mean     []float64   `json:"mean"`
	Away     [][]float64 `json:"away"`
	By       [][]float64 `json:"by"`
	Specific []string    `json:"specific,omitempty"`
	Pairs    [][2]string `json:"pairs,omitempty"`
}

// Write writes the eraser as one JSON object, every number to its last bit. It
// holds the mean of the vectors that it was fitted to and directions that they
// vary in: keep it as the vectors are kept.
func (e *Eraser) Write(w io.Writer) error {
	b := bufio.NewWriter(w)
	err := json.NewEncoder(b).Encode(stored{
		FileFormat, Privacy, e.method, e.dim, e.mean, present(e.away), present(e.by), e.specific, e.pairs,
	})
	return errors.Join(err, b.Flush())
}

// present returns v, and an empty list rather than null for none.
func present(v [][]float64) [][]float64 {
	if v == nil {
		return [][]float64{}
	}
	return v
}

// Read reads what [Eraser.Write] wrote, and refuses everything else: another
// format, unknown fields, numbers that make no projection.
func Read(r io.Reader) (*Eraser, error) {
	in := &io.LimitedReader{R: r, N: maxFile}
	d := json.NewDecoder(bufio.NewReader(in))
	d.DisallowUnknownFields()
	var s stored
	if err := d.Decode(&s); err != nil {
		// The words of the decoder may quote the file.
		return nil, fmt.Errorf("erase: the file is no JSON object of an eraser, must be one of format %s", FileFormat)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("erase: the file goes on after its eraser, must end there")
	}
	if s.Format != FileFormat {
		return nil, fmt.Errorf("erase: format is %.40q, must be %q", s.Format, FileFormat)
	}
	if !slices.Contains([]Method{MethodHard, MethodINLP, MethodLEACE}, s.Method) {
		return nil, fmt.Errorf("erase: method is %.40q, must be %s, %s or %s", string(s.Method), MethodHard, MethodINLP, MethodLEACE)
	}
	if s.Method != MethodHard && (len(s.Specific) > 0 || len(s.Pairs) > 0) {
		return nil, fmt.Errorf("erase: %s has words, must have none", s.Method)
	}
	return newEraser(Eraser{
		method: s.Method, dim: s.Dim, mean: s.Mean, away: s.Away, by: s.By, specific: s.Specific, pairs: s.Pairs,
	})
}
