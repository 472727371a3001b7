package relation

import (
	"crypto/sha256"
	_ "embed" // the rules
	"encoding/hex"
	"slices"
	"strings"
	"sync"

	"sotto/study/language"
	"sotto/study/relation/rule"
)

// This part of the package finds what English texts tell of persons: for whom they work, where they
// live, to what they belong and who their family is, by rules that are built in.
//
//	d, err := pipeline.Document("I work at Acme.") // of package english
//	…
//	found, err := FindPersonal(d)
//
// It promises no privacy: what the rules miss is as exposed as it was.

//go:embed personal.rules
var written string

// PersonalRules returns the rules that are built in, which the caller may change.
func PersonalRules() (*rule.File, error) { return rule.Parse(strings.NewReader(written)) }

// PersonalDigest names the rules.
func PersonalDigest() string {
	sum := sha256.Sum256([]byte(written))
	return hex.EncodeToString(sum[:6])
}

// family are the relations of relatives.
var family = []string{"wife", "husband", "father", "mother", "son", "daughter", "brother", "sister", "relative"}

// kinds are what masks call several relations together, in order.
var kinds = []struct {
	name      string
	relations []string
}{
	{"birthplace", []string{"birth_place"}},
	{"education", []string{"education"}},
	{"employer", []string{"employer"}},
	{"family", family},
	{"membership", []string{"member_of"}},
	{"residence", []string{"residence"}},
}

// PersonalKinds returns the names of what can be asked for together: employer, family and others.
func PersonalKinds() []string {
	var all []string
	for _, k := range kinds {
		all = append(all, k.name)
	}
	return all
}

// PersonalKindOf returns the kind of a relation of the rules, or "".
func PersonalKindOf(relation string) string {
	for _, k := range kinds {
		if slices.Contains(k.relations, relation) {
			return k.name
		}
	}
	return ""
}

// pronouns are the words for one person, as a text has them.
var pronouns = []string{"i", "me", "my", "mine", "myself", "he", "him", "his", "himself", "she", "her", "hers", "herself"}

// people adds the pronouns of persons to the entities of a document, as persons, so that
// rules find what is told of them.
func people(d *language.Document) {
	all := make([]language.Entity, 0, len(d.Entities))
	next := 0
	for k := range d.Tokens {
		t := &d.Tokens[k]
		for next < len(d.Entities) && d.Entities[next].Start < t.End {
			all = append(all, d.Entities[next])
			next++
		}
		if last := len(all) - 1; last >= 0 && all[last].End > t.Start || t.End-t.Start > len("himself") {
			continue
		}
		if slices.Contains(pronouns, strings.ToLower(t.Text)) {
			all = append(all, language.Entity{Type: language.Person, Start: t.Start, End: t.End, Confidence: 1})
		}
	}
	d.Entities = append(all, d.Entities[next:]...)
}

// ready are the rules, made ready once.
var ready = sync.OnceValues(func() (*compiled, error) {
	f, err := PersonalRules()
	if err != nil {
		return nil, err
	}
	s, err := rule.Compile(f.Rules)
	return &compiled{f, s}, err
})

type compiled struct {
	file *rule.File
	set  *rule.Set
}

// PersonalFound is something that is told of a person, in tokens.
type PersonalFound struct {
	Relation        string
	Subject, Object rule.Span
	Rule            rule.Rule
}

// FindPersonal returns what the rules find in a document that has sentences, tags, lemmas, trees and
// entities, in the order of the objects; of several rules that find the same, the first. A
// rule that takes too long on a sentence is an error: nothing may be missed in silence.
func FindPersonal(d *language.Document) ([]PersonalFound, error) {
	c, err := ready()
	if err != nil {
		return nil, err
	}
	with := *d
	people(&with)
	matches, err := c.set.Matches(&with)
	if err != nil {
		return nil, err
	}
	var all []PersonalFound
	for _, m := range matches {
		r := c.file.Rules[m.Rule]
		f := PersonalFound{r.Relation, m.Subject, m.Object, r}
		if !slices.ContainsFunc(all, func(o PersonalFound) bool {
			return o.Relation == f.Relation && o.Subject == f.Subject && o.Object == f.Object
		}) {
			all = append(all, f)
		}
	}
	slices.SortStableFunc(all, func(a, b PersonalFound) int { return a.Object.First - b.Object.First })
	return all, nil
}
