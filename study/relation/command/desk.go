package relation

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"sotto/study/language"
	"sotto/study/relation"
	"sotto/study/relation/induce"
	"sotto/study/relation/rule"
)

// This part of the package lets a person look over rules and what they find: each rule with the
// sentences that it matches, a verdict on what it found there, and an edited pattern with
// what it would change before it is kept.
//
// Only the edited rule is matched again. What a person says of a finding goes before what
// the data set says.
//
//	d, err := NewDesk(set.Part(dataset.Train), file, trees)
//	change, err := d.Try("works-for", "tokens <person>=subject works at <org>=object")
//	err = d.Keep("works-for", "tokens <person>=subject works at <org>=object")
//	err = os.WriteFile("mine.rules", []byte(d.File(false).String()), 0o644)

// say is a verdict on what a rule found.
type say string

// What can be said.
const (
	Right   say = "right"
	Wrong   say = "wrong"
	nothing say = "nothing" // a verdict is taken back
)

// Finding is two arguments and the relation that they are said to have.
type Finding struct {
	Instance int    `json:"instance"` // its place among those of the desk
	Relation string `json:"relation"`
}

// Desk is rules under review. It is safe for concurrent use.
type Desk struct {
	all   []relation.Instance
	trees language.Annotator // of sentences beside rules
	first relation.Score     // with the rules as they came

	mu       sync.Mutex // guards the rest
	rest     []string   // comment behind the last rule
	rules    []*held
	verdicts map[Finding]bool // whether it is right
}

// held is a rule and what it finds.
type held struct {
	rule   rule.Rule
	found  []int // instances, in order
	out    bool  // rejected
	edited bool
}

// NewDesk matches the rules of a file with instances, of which those of a sentence stand one
// behind another. Trees annotates sentences beside rules.
func NewDesk(all []relation.Instance, f *rule.File, trees language.Annotator) (*Desk, error) {
	if len(all) == 0 || len(f.Rules) == 0 {
		return nil, fmt.Errorf("review: there are %d pairs of entities and %d rules, must be some of each", len(all), len(f.Rules))
	}
	d := &Desk{all: all, trees: trees, rest: f.Rest, verdicts: map[Finding]bool{}}
	found, err := d.match(f.Rules)
	if err != nil {
		return nil, err
	}
	for k, r := range f.Rules {
		d.rules = append(d.rules, &held{rule: r, found: found[k]})
	}
	d.first = d.score(d.rules).total()
	return d, nil
}

// match returns which instances each rule finds. A rule that takes too long in a sentence
// finds nothing there.
func (d *Desk) match(rules []rule.Rule) ([][]int, error) {
	s, err := rule.Compile(rules)
	if err != nil {
		return nil, err
	}
	found := make([][]int, len(rules))
	for from := 0; from < len(d.all); {
		doc, to := d.all[from].Doc, from+1
		for to < len(d.all) && d.all[to].Doc == doc {
			to++
		}
		matches, err := s.Matches(doc)
		if err != nil && !errors.Is(err, rule.ErrBudget) {
			return nil, err
		}
		for _, m := range matches {
			for k := from; k < to; k++ {
				if d.all[k].Subject == m.Subject && d.all[k].Object == m.Object {
					found[m.Rule] = append(found[m.Rule], k)
				}
			}
		}
		from = to
	}
	for k := range found {
		slices.Sort(found[k])
		found[k] = slices.Compact(found[k])
	}
	return found, nil
}

// right reports whether a relation is that of an instance, by verdict or by the data.
func (d *Desk) right(f Finding) bool {
	if said, ok := d.verdicts[f]; ok {
		return said
	}
	return d.all[f.Instance].Relation == f.Relation
}

// tally counts findings by relation.
type tally map[string]*relation.Tally

func (t tally) of(name string) *relation.Tally {
	if t[name] == nil {
		t[name] = &relation.Tally{}
	}
	return t[name]
}

// total returns the score over all relations.
func (t tally) total() relation.Score {
	var all relation.Tally
	for _, c := range t {
		all.Add(*c)
	}
	return all.Score()
}

// score counts what rules find, each finding once.
func (d *Desk) score(rules []*held) tally {
	t := tally{}
	seen := map[Finding]bool{}
	for _, h := range rules {
		if h.out {
			continue
		}
		for _, i := range h.found {
			f := Finding{i, h.rule.Relation}
			if seen[f] {
				continue
			}
			seen[f] = true
			if d.right(f) {
				t.of(f.Relation).Right++
			} else {
				t.of(f.Relation).Wrong++
			}
		}
	}
	miss := func(f Finding) {
		if d.right(f) && !seen[f] {
			t.of(f.Relation).Missed++
		}
	}
	for i, x := range d.all {
		if x.Relation != relation.None {
			miss(Finding{i, x.Relation})
		}
	}
	for f := range d.verdicts {
		if d.all[f.Instance].Relation != f.Relation {
			miss(f)
		}
	}
	return t
}

