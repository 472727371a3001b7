package errors

import (
	"bytes"
	"fmt"
	"path/filepath"

	"sotto/internal/atomicfile"
	"sotto/internal/regular"
	"sotto/measure/errors/forest"
	"sotto/nn"
)

// Model foresees errors of new texts.
type Model struct {
	Features  // the columns that the forest knows; no rows
	Forest    *forest.Forest
	ErrorRate float64 // of the rows that it was learnt from
	Natural   bool    // those were not balanced
}

// Chances returns, for each row of x, how likely its answer is wrong where errors are
// as frequent as they were. Columns are found by their names.
func (m *Model) Chances(x *Features, workers int) ([]float64, error) {
	aligned := x.Aligned(m.Names, m.Groups)
	table, err := forest.NewMatrix(len(m.Names), aligned.Rows)
	if err != nil {
		return nil, err
	}
	p := m.Forest.Predict(table, nn.Indices(table.Rows()), workers)
	for i, v := range p {
		p[i] = m.Chance(v)
	}
	return p, nil
}

// Chance turns an answer of the forest into the chance of an error: a forest that
// learnt from as many right as wrong answers takes errors for as frequent.
func (m *Model) Chance(p float64) float64 {
	if m.Natural {
		return p
	}
	wrong, right := p*m.ErrorRate, (1-p)*(1-m.ErrorRate)
	return wrong / (wrong + right)
}

// The files of a model in its folder.
const (
	modelFile  = "errors.json"
	forestFile = "errors.forest"
	// ModelFormat is the format of a model's description.
	ModelFormat = "sotto-error-model-1"
)

// maxModel bounds the description of a model, in bytes.
const maxModel = 64 << 20

// description is what stands beside the forest.
type description struct {
	Format    string   `json:"format"`
	Names     []string `json:"names"`
	Groups    []string `json:"groups"`
	ErrorRate float64  `json:"error_rate"`
	Natural   bool     `json:"natural"`
}

// Save writes the model into a folder, which must exist. It holds names of features
// and numbers, and no text.
func (m *Model) Save(dir string) error {
	if err := atomicfile.Write(filepath.Join(dir, forestFile), m.Forest.Write); err != nil {
		return err
	}
	return atomicfile.WriteJSON(filepath.Join(dir, modelFile), description{ModelFormat, m.Names, m.Groups, m.ErrorRate, m.Natural})
}

// LoadModel reads what Save wrote, and refuses everything else.
func LoadModel(dir string) (*Model, error) {
	content, err := regular.Read(filepath.Join(dir, modelFile), maxModel)
	if err != nil {
		return nil, fmt.Errorf("errors: %w; \"sotto errors --out\" writes a folder of this kind", err)
	}
	var d description
	if err = atomicfile.ParseJSON(content, &d); err != nil {
		return nil, fmt.Errorf("errors: %s: %w", modelFile, err)
	}
	if d.Format != ModelFormat {
		return nil, fmt.Errorf("errors: %s: format is %q, must be %s", modelFile, d.Format, ModelFormat)
	}
	m := &Model{Features: Features{Names: d.Names, Groups: d.Groups}, ErrorRate: d.ErrorRate, Natural: d.Natural}
	if err = m.Validate(); err != nil {
		return nil, err
	}
	if !(m.ErrorRate > 0 && m.ErrorRate < 1) {
		return nil, fmt.Errorf("errors: %s: the error rate is %v, must be between 0 and 1", modelFile, m.ErrorRate)
	}
	raw, err := regular.Read(filepath.Join(dir, forestFile), 1<<30)
	if err != nil {
		return nil, fmt.Errorf("errors: %w", err)
	}
	if m.Forest, err = forest.Read(bytes.NewReader(raw)); err != nil {
		return nil, fmt.Errorf("errors: %s: %w", forestFile, err)
	}
	if m.Forest.Columns() != len(m.Names) {
		return nil, fmt.Errorf("errors: the forest knows %d features and the description %d, must be of one model", m.Forest.Columns(), len(m.Names))
	}
	return m, nil
}
