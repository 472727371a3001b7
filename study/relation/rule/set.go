package rule

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"sotto/study/language"
)

// Pattern is what a rule looks for: [*Tokens] or [*Tree].
type Pattern interface {
	// String writes the pattern as it is read.
	String() string
}

// Match is a relation that a rule found.
type Match struct {
	Rule            int // its place among the rules of the set
	Subject, Object Span
	First, End      int // tokens that the pattern covers
}

// Set is rules that look at a text together. It may be used by several goroutines at
// once.
//
// A rule is only tried on sentences that have what each of its matches needs: one of the
// words or lemmas that it cannot do without, the rarest by their length, and entities of
// its types. So its time hardly grows with the number of rules.
type Set struct {
	rules      []compiled
	vocabulary *vocabulary
	byWord     [][]int32 // by word, the rules that need it
	byLemma    [][]int32
	always     []int32 // rules that need no word
	bits       map[language.Type]uint64
	work       sync.Pool
}

// compiled is a rule that is ready.
type compiled struct {
	name    string
	program *program // nil if it is a tree
	tree    *node
	types   []uint64 // of each, a sentence must have one
}

// Compile makes rules ready to be used together.
func Compile(rules []Rule) (*Set, error) {
	s := &Set{vocabulary: newVocabulary(), bits: map[language.Type]uint64{}}
	s.work.New = func() any { return &worker{tried: make([]int, len(rules))} }
	anchors := make([]*need, len(rules))
	for k, r := range rules {
		c := compiled{name: r.Name}
		var needs []need
		switch p := r.Pattern.(type) {
		case *Tokens:
			c.program = p.compile(s.vocabulary)
			needs = p.root.needs(s.vocabulary)
		case *Tree:
			c.tree = p.root.compiled(s.vocabulary)
			needs = c.tree.needs()
		default:
			return nil, fmt.Errorf("rule: pattern of rule %q is a %T, must be *Tokens or *Tree", r.Name, r.Pattern)
		}
		anchors[k] = s.rarest(needs)
		for _, n := range needs {
			if n.key == keyNER {
				c.types = append(c.types, s.mask(n.types))
			}
		}
		s.rules = append(s.rules, c)
	}
	s.byWord, s.byLemma = make([][]int32, len(s.vocabulary.ids)+1), make([][]int32, len(s.vocabulary.ids)+1)
	for k, n := range anchors {
		index := s.byWord
		switch {
		case n == nil:
			s.always = append(s.always, int32(k))
			continue
		case n.key == keyLemma:
			index = s.byLemma
		}
		for _, w := range n.words {
			index[w] = append(index[w], int32(k))
		}
	}
	return s, nil
}

// mask returns the bits of types. There are 63 of them, and all others share one.
func (s *Set) mask(types []language.Type) uint64 {
	var all uint64
	for _, t := range types {
		if s.bits[t] == 0 {
			s.bits[t] = 1 << min(len(s.bits), 63)
		}
		all |= s.bits[t]
	}
	return all
}

// rarest returns the need of words whose shortest word is longest, since short words are
// frequent; nil if there is none.
func (s *Set) rarest(needs []need) *need {
	length := s.vocabulary.lengths
	var best *need
	most := 0
	for k, n := range needs {
		if len(n.words) == 0 {
			continue
		}
		shortest := length[n.words[0]]
		for _, w := range n.words {
			shortest = min(shortest, length[w])
		}
		if best == nil || shortest > most || shortest == most && len(n.words) < len(best.words) {
			best, most = &needs[k], shortest
		}
	}
	return best
}

// worker is the memory of one call.
type worker struct {
	view    view
	walker  walker
	tried   []int // by rule, the sentence it was last tried on, from 1
	now     int
	pending []int32
}

// Matches returns what the rules find in a document, in the order of sentences and, in
// each, of rules. A rule that takes too long on a sentence is left out there, and what the
// others find is returned all the same, beside an error that names each such rule and wraps
// [ErrBudget].
func (s *Set) Matches(d *language.Document) ([]Match, error) {
	w := s.work.Get().(*worker)
	defer s.work.Put(w)
	w.view.fill(d, s.vocabulary)
	var all []Match
	var faults []error
	for first := 0; first < len(d.Tokens); {
		_, end := d.Sentence(first)
		found, err := s.sentence(w, first, end)
		if all = append(all, found...); err != nil {
			faults = append(faults, err)
		}
		first = end
	}
	w.view.doc = nil
	return all, errors.Join(faults...)
}

// sentence tries the rules that may match a sentence.
func (s *Set) sentence(w *worker, first, end int) ([]Match, error) {
	w.now++
	w.pending = w.pending[:0]
	var present uint64
	for k := first; k < end; k++ {
		if e := w.view.entity[k]; e >= 0 {
			present |= s.bits[w.view.types[e]]
		}
	}
	s.admit(w, s.always, present)
	for k := first; k < end; k++ {
		if id := w.view.words[k]; id > 0 {
			s.admit(w, s.byWord[id], present)
		}
		if id := w.view.lemmas[k]; id > 0 {
			s.admit(w, s.byLemma[id], present)
		}
	}
	if len(w.pending) == 0 {
		return nil, nil
	}
	slices.Sort(w.pending)
	var all []Match
	var faults []error
	var climb *climber
	for _, k := range w.pending {
		var found []Match
		var err error
		if r := &s.rules[k]; r.tree == nil {
			found, err = w.walker.walk(r.program, &w.view, first, end)
		} else {
			if climb == nil {
				climb = newClimber(&w.view, first, end)
			}
			found, err = climb.match(r.tree)
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("rule %q on a sentence of %d tokens: %w", s.rules[k].name, end-first, err))
			continue
		}
		for _, m := range widest(found) {
			m.Rule = int(k)
			all = append(all, m)
		}
	}
	return all, errors.Join(faults...)
}

// admit adds rules to those to be tried, if the sentence has entities of their types.
func (s *Set) admit(w *worker, rules []int32, present uint64) {
	for _, k := range rules {
		if w.tried[k] == w.now {
			continue
		}
		w.tried[k] = w.now
		if !slices.ContainsFunc(s.rules[k].types, func(m uint64) bool { return m&present == 0 }) {
			w.pending = append(w.pending, k)
		}
	}
}
