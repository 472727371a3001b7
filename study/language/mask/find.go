package mask

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"sotto/study/language"
	"sotto/study/language/english"
	"sotto/study/language/personal"
	"sotto/study/link/mention"
	"sotto/study/relation"
)

// Known returns the types that can be masked by what is built in.
func Known() []language.Type { return slices.Concat(Names(), personal.Types(), Relations()) }

// builtin finds what is built in: by grammar and, if names are asked for, by the
// model of names before it, which takes longer; and if relations are, by trees and rules,
// which takes longer still.
type builtin struct {
	pipeline  language.Pipeline
	relations []language.Type
	relater   Relater // nil for the rules that are built in
}

// newBuiltin returns what finds some types.
func newBuiltin(t Types, r Relater) (builtin, error) {
	if asked := t.relations(); len(asked) > 0 {
		p, err := english.Load()
		return builtin{p, asked, r}, err
	}
	for _, one := range append(Names(), language.Address) {
		if t[one] != "" {
			p, err := english.Entities()
			return builtin{pipeline: p}, err
		}
	}
	return builtin{}, nil
}

// Find implements [Finder].
func (b builtin) Find(s string) ([]language.Entity, error) {
	if b.pipeline == nil {
		return personal.Join(s, nil, personal.Find(s)), nil
	}
	d, err := b.pipeline.Document(s)
	if err != nil {
		return nil, err
	}
	if len(b.relations) > 0 {
		return b.related(d)
	}
	return d.Entities, nil
}

// Rounds reports whether what is found may differ between processors: relations are told by
// trees and models whose networks round as their kernels do. Grammar and names do not.
func (m *Masker) Rounds() bool {
	b, known := m.finder.(builtin)
	return !known || len(b.relations) > 0
}

// Version implements [Finder]: a digest of what is found in some texts, so that it is
// another one wherever that changes, and nobody needs to think of it.
func (b builtin) Version() string {
	if b.pipeline == nil {
		return "grammar " + grammar()
	}
	if b.relater != nil && len(b.relations) > 0 {
		all := builtin{b.pipeline, relationsOf(b.relater), b.relater}
		return "names, grammar and a model of relations " + all.digest(slices.Concat(probes, tales)) + " " + b.relater.Version()
	}
	if len(b.relations) > 0 {
		return "names, grammar and relations " + told()
	}
	return "names and grammar " + named()
}

// The digests of what is found without names, with them, and with relations.
var (
	grammar = sync.OnceValue(func() string { return builtin{}.digest(probes) })
	named   = sync.OnceValue(func() string {
		p, err := english.Entities()
		if err != nil {
			return err.Error() // which nobody can ask for: newBuiltin has refused
		}
		return builtin{pipeline: p}.digest(probes)
	})
	told = sync.OnceValue(func() string {
		p, err := english.Load()
		if err != nil {
			return err.Error() // which nobody can ask for: newBuiltin has refused
		}
		return builtin{pipeline: p, relations: Relations()}.digest(slices.Concat(probes, tales)) + " " + relation.PersonalDigest()
	})
)

// digest is that of what is found in some texts.
func (b builtin) digest(texts []string) string {
	h := sha256.New()
	for _, s := range texts {
		found, err := b.Find(s)
		fmt.Fprint(h, len(s), found, err) //nolint:errcheck // a hash takes everything
	}
	return hex.EncodeToString(h.Sum(nil)[:6])
}

// persons is the digest of who is one in some lists of names, so that it is another one
// wherever that changes.
var persons = sync.OnceValue(func() string {
	m, err := mention.Load()
	if err != nil {
		return err.Error() // which nobody can ask for: New has refused
	}
	h := sha256.New()
	for _, list := range people {
		var at []language.Entity
		s := ""
		for name := range strings.SplitSeq(list, "|") {
			at = append(at, language.Entity{Type: language.Person, Start: len(s), End: len(s) + len(name), Confidence: 1})
			s += name + " met "
		}
		labels, err := m.Names(s, at)
		fmt.Fprint(h, labels, err, first, root, surname) //nolint:errcheck // a hash takes everything
	}
	return hex.EncodeToString(h.Sum(nil)[:6])
})

