// Package language is the floor on which texts are understood: a [Document] is
// a text with its tokens, their sentences, tags, lemmas and tree, and the names
// and other personal data that were found in it.
//
// This package holds the types, the tokeniser, which needs no model, and the
// [Pipeline], which lets annotators fill a document one after another. The
// annotators are packages below, and package english puts those that are built
// in together:
//
//	p, err := english.Load()
//	…
//	d, err := p.Document("Ann didn't write to bob@example.com.")
//	for _, t := range d.Tokens {
//		… // t.Text, t.Start, t.End, t.UPOS, t.Head
//	}
//
// Places in a text are bytes. It promises no privacy: what was found in a text
// is as private as the text.
package language

import (
	"errors"
	"fmt"
)

// Token is a syntactic word of a text. What no annotator has filled is empty.
type Token struct {
	// Text is how the word is written: the bytes from Start to End of the
	// text, except where a treebank writes a part of a fused word otherwise.
	Text       string
	Start, End int
	// Fused tells that the word is written as one with the one before, such as
	// n't in don't.
	Fused    bool
	Sentence int // counting from 0
	Lemma    string
	UPOS     string // universal part of speech, such as VERB
	XPOS     string // tag of the Penn treebank, such as VBD
	Head     int    // place among the tokens of the document of what it depends on; -1 for the root of a sentence
	DepRel   string // relation to the head, such as nsubj; empty where there is no tree
}

// Type is what an entity is.
type Type string

// The types of entities. A new type needs no code here: annotators may have
// others, in lower case.
const (
	Person        Type = "person"
	Organisation  Type = "organisation"
	Place         Type = "place"
	Miscellaneous Type = "miscellaneous"
	Email         Type = "email"
	Phone         Type = "phone"
	Card          Type = "card"
	IBAN          Type = "iban"
	SSN           Type = "ssn"
	IP            Type = "ip"
	URL           Type = "url"
	Date          Type = "date"
	Address       Type = "address"
	Username      Type = "username"
)

// Entity is something in a text that has a type: a name, or personal data.
type Entity struct {
	Type       Type
	Start, End int     // bytes of the text
	Confidence float64 // from 0 to 1
}

// Document is a text and what is known of it. Tokens are in the order of the
// text, and so are entities, which do not overlap.
type Document struct {
	Text     string
	Tokens   []Token
	Entities []Entity
}

// Sentences returns how many sentences there are.
func (d *Document) Sentences() int {
	if len(d.Tokens) == 0 {
		return 0
	}
	return d.Tokens[len(d.Tokens)-1].Sentence + 1
}

// Sentence returns the places of the first token of the sentence that begins at
// token from and of the first behind it.
func (d *Document) Sentence(from int) (first, end int) {
	end = from
	for end < len(d.Tokens) && d.Tokens[end].Sentence == d.Tokens[from].Sentence {
		end++
	}
	return from, end
}

// Check reports what is wrong with places, sentences and heads, without quoting
// the text: nothing, for what the annotators of this module make.
func (d *Document) Check() error {
	at, sentence := 0, 0
	for i, t := range d.Tokens {
		switch {
		case t.Start < at && !d.shared(i) || t.End <= t.Start || t.End > len(d.Text):
			return fmt.Errorf("language: token %d is at bytes %d to %d, must be behind byte %d and within %d", i, t.Start, t.End, at, len(d.Text))
		case t.Sentence < sentence || t.Sentence > sentence+1 || i == 0 && t.Sentence != 0:
			return fmt.Errorf("language: token %d is in sentence %d behind sentence %d", i, t.Sentence, sentence)
		case t.DepRel != "" && t.Head != -1 && (t.Head < 0 || t.Head >= len(d.Tokens) || d.Tokens[t.Head].Sentence != t.Sentence || t.Head == i):
			return fmt.Errorf("language: token %d has head %d, must be another token of its sentence", i, t.Head)
		}
		at, sentence = t.End, t.Sentence
	}
	at = 0
	for i, e := range d.Entities {
		if e.Start < at || e.End <= e.Start || e.End > len(d.Text) || !(e.Confidence >= 0 && e.Confidence <= 1) {
			return fmt.Errorf("language: entity %d is at bytes %d to %d with confidence %v, must be behind byte %d, within %d and from 0 to 1", i, e.Start, e.End, e.Confidence, at, len(d.Text))
		}
		at = e.End
	}
	return nil
}

// shared tells whether token i shares its place with the one before: the parts
// of some fused words cannot be told apart in what is written.
func (d *Document) shared(i int) bool {
	t := d.Tokens[i]
	return t.Fused && i > 0 && t.Start == d.Tokens[i-1].Start && t.End == d.Tokens[i-1].End
}

// Annotator adds to a document what it knows: it fills fields of tokens, or
// finds entities. It may be used by several goroutines at once, and leaves the
// text and the places of tokens alone.
type Annotator interface {
	Annotate(d *Document) error
}

// Pipeline is annotators in the order in which they are asked.
type Pipeline []Annotator

var _ Annotator = Pipeline{}

// ErrSize is returned by [Pipeline.Document] for a text that is too large.
var ErrSize = errors.New("language: text is too large")

// MaxText is the most bytes that a text may have.
const MaxText = 1 << 30

// Annotate implements [Annotator]: it asks each annotator, and stops at the
// first error.
func (p Pipeline) Annotate(d *Document) error {
	for _, a := range p {
		if err := a.Annotate(d); err != nil {
			return err
		}
	}
	return nil
}

// Document returns a text with its tokens, and with what the annotators say.
func (p Pipeline) Document(text string) (*Document, error) {
	if len(text) > MaxText {
		return nil, fmt.Errorf("%w: it has %d bytes, must have at most %d", ErrSize, len(text), MaxText)
	}
	d := &Document{Text: text, Tokens: Tokens(text)}
	return d, p.Annotate(d)
}
