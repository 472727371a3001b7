// Package judge measures how well rules alone find relations, on public data sets whose
// entities are given: rules that are built in, rules that are learnt from the training part,
// both together, and rules of one's own.
//
//	r, err := judge.Run(ctx, judge.Options{Data: "conll04"})
package judge

import (
	"context"
	_ "embed" // the rules that are built in
	"fmt"
	"slices"
	"strings"

	"sotto/data/dataset"
	"sotto/study/language"
	"sotto/study/relation"
	"sotto/study/relation/induce"
	"sotto/study/relation/rule"
)

//go:embed conll04.rules
var conll04 string

// HasRules reports whether rules are built in for a data set.
func HasRules(data string) bool { return data == "conll04" || data == "biographies" }

// Rules returns the rules that are built in for a data set: those of this package for
// conll04, and those of package relation for biographies. An error says where there are none.
func Rules(data string) (*rule.File, error) {
	switch data {
	case "conll04":
		return rule.Parse(strings.NewReader(conll04))
	case "biographies":
		return Personal(data)
	}
	return nil, fmt.Errorf("judge: there are no rules built in for %.40q, only for biographies and conll04: learn them, or give rules of your own", data)
}

// called are the names that data sets have for what package relation finds.
var called = map[string]map[string]string{
	"conll04": {"employer": "Work_For", "residence": "Live_In", "birth_place": "Live_In"},
	"biographies": {
		"employer": "employer", "member_of": "member_of", "education": "education", "birth_place": "birth_place", "death_place": "death_place",
		"wife": "wife", "husband": "husband", "father": "father", "mother": "mother", "son": "son", "daughter": "daughter", "brother": "brother", "sister": "sister",
	},
}

// Personal returns the rules of package relation for relations of a data set, under the
// names that they have there.
func Personal(data string) (*rule.File, error) {
	f, err := relation.PersonalRules()
	if err != nil {
		return nil, err
	}
	if called[data] == nil {
		return nil, fmt.Errorf("judge: data is %.40q, must be biographies or conll04: the relations of the others are not personal", data)
	}
	kept := &rule.File{}
	for _, r := range f.Rules {
		if r.Relation = called[data][r.Relation]; r.Relation != "" {
			r.Tests = nil // they are tried where the rules are
			kept.Rules = append(kept.Rules, r)
		}
	}
	return kept, nil
}

// Options of [Run].
type Options struct {
	Data   string       // one of [dataset.RelationSets]
	Dir    string       // folder of data sets; "" means [dataset.Dir]
	Part   dataset.Part // "" means test
	Rules  *rule.File   // nil means those of [Rules], where there are any
	Induce bool         // learn rules from the training part, too; always so where there are none
	// Sentences puts a training sentence beside each learnt rule, where the licence of the
	// data set lets one show it.
	Sentences bool
	Progress  func(done, total int) // hears how many texts are done; may be nil
}

// Counts are relations: found and right, found and wrong, and not found.
type Counts = relation.Tally

// Score is the shares of counts.
type Score = relation.Score

// Named is the score of a relation or a rule.
type Named = relation.NamedScore

// Result is what was measured: the score over all relations, each counted alike.
type Result struct {
	Format string `json:"format"`
	Data   string `json:"data"`
	Part   string `json:"part"`
	Texts  int    `json:"texts"`
	Rules  int    `json:"rules"`
	Score
	MacroF1   float64 `json:"macro_f1"` // mean over the relations that there are; those of semeval2010 without direction
	Relations []Named `json:"relations"`
	ByRule    []Named `json:"by_rule"`
	New       *Score  `json:"new_texts,omitempty"` // on texts that stand in no other part; absent where all do
	Repeated  int     `json:"repeated_texts"`
	// Own is the score on the relations that the rules are for, where there are others.
	Own *Score `json:"own_relations,omitempty"`
	// Apart counts relations of which no sentence names both sides; they are missed.
	Apart int `json:"apart,omitempty"`
	// Compared has the score of rules by hand, learnt ones and both, where rules were
	// learnt; the score above is that of both, or of the learnt ones where there are no others.
	Compared []Compared `json:"compared,omitempty"`
	// Domains has the score of rules that were learnt from one part of fewrel on another, for
	// the relations that both have.
	Domains []Domain `json:"domains,omitempty"`
}

