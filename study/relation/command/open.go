package relation

import (
	"context"
	"fmt"
	"strings"

	"sotto/data/dataset"
	"sotto/study/language/english"
	"sotto/study/relation"
	"sotto/study/relation/induce"
	"sotto/study/relation/judge"
	"sotto/study/relation/rule"
)

// DeskOptions say which rules are looked over, and on what.
type DeskOptions struct {
	Data     string                // one of [dataset.RelationSets]
	Content  []byte                // in place of it, sentences of one's own, as [dataset.OwnRelations] reads them
	Part     string                // train, dev or test
	Rules    string                // a file of rules; "" means those that are built in, or else learnt
	Workers  int                   // 0 means one a processor
	Progress func(done, total int) // hears how many texts are read; may be nil
}

// OpenDesk reads a data set and rules.
func OpenDesk(ctx context.Context, o DeskOptions) (*Desk, error) {
	part, ok := dataset.ParsePart(o.Part)
	if !ok {
		return nil, fmt.Errorf("review: part is %.20q, must be train, dev or test", o.Part)
	}
	m, err := english.Model()
	if err != nil {
		return nil, err
	}
	set, err := relation.Prepare(ctx, relation.Options{Data: o.Data, Content: o.Content, Workers: o.Workers, Progress: o.Progress})
	if err != nil {
		return nil, err
	}
	f, err := o.file(ctx, set)
	if err != nil {
		return nil, err
	}
	return NewDesk(set.Part(part), f, m.Trees())
}

// file returns the rules: those that were given, those that are built in for the set, or
// those that its training part teaches.
func (o DeskOptions) file(ctx context.Context, set *relation.Set) (*rule.File, error) {
	if o.Rules != "" {
		return rule.Parse(strings.NewReader(o.Rules))
	}
	if f, err := judge.Rules(o.Data); err == nil {
		return f, nil
	}
	return induce.Rules(ctx, set.Part(dataset.Train), induce.Options{Words: o.Data == "semeval2010"})
}
