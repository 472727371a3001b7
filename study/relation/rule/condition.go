package rule

import (
	"slices"
	"strings"

	"sotto/internal/layout"
	"sotto/study/language"
)

// The arguments of a relation.
const (
	subject = "subject"
	object  = "object"
)

// The keys of tests.
const (
	keyWord  = "word"
	keyForm  = "form"
	keyLemma = "lemma"
	keyTag   = "tag"
	keyNER   = "ner"
)

var keys = []string{keyWord, keyForm, keyLemma, keyTag, keyNER}

// outside is the type of a token in no entity.
const outside = "none"

// typeNames are other names of types of entities, in small letters.
var typeNames = map[string]language.Type{
	"per": language.Person, "peop": language.Person,
	"org": language.Organisation, "organization": language.Organisation,
	"loc": language.Place, "location": language.Place, "gpe": language.Place,
	"misc": language.Miscellaneous, "other": language.Miscellaneous,
}

// TypeOf returns the type of entities that a name of a pattern or a corpus means: ORG
// and organization are [language.Organisation].
func TypeOf(name string) language.Type {
	name = strings.ToLower(name)
	if t, ok := typeNames[name]; ok {
		return t
	}
	return language.Type(name)
}

// test is what a token must be, or must not.
type test struct {
	not    bool
	key    string
	values []value
	ids    []int32 // of the values that are words or lemmas, once compiled
}

func (t test) String() string {
	not := ""
	if t.not {
		not = "!"
	}
	return not + t.key + ":" + join(t.values, "|")
}

// condition is tests that all must hold; none, for any token.
type condition []test

func (c condition) String() string { return join(c, " & ") }

// condition takes tests up to a closing bracket, and that.
func (s *scanner) condition(closing string) (condition, error) {
	if s.take(closing) {
		return nil, nil
	}
	var c condition
	for {
		t := test{not: s.take("!")}
		from := s.at
		if t.key = s.word(); !slices.Contains(keys, t.key) {
			s.at = from
			s.space()
			return nil, s.fail("key is %q, must be one of %s%s", t.key, strings.Join(keys, ", "), layout.Hint(t.key, keys))
		}
		if !s.take(":") {
			return nil, s.fail("%s, must be : behind %s", s.found(), t.key)
		}
		var err error
		if t.values, err = s.values(); err != nil {
			return nil, err
		}
		c = append(c, t)
		switch {
		case s.take(closing):
			return c, nil
		case !s.take("&"):
			return nil, s.fail("%s, must be &, | or %s", s.found(), closing)
		}
	}
}

// compiled returns the condition with the places of its words in a vocabulary.
func (c condition) compiled(v *vocabulary) condition {
	out := slices.Clone(c)
	for k, t := range out {
		out[k].ids = nil
		for _, w := range t.values {
			if w.regex == nil && (t.key == keyWord || t.key == keyLemma) {
				out[k].ids = append(out[k].ids, v.add(w.text))
			}
		}
	}
	return out
}

// holds reports whether the token at a place of a text is so.
func (c condition) holds(v *view, at int) bool {
	for k := range c {
		if c[k].holds(v, at) == c[k].not {
			return false
		}
	}
	return true
}

func (t *test) holds(v *view, at int) bool {
	token := &v.doc.Tokens[at]
	switch t.key {
	case keyWord:
		return slices.Contains(t.ids, v.words[at]) || t.fits(token.Text, false)
	case keyLemma:
		return slices.Contains(t.ids, v.lemmas[at]) || t.fits(lemmaOf(token), false)
	case keyForm:
		return t.fits(token.Text, true)
	case keyTag:
		return t.fits(token.XPOS, true) || t.fits(token.UPOS, true)
	}
	kind := v.typeAt(at)
	return slices.ContainsFunc(t.values, func(w value) bool {
		if w.regex != nil {
			return w.regex.MatchString(string(kind))
		}
		return TypeOf(w.text) == kind
	})
}

// fits reports whether an expression fits a text, or a word is it where words count.
func (t *test) fits(text string, words bool) bool {
	for _, w := range t.values {
		if w.regex != nil && w.regex.MatchString(text) || words && w.regex == nil && w.text == text {
			return true
		}
	}
	return false
}

// lemmaOf returns the lemma of a token, or the word where nobody said the lemma.
func lemmaOf(t *language.Token) string {
	if t.Lemma == "" {
		return t.Text
	}
	return t.Lemma
}

// need is what a sentence must have for a pattern to match: one of some words or lemmas,
// or an entity of one of some types.
type need struct {
	key   string // word, lemma or ner
	words []int32
	types []language.Type
}

// needs returns what a condition asks of a sentence.
func (c condition) needs() []need {
	var all []need
	for _, t := range c {
		if t.not || slices.ContainsFunc(t.values, func(w value) bool { return w.regex != nil }) {
			continue
		}
		switch t.key {
		case keyWord, keyLemma:
			all = append(all, need{key: t.key, words: t.ids})
		case keyNER:
			n := need{key: keyNER}
			for _, w := range t.values {
				n.types = append(n.types, TypeOf(w.text))
			}
			if !slices.Contains(n.types, outside) {
				all = append(all, n)
			}
		}
	}
	return all
}
