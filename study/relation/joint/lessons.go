package joint

import (
	"errors"
	"math"
	weakrand "math/rand/v2"
	"slices"

	"sotto/study/language"
	"sotto/study/relation"
	"sotto/study/relation/rule"
)

// some returns a share of rules, in their order, drawn by a seed.
func some(f *rule.File, share float64, seed uint64) *rule.File {
	most := int(math.Round(share * float64(len(f.Rules))))
	which := weakrand.New(weakrand.NewPCG(seed, 0x73686172)).Perm(len(f.Rules))[:max(most, min(1, len(f.Rules)))]
	slices.Sort(which)
	few := &rule.File{}
	for _, k := range which {
		few.Rules = append(few.Rules, f.Rules[k])
	}
	return few
}

// lesson is an instance to learn from, with what is to be learnt.
type lesson struct {
	relation.Instance
	rule int // −1 for none
}

// lessons says what is to be learnt from instances: on rules and labels, each has its true
// relation; on rules alone, it has the relation of the best rule that matches. The rule to
// write is that of [relation.Rules.Targets].
//
// On rules alone, the pairs that have no relation are those that no rule matches in
// sentences in which one matches another pair, but for the inverse of that pair; where a set
// has one pair a sentence, they are those that the set says have none.
func lessons(all []relation.Instance, rules *relation.Rules, on string) []lesson {
	all = relation.Lessons(all)
	if on == RulesAndLabels {
		return withRules(all, rules)
	}
	found := rules.ExplainAll(all, func(relation.Instance) string { return relation.Any })
	pairs, matched := map[*language.Document]int{}, map[*language.Document][]relation.Instance{}
	for k, x := range all {
		if pairs[x.Doc]++; found[k] >= 0 {
			matched[x.Doc] = append(matched[x.Doc], x)
		}
	}
	var kept []relation.Instance
	for k, x := range all {
		inverse := func(y relation.Instance) bool { return y.Subject == x.Object && y.Object == x.Subject }
		switch {
		case found[k] >= 0:
			x.Relation = rules.File.Rules[found[k]].Relation
		case len(matched[x.Doc]) > 0 && !slices.ContainsFunc(matched[x.Doc], inverse), pairs[x.Doc] == 1 && x.Relation == relation.None:
			x.Relation = relation.None
		default:
			continue
		}
		kept = append(kept, x)
	}
	return withRules(kept, rules)
}

// withRules returns instances with the rule to write about each.
func withRules(all []relation.Instance, rules *relation.Rules) []lesson {
	var out []lesson
	for k, n := range rules.Targets(all) {
		out = append(out, lesson{all[k], n})
	}
	return out
}

// check refuses data that cannot be learnt from.
func (d Data) check() error {
	switch {
	case d.Rules == nil || len(d.Rules.Rules) == 0:
		return errors.New("joint: there are no rules, must be some: write them, or induce them from the training part")
	case len(d.Train) == 0 || len(d.Dev) == 0:
		return errors.New("joint: there is no instance to learn from or to choose by, must be some of each")
	case d.Vectors == nil || d.Vectors.Dim() < 1:
		return errors.New("joint: there are no vectors of words, must be some")
	}
	for _, x := range slices.Concat(d.Train, d.Dev) {
		if n := len(x.Doc.Tokens); x.Subject.First < 0 || x.Subject.End > n || x.Object.First < 0 || x.Object.End > n || x.Subject.First >= x.Subject.End || x.Object.First >= x.Object.End {
			return errors.New("joint: an argument is not within its sentence, must be")
		}
	}
	return nil
}
