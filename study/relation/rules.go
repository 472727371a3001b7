package relation

import (
	"fmt"
	"slices"

	"sotto/study/language"
	"sotto/study/relation/rule"
)

// Rules are rules that are asked about instances, the best first: where several match, the
// first of the file counts.
type Rules struct {
	File *rule.File
	set  *rule.Set
}

// NewRules makes the rules of a file ready.
func NewRules(f *rule.File) (*Rules, error) {
	s, err := rule.Compile(f.Rules)
	if err != nil {
		return nil, err
	}
	return &Rules{File: f, set: s}, nil
}

// Relations lists the relations that the rules are for, in order.
func (r *Rules) Relations() []string {
	var all []string
	for _, one := range r.File.Rules {
		all = append(all, one.Relation)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Any asks [Rules.Explain] for a rule of any relation.
const Any = "*"

// Explain returns the first rule of a relation, or of [Any], that matches an instance with
// its arguments; −1, if there is none. A rule that would take too long counts as one that
// does not match.
func (r *Rules) Explain(x Instance, relation string) int {
	return r.first(r.Matches(x.Doc), x, relation)
}

// ExplainAll returns what [Rules.Explain] does for each of some instances. It looks once at
// a sentence whose instances stand one behind another. Relation gives what is asked of each.
func (r *Rules) ExplainAll(all []Instance, relation func(Instance) string) []int {
	out := make([]int, len(all))
	var last *language.Document
	var found []rule.Match
	for k, x := range all {
		if x.Doc != last {
			last, found = x.Doc, r.Matches(x.Doc)
		}
		out[k] = r.first(found, x, relation(x))
	}
	return out
}

// Targets returns, for each of some instances, the rule of its relation that a writer of rules
// should learn to write about it: of those that match, the one that matches the most of
// these instances rightly, and the first of several; −1, if there is none. Rules that differ
// in little match the same sentences: to take the widest of them each time leaves fewer
// that have to be told apart than to take the surest, which [Rules.Explain] does.
func (r *Rules) Targets(all []Instance) []int {
	matching, right := make([][]int, len(all)), make([]int, len(r.File.Rules))
	r.each(all, func(k, n int) {
		if r.File.Rules[n].Relation == all[k].Relation {
			matching[k] = append(matching[k], n)
			right[n]++
		}
	})
	out := make([]int, len(all))
	for k := range out {
		out[k] = -1
		for _, n := range matching[k] {
			if best := out[k]; best < 0 || right[n] > right[best] || right[n] == right[best] && n < best {
				out[k] = n
			}
		}
	}
	return out
}

// each calls do for each rule that matches an instance with its arguments. It looks once at
// a sentence whose instances stand one behind another.
func (r *Rules) each(all []Instance, do func(instance, rule int)) {
	var last *language.Document
	var found []rule.Match
	for k, x := range all {
		if x.Doc != last {
			last, found = x.Doc, r.Matches(x.Doc)
		}
		for _, m := range found {
			if m.Subject == x.Subject && m.Object == x.Object {
				do(k, m.Rule)
			}
		}
	}
}

// Matching returns all rules that match an instance with its arguments, in their order.
func (r *Rules) Matching(x Instance) []int {
	var all []int
	for _, m := range r.Matches(x.Doc) {
		if m.Subject == x.Subject && m.Object == x.Object {
			all = append(all, m.Rule)
		}
	}
	return all
}

// Count writes into the rules of a file how often each matches one of some instances, and
// how often it is right then.
func Count(f *rule.File, all []Instance) error {
	r, err := NewRules(f)
	if err != nil {
		return err
	}
	for k := range f.Rules {
		f.Rules[k].Right, f.Rules[k].Tried = 0, 0
	}
	r.each(all, func(k, n int) {
		if f.Rules[n].Tried++; f.Rules[n].Relation == all[k].Relation {
			f.Rules[n].Right++
		}
	})
	return nil
}

// Matches returns all that the rules find in a document, as [rule.Set.Matches] does; a rule
// that would take too long finds nothing.
func (r *Rules) Matches(d *language.Document) []rule.Match {
	found, _ := r.set.Matches(d) // its only error names rules that took too long
	return found
}

// first returns the first rule that found the arguments of an instance.
func (r *Rules) first(found []rule.Match, x Instance, relation string) int {
	best := -1
	for _, m := range found {
		if m.Subject == x.Subject && m.Object == x.Object && (best < 0 || m.Rule < best) && (relation == Any || r.File.Rules[m.Rule].Relation == relation) {
			best = m.Rule
		}
	}
	return best
}

// Draft is one rule that is ready to be matched. It may be used by several goroutines at once.
type Draft struct{ set *rule.Set }

// NewDraft reads a rule as it is written, such as "tokens <>=subject of <>=object".
func NewDraft(text string) (*Draft, error) {
	p, err := rule.ParsePattern(text)
	if err != nil {
		return nil, fmt.Errorf("relation: %w", err)
	}
	s, err := rule.Compile([]rule.Rule{{Name: "one", Pattern: p}})
	return &Draft{s}, err
}

// Matches reports whether it matches an instance with its arguments. One that would take too
// long does not.
func (d *Draft) Matches(x Instance) bool {
	_, ok := d.Find(x)
	return ok
}

// Find returns how it matches an instance with its arguments, if it does.
func (d *Draft) Find(x Instance) (rule.Match, bool) {
	found, _ := d.set.Matches(x.Doc) // its only error is that it took too long
	k := slices.IndexFunc(found, func(m rule.Match) bool { return m.Subject == x.Subject && m.Object == x.Object })
	if k < 0 {
		return rule.Match{}, false
	}
	return found[k], true
}

// Faithful reports whether a rule as it is written can be read and matches an instance with
// its arguments.
func Faithful(text string, x Instance) (bool, error) {
	d, err := NewDraft(text)
	if err != nil {
		return false, err
	}
	return d.Matches(x), nil
}
