// Command peer prints how good and how fast package language is beside the
// library prose, in one run and on the same texts. It is a module of its own, so
// that the command sotto does not depend on prose.
package main

import (
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/jdkato/prose/v3"

	"sotto/study/language"
	"sotto/study/language/names"
)

func main() {
	log.SetFlags(0)
	folder := os.Getenv("SOTTO_DATA")
	if folder == "" {
		log.Fatal("peer: SOTTO_DATA is empty, must be the folder of data sets")
	}
	if err := compareTags(folder); err != nil {
		log.Fatal(err)
	}
	if err := compareNames(folder); err != nil {
		log.Fatal(err)
	}
}

// ours finds names as the command does.
func ours(m *names.Model) func(text string) ([]language.Entity, error) {
	return func(text string) ([]language.Entity, error) {
		d := &language.Document{Text: text, Tokens: language.Tokens(text)}
		err := m.Annotate(d)
		return d.Entities, err
	}
}

// theirs finds names with prose.
func theirs(text string) ([]language.Entity, error) {
	d, err := prose.NewDocument(text)
	if err != nil {
		return nil, err
	}
	var out []language.Entity
	for _, e := range d.Entities() {
		t, ok := types[e.Label]
		if !ok {
			t = language.Type(strings.ToLower(e.Label))
		}
		out = append(out, language.Entity{Type: t, Start: e.Start, End: e.End()})
	}
	return out, nil
}

// types has our type for each label of prose.
var types = map[string]language.Type{
	"PERSON": language.Person, "GPE": language.Place, "LOCATION": language.Place, "ORGANIZATION": language.Organisation, "ORG": language.Organisation,
}

// compareNames prints the F1 of whole names on the test parts of public corpora.
// Both read words with spaces between them. Prose knows people and places (GPE)
// alone in most versions, so each type has a row.
func compareNames(folder string) error {
	m, err := names.Load()
	if err != nil {
		return err
	}
	corpora, err := names.ReadCorpora(folder)
	if err != nil {
		return err
	}
	fmt.Println("names, F1 of whole spans in percent")
	fmt.Printf("%-10s %-14s %8s %8s %8s\n", "corpus", "type", "spans", "ours", "prose")
	for _, c := range corpora {
		if c.Name != "wikigold" && c.Name != "btc" && c.Name != "wnut17" {
			continue
		}
		a, err := score(c.Test, ours(m))
		if err != nil {
			return err
		}
		b, err := score(c.Test, theirs)
		if err != nil {
			return err
		}
		for _, row := range a {
			other := names.Row{}
			for _, r := range b {
				if r.Type == row.Type {
					other = r
				}
			}
			fmt.Printf("%-10s %-14s %8d %8.1f %8.1f\n", c.Name, row.Type, row.Spans.Right+row.Spans.Missed, 100*row.Spans.F(1), 100*other.Spans.F(1))
		}
	}
	return nil
}

// score counts whole names that find returns of sentences written as text.
func score(sentences []names.Sentence, find func(string) ([]language.Entity, error)) ([]names.Row, error) {
	var failed error
	rows := names.Spans(sentences, func(s names.Sentence) []names.Span {
		text := strings.Join(s.Words, " ")
		begin, end := map[int]int{}, map[int]int{}
		at := 0
		for i, w := range s.Words {
			begin[at], end[at+len(w)] = i, i+1
			at += len(w) + 1
		}
		found, err := find(text)
		if err != nil {
			failed = err
		}
		var spans []names.Span
		for _, e := range found {
			from, ok1 := begin[e.Start]
			to, ok2 := end[e.End]
			if !ok1 || !ok2 {
				from, to = len(s.Words), len(s.Words) // found, but not whole words
			}
			spans = append(spans, names.Span{Type: e.Type, Start: from, End: to})
		}
		return spans
	})
	return rows, failed
}
