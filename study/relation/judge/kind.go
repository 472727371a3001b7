package judge

import (
	"errors"
	"fmt"
	"strconv"

	"sotto/compute/measure"
	"sotto/evidence"
	"sotto/evidence/page"
)

// Format is that of a stored [Result].
const Format = "sotto-relations-rules-1"

// Kind is what "sotto relations rules" stores, for reports and gates.
var Kind = evidence.Kind[Result]{
	Format: Format, Name: "relation rules", List: "relation_rules",
	Check:    (*Result).check,
	Section:  evidence.Each("Relations by rules", (*Result).sections),
	Summary:  evidence.Said((*Result).sentence, nil),
	Subjects: (*Result).subjects,
}

func (r *Result) check() error {
	if len(r.Relations) == 0 {
		return errors.New("judge: the result has no relations, must have some")
	}
	shares := []float64{r.Precision, r.Recall, r.F1, r.MacroF1}
	for _, c := range r.Compared {
		shares = append(shares, c.Precision, c.Recall, c.F1, c.MacroF1)
	}
	for _, d := range r.Domains {
		shares = append(shares, d.Precision, d.Recall, d.F1, d.MacroF1)
	}
	for _, v := range shares {
		if !(v >= 0 && v <= 1) {
			return fmt.Errorf("judge: a share is %v, must be from 0 to 1", v)
		}
	}
	return nil
}

func (r *Result) subjects() []evidence.Subject {
	exactly := func(v float64) measure.Estimate { return evidence.Exactly(measure.Number(v)) }
	return []evidence.Subject{{
		Name:  fmt.Sprintf("relations of %s by %d rules", page.FileName(r.Data), r.Rules),
		Match: evidence.Match{Data: r.Data, Method: "rules", Test: r.Part},
		Numbers: map[string]measure.Estimate{
			"precision": exactly(r.Precision), "recall": exactly(r.Recall), "f1": exactly(r.F1), "macro_f1": exactly(r.MacroF1),
		},
	}}
}

func percent(v float64) string { return page.Decimal(measure.Number(100*v), 1) }

func (r *Result) sentence() string {
	return fmt.Sprintf("Rules alone find %s %% of the relations of %s, and %s %% of what they find is right.", percent(r.Recall), page.FileName(r.Data), percent(r.Precision))
}

func (r *Result) sections() []page.Section {
	t := &page.Table{Caption: "Relations that rules find between given entities, in percent", Head: page.Heads("relation", "#precision", "#recall", "#F1")}
	for _, n := range r.Relations {
		t.Add(n.Name, percent(n.Precision), percent(n.Recall), percent(n.F1))
	}
	t.Add("all", percent(r.Precision), percent(r.Recall), percent(r.F1))
	blocks := t.Blocks()
	if len(r.Compared) > 0 {
		blocks = append(blocks, r.compared().Blocks()...)
	}
	return []page.Section{{
		Title:   page.FileName(r.Data),
		Meaning: "How many of the relations that rules find are right, and how many of those that there are they find. Each relation counts alike in the last row.",
		Source:  fmt.Sprintf("sotto relations rules --data %s: %d texts of its part %s, %d rules", page.FileName(r.Data), r.Texts, r.Part, r.Rules),
		Blocks:  blocks,
	}}
}

// compared is the table of rules by hand, learnt ones and both, and of rules of one kind of
// texts on another.
func (r *Result) compared() *page.Table {
	t := &page.Table{Caption: "Rules by hand and rules that were learnt from the training part, in percent", Head: page.Heads("rules", "#number", "#precision", "#recall", "#F1")}
	add := func(name string, rules int, s Score) {
		t.Add(name, strconv.Itoa(rules), percent(s.Precision), percent(s.Recall), percent(s.F1))
	}
	for _, c := range r.Compared {
		add(c.Name, c.Rules, c.Score)
	}
	for _, d := range r.Domains {
		add("of "+d.From+", on "+d.On, d.Rules, d.Score)
	}
	return t
}
