package judge

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"sotto/data/dataset"
	"sotto/study/relation"
	"sotto/study/relation/rule"
)

// This part of the package measures models that tell relations, on a part of a data set: how many
// relations they tell rightly, how well they write the rules that explain them, and how many
// of the explanations are faithful.
//
//	r, err := MeasureModel(ctx, model, set, ModelOptions{Part: dataset.Test})

// ModelShares are where the rules come from that stand beside relations that were told.
type ModelShares struct {
	Decoded float64 `json:"decoded"` // the model wrote it, and it matches
	Stored  float64 `json:"stored"`  // the nearest stored rule that matches
	None    float64 `json:"none"`    // no rule matches
}

// ModelNumbers are what is measured, as shares.
type ModelNumbers struct {
	MacroF1   float64 `json:"macro_f1"` // mean over relations; the official measure of SemEval-2010
	MicroF1   float64 `json:"micro_f1"` // over all relations
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	// BLEU is of the rules that were written, against all rules of the true relation that
	// match, where there are some: Written instances.
	BLEU    float64 `json:"bleu"`
	Written int     `json:"written"`
	// GreedyBLEU is of what is written with the likeliest piece each time, as published.
	GreedyBLEU float64 `json:"bleu_greedy"`
	// Faithful is the share of the relations told whose rule, as the model wrote it, can be
	// read and matches the sentence with these arguments.
	Faithful float64     `json:"faithful"`
	Rules    ModelShares `json:"rules"`
}

// ModelResult is what was measured.
type ModelResult struct {
	Format    string `json:"format"`
	Data      string `json:"data"`
	Part      string `json:"part"`
	Model     string `json:"model"` // in words
	Instances int    `json:"instances"`
	ModelNumbers
	Relations []relation.NamedScore `json:"relations"`
	New       *ModelNumbers         `json:"new_texts,omitempty"` // on texts that stand in no other part; absent where all do
	Repeated  int                   `json:"repeated_instances"`
	// Seeds are the results of several trainings, of which the numbers above are the means;
	// absent where there was one.
	Seeds []ModelSeed `json:"seeds,omitempty"`
	// Deviation is that of the mean of F1 over seeds; absent where there was one.
	Deviation *float64 `json:"macro_f1_deviation,omitempty"`
}

// ModelSeed is the result of one training.
type ModelSeed struct {
	Seed uint64 `json:"seed"`
	ModelNumbers
}

// ModelOptions of [Measure].
type ModelOptions struct {
	Part  dataset.Part // "" means test
	Model string       // in words, for the result
	Rules *rule.File   // those that a rule is right by; nil where none is written
}

// MeasureModel tells the relations of a part of a set by a model, and compares.
func MeasureModel(ctx context.Context, m relation.Model, s *relation.Set, o ModelOptions) (*ModelResult, error) {
	if o.Part == "" {
		o.Part = dataset.Test
	}
	all := s.Part(o.Part)
	if len(all) == 0 {
		return nil, fmt.Errorf("outcome: part is %q, which %s does not have", o.Part, s.Name)
	}
	told, err := m.Judge(ctx, all)
	if err != nil {
		return nil, err
	}
	rules := o.Rules
	if rules == nil {
		rules = &rule.File{}
	}
	g, err := relation.NewGate(rules)
	if err != nil {
		return nil, err
	}
	r := &ModelResult{Format: ModelFormat, Data: s.Name, Part: string(o.Part), Model: o.Model, Instances: len(all)}
	numbers, relations := count(g, all, told, s.Apart[o.Part])
	r.ModelNumbers, r.Relations = numbers, relations
	var fresh []relation.Instance
	var said []relation.Verdict
	for k, x := range all {
		if !x.Repeated {
			fresh, said = append(fresh, x), append(said, told[k])
		}
	}
	if r.Repeated = len(all) - len(fresh); r.Repeated > 0 && len(fresh) > 0 {
		n, _ := count(g, fresh, said, s.Apart[o.Part])
		r.New = &n
	}
	return r, nil
}

