package relation

import (
	"slices"
	"sync"

	"sotto/study/relation/rule"
)

// This part of the package shows a rule beside a relation only where it is one that explains it: where
// it can be read and matches the sentence with these two arguments. A network writes rules
// that look right and are not; those never pass.
//
//	g, err := NewGate(file)
//	…
//	rule, source := g.Explain(instance, "Work_For", "tokens <person>=subject of <org>=object")

// Gate holds the rules that are shown in place of those that do not pass. It may be used
// by several goroutines at once.
type Gate struct {
	rules  *Rules
	texts  []string // of the rules
	words  [][]string
	byText map[string][]int
	drafts drafts
}

// NewGate makes a gate of the rules of a file, the best first.
func NewGate(f *rule.File) (*Gate, error) {
	r, err := NewRules(f)
	if err != nil {
		return nil, err
	}
	g := &Gate{rules: r, byText: map[string][]int{}}
	for k, q := range f.Rules {
		text := rule.Written(q.Pattern)
		g.texts, g.words = append(g.texts, text), append(g.words, RuleWords(text))
		g.byText[text] = append(g.byText[text], k)
	}
	return g, nil
}

// Text returns the rule as it is written, such as "tokens <>=subject of <>=object".
func (g *Gate) Text(rule int) string { return g.texts[rule] }

// References returns the rules of a relation that match an instance, the best first; those
// of none are none.
func (g *Gate) References(x Instance, name string) []int {
	return g.Cases([]Instance{x})[0].References(name)
}

// Explain is [Case.Explain] of an instance.
func (g *Gate) Explain(x Instance, name, written string) (string, Source) {
	return g.Cases([]Instance{x})[0].Explain(name, written)
}

// GateCase is an instance before the gate. It may be used by several goroutines at once.
type GateCase struct {
	gate     *Gate
	instance Instance
	found    func() []rule.Match // in its sentence
}

// Cases returns a case for each instance. Those of a sentence that stand one behind another
// look for stored rules in it once, when the first of them is asked.
func (g *Gate) Cases(all []Instance) []GateCase {
	cases := make([]GateCase, len(all))
	for k, x := range all {
		cases[k] = GateCase{gate: g, instance: x}
		if k > 0 && x.Doc == all[k-1].Doc {
			cases[k].found = cases[k-1].found
			continue
		}
		cases[k].found = sync.OnceValue(func() []rule.Match { return g.rules.Matches(x.Doc) })
	}
	return cases
}

// References is [Gate.References] of the instance.
func (c GateCase) References(name string) []int {
	if name == None {
		return nil
	}
	var all []int
	for _, m := range c.found() {
		if m.Subject == c.instance.Subject && m.Object == c.instance.Object && c.gate.rules.File.Rules[m.Rule].Relation == name {
			all = append(all, m.Rule)
		}
	}
	return all
}

// Explain returns the rule to show beside a relation of the instance: what was written, if it
// can be read, matches the sentence with these arguments and is not known as the rule of
// another relation; otherwise, of the stored rules of the relation that match, the nearest
// to what was written, by [SentenceBLEU], and the better of two that are as near;
// otherwise none. Written is "" where nothing was.
func (c GateCase) Explain(name, written string) (string, Source) {
	g, fit := c.gate, c.References(name)
	if written != "" && c.passes(name, written, fit) {
		return written, Decoded
	}
	best, most := -1, -1.0
	words := RuleWords(written)
	for _, k := range fit {
		if near := SentenceBLEU(words, g.words[k]); near > most {
			best, most = k, near
		}
	}
	if best < 0 {
		return "", NoRule
	}
	return g.texts[best], Stored
}

// Holds reports whether what was written can be shown as it is beside a relation of the
// instance, in the sense of [Case.Explain].
func (c GateCase) Holds(name, written string) bool {
	return written != "" && c.passes(name, written, c.References(name))
}

// passes reports whether what was written explains the relation.
func (c GateCase) passes(name, written string, fit []int) bool {
	g := c.gate
	known := g.byText[written]
	for _, k := range known {
		if g.rules.File.Rules[k].Relation == name {
			return slices.ContainsFunc(fit, func(f int) bool { return g.texts[f] == written })
		}
	}
	return len(known) == 0 && g.drafts.matches(written, c.instance)
}

// Relation returns the relation of the first stored rule that is written so, or "".
func (g *Gate) Relation(text string) string {
	if known := g.byText[text]; len(known) > 0 {
		return g.rules.File.Rules[known[0]].Relation
	}
	return None
}

// Compare adds to b what was written as a rule, against those that would be right, as
// References gives them; where nothing was written, or there is none, it adds nothing.
func (g *Gate) Compare(b *BLEU, right []int, written string) {
	if len(right) == 0 || written == "" {
		return
	}
	references := make([][]string, len(right))
	for k, n := range right {
		references[k] = g.words[n]
	}
	b.Add(RuleWords(written), references...)
}
