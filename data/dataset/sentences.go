package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// loadLabelled reads the labelled sentences of Kotzias: a text, a tab and 0 or
// 1. The last tab counts, and quotes mean nothing. The split is LDPNN's 80:20.
func loadLabelled(l *loader) (*Set, error) {
	s := &Set{Label: Column{Name: "sentiment", Classes: []string{"negative", "positive"}}}
	err := l.each(l.info.Files[0].Path, func(line string) error {
		tab := strings.LastIndexByte(line, '\t')
		if tab < 0 {
			return errors.New("it has no tab, must be text, tab and label")
		}
		s.Text = append(s.Text, strings.TrimSpace(line[:tab]))
		return s.Label.addDigit(line[tab+1:], 0)
	})
	s.Split = eightyOnly.split(len(s.Text), l.options.Seed)
	return l.finish(s, err)
}

// loadSentEval reads files of lines "label text", one file a part: train and
// test, or train, validation and test. A single file is split 80/10/10.
func loadSentEval(label string, classes ...string) func(*loader) (*Set, error) {
	return func(l *loader) (*Set, error) {
		s := &Set{Label: Column{Name: label, Classes: classes}}
		parts := []Part{Train, Validation, Test}
		if len(l.info.Files) == 2 {
			parts = []Part{Train, Test}
		}
		for k, f := range l.info.Files {
			err := l.each(f.Path, func(line string) error {
				digit, text, _ := strings.Cut(line, " ")
				s.Text = append(s.Text, strings.TrimSpace(text))
				s.Split = append(s.Split, parts[k])
				return s.Label.addDigit(digit, 0)
			})
			if err != nil {
				return nil, err
			}
		}
		if len(l.info.Files) == 1 {
			s.Split = eighty.split(len(s.Text), l.options.Seed)
		}
		return l.finish(s, nil)
	}
}

// snipsIntents are the classes of SNIPS, and parts of its file names.
var snipsIntents = []string{"AddToPlaylist", "BookRestaurant", "GetWeather", "PlayMusic", "RateBook", "SearchCreativeWork", "SearchScreeningEvent"}

// loadSnips reads the JSON files of SNIPS, two an intent. What the authors call
// validation is the test part, as everybody uses it. White space is made single
// spaces, because some texts have line ends within.
func loadSnips(l *loader) (*Set, error) {
	s := &Set{Label: Column{Name: "intent", Classes: snipsIntents}}
	for k, f := range l.info.Files {
		intent := snipsIntents[k/2]
		data, err := content(l.fsys, f.Path)
		if err != nil {
			return nil, err
		}
		var file map[string][]struct {
			Data []struct {
				Text string `json:"text"`
			} `json:"data"`
		}
		if err := json.Unmarshal([]byte(l.repair(string(data))), &file); err != nil {
			// Its message may quote the file.
			return nil, fmt.Errorf("dataset: %s is no JSON of utterances", f.Path)
		}
		if _, ok := file[intent]; !ok || len(file) != 1 {
			return nil, fmt.Errorf("dataset: %s has %d keys, must have the one key %s", f.Path, len(file), intent)
		}
		for _, utterance := range file[intent] {
			var text strings.Builder
			for _, piece := range utterance.Data {
				text.WriteString(piece.Text)
			}
			s.Text = append(s.Text, strings.Join(strings.Fields(text.String()), " "))
			s.Label.IDs = append(s.Label.IDs, k/2)
			s.Split = append(s.Split, []Part{Train, Test}[k%2])
			l.rows[f.Path]++
		}
	}
	return l.finish(s, nil)
}

// loadMRPC reads the pairs of the Microsoft Research Paraphrase Corpus. Quotes
// are literal.
func loadMRPC(l *loader) (*Set, error) {
	s := &Set{Label: Column{Name: "paraphrase", Classes: []string{"no", "yes"}}}
	names := []string{"Quality", "#1 ID", "#2 ID", "#1 String", "#2 String"}
	for k, file := range l.info.Files {
		err := l.table(file.Path, names, func(f []string) error {
			s.Text = append(s.Text, f[3])
			s.Second = append(s.Second, f[4])
			s.Split = append(s.Split, []Part{Train, Test}[k])
			return s.Label.addDigit(f[0], 0)
		})
		if err != nil {
			return nil, err
		}
	}
	return l.finish(s, nil)
}

// loadSTSB reads pairs with a similarity from 0 to 5, which is kept as a number.
// Only the validation and test parts are here.
func loadSTSB(l *loader) (*Set, error) {
	s := &Set{Label: Column{Name: "similarity"}}
	for k, file := range l.info.Files {
		err := l.records(file.Path, nil, func(f []string) error {
			if len(f) != 3 {
				return fmt.Errorf("it has %d fields, must have 3", len(f))
			}
			score, err := strconv.ParseFloat(f[2], 64)
			if err != nil || !(score >= 0 && score <= 5) {
				return errors.New("the score is no number from 0 to 5")
			}
			s.Text = append(s.Text, f[0])
			s.Second = append(s.Second, f[1])
			s.Target = append(s.Target, score)
			s.Split = append(s.Split, []Part{Validation, Test}[k])
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return l.finish(s, nil)
}
