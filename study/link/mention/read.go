package mention

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"sotto/study/language"
	"sotto/study/language/english"
	"sotto/study/language/names"
)

// This part of the package measures how well package mention says who is one, on public corpora:
// LitBank and GUM, whose mentions and entities people marked, by the measures of
// coreference, and GAP, whose pronouns are hard to tell. It also teaches a model by the
// same corpora.
//
//	r, err := Judge(ctx, folder, JudgeOptions{Corpus: LitBank})

// The corpora.
const (
	LitBank = "litbank" // the first 2,000 words of 100 novels; Bamman, Lewke and Mansoor, LREC 2020
	GUM     = "gum"     // 225 documents of 15 genres; Zeldes, LREC 2017
	GAP     = "gap"     // ambiguous pronouns of Wikipedia; Webster and others, TACL 2018
)

// Corpora lists them.
func Corpora() []string { return []string{LitBank, GUM, GAP} }

// judgeText is a document of a corpus whose mentions are known.
type judgeText struct {
	id, genre, part string // part is train, dev or test
	doc             *language.Document
	spans           []Span
	entity          []int  // below zero for a mention of which it is not known
	proper          []bool // by name, as the corpus says or, where it does not, as it is tagged
	types           []language.Type
}

// lines calls f with each line of a file of a folder of data.
func lines(folder, name string, f func(line []byte) error) error {
	if err := names.Lines(filepath.Join(folder, "mentions", name), f); err != nil {
		return fmt.Errorf("judge: %w: give the folder of data sets, as $SOTTO_DATA is", err)
	}
	return nil
}

// row is a line of LitBank or GUM.
type row struct {
	ID       string   `json:"id"`
	Split    string   `json:"split"`
	Genre    string   `json:"genre"`
	Tokens   []string `json:"tokens"`
	Starts   []int    `json:"sentence_starts"`
	Mentions [][]any  `json:"mentions"`
}

// text returns the words of a row as a document, with a space between any two.
func (r row) text() *judgeText {
	t := &judgeText{id: r.ID, genre: r.Genre, part: r.Split, doc: &language.Document{}}
	var b strings.Builder
	sentence := -1
	for i, w := range r.Tokens {
		for sentence+1 < len(r.Starts) && r.Starts[sentence+1] <= i {
			sentence++
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		t.doc.Tokens = append(t.doc.Tokens, language.Token{Text: w, Start: b.Len(), End: b.Len() + len(w), Sentence: max(0, sentence), Head: -1})
		b.WriteString(w)
	}
	t.doc.Text = b.String()
	return t
}

// mark enters a mention of some tokens.
func (t *judgeText) mark(m []any, typ language.Type, proper bool, entity any) error {
	from, ok1 := m[0].(float64)
	to, ok2 := m[1].(float64)
	e, ok3 := entity.(float64)
	if !ok1 || !ok2 || !ok3 || from < 0 || to <= from || int(to) > len(t.doc.Tokens) {
		return errors.New("a mention must be [start, end, type, …], within the tokens")
	}
	s := Span{Start: t.doc.Tokens[int(from)].Start, End: t.doc.Tokens[int(to)-1].End}
	if !slices.Contains(t.spans, s) { // a place that is marked twice counts once
		t.spans, t.entity = append(t.spans, s), append(t.entity, int(e))
		t.types, t.proper = append(t.types, typ), append(t.proper, proper)
	}
	return nil
}

// typesOf are our types for those of the corpora; other things have none.
var typesOf = map[string]language.Type{
	"PER": language.Person, "person": language.Person,
	"FAC": language.Place, "GPE": language.Place, "LOC": language.Place, "place": language.Place,
	"ORG": language.Organisation, "organization": language.Organisation,
	"VEH": language.Miscellaneous,
}

// part of a document of LitBank, which has no parts of its own: of ten documents in the
// order of the file the second and seventh are the test, the first is for tuning.
func part(n int) string {
	switch n % 10 {
	case 1, 6:
		return "test"
	case 0:
		return "dev"
	}
	return "train"
}

// readLitBank reads LitBank. Mentions that are predicates or appositions belong to no
// entity there, and are left out.
func readLitBank(folder string) ([]*judgeText, error) {
	var out []*judgeText
	err := lines(folder, "litbank_coref.jsonl.gz", func(line []byte) error {
		var r row
		if err := json.Unmarshal(line, &r); err != nil {
			return err
		}
		t := r.text()
		t.part = part(len(out))
		for _, m := range r.Mentions {
			if len(m) != 5 {
				return errors.New("a mention must be [start, end, type, kind, entity]")
			}
			if e, ok := m[4].(float64); ok && e < 0 {
				continue
			}
			typ, ok := m[2].(string)
			if !ok {
				return errors.New("a type must be a word")
			}
			if err := t.mark(m, typesOf[typ], m[3] == "PROP", m[4]); err != nil {
				return err
			}
		}
		out = append(out, t)
		return nil
	})
	return out, err
}

// readGUM reads GUM.
func readGUM(folder string) ([]*judgeText, error) {
	var out []*judgeText
	err := lines(folder, "gum_coref.jsonl.gz", func(line []byte) error {
		var r row
		if err := json.Unmarshal(line, &r); err != nil {
			return err
		}
		t := r.text()
		for _, m := range r.Mentions {
			if len(m) != 6 {
				return errors.New("a mention must be [start, end, type, entity, link, wikipedia]")
			}
			typ, ok := m[2].(string)
			if !ok {
				return errors.New("a type must be a word")
			}
			if err := t.mark(m, typesOf[typ], false, m[3]); err != nil {
				return err
			}
		}
		out = append(out, t)
		return nil
	})
	return out, err
}

// annotate fills in tags, trees and names; words and sentences stay as they are given.
func annotate(d *language.Document) error {
	m, err := english.Model()
	if err != nil {
		return err
	}
	n, err := names.Load()
	if err != nil {
		return err
	}
	return language.Pipeline{m.Trees(), n}.Annotate(d)
}

// Lessons returns the documents that a model is taught by: the training part of LitBank,
// that of the genres of GUM that may be used for any purpose, and the development part of
// GAP; and their names.
func Lessons(ctx context.Context, folder string) (lessons []Lesson, trained []string, err error) {
	novels, err := readLitBank(folder)
	if err != nil {
		return nil, nil, err
	}
	others, err := readGUM(folder)
	if err != nil {
		return nil, nil, err
	}
	for _, t := range append(novels, others...) {
		if t.part != "train" || t.genre != "" && !slices.Contains(names.Free(), t.genre) {
			continue
		}
		if err = errors.Join(ctx.Err(), annotate(t.doc)); err != nil {
			return nil, nil, err
		}
		name := LitBank
		if t.genre != "" {
			name = GUM
		}
		lessons = append(lessons, Lesson{Document: t.doc, Spans: t.spans, Entity: t.entity, Types: t.types, Whole: name == LitBank})
		trained = append(trained, name+" "+t.id)
	}
	pronouns, err := gapLessons(ctx, folder)
	return append(lessons, pronouns...), append(trained, "gap, its development part"), err
}
