package relation

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"runtime"
	"slices"
	"strings"
	"sync"

	"sotto/data/dataset"
	"sotto/study/language"
	"sotto/study/language/english"
	"sotto/study/relation/rule"
)

// Options of [Prepare].
type Options struct {
	Data     string                // one of [dataset.RelationSets]
	File     string                // in place of it, a file as [dataset.OwnRelations] reads it
	Content  []byte                // in place of both, what such a file holds
	Dir      string                // folder of data sets; "" means [dataset.Dir]
	Cache    string                // folder of texts with their trees; "" means one below the user's cache, - none; of File and Content nothing is kept
	Workers  int                   // 0 means one a processor; the result does not depend on it
	Progress func(done, total int) // hears how many texts are done; may be nil
}

// Prepare makes instances of a data set: of each sentence, all pairs of entities that may
// have a relation.
//
// Entities are those of the set, and in sets that do not give types, their types and the
// other entities are those that package language finds. Parts are those of the set, except:
// of semeval2010, a tenth of the training part is dev; biographies are divided by whom they
// are about, and fewrel by sentence, seven tenths, one and two. Of biographies, the subject
// is the mention nearest in the tree, by a part of the name or by he or she.
//
// Pairs without a relation are there for conll04 and biographies: all others of a text of
// conll04, and whom a biography is about with each link that has none, which may be one that
// nobody marked.
func Prepare(ctx context.Context, o Options) (*Set, error) {
	texts, name, err := o.texts()
	if err != nil {
		return nil, err
	}
	if name == ownName {
		o.Data, o.Cache = ownLike, "-" // texts of one's own may be private: nobody asked for a copy
	}
	docs, err := parsed(ctx, o, texts)
	if err != nil {
		return nil, err
	}
	s := &Set{Name: name, Apart: map[dataset.Part]int{}}
	parts := make([]dataset.Part, len(texts))
	where := map[string]map[dataset.Part]bool{} // parts of each text
	for k, x := range texts {
		parts[k] = part(o.Data, x)
		if where[x.Text] == nil {
			where[x.Text] = map[dataset.Part]bool{}
		}
		where[x.Text][parts[k]] = true
	}
	for k, x := range texts {
		like := Instance{Part: parts[k], Group: x.Group, Repeated: len(where[x.Text]) > 1}
		if o.Data == "biographies" {
			s.addBiography(x, docs[k], like)
		} else {
			s.addPairs(x, docs[k], like, o.Data == "conll04")
		}
	}
	return s, nil
}

// What files of one's own are like, and are called.
const (
	ownLike = "conll04"
	ownName = "own"
)

// texts reads the texts, and says what they are called.
func (o Options) texts() ([]dataset.Related, string, error) {
	if o.File == "" && o.Content == nil {
		texts, err := dataset.Relations(o.Data, o.Dir)
		return texts, o.Data, err
	}
	if o.Data != "" || o.File != "" && o.Content != nil {
		return nil, "", errors.New("relation: a data set and a file are given, must be one of them")
	}
	if o.Content != nil {
		texts, err := dataset.ParseOwnRelations("the file", o.Content)
		return texts, ownName, err
	}
	texts, err := dataset.OwnRelations(o.File)
	return texts, ownName, err
}

// share returns a number below 10 that depends on a text alone.
func share(text string) int {
	h := fnv.New64a()
	h.Write([]byte(text))
	v := h.Sum64()
	return int((v ^ v>>32) % 10)
}

// part returns the part of a text.
func part(data string, x dataset.Related) dataset.Part {
	if data == "semeval2010" || data == "conll04" && x.Part != "" {
		if p := dataset.Part(x.Part); data != "semeval2010" || p != dataset.Train || share(x.Text) > 0 {
			return p
		}
		return dataset.Validation
	}
	by := x.Text
	if data == "biographies" {
		by = x.Group
	}
	switch n := share(by); {
	case n < 2:
		return dataset.Test
	case n == 2:
		return dataset.Validation
	}
	return dataset.Train
}

// parsed returns the texts with their trees and entities, from the cache where they are
// there.
func parsed(ctx context.Context, o Options, texts []dataset.Related) ([]*language.Document, error) {
	docs := make([]*language.Document, len(texts))
	for k, x := range texts {
		docs[k] = document(x)
	}
	store := openCache(o, texts, docs)
	if kept := store.read(docs); kept != nil {
		return kept, nil
	}
	m, err := english.Model()
	if err != nil {
		return nil, err
	}
	trees := language.Pipeline{m.Trees()} // the text is one sentence
	if o.Data == "biographies" {
		trees = language.Pipeline{m}
	}
	named, err := english.Entities()
	if err != nil {
		return nil, err
	}
	if o.Data != "conll04" {
		trees = append(trees, named[1:]...)
	}
	if err := each(ctx, o, docs, trees); err != nil {
		return nil, err
	}
	for k, x := range texts {
		docs[k].Entities = entities(x, docs[k].Entities)
	}
	store.write(docs)
	return docs, nil
}

