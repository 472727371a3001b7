package mask

import (
	"slices"
	"strings"

	"sotto/language"
	rules "sotto/relation/personal"
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
	for _, k := range rules.Kinds() {
		all = append(all, language.Type(relationPrefix+k))
	}
	return all
}

// isRelation reports whether a type is one of [Relations].
func isRelation(t language.Type) bool { return strings.HasPrefix(string(t), relationPrefix) }

// label returns a type as it stands in a text: EMPLOYER for relation:employer.
func label(t language.Type) string {
	return strings.ToUpper(strings.TrimPrefix(string(t), relationPrefix))
}

// relations returns which of the types are asked for.
func (t Types) relations() []language.Type {
	return slices.DeleteFunc(Relations(), func(r language.Type) bool { return t[r] == "" })
}

// related returns the entities of a document with what its rules tell of persons: an
// object of a relation that is asked for has the type of that relation, and takes in
// whatever else it overlaps.
func (b builtin) related(d *language.Document) ([]language.Entity, error) {
	found, err := rules.Find(d)
	if err != nil {
		return nil, err
	}
	var objects []language.Entity
	for _, f := range found {
		t := language.Type(relationPrefix + rules.KindOf(f.Relation))
		if !slices.Contains(b.relations, t) {
			continue
		}
		object := language.Entity{Type: t, Start: d.Tokens[f.Object.First].Start, End: d.Tokens[f.Object.End-1].End, Confidence: f.Rule.Confidence()}
		if !slices.ContainsFunc(objects, func(o language.Entity) bool { return overlap(object, o) }) {
			objects = append(objects, object)
		}
	}
	return everywhere(d, objects), nil
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
