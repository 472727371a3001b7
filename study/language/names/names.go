// Package names finds the names of people, organisations, places and other things
// in English texts, and street addresses, by a small model of its own: a
// conditional random field over features of words, with clusters of word vectors
// and lists of names, embedded in the program.
//
// Precision comes before recall. The confidence of a name is the probability that
// the model gives it, calibrated on sentences that it was not trained on: of names
// with confidence 0.8, about eight in ten are right in places and type. Texts that
// are unlike messages and encyclopaedias, and other languages, are further off.
// No guarantee rests on it: what it misses is as exposed as it was.
//
// The smallest use is
//
//	m, err := names.Load()
//	…
//	d := &language.Document{Text: text, Tokens: language.Tokens(text)}
//	err = m.Annotate(d) // d.Entities
//
// Train makes such a model from public data; NOTICE says whose work is in the one
// that is embedded.
package names

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the model
	"encoding/hex"
	"sync"

	"sotto/study/language"
)

// Model finds names. It does not change, and several goroutines may use it.
type Model struct {
	types    []language.Type
	trained  []string // on what
	chain    *chain
	rows     []int8 // weights of each feature by tag, in steps of step
	step     float64
	index    *index
	clusters *lookup
	lists    *lookup
	slope    float64 // of the calibration: logit of the confidence = slope·logit(p) + shift
	shift    float64
	lean     float64 // how much the score of words outside of names is lowered
}

//go:embed english.names
var embedded []byte

// Load returns the embedded model, which is read once.
var Load = sync.OnceValues(func() (*Model, error) { return Read(bytes.NewReader(embedded)) })

// Digest names the embedded model.
func Digest() string {
	sum := sha256.Sum256(embedded)
	return hex.EncodeToString(sum[:8])
}

// Types returns what the model tells apart.
func (m *Model) Types() []language.Type { return append([]language.Type(nil), m.types...) }

// leastSure is the confidence below which a name is left out of a document.
const leastSure = 0.4

// Annotate implements [language.Annotator]: it adds the names of a document to its
// entities, which it expects to be empty.
func (m *Model) Annotate(d *language.Document) error {
	var l lattice
	for _, cut := range pieces(d.Tokens) {
		tokens := d.Tokens[cut[0]:cut[1]]
		for _, s := range m.find(&l, sentence(d.Text, tokens)) {
			if s.Confidence < leastSure {
				continue
			}
			d.Entities = append(d.Entities, language.Entity{
				Type: s.Type, Start: tokens[s.Start].Start, End: tokens[s.End-1].End, Confidence: s.Confidence,
			})
		}
	}
	return nil
}

// Given reports whether a word is on the lists of women's and of men's first names.
func (m *Model) Given(word string) (women, men bool) {
	bits := m.lists.find(hashed(word))
	return bits&womensName != 0, bits&mensName != 0
}
