package dataset

import (
	"cmp"
	"fmt"
	"strings"
)

const (
	clincFile  = "clinc150/data_full.tsv"
	imdbFile   = "imdb/reviews.tsv"
	outOfScope = "oos"
)

// loadBanking reads questions to a bank, one file a part. Seven texts stand in
// both, as they were published.
func loadBanking(l *loader) (*Set, error) {
	s := &Set{}
	var intents []string
	for k, file := range l.info.Files {
		err := l.table(file.Path, []string{"intent", "text"}, func(f []string) error {
			intents, s.Text = append(intents, f[0]), append(s.Text, f[1])
			s.Split = append(s.Split, []Part{Train, Test}[k])
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	s.Label = columnOf("intent", intents)
	return l.finish(s, nil)
}

// loadClinc reads requests to an assistant. The variant "whole" has those that no
// intent fits, as one class more.
func loadClinc(l *loader) (*Set, error) {
	s := &Set{}
	var intents []string
	left := 0
	err := l.table(clincFile, []string{"split", "domain", "intent", "text"}, func(f []string) error {
		if f[2] == outOfScope && l.options.Variant != "whole" {
			left++
			return nil
		}
		intents, s.Text = append(intents, f[2]), append(s.Text, f[3])
		return s.addPart(f[0])
	})
	s.Label = columnOf("intent", intents)
	if left > 0 {
		l.notes = append(l.notes, fmt.Sprintf("%d requests that no intent fits are left out", left))
	}
	return l.finish(s, err)
}

// loadIMDb reads whole film reviews, of 231 words on average. Marks of line ends
// are made spaces.
func loadIMDb(l *loader) (*Set, error) {
	s := &Set{Label: Column{Name: "sentiment", Classes: []string{"negative", "positive"}}}
	err := l.table(imdbFile, []string{"split", "label", "rating", "movie", "id", "text"}, func(f []string) error {
		s.Text = append(s.Text, strings.Join(strings.Fields(strings.ReplaceAll(f[5], "<br />", " ")), " "))
		return cmp.Or(s.addPart(f[0]), s.Label.addDigit(f[1], 0))
	})
	return l.finish(s, err)
}
