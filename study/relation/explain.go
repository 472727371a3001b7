package relation

import (
	"context"
	"errors"
	"fmt"

	"sotto/study/language"
)

// Explained is a relation that a model told of a text, with where its rule is from and what
// that matched.
type Explained struct {
	Found
	Source  Source `json:"source"`
	Matched *Part  `json:"matched,omitempty"` // nil where no rule holds
}

// Part is a part of a text, in bytes.
type Part struct {
	Text  string `json:"text"`
	Start int    `json:"start"`
	End   int    `json:"end"`
}

// Explain returns the relations that a model tells of a text, each with the part of the text
// that its rule matched: from the first token of the pattern to the last; of a pattern over
// the tree, from the first argument to the last. Rules are explanations themselves.
func (f *Finder) Explain(ctx context.Context, text string) ([]Explained, error) {
	if _, ok := f.model.(*Rules); ok {
		return nil, errors.New("relation: rules decide, must be a model that is explained by rules")
	}
	d, err := f.pipeline.Document(text)
	if err != nil {
		return nil, err
	}
	var all []Explained
	var fault error
	err = f.judged(ctx, []*language.Document{d}, func(_ int, r Found, x Instance, v Verdict) {
		e := Explained{Found: r, Source: v.Source}
		if v.Rule != "" {
			e.Matched, err = matched(v.Rule, x, r)
			if err != nil {
				fault = err
			}
		}
		all = append(all, e)
	})
	if err == nil {
		err = fault
	}
	return all, err
}

// matched returns the part of a text that a rule matched around the arguments of a pair.
func matched(text string, x Instance, r Found) (*Part, error) {
	draft, err := NewDraft(text)
	if err != nil {
		return nil, err
	}
	m, ok := draft.Find(x)
	if !ok { // no model may show such a rule
		return nil, fmt.Errorf("relation: a rule of %q is shown, must match the sentence with its arguments", r.Type)
	}
	shift := r.Subject.Start - x.Doc.Tokens[x.Subject.First].Start // of the sentence in the text
	start, end := x.Doc.Tokens[m.First].Start, x.Doc.Tokens[m.End-1].End
	return &Part{x.Doc.Text[start:end], start + shift, end + shift}, nil
}
