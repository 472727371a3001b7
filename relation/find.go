package relation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"sotto/language"
	"sotto/language/english"
	"sotto/relation/personal"
	"sotto/relation/rule"
)

// Argument is one side of a relation, in bytes of its text.
type Argument struct {
	Text  string        `json:"text"`
	Start int           `json:"start"`
	End   int           `json:"end"`
	Type  language.Type `json:"type,omitempty"` // of the entity; "" for what is none
}

// Found is a relation that was found in a text.
type Found struct {
	Type       string   `json:"type"`
	Subject    Argument `json:"subject"`
	Object     Argument `json:"object"`
	Rule       string   `json:"rule"` // the pattern that explains it; "" where none does
	Confidence float64  `json:"confidence"`
}

// nominal reports whether relations are between nouns of any kind, named in the order of the
// text, as those of SemEval-2010 are: Cause-Effect(e1,e2).
func nominal(relations []string) bool {
	return slices.ContainsFunc(relations, func(r string) bool {
		return strings.HasSuffix(r, "(e1,e2)") || strings.HasSuffix(r, "(e2,e1)")
	})
}

// Finder finds relations in texts that nobody has taken apart. It may be used by several
// goroutines at once.
type Finder struct {
	// Skipped hears of rules that took too long on a sentence, where they were left out; it
	// may be nil, and is called by several goroutines.
	Skipped func(err error)

	model    Model
	pipeline language.Pipeline
	nouns    bool
}

// NewFinder returns what finds relations by a model, or by [Rules]. One that lists its
// Relations, and has some of SemEval-2010, is asked about nouns of any kind, too, in the order
// of the text.
func NewFinder(m Model) (*Finder, error) {
	p, err := english.Load()
	if err != nil {
		return nil, err
	}
	lists, ok := m.(interface{ Relations() []string })
	return &Finder{model: m, pipeline: p, nouns: ok && nominal(lists.Relations())}, nil
}

// Find returns the relations of a text, in the order of their sentences. Entities are those
// that are built in, and the pronouns of persons. A model is asked about all pairs of
// entities of a sentence whose types it knows; rules find what they find.
func (f *Finder) Find(ctx context.Context, text string) ([]Found, error) {
	d, err := f.pipeline.Document(text)
	if err != nil {
		return nil, err
	}
	personal.People(d)
	if f.nouns {
		addNouns(d)
	}
	if r, ok := f.model.(*Rules); ok {
		all, err := r.find(d)
		if err != nil && f.Skipped != nil {
			f.Skipped(err)
		}
		if f.nouns {
			all = slices.DeleteFunc(all, func(r Found) bool { return r.Subject.Start > r.Object.Start })
		}
		return all, nil
	}
	var all []Found
	for first := 0; first < len(d.Tokens); {
		_, end := d.Sentence(first)
		pairs := f.pairs(Cut(d, first, end))
		told, err := f.model.Judge(ctx, pairs)
		if err != nil {
			return nil, err
		}
		if len(told) != len(pairs) {
			return nil, fmt.Errorf("relation: the model says %d verdicts on %d pairs, must say one on each", len(told), len(pairs))
		}
		types := Types(d)
		for k, v := range told {
			if v.Relation != None {
				x := pairs[k]
				all = append(all, found(d, types, v, shifted(x.Subject, first), shifted(x.Object, first)))
			}
		}
		first = end
	}
	return all, nil
}

func shifted(s rule.Span, by int) rule.Span { return rule.Span{First: s.First + by, End: s.End + by} }

// found returns a verdict with the places of its arguments in a text.
func found(d *language.Document, types []language.Type, v Verdict, subject, object rule.Span) Found {
	argument := func(s rule.Span) Argument {
		start, end := d.Tokens[s.First].Start, d.Tokens[s.End-1].End
		return Argument{d.Text[start:end], start, end, types[s.First]}
	}
	return Found{v.Relation, argument(subject), argument(object), v.Rule, v.Confidence}
}

// find returns what rules find in a document: of several that find the same, the surest. The
// error names those that took too long.
func (r *Rules) find(d *language.Document) ([]Found, error) {
	matches, err := r.set.Matches(d)
	type key struct {
		relation        string
		subject, object rule.Span
	}
	types := Types(d)
	places := map[key]int{}
	var all []Found
	for _, m := range matches {
		v := r.verdict(m.Rule)
		k := key{v.Relation, m.Subject, m.Object}
		if at, ok := places[k]; !ok {
			places[k] = len(all)
			all = append(all, found(d, types, v, m.Subject, m.Object))
		} else if v.Confidence > all[at].Confidence {
			all[at].Rule, all[at].Confidence = v.Rule, v.Confidence
		}
	}
	return all, err
}

// addNouns adds the nouns of a document to its entities: heads of their phrases, which may
// be anything.
func addNouns(d *language.Document) {
	var nouns []language.Entity
	for k := range d.Tokens {
		if t := &d.Tokens[k]; t.UPOS == "NOUN" && t.DepRel != "compound" {
			nouns = append(nouns, language.Entity{Type: language.Miscellaneous, Start: t.Start, End: t.End, Confidence: 1})
		}
	}
	d.Entities = merge(d.Entities, nouns)
}

// pairs returns the pairs of entities of a sentence that the model knows something of.
func (f *Finder) pairs(d *language.Document) []Instance {
	spans := make([]rule.Span, len(d.Entities))
	for k, e := range d.Entities {
		spans[k] = Tokens(d, e.Start, e.End)
	}
	var all []Instance
	for i, a := range d.Entities {
		for j, b := range d.Entities {
			apart := spans[i].End <= spans[j].First || spans[j].End <= spans[i].First
			if i != j && apart && (i < j || !f.nouns) && spans[i].First >= 0 && spans[j].First >= 0 && f.model.Knows(a.Type, b.Type) {
				all = append(all, Instance{Doc: d, Subject: spans[i], Object: spans[j]})
			}
		}
	}
	return all
}

// FindAll returns the relations of texts, in their order, some texts at a time.
func (f *Finder) FindAll(ctx context.Context, texts []string, workers int) ([][]Found, error) {
	all := make([][]Found, len(texts))
	return all, inTurn(ctx, len(texts), workers, func(k int) (err error) {
		all[k], err = f.Find(ctx, texts[k])
		return err
	})
}

// inTurn calls do for the numbers below n, on some goroutines, and returns the errors of the
// first that failed on each.
func inTurn(ctx context.Context, n, workers int, do func(k int) error) error {
	var group sync.WaitGroup
	next := make(chan int)
	faults := make([]error, max(workers, 1))
	for w := range faults {
		group.Go(func() {
			for k := range next {
				if faults[w] != nil || ctx.Err() != nil {
					continue
				}
				if err := do(k); err != nil {
					faults[w] = fmt.Errorf("relation: text %d: %w", k+1, err)
				}
			}
		})
	}
	for k := range n {
		next <- k
	}
	close(next)
	group.Wait()
	return errors.Join(slices.Concat(faults, []error{ctx.Err()})...)
}
