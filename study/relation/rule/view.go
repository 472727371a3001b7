package rule

import (
	"strings"

	"sotto/study/language"
)

// Span is the tokens of a document from First up to, but without, End.
type Span struct{ First, End int }

// holds reports whether another span lies within this one.
func (s Span) holds(o Span) bool { return s.First <= o.First && o.End <= s.End }

// vocabulary gives words numbers from 1, in small letters, and keeps their lengths.
type vocabulary struct {
	ids     map[string]int32
	lengths []int
}

func newVocabulary() *vocabulary {
	return &vocabulary{ids: map[string]int32{}, lengths: []int{0}}
}

func (v *vocabulary) add(word string) int32 {
	word = strings.ToLower(word)
	id, ok := v.ids[word]
	if !ok {
		id = int32(len(v.ids) + 1)
		v.ids[word] = id
		v.lengths = append(v.lengths, len(word))
	}
	return id
}

// find returns the number of a word, or 0. It makes no copy of words in ASCII; buffer is
// where it works.
func (v *vocabulary) find(word string, buffer []byte) int32 {
	buffer = buffer[:0]
	for k := 0; k < len(word); k++ {
		c := word[k]
		switch {
		case c >= 0x80:
			return v.ids[strings.ToLower(word)]
		case c >= 'A' && c <= 'Z':
			c += 'a' - 'A'
		}
		buffer = append(buffer, c)
	}
	return v.ids[string(buffer)]
}

// view is a document with what patterns ask of it.
type view struct {
	doc      *language.Document
	words    []int32 // by token
	lemmas   []int32
	entities []Span // as tokens
	types    []language.Type
	entity   []int32 // by token, the entity it lies in; −1 for none
	buffer   [64]byte
}

// fill looks at a document.
func (v *view) fill(d *language.Document, voc *vocabulary) {
	n := len(d.Tokens)
	v.doc = d
	v.words, v.lemmas, v.entity = resize(v.words, n), resize(v.lemmas, n), resize(v.entity, n)
	v.entities, v.types = v.entities[:0], v.types[:0]
	next := 0
	for k := range d.Tokens {
		t := &d.Tokens[k]
		v.words[k] = voc.find(t.Text, v.buffer[:0])
		if v.lemmas[k] = v.words[k]; t.Lemma != "" && t.Lemma != t.Text {
			v.lemmas[k] = voc.find(t.Lemma, v.buffer[:0])
		}
		v.entity[k] = -1
		for next < len(d.Entities) && d.Entities[next].End <= t.Start {
			next++
		}
		if next == len(d.Entities) || t.Start < d.Entities[next].Start && t.End <= d.Entities[next].Start {
			continue
		}
		// A token that an entity begins or ends within is of the entity.
		if last := len(v.entities) - 1; k > 0 && last >= 0 && v.entities[last].End == k && d.Entities[next].Start < d.Tokens[k-1].End {
			v.entities[last].End = k + 1
		} else {
			v.entities = append(v.entities, Span{k, k + 1})
			v.types = append(v.types, d.Entities[next].Type)
		}
		v.entity[k] = int32(len(v.entities) - 1)
	}
}

func resize(s []int32, n int) []int32 {
	if cap(s) < n {
		return make([]int32, n)
	}
	return s[:n]
}

// typeAt returns the type of the entity at a token.
func (v *view) typeAt(at int) language.Type {
	if e := v.entity[at]; e >= 0 {
		return v.types[e]
	}
	return outside
}

// begins returns the entity that begins at a token, or nil.
func (v *view) begins(at int) *Span {
	if at < len(v.entity) && v.entity[at] >= 0 {
		if s := &v.entities[v.entity[at]]; s.First == at {
			return s
		}
	}
	return nil
}

// around returns the entity in which a token lies, or the token alone.
func (v *view) around(at int) Span {
	if e := v.entity[at]; e >= 0 {
		return v.entities[e]
	}
	return Span{at, at + 1}
}