// place returns the rule of a name.
func (d *Desk) place(name string) (int, error) {
	k := slices.IndexFunc(d.rules, func(h *held) bool { return h.rule.Name == name })
	if k < 0 {
		return k, errors.New("review: there is no such rule any more")
	}
	return k, nil
}

// edited returns a rule with another pattern, and what it finds.
func (d *Desk) edited(k int, pattern string) (*held, []rule.Test, error) {
	p, err := rule.ParsePattern(pattern)
	if err != nil {
		return nil, nil, err
	}
	h := *d.rules[k]
	h.rule.Pattern, h.edited = p, true
	if found, err := d.match([]rule.Rule{h.rule}); err == nil {
		h.found = found[0]
	} else {
		return nil, nil, err
	}
	var failed []rule.Test
	h.rule.Tests = slices.DeleteFunc(slices.Clone(h.rule.Tests), func(t rule.Test) bool {
		one := h.rule
		one.Tests = []rule.Test{t}
		fails := (&rule.File{Rules: []rule.Rule{one}}).Check(d.trees) != nil
		if fails {
			failed = append(failed, t)
		}
		return fails
	})
	return &h, failed, nil
}

// Keep gives a rule another pattern. Sentences beside it that no longer hold are dropped.
func (d *Desk) Keep(name, pattern string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	k, err := d.place(name)
	if err != nil {
		return err
	}
	h, _, err := d.edited(k, pattern)
	if err != nil {
		return err
	}
	d.rules[k] = h
	return nil
}

// Add adds a rule behind the others.
func (d *Desk) Add(name, kind, pattern string) error {
	f, err := rule.Parse(strings.NewReader(fmt.Sprintf("rule %s: %s\n  %s\n", line(name), line(kind), line(pattern))))
	if err != nil {
		return err
	}
	found, err := d.match(f.Rules)
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, err := d.place(f.Rules[0].Name); err == nil {
		return errors.New("review: a rule of this name is there already, must be another name")
	}
	d.rules = append(d.rules, &held{rule: f.Rules[0], found: found[0], edited: true})
	return nil
}

// line makes one line of a text.
func line(s string) string { return strings.Join(strings.Fields(s), " ") }

// Reject leaves a rule out, or takes it back in.
func (d *Desk) Reject(name string, out bool) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	k, err := d.place(name)
	if err == nil {
		d.rules[k].out = out
	}
	return err
}

// Judge says whether a finding is right, whatever the data says.
func (d *Desk) Judge(f Finding, say say) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if f.Instance < 0 || f.Instance >= len(d.all) || f.Relation == "" {
		return errors.New("review: a verdict is on a pair that there is, and a relation")
	}
	switch say {
	case Right, Wrong:
		d.verdicts[f] = say == Right
	case nothing:
		delete(d.verdicts, f)
	default:
		return fmt.Errorf("review: verdict is %.20q, must be %s, %s or %s", string(say), Right, Wrong, nothing)
	}
	return nil
}

// File returns the rules that were not rejected. With tests, sentences of which a person
// said whether a rule is right stand beside it, where the rule is as they say: texts of the
// data are then in the file.
func (d *Desk) File(tests bool) *rule.File {
	d.mu.Lock()
	defer d.mu.Unlock()
	f := &rule.File{Rest: d.rest}
	for _, h := range d.rules {
		if h.out {
			continue
		}
		r := h.rule
		if tests {
			r.Tests = append(slices.Clone(r.Tests), d.tests(h)...)
		}
		f.Rules = append(f.Rules, r)
	}
	return f
}

// tests returns the sentences with verdicts on a relation for which a rule is as they say,
// in order.
func (d *Desk) tests(h *held) []rule.Test {
	var all []rule.Test
	for i, x := range d.all {
		said, ok := d.verdicts[Finding{i, h.rule.Relation}]
		if _, found := slices.BinarySearch(h.found, i); !ok || found != said {
			continue
		}
		one, err := rule.Parse(strings.NewReader(fmt.Sprintf("rule %s: %s\n  %s\n  %s %s\n", h.rule.Name, h.rule.Relation, rule.Written(h.rule.Pattern), yes(said), line(induce.Marked(x)))))
		if err != nil || one.Check(d.trees) != nil {
			continue // a sentence that cannot be written in a line, or has other words by itself
		}
		if t := one.Rules[0].Tests[0]; !slices.ContainsFunc(h.rule.Tests, func(u rule.Test) bool { return u.String() == t.String() }) {
			all = append(all, t)
		}
	}
	return all
}

// yes begins the line of a sentence that a rule must match, or must not.
func yes(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}
