package induce

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sotto/study/language"
	"sotto/study/language/english"
	"sotto/study/relation"
	"sotto/study/relation/rule"
)

// file makes rules of candidates, counts on the training instances how often each is right
// as the engine matches it, and puts the best first.
func (l *learner) file(chosen []*candidate) (*rule.File, error) {
	f := &rule.File{}
	numbers := map[int]int{}
	for _, c := range chosen {
		p, err := rule.ParsePattern(c.text)
		if err != nil {
			return nil, fmt.Errorf("induce: %s: %w", c.text, err)
		}
		numbers[c.relation]++
		name := fmt.Sprintf("%s-%d", plainly(l.relations[c.relation]), numbers[c.relation])
		f.Rules = append(f.Rules, rule.Rule{Name: name, Relation: l.relations[c.relation], Pattern: p})
	}
	if err := relation.Count(f, l.all); err != nil {
		return nil, err
	}
	f.Rules = slices.DeleteFunc(f.Rules, func(r rule.Rule) bool {
		return r.Right < l.Support || smoothed(r.Right, r.Tried) < l.Precision*smoothed(r.Right, r.Right)
	})
	slices.SortStableFunc(f.Rules, func(a, b rule.Rule) int {
		return cmp.Or(cmp.Compare(smoothed(b.Right, b.Tried), smoothed(a.Right, a.Tried)), cmp.Compare(b.Right, a.Right))
	})
	if l.Sentences {
		return f, l.sentences(f)
	}
	return f, nil
}

// plainly returns a relation as a part of a rule's name.
func plainly(name string) string {
	letters := func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_' {
			return r
		}
		return '-'
	}
	return strings.Trim(strings.ReplaceAll(strings.Map(letters, strings.ToLower(name)), "--", "-"), "-")
}

// sentences puts beside each rule the shortest sentence that it is right about, as the rule
// sees it when the file is read: with the tree of the sentence alone.
func (l *learner) sentences(f *rule.File) error {
	m, err := english.Model()
	if err != nil {
		return err
	}
	order := make([]int, len(l.all))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return len(l.all[a].Doc.Text) - len(l.all[b].Doc.Text) })
	r, err := relation.NewRules(f)
	if err != nil {
		return err
	}
	const tries = 3
	tried := make([]int, len(f.Rules))
	for _, k := range order {
		x := l.all[k]
		if x.Relation == relation.None {
			continue
		}
		for _, n := range r.Matching(x) {
			if f.Rules[n].Relation != x.Relation || len(f.Rules[n].Tests) > 0 || tried[n] == tries {
				continue
			}
			tried[n]++
			t, err := rule.ParseTest(true, Marked(x))
			if err != nil {
				continue
			}
			one := f.Rules[n]
			one.Tests = []rule.Test{t}
			if (&rule.File{Rules: []rule.Rule{one}}).Check(m.Trees()) == nil {
				f.Rules[n].Tests = one.Tests
			}
		}
	}
	return nil
}

// Marked returns the sentence of an instance as a test of a rule has it, with its entities
// in square brackets.
func Marked(x relation.Instance) string {
	escape := strings.NewReplacer(`\`, `\\`, `[`, `\[`, `]`, `\]`)
	var b strings.Builder
	at := 0
	for _, e := range x.Doc.Entities {
		b.WriteString(escape.Replace(x.Doc.Text[at:e.Start]) + "[" + string(e.Type) + role(x, e))
		b.WriteString(" " + escape.Replace(x.Doc.Text[e.Start:e.End]) + "]")
		at = e.End
	}
	return strings.Join(strings.Fields(b.String()+escape.Replace(x.Doc.Text[at:])), " ")
}

// role returns which argument an entity is.
func role(x relation.Instance, e language.Entity) string {
	switch relation.Tokens(x.Doc, e.Start, e.End) {
	case x.Subject:
		return "=subject"
	case x.Object:
		return "=object"
	}
	return ""
}
