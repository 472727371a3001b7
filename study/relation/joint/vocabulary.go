package joint

import (
	"maps"
	"slices"
	"strings"

	"sotto/compute/nn"
	"sotto/study/language"
	"sotto/study/relation"
)

// index numbers names. Number 0 is that of any other.
type index struct {
	names []string
	at    map[string]int
}

func newIndex(names []string) index {
	x := index{names: names, at: make(map[string]int, len(names))}
	for k, name := range names {
		x.at[name] = k + 1
	}
	return x
}

func (x index) of(name string) int { return x.at[name] }

func (x index) size() int { return len(x.names) + 1 }

// sorted returns the keys of counts, in order.
func sorted(seen map[string]int) []string { return slices.Sorted(maps.Keys(seen)) }

// leastSeen is in how many sentences a word must stand that has no vector of its own, so
// that a name that stands once is not in a model.
const leastSeen = 2

// vocabulary is what a network knows by name.
type vocabulary struct {
	mask      bool
	words     index // those that learn first
	learn     int   // how many rows of words learn, that of others among them
	tags      index
	types     index
	pairs     [][2]string       // of types of arguments that have a relation
	relations []string          // the first is none
	pieces    relation.Alphabet // of rules
}

// masked returns the word that an argument of a type stands for.
func masked(object bool, t language.Type) string {
	if object {
		return "OBJ-" + string(t)
	}
	return "SUBJ-" + string(t)
}

// know collects what the sentences to learn from have, and the vectors of all words.
func know(lessons []relation.Instance, mask bool, vectors Vectors, random func() float32) (vocabulary, nn.Matrix) {
	v := vocabulary{mask: mask}
	pairs := map[[2]string]bool{}
	words, tags, types, relations := map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
	for _, x := range lessons {
		here := map[string]bool{}
		kinds := relation.Types(x.Doc)
		for k, t := range x.Doc.Tokens {
			here[v.word(x, kinds, k)] = true
			tags[t.XPOS]++
			types[string(kinds[k])]++
		}
		for w := range here {
			words[w]++
		}
		if relations[x.Relation]++; x.Relation != relation.None {
			pairs[[2]string{string(kinds[x.Subject.First]), string(kinds[x.Object.First])}] = true
		}
	}
	v.pairs = slices.SortedFunc(maps.Keys(pairs), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	delete(relations, relation.None)
	v.relations = append([]string{relation.None}, sorted(relations)...)
	v.tags, v.types = newIndex(sorted(tags)), newIndex(sorted(types))
	maps.DeleteFunc(words, func(w string, n int) bool {
		_, known := vectors.Vector(w)
		return !known && n < leastSeen
	})
	names := sorted(words)
	v.learn = len(names) + 1
	for _, w := range vectors.Words() {
		if words[w] == 0 {
			names = append(names, w)
		}
	}
	v.words = newIndex(names)
	table := nn.NewMatrix(v.words.size(), vectors.Dim())
	for k, w := range names {
		if x, ok := vectors.Vector(w); ok {
			copy(table.Row(k+1), x)
			continue
		}
		for j := range table.Cols {
			table.Row(k + 1)[j] = random()
		}
	}
	return v, table
}

// word returns a word of an instance as the network reads it.
func (v *vocabulary) word(x relation.Instance, kinds []language.Type, at int) string {
	if v.mask {
		switch {
		case at >= x.Subject.First && at < x.Subject.End:
			return masked(false, kinds[at])
		case at >= x.Object.First && at < x.Object.End:
			return masked(true, kinds[at])
		}
	}
	return strings.ToLower(x.Doc.Tokens[at].Text)
}
