// Package judge measures how well rules alone find relations, on public data sets whose
// entities are given: of CoNLL04 by rules that are built in, and of others by rules of
// one's own.
//
//	r, err := judge.Run(ctx, judge.Options{Data: "conll04"})
package judge

import (
	"context"
	_ "embed" // the rules that are built in
	"errors"
	"fmt"
	"slices"
	"strings"

	"sotto/dataset"
	"sotto/dataset/relate"
	"sotto/language"
	"sotto/language/english"
	"sotto/relation/rule"
	"sotto/relation/score"
)

//go:embed conll04.rules
var conll04 string

// Rules returns the rules that are built in for a data set; an error says where there are
// none.
func Rules(data string) (*rule.File, error) {
	if data != "conll04" {
		return nil, fmt.Errorf("judge: there are no rules built in for %.40q, only for conll04: give rules of your own", data)
	}
	return rule.Parse(strings.NewReader(conll04))
}

// Options of [Run].
type Options struct {
	Data     string                // conll04, semeval2010 or fewrel
	Dir      string                // folder of data sets; "" means [dataset.Dir]
	Part     dataset.Part          // "" means test; fewrel has no parts
	Rules    *rule.File            // nil means those of [Rules]
	Progress func(done, total int) // hears how many texts are done; may be nil
}

// Counts are relations: found and right, found and wrong, and not found.
type Counts = score.Counts

// Score is the shares of counts.
type Score = score.Score

// Named is the score of a relation or a rule.
type Named = score.Named

// Result is what was measured: the score over all relations, each counted alike.
type Result struct {
	Format string `json:"format"`
	Data   string `json:"data"`
	Part   string `json:"part"`
	Texts  int    `json:"texts"`
	Rules  int    `json:"rules"`
	Score
	MacroF1   float64 `json:"macro_f1"` // mean over the relations that there are
	Relations []Named `json:"relations"`
	ByRule    []Named `json:"by_rule"`
	New       *Score  `json:"new_texts,omitempty"` // on texts that stand in no other part; absent where all do
	Repeated  int     `json:"repeated_texts"`
}

// relation is one that is said or found in a text.
type relation struct {
	kind            string
	subject, object rule.Span
}

// Run measures rules on a data set. A relation is right if its type and both arguments
// are; what a rule finds between other words than the given entities does not count.
func Run(ctx context.Context, o Options) (*Result, error) {
	if o.Data == "biographies" {
		return nil, errors.New("judge: data is biographies, must be conll04, fewrel or semeval2010: its texts do not mark their subject")
	}
	if o.Part == "" {
		o.Part = dataset.Test
	}
	if o.Rules == nil {
		f, err := Rules(o.Data)
		if err != nil {
			return nil, err
		}
		o.Rules = f
	}
	set, err := rule.Compile(o.Rules.Rules)
	if err != nil {
		return nil, err
	}
	m, err := english.Model()
	if err != nil {
		return nil, err
	}
	texts, err := dataset.Relations(o.Data, o.Dir)
	if err != nil {
		return nil, err
	}
	chosen, repeated := choose(texts, o.Part)
	if len(chosen) == 0 {
		return nil, fmt.Errorf("judge: part is %q, which %s does not have", o.Part, o.Data)
	}
	t := &tally{file: o.Rules, byKind: map[string]*Counts{}, byRule: make([]Counts, len(o.Rules.Rules))}
	for k, x := range chosen {
		d := document(x)
		if err := errors.Join(m.Trees().Annotate(d), ctx.Err()); err != nil {
			return nil, err
		}
		d.Entities = entities(x)
		found, err := set.Matches(d)
		if err != nil {
			return nil, fmt.Errorf("judge: text %d: %w", k+1, err)
		}
		t.add(x, d, found, repeated[k])
		if o.Progress != nil {
			o.Progress(k+1, len(chosen))
		}
	}
	return t.result(o, chosen, repeated), nil
}

// choose returns the texts of a part, and which of them stand in another part, too.
func choose(texts []dataset.Related, part dataset.Part) (chosen []dataset.Related, repeated []bool) {
	elsewhere := map[string]bool{}
	for _, x := range texts {
		if x.Part != "" && x.Part != string(part) {
			elsewhere[x.Text] = true
		}
	}
	for _, x := range texts {
		if x.Part == "" || x.Part == string(part) {
			chosen, repeated = append(chosen, x), append(repeated, elsewhere[x.Text])
		}
	}
	return chosen, repeated
}

