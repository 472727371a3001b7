// Package relation prepares what is to be known of pairs of entities in sentences: who does
// what to whom. An [Instance] is one pair with its sentence, which rules, networks and
// transformers all look at; [Prepare] makes them of public data sets, and [Rules] says which
// rule explains one.
//
//	s, err := relation.Prepare(ctx, relation.Options{Data: "conll04"})
//	…
//	train, test := s.Part(dataset.Train), s.Part(dataset.Test)
//
// It promises no privacy: what is known of a sentence is as private as the sentence.
package relation

import (
	"slices"

	"sotto/data/dataset"
	"sotto/study/language"
	"sotto/study/relation/rule"
)

// None is the relation of two entities that have none.
const None = ""

// Instance is two entities of a sentence, and what their relation is.
type Instance struct {
	// Doc is the sentence: words, lemmas, tags, heads and relations of its tokens, and its
	// entities, among them both arguments. Instances share it: nobody changes it.
	Doc             *language.Document
	Subject, Object rule.Span // tokens of Doc
	Relation        string    // the true one, or [None]
	Part            dataset.Part
	Group           string // of fewrel, wiki or nyt; of biographies, whom the page is about
	// Extra tells that the pair has no relation and is none to learn from: it is the inverse
	// of one that has, or its sentence has no pair that has. It counts where models are
	// measured, for whoever looks at texts must look at such pairs, too.
	Extra    bool
	Repeated bool // the text stands in another part, too
}

// Types returns the type of the subject and that of the object.
func (x Instance) Types() (subject, object language.Type) {
	all := Types(x.Doc)
	return all[x.Subject.First], all[x.Object.First]
}

// Types returns the type of the entity in which each token lies, or "".
func Types(d *language.Document) []language.Type {
	all := make([]language.Type, len(d.Tokens))
	for _, e := range d.Entities {
		if s := Tokens(d, e.Start, e.End); s.First >= 0 {
			for k := s.First; k < s.End; k++ {
				all[k] = e.Type
			}
		}
	}
	return all
}

// Tokens returns the tokens of which any byte lies between start and end; −1 and −1 if
// there are none.
func Tokens(d *language.Document, start, end int) rule.Span {
	s := rule.Span{First: -1, End: -1}
	from, _ := slices.BinarySearchFunc(d.Tokens, start, func(t language.Token, at int) int { return t.End - at - 1 })
	for k := from; k < len(d.Tokens) && d.Tokens[k].Start < end; k++ {
		if d.Tokens[k].End > start {
			if s.End = k + 1; s.First < 0 {
				s.First = k
			}
		}
	}
	return s
}

// Head returns the token of a span that the others depend on: the first whose head is
// outside of it.
func Head(d *language.Document, s rule.Span) int {
	for k := s.First; k < s.End; k++ {
		if h := d.Tokens[k].Head; h < s.First || h >= s.End {
			return k
		}
	}
	return s.End - 1
}

// Path returns the tokens on the way from one token to another in the tree, both included;
// up is how many of them lie before the highest. It is nil where the tree does not join them.
func Path(d *language.Document, from, to int) (path []int, up int) {
	above := func(at int) []int {
		all := []int{at}
		for h := d.Tokens[at].Head; h >= 0 && h < len(d.Tokens) && len(all) <= len(d.Tokens); h = d.Tokens[h].Head {
			all = append(all, h)
		}
		return all
	}
	a, b := above(from), above(to)
	for i, x := range a {
		if j := slices.Index(b, x); j >= 0 {
			down := slices.Clone(b[:j])
			slices.Reverse(down)
			return append(slices.Clone(a[:i+1]), down...), i
		}
	}
	return nil, 0
}

// Set is the instances of a data set, those of a sentence one behind another.
type Set struct {
	Name      string
	Instances []Instance
	// Apart counts relations that are in no instance, by part: whoever the text is about is
	// not named in the sentence, or the two entities overlap.
	Apart map[dataset.Part]int
}

// Part returns the instances of a part. Those with [Instance.Extra] are among them.
func (s *Set) Part(p dataset.Part) []Instance {
	var all []Instance
	for _, x := range s.Instances {
		if x.Part == p {
			all = append(all, x)
		}
	}
	return all
}

// Relations returns the relations that there are, in order, without [None].
func (s *Set) Relations() []string {
	var all []string
	for _, x := range s.Instances {
		if x.Relation != None {
			all = append(all, x.Relation)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Lessons returns the instances to learn from: those without Extra.
func Lessons(all []Instance) []Instance {
	return slices.DeleteFunc(slices.Clone(all), func(x Instance) bool { return x.Extra })
}

// Fresh returns the instances whose texts stand in no other part.
func Fresh(all []Instance) []Instance {
	return slices.DeleteFunc(slices.Clone(all), func(x Instance) bool { return x.Repeated })
}
