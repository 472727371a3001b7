package relation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"sotto/study/language"
	"sotto/study/language/english"
	"sotto/study/relation/rule"
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

// Nominal reports whether relations are between nouns of any kind, named in the order of the
// text, as those of SemEval-2010 are: Cause-Effect(e1,e2).
func Nominal(relations []string) bool {
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
	return &Finder{model: m, pipeline: p, nouns: ok && Nominal(lists.Relations())}, nil
}

// Find returns the relations of a text, in the order of their sentences. Entities are those
// that are built in, and the pronouns of persons. A model is asked about all pairs of
// entities of a sentence whose types it knows, and about nouns that are few steps apart in the
// tree; rules find what they find.
func (f *Finder) Find(ctx context.Context, text string) ([]Found, error) {
	all, err := f.some(ctx, []string{text}, 0)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// some is Find for some texts, which come behind others.
func (f *Finder) some(ctx context.Context, texts []string, before int) ([][]Found, error) {
	docs := make([]*language.Document, len(texts))
	for k, text := range texts {
		d, err := f.pipeline.Document(text)
		if err != nil {
			return nil, fmt.Errorf("relation: text %d: %w", before+k+1, err)
		}
		docs[k] = d
	}
	return f.told(ctx, docs)
}

// Told is Find for a document that has sentences, tags, lemmas, trees and entities; it is not
// changed.
func (f *Finder) Told(ctx context.Context, d *language.Document) ([]Found, error) {
	with := *d
	all, err := f.told(ctx, []*language.Document{&with})
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// told is Find for documents, whose entities it adds to.
func (f *Finder) told(ctx context.Context, docs []*language.Document) ([][]Found, error) {
	all := make([][]Found, len(docs))
	if r, ok := f.model.(*Rules); ok {
		for k, d := range docs {
			f.ready(d)
			all[k] = f.ruled(r, d)
		}
		return all, nil
	}
	return all, f.judged(ctx, docs, func(text int, r Found, _ Instance, _ Verdict) { all[text] = append(all[text], r) })
}

// ready adds the entities of a document that relations may be between.
func (f *Finder) ready(d *language.Document) {
	people(d)
	if f.nouns {
		addNouns(d)
	}
}

// judged asks the model about documents, and calls do for each relation that it tells: with
// the document, what is told, and the pair in its sentence. It asks about all pairs at once: a
// model reads many in hardly more time than a few.
func (f *Finder) judged(ctx context.Context, docs []*language.Document, do func(doc int, r Found, x Instance, v Verdict)) error {
	var pairs []Instance
	var places []place
	for k, d := range docs {
		f.ready(d)
		for first := 0; first < len(d.Tokens); {
			_, end := d.Sentence(first)
			for _, x := range f.pairs(Cut(d, first, end)) {
				pairs, places = append(pairs, x), append(places, place{k, first})
			}
			first = end
		}
	}
	if len(pairs) == 0 {
		return nil
	}
	told, err := f.model.Judge(ctx, pairs)
	if err != nil {
		return err
	}
	if len(told) != len(pairs) {
		return fmt.Errorf("relation: the model says %d verdicts on %d pairs, must say one on each", len(told), len(pairs))
	}
	types := make([][]language.Type, len(docs))
	for k, v := range told {
		if v.Relation == None {
			continue
		}
		x, at := pairs[k], places[k]
		if types[at.doc] == nil {
			types[at.doc] = Types(docs[at.doc])
		}
		do(at.doc, found(docs[at.doc], types[at.doc], v, shifted(x.Subject, at.first), shifted(x.Object, at.first)), x, v)
	}
	return nil
}

// place is where a sentence is from: its document, and its first token there.
type place struct{ doc, first int }

// ruled returns what rules find in a document.
func (f *Finder) ruled(r *Rules, d *language.Document) []Found {
	all, err := r.find(d)
	if err != nil && f.Skipped != nil {
		f.Skipped(err)
	}
	if f.nouns {
		all = slices.DeleteFunc(all, func(r Found) bool { return r.Subject.Start > r.Object.Start })
	}
	return all
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
			if i != j && apart && (i < j || !f.nouns) && spans[i].First >= 0 && spans[j].First >= 0 && f.model.Knows(a.Type, b.Type) &&
				(!f.nouns || near(d, spans[i], spans[j])) {
				all = append(all, Instance{Doc: d, Subject: spans[i], Object: spans[j]})
			}
		}
	}
	return all
}

// steps is how many steps through the tree nouns may be apart to be asked about: of the pairs
// of SemEval-2010 that have a relation, 965 in 1,000 are at most three.
const steps = 3

// near reports whether two spans are at most so many steps apart.
func near(d *language.Document, a, b rule.Span) bool {
	path, _ := Path(d, Head(d, a), Head(d, b))
	return path != nil && len(path)-1 <= steps
}

// together is how many texts a model reads at once.
const together = 16

// FindAll returns the relations of texts, in their order, some texts at a time. What it finds
// depends on no other text.
func (f *Finder) FindAll(ctx context.Context, texts []string, workers int) ([][]Found, error) {
	groups := slices.Collect(slices.Chunk(texts, together))
	all := make([][][]Found, len(groups))
	err := inTurn(ctx, len(groups), workers, func(k int) (err error) {
		all[k], err = f.some(ctx, groups[k], k*together)
		return err
	})
	return slices.Concat(all...), err
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
				faults[w] = do(k)
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
