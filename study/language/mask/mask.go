// Package mask masks what a model of the language and grammars find in texts, by
// its type: persons, e-mail addresses, numbers of cards. In their place stands
// nothing, the type, a pseudonym, or something made up that looks alike.
//
// It promises no privacy. What is not found is as exposed as it was, and a text
// without names may still tell who wrote it: only ε promises. The smallest use is
//
//	types, err := mask.Parse("person=pseudonym,email", mask.Tag, known)
//	…
//	m, err := mask.New(finder, types, nil)
//	…
//	left := text.Apply(s, text.Mask(s, nil, m), " ")
package mask

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"sotto/study/language"
	"sotto/study/link/mention"
	"sotto/text"
)

// Finder finds things in texts, by their types. It may be used by several
// goroutines at once.
type Finder interface {
	// Find returns what it finds, in order and without overlap.
	Find(s string) ([]language.Entity, error)

	// Version names the finder: two of one version find the same.
	Version() string
}

// Masker masks what a finder finds. It does not change and may be used by
// several goroutines.
//
// Without a secret, what stands in a masked place follows from its type, its shape
// and how many others of its type stand before it in the text, so that it tells
// nothing of what it was beside that. Under a secret it follows from what stood
// there: the same name is the same pseudonym in all texts, and who has no secret
// cannot try names out.
//
// The same is what is written alike but for case, accents and spaces. Persons are told
// by package mention: one who is called by a part of a longer name of the text, by an
// initial, by a nickname or with a title is the person of that name, unless it may be of
// two. Pronouns stay as they are; first names are ones that women and men have.
type Masker struct {
	finder   Finder
	types    Types
	secret   []byte
	version  func() string  // of the finder; to find it out may take long
	mentions *mention.Model // nil where persons have no pseudonyms
}

var _ text.Masker = (*Masker)(nil)

// New makes a masker. The secret, if not nil, is at least 16 random bytes.
func New(f Finder, t Types, secret []byte) (*Masker, error) {
	if err := t.checkSecret(secret); err != nil {
		return nil, err
	}
	m := &Masker{finder: f, types: t, secret: secret, version: sync.OnceValue(f.Version)}
	if !t.renames() {
		return m, nil
	}
	var err error
	m.mentions, err = mention.Load()
	return m, err
}

// by stands in a rule between the types and the version of what finds them.
const by = " by "

// Types returns which types are masked, and how.
func (m *Masker) Types() Types { return maps.Clone(m.types) }

// Rule implements [text.Masker]: it has types, policies and the version of what finds
// them and, where persons have pseudonyms, of what tells them apart; and says whether
// there is a secret.
func (m *Masker) Rule() string {
	under := ""
	if m.secret != nil {
		under = " under a secret"
	}
	who := ""
	if m.types.renames() {
		who = " and persons " + persons()
	}
	return Prefix + m.types.String() + by + m.version() + who + under
}

// Unread is the type of a text that could not be searched.
const Unread text.Type = "unread"

// Find implements [text.Masker]. A text that the finder refuses is masked as a
// whole.
func (m *Masker) Find(s string) []text.Found {
	if s == "" {
		return nil
	}
	all, err := m.finder.Find(s)
	if err != nil || (&language.Document{Text: s, Entities: all}).Check() != nil {
		return []text.Found{{Span: text.Span{End: len(s)}, Type: Unread}}
	}
	found := slices.DeleteFunc(slices.Clone(all), func(e language.Entity) bool { return m.types[e.Type] == "" })
	w := m.newWriter(s, found)
	parts := make([]text.Found, len(found))
	for i, f := range found {
		parts[i] = text.Found{Span: text.Span{Start: f.Start, End: f.End}, Type: text.Type(f.Type), As: w.as(i)}
	}
	return parts
}

