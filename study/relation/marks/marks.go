// Package marks tells relations and writes the rule that explains each, by a transformer of
// the BERT family that reads a sentence with marks around both arguments: a layer on the
// vectors of the marks, one behind the other, tells the relation (Baldini Soares and others,
// Matching the Blanks, ACL 2019), and the decoder of package joint, which attends to the
// vectors of all tokens, writes the rule. Both are trained together, by package tune, with
// the same loop, settings and checkpoints as encoders.
//
// What it learnt from is covered by no guarantee: see package encode. The smallest use is
//
//	info, err := marks.Train(ctx, parent, out, marks.Data{Train: train, Dev: dev, Rules: rules}, tune.Settings{}, tune.Options{})
//	m, err := marks.Open(out)
//	verdicts, err := m.Judge(ctx, instances)
package marks

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"sotto/compute/nn"
	"sotto/study/relation"
	"sotto/study/relation/rule"
	"sotto/text/encode/bert"
	"sotto/text/encode/bert/tune"
)

// Data is what is learnt from.
type Data struct {
	Name  string // of the data
	Hash  string // of the data, for the manifest
	Train []relation.Instance
	Dev   []relation.Instance // tell which epoch is the best; none of them is learnt from
	Rules *rule.File          // the best first; nil trains without the decoder
	Typed bool                // marks tell types of arguments, too: where the data gives them
}

// Result is what a training came to.
type Result struct {
	Manifest bert.Manifest
	Epoch    int     // that is kept, from 1
	Accuracy float64 // of it on the development part
}

// Train trains the transformer in one folder, and writes it to another, whole or not at
// all.
func Train(ctx context.Context, parent, out string, d Data, s tune.Settings, o tune.Options) (*Result, error) {
	f, err := bert.Read(parent)
	if err != nil {
		return nil, err
	}
	data, err := d.prepare(f, s)
	if err != nil {
		return nil, err
	}
	t, err := tune.New(f, data, s)
	if err != nil {
		return nil, err
	}
	info, err := t.Make(ctx, out, bert.Manifest{Data: d.Name, DataHash: d.Hash}, o)
	if err != nil {
		return nil, err
	}
	kept, epoch := t.Kept()
	return &Result{info, epoch, kept.Accuracy}, nil
}

// prepare makes tokens of the sentences, and the head that is to learn from them.
func (d Data) prepare(f *bert.Folder, s tune.Settings) (tune.Data, error) {
	data := tune.Data{Weights: []float64{1}}
	lessons := relation.Lessons(d.Train)
	about, texts, err := d.know(lessons)
	if err != nil {
		return data, err
	}
	limit, err := f.Limit(s.Length)
	if err != nil {
		return data, err
	}
	if s.Length == 0 {
		limit = min(limit, defaultLength)
	}
	m, err := newMarker(f.Tokeniser, about.Types, limit)
	if err != nil {
		return data, err
	}
	dropout := s.Dropout
	if dropout == 0 {
		dropout = defaultDropout
	}
	h := &head{about: about}
	if h.network, err = newNetwork(f.Shape().Hidden, about, dropout, s.Seed); err != nil {
		return data, err
	}
	a, err := relation.NewAlphabet(about.Pieces)
	if err != nil {
		return data, err
	}
	// What the development part alone has cannot be told, and chooses nothing.
	dev := slices.DeleteFunc(slices.Clone(d.Dev), func(x relation.Instance) bool { return !slices.Contains(about.Relations, x.Relation) })
	for i, x := range slices.Concat(lessons, dev) {
		read, err := read(x, d.Typed)
		if err != nil {
			return data, err
		}
		tokens, marks := m.sequence(read)
		data.Tokens = append(data.Tokens, tokens)
		h.labels, h.targets = append(h.labels, slices.Index(about.Relations, x.Relation)), append(h.targets, nil)
		if i < len(lessons) {
			data.Train = append(data.Train, i)
			if texts != nil && texts[i] != "" {
				h.targets[i] = a.Numbers(texts[i])
			}
		} else {
			data.Validation = append(data.Validation, i)
		}
		places := h.look(len(tokens.IDs), marks)
		data.Places = append(data.Places, places)
	}
	data.Labels, data.Classes, data.Head = [][]int{h.labels}, []int{len(about.Relations)}, h
	return data, nil
}

// look returns which tokens of the next sentence are looked at: all of them where a rule is
// written, and otherwise those of both marks.
func (h *head) look(tokens int, marks [2]int) []int {
	places := nn.Indices(tokens)
	if h.writer == nil {
		places = []int{min(marks[0], marks[1]), max(marks[0], marks[1])}
	}
	h.rows = append(h.rows, len(places))
	h.marks = append(h.marks, [2]int{slices.Index(places, marks[0]), slices.Index(places, marks[1])})
	return places
}

const (
	defaultLength  = 128 // as package tune has it
	defaultDropout = 0.1
)

// knowledge is what a folder says of a model beside its numbers.
type knowledge struct {
	Data      string      `json:"data"`
	Relations []string    `json:"relations"` // in order; "" is none
	Types     []string    `json:"types"`     // of arguments, that marks tell; "" is one of them
	Typed     bool        `json:"typed"`
	Pairs     [][2]string `json:"pairs"`  // of types of arguments that had a relation
	Pieces    []string    `json:"pieces"` // of rules; none without the decoder
	Rules     string      `json:"rules"`  // a file of them, without sentences
}

// know collects what sentences to learn from have, and the rule that explains each.
func (d Data) know(lessons []relation.Instance) (k knowledge, texts []string, err error) {
	relations, types, pairs := map[string]bool{}, map[string]bool{"": true}, map[[2]string]bool{}
	for _, x := range lessons {
		relations[x.Relation] = true
		s, o := x.Types()
		if x.Relation != relation.None {
			pairs[[2]string{string(s), string(o)}] = true
		}
		if d.Typed {
			types[string(s)], types[string(o)] = true, true
		}
	}
	k = knowledge{Data: d.Name, Relations: slices.Sorted(maps.Keys(relations)), Types: slices.Sorted(maps.Keys(types)), Typed: d.Typed}
	k.Pairs = slices.SortedFunc(maps.Keys(pairs), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	if len(k.Relations) < 2 {
		return k, nil, errors.New("marks: the sentences to learn from have one relation, must have several")
	}
	if d.Rules == nil {
		return k, nil, nil
	}
	bare := d.Rules.Plain()
	k.Rules = bare.String()
	rules, err := relation.NewRules(bare)
	if err != nil {
		return k, nil, err
	}
	texts = make([]string, len(lessons))
	var some []string
	for i, n := range rules.Targets(lessons) {
		if n >= 0 {
			texts[i] = rule.Written(bare.Rules[n].Pattern)
			some = append(some, texts[i])
		}
	}
	if len(some) == 0 {
		return k, nil, fmt.Errorf("marks: none of %d rules matches a sentence to learn from, so that there is nothing to write: give other rules, or none", len(bare.Rules))
	}
	k.Pieces = relation.LearnAlphabet(some).Pieces()
	return k, texts, nil
}
