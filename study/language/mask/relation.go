package mask

import (
	"maps"
	"slices"
	"strings"

	"sotto/study/language"
	"sotto/study/relation"
)

// relationPrefix begins the types of what a text tells of a person, such as
// relation:employer.
const relationPrefix = "relation:"

// Relations are the types of what a text tells of persons, by the rules of package
// personal: for whom they work, where they live. What is masked is the object: the firm,
// the town, the relative. No group of types but "relations" has them, because to find them
// takes trees, and longer.
func Relations() []language.Type {
	var all []language.Type
	for _, k := range relation.PersonalKinds() {
		all = append(all, language.Type(relationPrefix+k))
	}
	return all
}

// Relater tells relations of documents, in place of the rules that are built in. It may be
// used by several goroutines at once.
type Relater interface {
	// Relations lists the names of the relations that it tells.
	Relations() []string

	// Objects returns the objects of the relations that a document tells, with the names of the
	// relations as types. The document has sentences, tags, lemmas, trees and entities.
	Objects(d *language.Document) ([]language.Entity, error)

	// Version names what tells: two of one version tell the same.
	Version() string
}

// relationsOf returns the types of what a relater tells; of what is built in, if it is nil.
func relationsOf(r Relater) []language.Type {
	if r == nil {
		return Relations()
	}
	var all []language.Type
	for _, name := range r.Relations() {
		all = append(all, language.Type(relationPrefix+name))
	}
	return all
}

// isRelation reports whether a type is one of [Relations].
func isRelation(t language.Type) bool { return strings.HasPrefix(string(t), relationPrefix) }

// label returns a type as it stands in a text: EMPLOYER for relation:employer.
func label(t language.Type) string {
	return strings.ToUpper(strings.TrimPrefix(string(t), relationPrefix))
}

// relations returns which of the types of relations are asked for.
func (t Types) relations() []language.Type {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(t)), func(r language.Type) bool { return !isRelation(r) || t[r] == "" })
}

// related returns the entities of a document with what it tells of persons: an object of a
// relation that is asked for has the type of that relation, and takes in whatever else it
// overlaps.
func (b builtin) related(d *language.Document) ([]language.Entity, error) {
	told, err := b.objects(d)
	if err != nil {
		return nil, err
	}
	var objects []language.Entity
	for _, o := range told {
		o.Type = relationPrefix + o.Type
		if slices.Contains(b.relations, o.Type) && !slices.ContainsFunc(objects, func(other language.Entity) bool { return overlap(o, other) }) {
			objects = append(objects, o)
		}
	}
	return everywhere(d, objects), nil
}

// objects returns the objects of all relations, with the names of these as types.
func (b builtin) objects(d *language.Document) ([]language.Entity, error) {
	if b.relater != nil {
		return b.relater.Objects(d)
	}
	found, err := relation.FindPersonal(d)
	if err != nil {
		return nil, err
	}
	var all []language.Entity
	for _, f := range found {
		all = append(all, language.Entity{
			Type: language.Type(relation.PersonalKindOf(f.Relation)), Start: d.Tokens[f.Object.First].Start, End: d.Tokens[f.Object.End-1].End, Confidence: f.Rule.Confidence(),
		})
	}
	return all, nil
}

func overlap(a, b language.Entity) bool { return a.Start < b.End && b.Start < a.End }

// everywhere returns the entities of a document with some objects, and with the type of an
// object wherever else a part of its name stands: who hides where Ann works does not want
// to read it in the next sentence.
func everywhere(d *language.Document, objects []language.Entity) []language.Entity {
	words := make([]string, len(objects))
	for k, o := range objects {
		words[k] = " " + normal(d.Text[o.Start:o.End]) + " "
	}
	var all []language.Entity
	for _, e := range d.Entities {
		k := slices.IndexFunc(objects, func(o language.Entity) bool { return overlap(e, o) })
		if k >= 0 {
			objects[k].Start, objects[k].End = min(objects[k].Start, e.Start), max(objects[k].End, e.End)
			continue
		}
		name := " " + normal(d.Text[e.Start:e.End]) + " "
		if k = slices.IndexFunc(words, func(w string) bool { return strings.Contains(w, name) }); k >= 0 {
			e.Type, e.Confidence = objects[k].Type, objects[k].Confidence
		}
		all = append(all, e)
	}
	all = append(all, objects...)
	slices.SortFunc(all, func(a, b language.Entity) int { return a.Start - b.Start })
	return all
}

// invention returns something made up that looks like the object of a relation.
func (d *draw) invention(t language.Type) string {
	switch string(t) {
	case relationPrefix + "family":
		return d.of(first) + " " + d.surname()
	case relationPrefix + "residence", relationPrefix + "birthplace":
		return d.invented(language.Place)
	}
	return d.invented(language.Organisation)
}

// tales are texts that tell something of persons.
var tales = []string{
	"I work as a nurse at Mercy Hospital and live in Leeds, England. Ann Lee, an engineer at Acme Corp., is from Paris.",
	"She was born in Chicago, Illinois, graduated from Yale University and joined the Labour Party. He was a member of the Royal Society.",
	"My wife Mary met his brother John Smith. Einstein married Mileva; he is the son of George Birkhoff and his wife Ann.",
	"My former employer, Google, moved to New York. Mr. Lee, 33, of Ames, Iowa, was hired by Sony.",
}