// each annotates documents, some at a time.
func each(ctx context.Context, o Options, docs []*language.Document, a language.Annotator) error {
	workers := o.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	var told sync.Mutex
	done := 0
	return inTurn(ctx, len(docs), workers, func(k int) error {
		err := a.Annotate(docs[k])
		told.Lock()
		defer told.Unlock()
		if done++; o.Progress != nil {
			o.Progress(done, len(docs))
		}
		if err != nil {
			return fmt.Errorf("relation: text %d: %w", k+1, err)
		}
		return nil
	})
}

// document returns a text with its words, as one sentence.
func document(x dataset.Related) *language.Document {
	d := &language.Document{Text: x.Text}
	if x.Words == nil {
		d.Tokens = language.Tokens(x.Text)
	}
	for _, w := range x.Words {
		if strings.TrimSpace(x.Text[w[0]:w[1]]) != "" { // some words of FewRel are blank
			d.Tokens = append(d.Tokens, language.Token{Text: x.Text[w[0]:w[1]], Start: w[0], End: w[1], Head: -1})
		}
	}
	return d
}

// entities returns those that a set gives for a text, in order, and those that were found
// elsewhere; of two that overlap, the first. Where the set gives no type, it is that of
// what was found there.
func entities(x dataset.Related, found []language.Entity) []language.Entity {
	var all []language.Entity
	for _, e := range x.Entities {
		is := language.Entity{Type: language.Miscellaneous, Start: e.Start, End: e.End, Confidence: 1}
		k := slices.IndexFunc(found, func(f language.Entity) bool { return f.Start < e.End && e.Start < f.End })
		switch {
		case e.Type != "":
			is.Type = rule.TypeOf(e.Type)
		case k >= 0:
			is.Type = found[k].Type
		}
		all = append(all, is)
	}
	return merge(all, found)
}

// merge returns entities in order, with those of more that overlap none of them.
func merge(all, more []language.Entity) []language.Entity {
	order := func(a, b language.Entity) int { return a.Start - b.Start }
	apart := func(all []language.Entity) []language.Entity {
		slices.SortStableFunc(all, order)
		end := 0
		return slices.DeleteFunc(all, func(e language.Entity) bool {
			if e.Start < end {
				return true
			}
			end = e.End
			return false
		})
	}
	all = apart(slices.Clone(all))
	var others []language.Entity
	for _, m := range more {
		if !slices.ContainsFunc(all, func(e language.Entity) bool { return m.Start < e.End && e.Start < m.End }) {
			others = append(others, m)
		}
	}
	return apart(append(all, others...))
}

// addPairs adds the pairs of a text that is one sentence: those that have a relation, and
// where all is set, all others of its entities.
func (s *Set) addPairs(x dataset.Related, d *language.Document, like Instance, all bool) {
	like.Doc = d
	spans := make([]rule.Span, len(x.Entities))
	for k, e := range x.Entities {
		spans[k] = Tokens(d, e.Start, e.End)
	}
	said := map[[2]int]bool{}
	for _, q := range x.Relations {
		if said[[2]int{q.Subject, q.Object}] = true; !s.put(like, spans[q.Subject], spans[q.Object], named(q)) {
			s.Apart[like.Part]++
		}
	}
	if !all {
		return
	}
	for i := range spans {
		for j := range spans {
			if i != j && !said[[2]int{i, j}] {
				like.Extra = len(said) == 0 || said[[2]int{j, i}]
				s.put(like, spans[i], spans[j], None)
			}
		}
	}
}

// named returns the name of a relation, without spaces, as rules have them. SemEval-2010
// says Other where there is none.
func named(q dataset.Relation) string {
	if q.Type == "Other" {
		return None
	}
	return strings.ReplaceAll(q.Type, " ", "_")
}

// put adds an instance, unless its arguments overlap.
func (s *Set) put(like Instance, subject, object rule.Span, relation string) bool {
	if subject.First < 0 || object.First < 0 || subject.First < object.End && object.First < subject.End {
		return false
	}
	like.Subject, like.Object, like.Relation = subject, object, relation
	s.Instances = append(s.Instances, like)
	return true
}

// Typed reports whether the arguments of a set are entities with types, behind which a
// network may hide their words. Those of the others are any nouns, or names without types.
func Typed(data string) bool { return data != "semeval2010" && data != "fewrel" }
