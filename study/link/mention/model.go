package mention

import (
	"bytes"
	_ "embed" // the model
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"sync"

	"sotto/study/language"
	"sotto/study/language/names"
)

// Model says what mentions there are, and how much each thing that two have in common
// says. It does not change, and several goroutines may use it.
type Model struct {
	names    weights
	nouns    weights
	pronouns [classes]weights
	heads    map[string]head
	trained  []string
	given    func(word string) (women, men bool)
}

// head is what is known of a noun.
type head struct {
	mention bool // it speaks of somebody, or of a place or thing of the kinds that were taught
	typ     language.Type
	gender  Gender
}

// format is that of the file.
const format = "sotto-mentions-1"

// file is a model as it is stored. Weights have the names of what they are for, so that
// one of another sotto is refused.
type file struct {
	Format   string                        `json:"format"`
	Trained  []string                      `json:"trained"` // on what
	Names    map[string]float64            `json:"names"`
	Nouns    map[string]float64            `json:"nouns"`
	Pronouns map[string]map[string]float64 `json:"pronouns"`
	// Heads are nouns by type and gender, such as "person female".
	Heads map[string][]string `json:"heads"`
}

//go:embed english.json
var embedded []byte

// Load returns the embedded model, which is read once. NOTICE says on whose work it rests.
var Load = sync.OnceValues(func() (*Model, error) { return Read(bytes.NewReader(embedded)) })

// Trained says which documents the model was trained on.
func (m *Model) Trained() []string { return slices.Clone(m.trained) }

// Read reads a model that [Model.Write] wrote.
func Read(r io.Reader) (*Model, error) {
	var f file
	dec := json.NewDecoder(r)
	dec.DisallowUnknownFields()
	if err := dec.Decode(&f); err != nil {
		return nil, fmt.Errorf("mention: the model cannot be read: %w", err)
	}
	if f.Format != format {
		return nil, fmt.Errorf("mention: format is %.40q, must be %q", f.Format, format)
	}
	m, err := newModel()
	if err != nil {
		return nil, err
	}
	m.trained = f.Trained
	for _, part := range []struct {
		to   *weights
		says []string
		from map[string]float64
	}{{&m.names, nameSays[:], f.Names}, {&m.nouns, nounSays[:], f.Nouns}} {
		if *part.to, err = unpack(part.says, part.from); err != nil {
			return nil, err
		}
	}
	for c, name := range classNames {
		if m.pronouns[c], err = unpack(pronounSays[:], f.Pronouns[name]); err != nil {
			return nil, err
		}
	}
	for key, words := range f.Heads {
		h, ok := headKinds[key]
		if !ok {
			return nil, fmt.Errorf("mention: nouns are of kind %.40q, must be one of %v", key, slices.Sorted(maps.Keys(headKinds)))
		}
		for _, w := range words {
			m.heads[w] = h
		}
	}
	return m, nil
}

// newModel returns a model that knows nothing but first names.
func newModel() (*Model, error) {
	n, err := names.Load()
	if err != nil {
		return nil, err
	}
	return &Model{given: n.Given, heads: make(map[string]head)}, nil
}

// headKinds are the kinds of nouns, as they are stored.
var headKinds = map[string]head{
	"person":        {true, language.Person, ""},
	"person female": {true, language.Person, Female},
	"person male":   {true, language.Person, Male},
	"place":         {true, language.Place, Neuter},
	"organisation":  {true, language.Organisation, Neuter},
	"other":         {true, language.Miscellaneous, Neuter},
}

// unpack gives weights their places.
func unpack(says []string, from map[string]float64) (weights, error) {
	w := make(weights, len(says))
	for i, name := range says {
		v, ok := from[name]
		if !ok || math.IsNaN(v) || math.IsInf(v, 0) || math.Abs(v) > 1e6 {
			return nil, fmt.Errorf("mention: the model has no weight of %q that is finite, must have: it was made by another sotto", name)
		}
		w[i] = v
	}
	if len(from) != len(says) {
		return nil, errors.New("mention: the model has weights that are not known here: it was made by another sotto")
	}
	return w, nil
}

// pack gives weights their names.
func pack(says []string, w weights) map[string]float64 {
	out := make(map[string]float64, len(says))
	for i, name := range says {
		out[name] = w[i]
	}
	return out
}

// Write stores the model.
func (m *Model) Write(w io.Writer) error {
	f := file{Format: format, Trained: m.trained, Names: pack(nameSays[:], m.names), Nouns: pack(nounSays[:], m.nouns), Pronouns: map[string]map[string]float64{}, Heads: map[string][]string{}}
	for c, name := range classNames {
		f.Pronouns[name] = pack(pronounSays[:], m.pronouns[c])
	}
	for _, word := range slices.Sorted(maps.Keys(m.heads)) {
		for key, h := range headKinds {
			if h == m.heads[word] {
				f.Heads[key] = append(f.Heads[key], word)
			}
		}
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	return enc.Encode(f)
}
