package folder

import (
	"context"
	"fmt"

	"sotto/study/language"
	"sotto/study/relation"
)

// Masks has a model tell what to hide: the objects of its relations. It may be used by several
// goroutines at once.
type Masks struct {
	finder    *relation.Finder
	relations []string
	version   string
}

// OpenMasks opens the model in a folder for masks. One whose relations are between any nouns
// is refused: it has no object that could be hidden.
func OpenMasks(dir string) (*Masks, error) {
	m, err := Open(dir)
	if err != nil {
		return nil, err
	}
	if q, ok := m.(relation.Quicker); ok {
		m = q.Quick()
	}
	lists, ok := m.(interface{ Relations() []string })
	if !ok || relation.Nominal(lists.Relations()) {
		return nil, fmt.Errorf("the relations of %s are between any nouns, must be between entities, as those of conll04, biographies and files of your own are", dir)
	}
	f, err := relation.NewFinder(m)
	if err != nil {
		return nil, err
	}
	version, err := digest(dir)
	return &Masks{f, lists.Relations(), version}, err
}

// Relations lists those that the model knows.
func (m *Masks) Relations() []string { return m.relations }

// Version names the model, by its files.
func (m *Masks) Version() string { return m.version }

// Objects returns the objects of the relations that a document tells, in the order of their
// sentences, with the names of the relations as types.
func (m *Masks) Objects(d *language.Document) ([]language.Entity, error) {
	found, err := m.finder.Told(context.Background(), d)
	if err != nil {
		return nil, err
	}
	var all []language.Entity
	for _, r := range found {
		all = append(all, language.Entity{Type: language.Type(r.Type), Start: r.Object.Start, End: r.Object.End, Confidence: r.Confidence})
	}
	return all, nil
}
