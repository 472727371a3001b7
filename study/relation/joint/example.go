package joint

import (
	"cmp"
	"slices"

	"sotto/compute/nn/sequence"
	"sotto/study/relation"
	"sotto/study/relation/rule"
)

// example is an instance as the network reads it.
type example struct {
	words, tags, types, marks []int   // by token
	neighbours                [][]int // by token, on the part of the tree that is kept
	kept, subject, object     []int   // tokens
	label                     int     // −1 where it is not to be learnt
	target                    []int   // the pieces of its rule, nil for none
}

// Marks of tokens.
const (
	plain = iota
	ofSubject
	ofObject
	markKinds
)

// example makes one of an instance.
func (v *vocabulary) example(x relation.Instance) *example {
	e := &example{label: -1}
	kinds := relation.Types(x.Doc)
	for k, t := range x.Doc.Tokens {
		mark := plain
		switch {
		case inside(x.Subject, k):
			mark, e.subject = ofSubject, append(e.subject, k)
		case inside(x.Object, k):
			mark, e.object = ofObject, append(e.object, k)
		}
		e.words, e.tags = append(e.words, v.words.of(v.word(x, kinds, k))), append(e.tags, v.tags.of(t.XPOS))
		e.types, e.marks = append(e.types, v.types.of(string(kinds[k]))), append(e.marks, mark)
	}
	e.prune(x)
	return e
}

func inside(s rule.Span, at int) bool { return at >= s.First && at < s.End }

// prune keeps the tokens on the ways between the tokens of both arguments, and those that
// depend on one of them: the tree of Zhang, Qi and Manning with K = 1.
func (e *example) prune(x relation.Instance) {
	tokens := x.Doc.Tokens
	path := make([]bool, len(tokens))
	arguments := slices.Concat(e.subject, e.object)
	for _, a := range arguments {
		way, _ := relation.Path(x.Doc, arguments[0], a)
		if way == nil {
			way = []int{a} // the tree does not join them
		}
		for _, k := range way {
			path[k] = true
		}
	}
	keep := make([]bool, len(tokens))
	for k, t := range tokens {
		if keep[k] = path[k] || t.Head >= 0 && t.Head < len(tokens) && path[t.Head]; keep[k] {
			e.kept = append(e.kept, k)
		}
	}
	e.neighbours = make([][]int, len(tokens))
	for _, k := range e.kept {
		if h := tokens[k].Head; h >= 0 && h < len(tokens) && h != k && keep[h] {
			e.neighbours[k] = append(e.neighbours[k], h)
			e.neighbours[h] = append(e.neighbours[h], k)
		}
	}
}

// batch is examples side by side, the longest first.
type batch struct {
	examples                  []*example
	steps                     sequence.Steps
	words, tags, types, marks []int // by row
	neighbours                [][]int
	sets                      [3][][]int // rows of the tree, the subject, the object
	all                       [][]int    // rows of each sentence
}

// newBatch lays examples out, which must be in order of their lengths.
func newBatch(examples []*example) *batch {
	lengths := make([]int, len(examples))
	for k, e := range examples {
		lengths[k] = len(e.words)
	}
	b := &batch{examples: examples, steps: sequence.NewSteps(lengths)}
	n := b.steps.Rows()
	b.words, b.tags, b.types, b.marks = make([]int, n), make([]int, n), make([]int, n), make([]int, n)
	b.neighbours = make([][]int, n)
	for k, e := range examples {
		rows := func(tokens []int) []int {
			all := make([]int, len(tokens))
			for j, t := range tokens {
				all[j] = b.steps.Row(k, t)
			}
			return all
		}
		whole := make([]int, len(e.words))
		for t := range e.words {
			row := b.steps.Row(k, t)
			b.words[row], b.tags[row], b.types[row], b.marks[row] = e.words[t], e.tags[t], e.types[t], e.marks[t]
			b.neighbours[row], whole[t] = rows(e.neighbours[t]), row
		}
		b.all = append(b.all, whole)
		for j, set := range [3][]int{e.kept, e.subject, e.object} {
			b.sets[j] = append(b.sets[j], rows(set))
		}
	}
	return b
}

// distinct returns the tokens of a batch, each that is read alike once, and which of them each
// row is.
func (b *batch) distinct() (words, tags, types, marks, rows []int) {
	seen := map[[4]int]int{}
	rows = make([]int, len(b.words))
	for k := range rows {
		token := [4]int{b.words[k], b.tags[k], b.types[k], b.marks[k]}
		at, ok := seen[token]
		if !ok {
			at = len(words)
			seen[token] = at
			words, tags = append(words, token[0]), append(tags, token[1])
			types, marks = append(types, token[2]), append(marks, token[3])
		}
		rows[k] = at
	}
	return words, tags, types, marks, rows
}

// byLength returns the order of examples from the longest to the shortest.
func byLength(examples []*example) []int {
	order := make([]int, len(examples))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(examples[b].words), len(examples[a].words)) })
	return order
}
