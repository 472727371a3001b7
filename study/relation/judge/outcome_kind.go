package judge

import (
	"errors"
	"fmt"

	"sotto/compute/measure"
	"sotto/evidence"
	"sotto/evidence/page"
)

// ModelFormat is that of a stored [Result].
const ModelFormat = "sotto-relations-model-1"

// ModelKind is what "sotto relations train" and "sotto relations evaluate" store, for reports and
// gates.
var ModelKind = evidence.Kind[ModelResult]{
	Format: ModelFormat, Name: "relation model", List: "relation_models",
	Check:    (*ModelResult).check,
	Section:  evidence.Each("Relations by a model", (*ModelResult).sections),
	Summary:  evidence.Said((*ModelResult).sentence, nil),
	Subjects: (*ModelResult).subjects,
}

func (r *ModelResult) check() error {
	if len(r.Relations) == 0 {
		return errors.New("outcome: the result has no relations, must have some")
	}
	for _, v := range []float64{r.MacroF1, r.MicroF1, r.Precision, r.Recall, r.BLEU, r.GreedyBLEU, r.Faithful, r.Rules.Decoded, r.Rules.Stored, r.Rules.None} {
		if !(v >= 0 && v <= 1) {
			return fmt.Errorf("outcome: a share is %v, must be from 0 to 1", v)
		}
	}
	return nil
}

func (r *ModelResult) subjects() []evidence.Subject {
	numbers := map[string]measure.Estimate{}
	for name, v := range map[string]float64{
		"macro_f1": r.MacroF1, "micro_f1": r.MicroF1, "precision": r.Precision, "recall": r.Recall, "bleu": r.BLEU, "bleu_greedy": r.GreedyBLEU, "faithful": r.Faithful,
	} {
		numbers[name] = evidence.Exactly(measure.Number(v))
	}
	return []evidence.Subject{{
		Name:    fmt.Sprintf("relations of %s by %s", page.FileName(r.Data), r.Model),
		Match:   evidence.Match{Data: r.Data, Method: "relations", Test: r.Part},
		Numbers: numbers,
	}}
}

func (r *ModelResult) sentence() string {
	return fmt.Sprintf("A model tells the relations of %s with a mean F1 of %s %%, and the rule that it writes beside one matches the sentence in %s %%.", page.FileName(r.Data), percent(r.MacroF1), percent(r.Faithful))
}

func (r *ModelResult) sections() []page.Section {
	t := &page.Table{Caption: "Relations that a model tells between given entities, in percent", Head: page.Heads("relation", "#precision", "#recall", "#F1")}
	for _, n := range r.Relations {
		t.Add(n.Name, percent(n.Precision), percent(n.Recall), percent(n.F1))
	}
	t.Add("all", percent(r.Precision), percent(r.Recall), percent(r.MicroF1))
	rules := &page.Table{Caption: "Rules beside the relations that were told, in percent", Head: page.Heads("rule", "#share")}
	rules.Add("written by the model, and matches", percent(r.Rules.Decoded))
	rules.Add("the nearest stored rule that matches", percent(r.Rules.Stored))
	rules.Add("no rule matches", percent(r.Rules.None))
	return []page.Section{{
		Title:   page.FileName(r.Data),
		Meaning: "How many of the relations that a model tells are right, how many of those that there are it tells, and where the rules come from that explain them. A rule is shown only where it matches the sentence with these two arguments.",
		Source:  fmt.Sprintf("sotto relations evaluate --data %s: %d pairs of its part %s, by %s", page.FileName(r.Data), r.Instances, r.Part, r.Model),
		Blocks:  append(t.Blocks(), rules.Blocks()...),
	}}
}
