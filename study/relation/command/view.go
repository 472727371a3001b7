package relation

import (
	"slices"

	"sotto/study/relation"
	"sotto/study/relation/rule"
)

// Part is words of a sentence: of the subject, of the object, or of neither.
type Part struct {
	Text string `json:"text"`
	Role string `json:"role,omitempty"` // subject or object
	Type string `json:"type,omitempty"` // of the argument
}

// sentence is a pair of arguments in its sentence, and what is said of it.
type sentence struct {
	Finding
	Parts []Part   `json:"parts"`
	Truth string   `json:"truth"` // as the data has it; "" for no relation
	Right bool     `json:"right"` // by verdict or by the data
	Said  say      `json:"said"`  // by the person, or nothing
	Rules []string `json:"rules"` // others that find the same
}

// ruleView is a rule and how it does.
type ruleView struct {
	Name     string   `json:"name"`
	Relation string   `json:"relation"`
	Pattern  string   `json:"pattern"`
	Comment  []string `json:"comment"`
	Right    int      `json:"right"`
	Wrong    int      `json:"wrong"`
	Rejected bool     `json:"rejected"`
	Edited   bool     `json:"edited"`
}

// Page says what is looked at.
type Page struct {
	Rule   string `json:"rule"`   // "" means the first one
	Found  int    `json:"found"`  // most sentences that the rule matches; 0 means 10
	Missed int    `json:"missed"` // most sentences whose relation no rule finds; 0 means 10
}

// View is what a person sees.
type View struct {
	Pairs     int                   `json:"pairs"`
	First     relation.Score        `json:"first"` // with the rules as they came, and no verdicts
	Now       relation.Score        `json:"now"`
	Relations []relation.NamedScore `json:"relations"`
	Rules     []ruleView            `json:"rules"`
	Verdicts  int                   `json:"verdicts"`

	Rule   ruleView   `json:"rule"` // that is looked at
	Tests  []string   `json:"tests"`
	Found  []sentence `json:"found"`  // by it, those that are wrong first
	Missed []sentence `json:"missed"` // of its relation, found by no rule
	Of     [2]int     `json:"of"`     // how many there are of both
}

// some is how many sentences are shown if nobody says.
const some = 10

// View returns what a page shows.
func (d *Desk) View(p Page) (View, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	t := d.score(d.rules)
	v := View{Pairs: len(d.all), First: d.first, Now: t.total(), Verdicts: len(d.verdicts), Tests: []string{}}
	v.Relations, _ = relation.SortScores(t)
	for _, h := range d.rules {
		v.Rules = append(v.Rules, d.viewed(h))
	}
	at := 0
	if p.Rule != "" {
		var err error
		if at, err = d.place(p.Rule); err != nil {
			return v, err
		}
	}
	h := d.rules[at]
	v.Rule = v.Rules[at]
	for _, t := range h.rule.Tests {
		v.Tests = append(v.Tests, t.String())
	}
	found, missed := d.wrongFirst(h), d.missed(h.rule.Relation)
	v.Of = [2]int{len(found), len(missed)}
	v.Found, v.Missed = d.sentences(h, found, p.Found), d.sentences(h, missed, p.Missed)
	return v, nil
}

func (d *Desk) viewed(h *held) ruleView {
	v := ruleView{Name: h.rule.Name, Relation: h.rule.Relation, Pattern: rule.Written(h.rule.Pattern), Comment: h.rule.Comment, Rejected: h.out, Edited: h.edited}
	for _, i := range h.found {
		if d.right(Finding{i, h.rule.Relation}) {
			v.Right++
		} else {
			v.Wrong++
		}
	}
	return v
}

// wrongFirst returns what a rule finds, first what is wrong.
func (d *Desk) wrongFirst(h *held) []int {
	var right, wrong []int
	for _, i := range h.found {
		if d.right(Finding{i, h.rule.Relation}) {
			right = append(right, i)
		} else {
			wrong = append(wrong, i)
		}
	}
	return append(wrong, right...)
}

// missed returns the instances of a relation that no rule finds.
func (d *Desk) missed(kind string) []int {
	found := map[int]bool{}
	for _, h := range d.rules {
		if !h.out && h.rule.Relation == kind {
			for _, i := range h.found {
				found[i] = true
			}
		}
	}
	var all []int
	for i := range d.all {
		if !found[i] && d.right(Finding{i, kind}) {
			all = append(all, i)
		}
	}
	return all
}