// Compared is the score of some of the rules.
type Compared struct {
	Name  string `json:"name"` // hand, induced or both
	Rules int    `json:"rules"`
	Score
	MacroF1 float64 `json:"macro_f1"`
}

// Domain is the score of rules of one kind of texts on another.
type Domain struct {
	From  string `json:"from"`
	On    string `json:"on"`
	Rules int    `json:"rules"`
	Score
	MacroF1 float64 `json:"macro_f1"`
}

// Run measures rules on a data set. A pair of entities is told to have the relation of the
// first rule that matches it, and is right if that is the true one; what a rule finds
// between other words than the given entities does not count.
func Run(ctx context.Context, o Options) (*Result, error) {
	r, _, err := Measure(ctx, o)
	return r, err
}

// Measure is [Run], and returns the rules, too.
func Measure(ctx context.Context, o Options) (*Result, *rule.File, error) {
	if o.Part == "" {
		o.Part = dataset.Test
	}
	hand := o.Rules
	if hand == nil && HasRules(o.Data) {
		var err error
		if hand, err = Rules(o.Data); err != nil {
			return nil, nil, err
		}
	}
	s, err := relation.Prepare(ctx, relation.Options{Data: o.Data, Dir: o.Dir, Progress: o.Progress})
	if err != nil {
		return nil, nil, err
	}
	on := s.Part(o.Part)
	if len(on) == 0 {
		return nil, nil, fmt.Errorf("judge: part is %.20q, which %s does not have", o.Part, o.Data)
	}
	j := &judge{Options: o, set: s, on: on, hand: hand}
	if hand != nil && !o.Induce {
		return j.result(hand)
	}
	return j.compare(ctx)
}

// judge measures rules on instances.
type judge struct {
	Options
	set  *relation.Set
	on   []relation.Instance
	hand *rule.File // may be nil
}

// Induced returns how rules are learnt of a data set: arguments are described by their words
// where they are no names.
func Induced(data string) induce.Options { return induce.Options{Words: data == "semeval2010"} }

// compare learns rules, and measures them alone and with those by hand.
func (j *judge) compare(ctx context.Context) (*Result, *rule.File, error) {
	train := j.set.Part(dataset.Train)
	o := Induced(j.Data)
	o.Sentences = j.Sentences && (j.Data == "semeval2010" || j.Data == "fewrel")
	learnt, err := induce.Rules(ctx, train, o)
	if err != nil {
		return nil, nil, err
	}
	files := map[string]*rule.File{"induced": learnt}
	if j.hand != nil {
		both, fault := Together(j.hand, learnt, train)
		if fault != nil {
			return nil, nil, fault
		}
		files["hand"], files["both"] = j.hand, both
	}
	var compared []Compared
	for _, name := range []string{"hand", "induced", "both"} {
		f := files[name]
		if f == nil {
			continue
		}
		r, fault := tell(f, j.on, j.set.Apart[j.Part])
		if fault != nil {
			return nil, nil, fault
		}
		compared = append(compared, Compared{name, len(f.Rules), r.Score, r.MacroF1})
		learnt = f
	}
	r, f, err := j.result(learnt)
	if err != nil {
		return nil, nil, err
	}
	r.Compared = compared
	r.Domains, err = j.domains(ctx)
	return r, f, err
}

