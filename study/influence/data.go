package influence

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	weakrand "math/rand/v2"
	"slices"
	"strings"

	"sotto/compute/nn"
	"sotto/data/dataset"
	"sotto/study/language"
	"sotto/study/language/english"
	"sotto/text"
)

// Data is texts to learn from and to ask about.
type Data struct {
	Name    string
	Hash    string // of the set
	Label   string
	Classes []string
	Texts   []string
	Labels  []int // the class of each text

	Train, Validation, Test []int

	// Words are the words of each text, and Phrases the constituents of several words
	// but not the whole, as a treebank has them; empty where there is none.
	Words   [][]Word
	Phrases [][]text.Span
}

// Word is a word of a text and its universal part of speech.
type Word struct {
	text.Span
	POS string
}

// treebank are the sets whose sentences a treebank has.
var treebank = []string{"sst2", "sst5"}

// NewTexts takes the texts of a labelled set without looking for words, which is enough
// where places are known.
func NewTexts(set *dataset.Set) (*Data, error) {
	if set.Text == nil || set.Second != nil || len(set.Label.Classes) < 2 {
		return nil, fmt.Errorf("influence: %s has no single texts with classes, must have", set.Name)
	}
	d := &Data{
		Name: set.Name, Hash: set.Hash(), Label: set.Label.Name, Classes: set.Label.Classes,
		Texts: set.Text, Labels: set.Label.IDs,
		Train: known(set, dataset.Train), Validation: known(set, dataset.Validation), Test: known(set, dataset.Test),
		Words: make([][]Word, len(set.Text)), Phrases: make([][]text.Span, len(set.Text)),
	}
	if len(d.Validation) == 0 { // a tenth of what is learnt from, always the same
		d.Validation, d.Train = d.Train[:len(d.Train)/10], d.Train[len(d.Train)/10:]
	}
	if len(d.Train) == 0 || len(d.Validation) == 0 {
		return nil, fmt.Errorf("influence: %s has %d texts to learn from and %d to validate by, must have some of both", set.Name, len(d.Train), len(d.Validation))
	}
	return d, nil
}

// NewData takes a labelled set apart: words with their parts of speech, as package
// english finds them, and constituents where the Stanford Sentiment Treebank below dir
// has the sentence.
func NewData(ctx context.Context, set *dataset.Set, dir string, o Options) (*Data, error) {
	d, err := NewTexts(set)
	if err != nil {
		return nil, err
	}
	if err = d.tag(ctx, o); err != nil {
		return nil, err
	}
	if !slices.Contains(treebank, set.Name) {
		return d, nil
	}
	trees, err := dataset.Trees(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return d, nil // words alone do about as well
	}
	if err != nil {
		return nil, err
	}
	d.attach(trees)
	return d, nil
}

// tag finds the words of all texts.
func (d *Data) tag(ctx context.Context, o Options) error {
	t, err := newTagger()
	if err != nil {
		return err
	}
	p := nn.NewPool(o.workers())
	errs := make([]error, len(d.Texts))
	for lo := 0; lo < len(d.Texts); lo += blockRows / 4 {
		hi := min(len(d.Texts), lo+blockRows/4)
		p.Each(hi-lo, func(_, i int) { d.Words[lo+i], errs[lo+i] = t.words(d.Texts[lo+i]) })
		o.tell("finding words", hi, len(d.Texts))
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return errors.Join(errs...)
}

// known returns the rows of a part whose class is known.
func known(set *dataset.Set, part dataset.Part) []int {
	return slices.DeleteFunc(set.Indices(part), func(row int) bool { return set.Label.IDs[row] < 0 })
}

// attach gives texts the constituents of their trees.
func (d *Data) attach(trees []dataset.Tree) {
	of := map[string]dataset.Tree{}
	for _, t := range trees {
		of[t.Text(0, len(t.Words))] = t
	}
	for i, s := range d.Texts {
		t, ok := of[strings.ToLower(s)]
		if !ok {
			continue
		}
		starts := make([]int, len(t.Words)+1)
		for w, word := range t.Words {
			starts[w+1] = starts[w] + len(strings.ToLower(word)) + 1
		}
		for _, p := range t.Phrases {
			if p.End-p.First > 1 && p.End-p.First < len(t.Words) {
				d.Phrases[i] = append(d.Phrases[i], text.Span{Start: starts[p.First], End: starts[p.End] - 1})
			}
		}
	}
}

// tagger finds words and their parts of speech.
type tagger struct{ model language.Annotator }

func newTagger() (*tagger, error) {
	m, err := english.Model()
	if err != nil {
		return nil, err
	}
	return &tagger{m}, nil
}

// document reads a text, of which it keeps the first few hundred words.
func (t *tagger) document(s string) (*language.Document, error) {
	d := &language.Document{Text: s, Tokens: language.Tokens(s)}
	d.Tokens = d.Tokens[:min(len(d.Tokens), mostWords)]
	if len(d.Tokens) == 0 {
		return d, nil
	}
	return d, t.model.Annotate(d)
}

// words returns the words of a text.
func (t *tagger) words(s string) ([]Word, error) {
	d, err := t.document(s)
	if err != nil {
		return nil, err
	}
	words := make([]Word, len(d.Tokens))
	for i, token := range d.Tokens {
		words[i] = Word{text.Span{Start: token.Start, End: token.End}, token.UPOS}
	}
	return words, nil
}

// mostWords bounds the words of a text that are looked at.
const mostWords = 512

// places returns the places of all words of a text.
func (d *Data) places(row int) []TeacherPlace { return placed(d.Texts[row], d.Words[row]) }

// placed returns the places of words of a text.
func placed(s string, words []Word) []TeacherPlace {
	places := make([]TeacherPlace, len(words))
	for i, w := range words {
		places[i] = TeacherPlace{Text: s, Span: w.Span}
	}
	return places
}

// seeded returns a generator for one use of a seed.
func seeded(seed uint64, use string) *weakrand.Rand {
	h := fnv.New64a()
	h.Write([]byte(use))
	return weakrand.New(weakrand.NewPCG(seed, h.Sum64()))
}
