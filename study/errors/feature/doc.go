// Package feature describes texts by features that people can read: which word
// depends on which by their tags, emotions, names and other entities, the cues of a
// conversation, length and unknown words. Package errors learns from them where a
// classifier fails; each is counted by the words of its text, and keeps its places,
// so that it can be marked there.
//
// Trees, tags and names are those of package language, for English, and are wrong
// now and then; emotions are those of words on the whole and not in their sentence.
// What is found in a text is as private as the text. The smallest use is
//
//	r, err := feature.New(feature.Options{})
//	…
//	t, err := r.Read("Could you tell me when flight 12 leaves?")
//	for _, f := range t.Found {
//		… // f.Name is cue:yes-no-question, f.Spans has the word Could
//	}
package feature

import (
	"slices"
	"strings"
)

// The groups of features of texts, in the order in which they are shown.
const (
	Dependency   = "dependency"   // rel-headTag-childTag, such as amod-NN-JJ
	Emotion      = "emotion"      // of words, by lexicons
	Entity       = "entity"       // by type
	Conversation = "conversation" // greetings, thanks, questions …
	Shape        = "shape"        // length and unknown words
)

// Groups lists the groups of this package.
func Groups() []string { return []string{Dependency, Emotion, Entity, Conversation, Shape} }

// Span is a place in a text, in bytes.
type Span struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// Found is a feature that a text has.
type Found struct {
	Name  string
	Group string
	Value float64 // how often, by the number of tokens; length is that number itself
	Spans []Span  // where; none for what the text has as a whole
}

// Text is what a text has.
type Text struct {
	Tokens int
	Found  []Found // in the order of their names
}

// Find returns the feature of a name, nil if the text has none.
func (t Text) Find(name string) *Found {
	i, ok := slices.BinarySearchFunc(t.Found, name, func(f Found, name string) int { return strings.Compare(f.Name, name) })
	if !ok {
		return nil
	}
	return &t.Found[i]
}