// document returns a text with its words, as one sentence.
func document(x dataset.Related) *language.Document {
	d := &language.Document{Text: x.Text}
	if x.Words == nil {
		d.Tokens = language.Tokens(x.Text)
	}
	for _, w := range x.Words {
		if strings.TrimSpace(x.Text[w[0]:w[1]]) != "" { // some words of FewRel are blank
			d.Tokens = append(d.Tokens, language.Token{Text: x.Text[w[0]:w[1]], Start: w[0], End: w[1], Head: -1})
		}
	}
	return d
}

// entities returns those of a text, in order; of two that overlap, the first.
func entities(x dataset.Related) []language.Entity {
	var all []language.Entity
	for _, e := range x.Entities {
		kind := language.Miscellaneous
		if e.Type != "" {
			kind = rule.TypeOf(e.Type)
		}
		all = append(all, language.Entity{Type: kind, Start: e.Start, End: e.End, Confidence: 1})
	}
	slices.SortStableFunc(all, func(a, b language.Entity) int { return a.Start - b.Start })
	end := 0
	return slices.DeleteFunc(all, func(e language.Entity) bool {
		if e.Start < end {
			return true
		}
		end = e.End
		return false
	})
}

// tally counts what rules found.
type tally struct {
	file   *rule.File
	all    Counts
	fresh  Counts // texts that are not repeated
	byKind map[string]*Counts
	byRule []Counts
}

// other is the relation that says that there is none, in SemEval-2010.
const other = "Other"

// add counts what was found in a text.
func (t *tally) add(x dataset.Related, d *language.Document, found []rule.Match, repeated bool) {
	spans := make([]rule.Span, len(x.Entities))
	for k, e := range x.Entities {
		spans[k] = words(d, e)
	}
	said := map[relation]bool{} // and whether it was found
	for _, q := range x.Relations {
		if q.Type != other {
			said[relation{q.Type, spans[q.Subject], spans[q.Object]}] = false
		}
	}
	wrong := map[relation]bool{}
	for _, m := range found {
		r := relation{t.file.Rules[m.Rule].Relation, m.Subject, m.Object}
		if !slices.Contains(spans, r.subject) || !slices.Contains(spans, r.object) {
			continue
		}
		if _, ok := said[r]; ok {
			said[r] = true
			t.byRule[m.Rule].Right++
		} else {
			wrong[r] = true
			t.byRule[m.Rule].Wrong++
		}
	}
	for r, ok := range said {
		if ok {
			t.count(r.kind, Counts{Right: 1}, repeated)
		} else {
			t.count(r.kind, Counts{Missed: 1}, repeated)
		}
	}
	for r := range wrong {
		t.count(r.kind, Counts{Wrong: 1}, repeated)
	}
}

// words returns the words of an entity.
func words(d *language.Document, e relate.Marked) rule.Span {
	s := rule.Span{First: -1, End: -1}
	for k, t := range d.Tokens {
		if t.Start < e.End && t.End > e.Start {
			if s.End = k + 1; s.First < 0 {
				s.First = k
			}
		}
	}
	return s
}

func (t *tally) count(kind string, c Counts, repeated bool) {
	if t.byKind[kind] == nil {
		t.byKind[kind] = &Counts{}
	}
	into := []*Counts{&t.all, t.byKind[kind]}
	if !repeated {
		into = append(into, &t.fresh)
	}
	for _, to := range into {
		to.Add(c)
	}
}

// result makes scores of the counts.
func (t *tally) result(o Options, chosen []dataset.Related, repeated []bool) *Result {
	r := &Result{Format: Format, Data: o.Data, Part: string(o.Part), Texts: len(chosen), Rules: len(t.file.Rules), Score: t.all.Score()}
	if chosen[0].Part == "" {
		r.Part = "all"
	}
	r.Relations, r.MacroF1 = score.Sort(t.byKind)
	for k, c := range t.byRule {
		r.ByRule = append(r.ByRule, Named{Name: t.file.Rules[k].Name, Score: c.Score()})
	}
	for _, again := range repeated {
		if again {
			r.Repeated++
		}
	}
	if r.Repeated < len(chosen) {
		s := t.fresh.Score()
		r.New = &s
	}
	return r
}