// sentences shows some instances as what a rule says of them.
func (d *Desk) sentences(h *held, instances []int, most int) []sentence {
	if most == 0 {
		most = some
	}
	all := []sentence{}
	for _, i := range instances[:min(max(most, 0), len(instances))] {
		f := Finding{i, h.rule.Relation}
		s := sentence{Finding: f, Parts: parts(d.all[i]), Truth: d.all[i].Relation, Right: d.right(f), Said: nothing, Rules: []string{}}
		if said, ok := d.verdicts[f]; ok {
			if s.Said = Wrong; said {
				s.Said = Right
			}
		}
		for _, other := range d.rules {
			if _, ok := slices.BinarySearch(other.found, i); ok && other != h && other.rule.Name != h.rule.Name && !other.out && other.rule.Relation == f.Relation {
				s.Rules = append(s.Rules, other.rule.Name)
			}
		}
		all = append(all, s)
	}
	return all
}

// change is what an edited rule would change.
type change struct {
	Pattern  string            `json:"pattern"` // as it would be written
	Before   relation.Score    `json:"before"`  // over all relations
	After    relation.Score    `json:"after"`
	Relation [2]relation.Score `json:"relation"` // of the rule's relation, before and after
	Rule     [2]relation.Score `json:"rule"`     // of the rule alone, which misses nothing
	Gained   []sentence        `json:"gained"`   // that it would find, and does not now
	Lost     []sentence        `json:"lost"`     // that it finds now, and would not
	Of       [2]int            `json:"of"`       // how many there are of both
	Dropped  []string          `json:"dropped"`  // sentences beside the rule that would not hold any more
}

// Try says what a rule with another pattern would change, and changes nothing. Of the rules,
// it alone is matched again.
func (d *Desk) Try(name, pattern string) (change, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	k, err := d.place(name)
	if err != nil {
		return change{}, err
	}
	h, failed, err := d.edited(k, pattern)
	if err != nil {
		return change{}, err
	}
	was := d.rules[k]
	rules := slices.Clone(d.rules)
	rules[k] = h
	before, after := d.score(d.rules), d.score(rules)
	c := change{Pattern: rule.Written(h.rule.Pattern), Before: before.total(), After: after.total(), Dropped: []string{}}
	for i, t := range []tally{before, after} {
		c.Relation[i] = t.of(h.rule.Relation).Score()
	}
	for i, h := range []*held{was, h} {
		v := d.viewed(h)
		c.Rule[i] = relation.Tally{Right: v.Right, Wrong: v.Wrong}.Score()
	}
	gained, lost := without(h.found, was.found), without(was.found, h.found)
	c.Of = [2]int{len(gained), len(lost)}
	c.Gained, c.Lost = d.sentences(h, gained, some), d.sentences(h, lost, some)
	for _, t := range failed {
		c.Dropped = append(c.Dropped, t.String())
	}
	return c, nil
}

// without returns the numbers of a that are not in b, both in order.
func without(a, b []int) []int {
	return slices.DeleteFunc(slices.Clone(a), func(i int) bool {
		_, ok := slices.BinarySearch(b, i)
		return ok
	})
}

// parts cuts a sentence at its arguments.
func parts(x relation.Instance) []Part {
	subject, object := x.Types()
	arguments := []struct {
		span rule.Span
		Part
	}{{x.Subject, Part{Role: "subject", Type: string(subject)}}, {x.Object, Part{Role: "object", Type: string(object)}}}
	if x.Object.First < x.Subject.First {
		slices.Reverse(arguments)
	}
	var all []Part
	at := 0
	for _, a := range arguments {
		start, end := x.Doc.Tokens[a.span.First].Start, x.Doc.Tokens[a.span.End-1].End
		if start > at {
			all = append(all, Part{Text: x.Doc.Text[at:start]})
		}
		a.Text = x.Doc.Text[start:end]
		all = append(all, a.Part)
		at = end
	}
	if at < len(x.Doc.Text) {
		all = append(all, Part{Text: x.Doc.Text[at:]})
	}
	return all
}