// Together returns the rules of two files, those first that are most often right about
// training instances. Names that are in both are those of the first.
func Together(first, second *rule.File, train []relation.Instance) (*rule.File, error) {
	f := &rule.File{Rules: slices.Clone(first.Rules)}
	known := map[string]bool{}
	for _, r := range f.Rules {
		known[r.Name] = true
	}
	for _, r := range second.Rules {
		for known[r.Name] {
			r.Name += "-learnt"
		}
		known[r.Name] = true
		f.Rules = append(f.Rules, r)
	}
	if err := relation.Count(f, train); err != nil {
		return nil, err
	}
	slices.SortStableFunc(f.Rules, func(a, b rule.Rule) int {
		switch x, y := a.Confidence(), b.Confidence(); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	return f, nil
}

// domains measures rules that were learnt from one group of a set on another.
func (j *judge) domains(ctx context.Context) ([]Domain, error) {
	if j.Data != "fewrel" {
		return nil, nil
	}
	of := func(p dataset.Part, group string) []relation.Instance {
		return slices.DeleteFunc(j.set.Part(p), func(x relation.Instance) bool { return x.Group != group })
	}
	var all []Domain
	for _, from := range []string{"wiki", "nyt"} {
		train := of(dataset.Train, from)
		f, err := induce.Rules(ctx, train, Induced(j.Data))
		if err != nil {
			return nil, err
		}
		known := map[string]bool{}
		for _, x := range train {
			known[x.Relation] = true
		}
		for _, on := range []string{"wiki", "nyt"} {
			shared := slices.DeleteFunc(of(j.Part, on), func(x relation.Instance) bool { return !known[x.Relation] })
			r, err := tell(f, shared, 0)
			if err != nil {
				return nil, err
			}
			all = append(all, Domain{from, on, len(f.Rules), r.Score, r.MacroF1})
		}
	}
	return all, nil
}

// tell compares what rules say of instances with what is true. More relations are missed
// that no instance has.
func tell(f *rule.File, on []relation.Instance, more int) (relation.ScoreResult, error) {
	r, err := relation.NewRules(f)
	if err != nil {
		return relation.ScoreResult{}, err
	}
	want, got := make([]string, len(on)), make([]string, len(on))
	for k, n := range r.ExplainAll(on, func(relation.Instance) string { return relation.Any }) {
		if want[k] = on[k].Relation; n >= 0 {
			got[k] = f.Rules[n].Relation
		}
	}
	return relation.ScoreOf(want, got, more), nil
}

// result measures rules, and says how often each is right.
func (j *judge) result(f *rule.File) (*Result, *rule.File, error) {
	apart := j.set.Apart[j.Part]
	told, err := tell(f, j.on, apart)
	if err != nil {
		return nil, nil, err
	}
	r := &Result{
		Format: Format, Data: j.Data, Part: string(j.Part), Rules: len(f.Rules), Apart: apart,
		Score: told.Score, MacroF1: told.MacroF1, Relations: told.Relations,
	}
	counted := &rule.File{Rules: slices.Clone(f.Rules)}
	if err = relation.Count(counted, j.on); err != nil {
		return nil, nil, err
	}
	for _, c := range counted.Rules {
		r.ByRule = append(r.ByRule, Named{Name: c.Name, Score: Counts{Right: c.Right, Wrong: c.Tried - c.Right}.Score()})
	}
	var last *language.Document
	for _, x := range j.on {
		if x.Doc == last {
			continue
		}
		last = x.Doc
		if r.Texts++; x.Repeated {
			r.Repeated++
		}
	}
	if r.Own, err = j.own(f); err != nil {
		return nil, nil, err
	}
	if fresh := relation.Fresh(j.on); len(fresh) > 0 {
		told, err := tell(f, fresh, apart)
		if err != nil {
			return nil, nil, err
		}
		r.New = &told.Score
	}
	return r, f, nil
}

// own returns the score on the relations that rules are for; nil where there are no others.
func (j *judge) own(f *rule.File) (*Score, error) {
	known := map[string]bool{}
	for _, r := range f.Rules {
		known[r.Relation] = true
	}
	others := false
	on := slices.Clone(j.on)
	for k, x := range on {
		if x.Relation != relation.None && !known[x.Relation] {
			on[k].Relation, others = relation.None, true
		}
	}
	if !others {
		return nil, nil
	}
	told, err := tell(f, on, 0)
	return &told.Score, err
}