// count makes numbers of what was told.
func count(g *relation.Gate, all []relation.Instance, told []relation.Verdict, apart int) (ModelNumbers, []relation.NamedScore) {
	want, got := make([]string, len(all)), make([]string, len(all))
	var bleu, greedy relation.BLEU
	sources, some := map[relation.Source]int{}, 0
	for k, x := range all {
		want[k], got[k] = x.Relation, told[k].Relation
		if told[k].Relation != relation.None {
			sources[told[k].Source]++
			some++
		}
		right := g.References(x, x.Relation)
		g.Compare(&bleu, right, told[k].Wrote)
		g.Compare(&greedy, right, told[k].Greedy)
	}
	r := relation.ScoreOf(want, got, apart)
	share := func(s relation.Source) float64 { return float64(sources[s]) / float64(max(some, 1)) }
	n := ModelNumbers{MacroF1: r.MacroF1, MicroF1: r.F1, Precision: r.Precision, Recall: r.Recall, BLEU: bleu.Value(), GreedyBLEU: greedy.Value(), Written: bleu.Texts}
	n.Rules = ModelShares{share(relation.Decoded), share(relation.Stored), share(relation.NoRule)}
	n.Faithful = n.Rules.Decoded
	return n, r.Relations
}

// ModelMean returns the result of several trainings, which is that of the first with the means
// of all numbers.
func ModelMean(results []*ModelResult, seeds []uint64) (*ModelResult, error) {
	if len(results) == 0 || len(results) != len(seeds) {
		return nil, errors.New("outcome: there are not as many results as seeds, must be, and at least one")
	}
	if len(results) == 1 {
		return results[0], nil
	}
	all := *results[0]
	var each, fresh []ModelNumbers
	for k, r := range results {
		if all.Seeds = append(all.Seeds, ModelSeed{seeds[k], r.ModelNumbers}); r.New != nil {
			fresh = append(fresh, *r.New)
		}
		each = append(each, r.ModelNumbers)
	}
	all.ModelNumbers = mean(each)
	if all.New != nil {
		n := mean(fresh)
		all.New = &n
	}
	square := 0.0
	for _, n := range each {
		square += float64((n.MacroF1 - all.MacroF1) * (n.MacroF1 - all.MacroF1))
	}
	deviation := math.Sqrt(square / float64(len(each)-1))
	all.Deviation = &deviation
	all.Relations = meanNamed(results)
	return &all, nil
}

func mean(all []ModelNumbers) ModelNumbers {
	of := func(f func(ModelNumbers) float64) float64 {
		sum := 0.0
		for _, n := range all {
			sum += f(n)
		}
		return sum / float64(len(all))
	}
	return ModelNumbers{
		MacroF1: of(func(n ModelNumbers) float64 { return n.MacroF1 }), MicroF1: of(func(n ModelNumbers) float64 { return n.MicroF1 }),
		Precision: of(func(n ModelNumbers) float64 { return n.Precision }), Recall: of(func(n ModelNumbers) float64 { return n.Recall }),
		BLEU: of(func(n ModelNumbers) float64 { return n.BLEU }), Written: int(math.Round(of(func(n ModelNumbers) float64 { return float64(n.Written) }))),
		GreedyBLEU: of(func(n ModelNumbers) float64 { return n.GreedyBLEU }), Faithful: of(func(n ModelNumbers) float64 { return n.Faithful }),
		Rules: ModelShares{
			of(func(n ModelNumbers) float64 { return n.Rules.Decoded }), of(func(n ModelNumbers) float64 { return n.Rules.Stored }),
			of(func(n ModelNumbers) float64 { return n.Rules.None }),
		},
	}
}

// meanNamed adds up the counts of relations over results.
func meanNamed(results []*ModelResult) []relation.NamedScore {
	by := map[string]*relation.Tally{}
	for _, r := range results {
		for _, n := range r.Relations {
			if by[n.Name] == nil {
				by[n.Name] = &relation.Tally{}
			}
			by[n.Name].Add(n.Tally)
		}
	}
	all, _ := relation.SortScores(by)
	return slices.Clip(all)
}
