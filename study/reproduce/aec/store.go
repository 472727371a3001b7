package aec

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"sotto/compute/measure"
	"sotto/compute/nn"
	"sotto/internal/atomicfile"
)

// answered is what a base said of the tweets, as it is kept.
type answered struct {
	Format        string         `json:"format"`
	Films         measure.Number `json:"films"`
	Tried         []Tried        `json:"tried"`
	Probabilities [][]float32    `json:"probabilities"`
}

const storeFormat = "sotto-aec-base-1"

// recipe names how bases are trained. It changes with them, so that what another
// recipe gave is not taken for theirs.
const recipe = "three trainings"

// file names what decides the answers of a base: no text, and its hash alone.
func (o Options) file(base string, parts ...sample) string {
	h := sha256.New()
	enc := json.NewEncoder(h)
	for _, v := range []any{storeFormat, recipe, base, o.Seed} {
		enc.Encode(v) //nolint:errcheck,errchkjson // a hash takes everything
	}
	for _, s := range parts {
		enc.Encode(s.texts)  //nolint:errcheck,errchkjson // see above
		enc.Encode(s.labels) //nolint:errcheck,errchkjson // see above
	}
	return filepath.Join(o.Store, base+"-"+hex.EncodeToString(h.Sum(nil)[:12])+".json")
}

// kept returns what a base answered before, or trains it and keeps its answers.
func (o Options) kept(name string, test sample, file string, train func() (*Base, error)) (*Base, error) {
	if o.Store == "" {
		return train()
	}
	var a answered
	err := atomicfile.ReadJSON(file, &a)
	if err == nil && !o.Again {
		b := &Base{Name: name, Published: published(name), Films: a.Films, Tried: a.Tried, probabilities: nn.NewMatrix(len(test.texts), len(classes))}
		if a.Format != storeFormat || len(a.Probabilities) != len(test.texts) {
			return nil, fmt.Errorf("aec: %s does not hold the answers to %d tweets; remove it, or use --again", file, len(test.texts))
		}
		for i, row := range a.Probabilities {
			if len(row) != len(classes) {
				return nil, fmt.Errorf("aec: %s has %d probabilities in row %d, must be %d; remove it, or use --again", file, len(row), i+1, len(classes))
			}
			copy(b.probabilities.Row(i), row)
		}
		return b, b.judge(test)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !o.Again {
		return nil, fmt.Errorf("aec: %s: %w; remove it, or use --again", file, err)
	}
	b, err := train()
	if err != nil {
		return nil, err
	}
	a = answered{Format: storeFormat, Films: b.Films, Tried: b.Tried}
	for i := range b.probabilities.Rows {
		a.Probabilities = append(a.Probabilities, b.probabilities.Row(i))
	}
	if err = os.MkdirAll(o.Store, 0o755); err != nil { //nolint:gosec // answers to public texts
		return nil, fmt.Errorf("aec: %w", err)
	}
	return b, atomicfile.WriteJSON(file, a)
}