// people are names of one person and of several, in forms that are easy and hard to tell.
var people = []string{
	"John Smith|Smith|John|J. Smith|Mr. Smith|JOHN SMITH|Smith's|John Paul Smith",
	"John Smith|Mary Smith|Smith|Mr. Smith|Mrs. Smith|Mary|J. Smith",
	"William Jones|Bill Jones|Will|W. Jones|Liz|Elizabeth Bennet|Lizzy Bennet|Eliza",
	"Dr. Maria García-López|Garcia|María|M. García|Prof. García|Don Johnson|Johnson|Don",
	"Henry IV|Henry V|Henry|King Henry|Prince Hal|Hal",
	"Jon Smyth|John Smith|Katherine Lee|Catherine Lee|Kate|Cathy Lee|Lee",
}

// probes are texts with something of each type, in several forms, and some that only
// look as if they had.
var probes = []string{
	"Dear Ms. Ann Lee, John Smith of Acme Corp. wrote from Paris on 12 March 2020 about the Nobel Prize. Smith, J. and Dr Maria García-López met Sony's founder in New York City.",
	"ada@example.org, ada.lovelace+x@mail.example.co.uk, ada at example dot com, ADA@EXAMPLE.ORG. https://example.org/a?b=c#d www.example.com example.net/x @ada_l",
	"Call +44 20 7946 0958, (212) 736-5000, +1-212-736-5000 ext. 12, 0049 30 123456, 030/1234567, +33 1 23 45 67 89, tel 555 1234.",
	"4539 1488 0343 6467, 4539-1488-0343-6467, 378282246310005, 4539 1488 0343 6468, DE89 3704 0044 0532 0130 00, GB29NWBK60161331926819, account number 12345678.",
	"SSN 123-45-6789, 078-05-1120, AB 12 34 56 C, 12345678Z, RSSMRA85T10A562S, 44051401359, 529.982.247-25, passport C01X00T47, driving licence MORGA753116SM9IJ.",
	"10.0.0.1, 192.168.0.256, fe80::1ff:fe23:4567:890a, 2001:db8::1, 00:1B:44:11:3A:B7, 1.2.3, 10:30:15.",
	"Born 12 March 1980, 1980-03-12, 03/12/1980, 12.3.80, March 12th, 1980, in May, on Monday; aged 42, 42 years old, a 7-year-old.",
	"12 Baker Street, London NW1 6XE; 1600 Pennsylvania Ave NW, Washington, DC 20500; PO Box 123; Hauptstraße 5, 10115 Berlin; 5 rue de Rivoli, 75001 Paris.",
	"1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2, bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq, 0x52908400098527886E0F7030069857D2E4169EE7. Plate B-XY 1234, AB12 CDE.",
	"The total was 1,234,567.89 in 2020, version 1.2.3.4 of 10 files; see section 12-34 at 10 a.m. May I? Will you? I am in the US.",
}

// Open makes a masker of what is built in. Its types are written as [Parse] takes
// them, or as the rule of another masker, which must be of the same version.
func Open(types string, otherwise Policy, secret []byte) (*Masker, error) {
	return OpenBy(types, otherwise, secret, nil)
}

// OpenBy is [Open] with relations that another tells than the rules that are built in: types
// such as relation:Work_For are those of its relations. They cannot be faked: nobody knows what
// would look like them.
func OpenBy(types string, otherwise Policy, secret []byte, r Relater) (*Masker, error) {
	list, version, isRule := strings.Cut(types, by)
	parsed, err := Parse(list, otherwise, slices.Concat(Names(), personal.Types(), relationsOf(r)))
	if err != nil {
		return nil, err
	}
	asked := parsed.relations()
	if k := slices.IndexFunc(asked, func(t language.Type) bool { return parsed[t] == Fake }); r != nil && k >= 0 {
		return nil, fmt.Errorf("mask: policy of %.60q is fake, must be tag, remove or pseudonym where a model tells relations", asked[k])
	}
	if r != nil && len(asked) == 0 {
		return nil, errors.New("mask: a model of relations is given, must not be without types of its relations, such as relation:NAME")
	}
	finder, err := newBuiltin(parsed, r)
	if err != nil {
		return nil, err
	}
	m, err := New(finder, parsed, secret)
	if err != nil {
		return nil, err
	}
	if isRule && m.Rule() != Prefix+parsed.String()+by+version {
		return nil, fmt.Errorf("mask: the rule is of %.80q, must be of %q, which is built in here", version, m.version())
	}
	return m, nil
}
