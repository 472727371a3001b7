// Package parse finds parts of speech, dependency trees and lemmas of English
// words by a small network that this module trains itself.
//
// A word is looked up by its spelling, beginning, ends and shape in tables of
// learnt vectors, and by its spelling in a table of given ones; layers of
// windows and of simple recurrent units let it see its sentence; every pair of
// words is scored as dependent and head, and the best tree is taken (Dozat and
// Manning, ICLR 2017, on an encoder that needs no step a word). [Model.Annotate]
// implements language.Annotator:
//
//	m, err := parse.Decode(content)
//	…
//	err = m.Annotate(document)
//
// A network may also take in the vectors of an [Encoder], which learns with it behind
// a [Head]; package model trains and opens such models.
//
// It wants tokens with sentences, and says nothing of names.
package parse

import (
	"sync"

	"sotto/compute/nn"
	"sotto/study/language"
)

// Model is a trained network with its words. Several goroutines may share it.
type Model struct {
	vocabulary *vocabulary
	network    *network
	vectors    *vectors
	lemmas     *lemmas
	encoder    Encoder // nil unless the network was trained behind one
	states     sync.Pool
}

// longest is the most words of a sentence that are looked at together: what is
// longer is taken apart, because pairs of words are compared.
const longest = 256

// batch is how many words are looked at in one pass.
const batch = 1024

// Annotate implements [language.Annotator]: it fills lemmas, tags, heads and
// relations.
func (m *Model) Annotate(d *language.Document) error {
	if m.network.outer > 0 && m.encoder == nil {
		return ErrEncoder
	}
	s, _ := m.states.Get().(*state)
	if s == nil {
		s = newState(m.network, nn.NewPool(1))
	}
	defer m.states.Put(s)
	for from := 0; from < len(d.Tokens); {
		s.bounds = append(s.bounds[:0], 0)
		at := from
		for at < len(d.Tokens) && (at == from || at-from < batch) {
			_, end := d.Sentence(at)
			end = min(end, at+longest)
			if end-from > batch && at > from {
				break
			}
			s.bounds = append(s.bounds, end-from)
			at = end
		}
		if err := m.pass(s, d, from, at); err != nil {
			return err
		}
		from = at
	}
	return nil
}

// pass annotates the tokens from one place to another, whose sentences are
// s.bounds.
func (m *Model) pass(s *state, d *language.Document, from, to int) error {
	tokens := d.Tokens[from:to]
	rows := make([]lookups, len(tokens))
	given := make([][]float32, len(tokens))
	m.lookUp(d, from, rows, given)
	outer, err := m.context(s, tokens)
	if err != nil {
		return err
	}
	x := m.network.encode(s, rows, given, outer)
	m.network.tags(s, x)
	m.network.arcs(s, x)
	heads := s.trees()
	m.network.relate(s, heads)
	for i := range tokens {
		m.fill(&tokens[i], s, i)
		if tokens[i].Head = -1; heads[i] >= 0 {
			tokens[i].Head = from + heads[i]
		}
	}
	join(d, from, s.bounds)
	return nil
}

// trees returns the head of each word in the best trees by the scores of arcs, −1
// for a root.
func (s *state) trees() []int {
	heads := make([]int, s.bounds[len(s.bounds)-1])
	for k := 1; k < len(s.bounds); k++ {
		begin := s.bounds[k-1]
		scores := make([][]float32, s.bounds[k]-begin)
		for i := range scores {
			scores[i] = s.scores[k-1].Row(i)
		}
		for i, h := range maximum(scores) {
			heads[begin+i] = h - 1
			if h > 0 {
				heads[begin+i] += begin
			}
		}
	}
	return heads
}

// fill sets tags, relation and lemma of word i of the pass.
func (m *Model) fill(t *language.Token, s *state, i int) {
	t.UPOS = m.vocabulary.upos.names[nn.Argmax(s.upos.Row(i))]
	t.XPOS = m.vocabulary.xpos.names[nn.Argmax(s.xpos.Row(i))]
	t.DepRel = m.vocabulary.relations.names[nn.Argmax(s.rels.Row(i))]
	t.Lemma = m.lemmas.of(t, m.known)
}

// Knows reports whether a word, in small letters, is one that the model was trained
// with or has a vector of.
func (m *Model) Knows(word string) bool { return m.known(word) }

// known tells whether a word has a vector.
func (m *Model) known(word string) bool {
	_, given := m.vocabulary.given[word]
	return given || m.vocabulary.words[word] != unknown
}

// join makes one tree of a sentence that was taken apart: the roots of later
// parts hang on that of the first. It also keeps the relation root for the root
// alone. The parts are those of bounds, behind token from.
func join(d *language.Document, from int, bounds []int) {
	for k := 1; k < len(bounds); k++ {
		begin := from + bounds[k-1]
		for i := begin; i < from+bounds[k]; i++ {
			t := &d.Tokens[i]
			if t.Head >= 0 {
				if t.DepRel == root {
					t.DepRel = loose
				}
				continue
			}
			t.DepRel = root
			if !first(d, begin) {
				top := begin - 1
				for d.Tokens[top].Head >= 0 {
					top = d.Tokens[top].Head
				}
				t.Head, t.DepRel = top, loose
			}
		}
	}
}

// The relation of the word that depends on nothing, and the one of a word that
// stands beside what it hangs on.
const (
	root  = "root"
	loose = "parataxis"
)

// apart tells whether white space stands before token i.
func apart(d *language.Document, i int) bool {
	return i == 0 || d.Tokens[i-1].End < d.Tokens[i].Start
}

// first tells whether token i begins a sentence.
func first(d *language.Document, i int) bool {
	return i == 0 || d.Tokens[i-1].Sentence != d.Tokens[i].Sentence
}