// writer writes what stands in the places of what was found in one text.
type writer struct {
	*Masker
	s      string
	found  []language.Entity
	people map[int]called           // persons by their place in found; nil until they are asked for
	words  map[string]bool          // of the text and of names in it; nil until they are asked for
	given  map[string]string        // what stands for what, by type and surface
	count  map[language.Type]uint64 // of different things so far
}

func (m *Masker) newWriter(s string, found []language.Entity) *writer {
	return &writer{Masker: m, s: s, found: found, given: map[string]string{}, count: map[language.Type]uint64{}}
}

// as returns what stands in the place of what was found.
func (w *writer) as(i int) string {
	e := w.found[i]
	surface := w.s[e.Start:e.End]
	switch w.types[e.Type] {
	case Tag:
		return "[" + label(e.Type) + "]"
	case Pseudonym:
		return w.pseudonym(i, surface)
	case Fake:
		if slices.Contains(Names(), e.Type) {
			return w.pseudonym(i, surface)
		}
		if isRelation(e.Type) {
			return like(surface, w.name(e.Type, normal(surface), func(d *draw) string { return d.invention(e.Type) }))
		}
		return w.once(e.Type, normal(surface), func(d *draw) string { return fake(e.Type, surface, d) }, func(as string) bool { return as == surface })
	case Remove:
	}
	return ""
}

// pseudonym returns another name.
func (w *writer) pseudonym(i int, surface string) string {
	e := w.found[i]
	if e.Type == language.Person {
		return w.person(i)
	}
	if e.Type == language.Organisation || e.Type == language.Place {
		made := w.name(e.Type, normal(surface), func(d *draw) string { return d.invented(e.Type) })
		return like(surface, made)
	}
	if e.Type == "title" {
		return title(surface, nil)
	}
	name := label(e.Type)
	return w.once(e.Type, normal(surface), func(d *draw) string {
		if w.secret == nil {
			return fmt.Sprintf("[%s-%d]", name, d.place)
		}
		return fmt.Sprintf("[%s-%08x]", name, d.next()&0xffffffff)
	}, func(string) bool { return false })
}

// tries bounds how often something is drawn that may not be used.
const tries = 16

// once makes something for a thing the first time, and returns the same whenever
// the thing is met again. What is refused is drawn anew.
func (w *writer) once(t language.Type, what string, draws func(d *draw) string, refused func(as string) bool) string {
	key := string(t) + "\x00" + what
	if as, ok := w.given[key]; ok {
		return as
	}
	w.count[t]++
	var as string
	for try := range uint64(tries) {
		if as = draws(w.draw(t, what, try)); !refused(as) {
			break
		}
	}
	w.given[key] = as
	return as
}

// name is once for names. Without a secret, words of the text and of other names are
// avoided; under one a name would not be the same in all texts.
func (w *writer) name(t language.Type, what string, draws func(d *draw) string) string {
	as := w.once(t, what, draws, func(as string) bool { return w.secret == nil && w.stands(as) })
	if w.words != nil {
		for word := range text.Words(as) {
			w.words[word] = true
		}
	}
	return as
}

// stands reports whether a word of a name stands in the text already, so that it
// would be taken for what it is not.
func (w *writer) stands(as string) bool {
	if w.words == nil {
		w.words = map[string]bool{}
		for word := range text.Words(w.s) {
			w.words[word] = true
		}
	}
	for word := range text.Words(as) {
		if w.words[word] && !slices.Contains(plain, word) {
			return true
		}
	}
	return false
}

// normal returns a surface as it is compared with others.
func normal(surface string) string {
	var b strings.Builder
	for word := range strings.FieldsSeq(surface) {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(text.Fold(word))
	}
	return b.String()
}

// like writes a name in capital letters, or in small ones, where another is.
func like(surface, name string) string {
	switch {
	case strings.ToUpper(surface) == surface && strings.ToLower(surface) != surface && len(surface) > 3:
		return strings.ToUpper(name)
	case strings.ToLower(surface) == surface && strings.ToUpper(surface) != surface:
		return strings.ToLower(name)
	}
	return name
}
