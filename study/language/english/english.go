// Package english holds what sotto knows of English, built in: a model of
// sentences, tags, trees and lemmas, and what finds entities. NOTICE says on
// whose work the model rests; it is under CC BY-SA 4.0.
//
//	p, err := english.Load()
//	…
//	d, err := p.Document("Ann didn't write to bob@example.com.")
//
// It is apart because it holds the files of one language; another language is another package.
package english

import (
	"crypto/sha256"
	_ "embed" // for the model
	"encoding/hex"
	"sync"

	"sotto/study/language"
	"sotto/study/language/model"
	"sotto/study/language/names"
	"sotto/study/language/personal"
)

//go:embed english.model
var content []byte

// parsed is made once, when it is first asked for.
var parsed = sync.OnceValues(func() (*model.Model, error) { return model.Decode(content) })

// Model returns the built-in model of sentences, tags, trees and lemmas.
// "sotto language train" makes its file.
func Model() (*model.Model, error) { return parsed() }

// Digest names the built-in models: what they say of a text is the same where it is.
func Digest() string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:8]) + "-" + names.Digest()
}

// Load returns the pipeline of all that is built in.
func Load() (language.Pipeline, error) {
	m, err := Model()
	if err != nil {
		return nil, err
	}
	return Around(m)
}

// Entities returns what finds entities alone, as [Load] does: without tags and trees,
// which they do not need.
func Entities() (language.Pipeline, error) {
	m, err := Model()
	if err != nil {
		return nil, err
	}
	p, err := Around(m)
	if err != nil {
		return nil, err
	}
	return append(language.Pipeline{m.Sentences()}, p[1:]...), nil
}

// Around returns the pipeline of a model of one's own, and of the entities that
// are built in.
func Around(m *model.Model) (language.Pipeline, error) {
	named, err := names.Load()
	if err != nil {
		return nil, err
	}
	return language.Pipeline{m, named, personal.Annotator{}}, nil
}
