package language

import (
	"bufio"
	"encoding/json"
	"fmt"

	"sotto/command/term"
	"sotto/study/language"
	"sotto/study/language/conllu"
	"sotto/study/language/lexicon"
	"sotto/text/guess"
)

// tagged is what "sotto tag --json" prints of a text.
type tagged struct {
	Tokens   []token  `json:"tokens"`
	Entities []entity `json:"entities"`
	Language string   `json:"language,omitempty"` // if it is not English, by a guess
	// Of --lexicon, by lexicon; and of vader, how positive the text is.
	Lexicons  map[string][]lexicon.Total `json:"lexicons,omitempty"`
	Sentiment *lexicon.Score             `json:"sentiment,omitempty"`
}

// token is a token of it.
type token struct {
	Text     string `json:"text"`
	Start    int    `json:"start"` // in bytes
	End      int    `json:"end"`
	UPOS     string `json:"upos"`
	XPOS     string `json:"xpos"`
	Lemma    string `json:"lemma"`
	Head     int    `json:"head"` // number within the sentence, from 1; 0 is the root
	DepRel   string `json:"deprel"`
	Sentence int    `json:"sentence"` // from 0

	Categories map[string][]lexicon.Entry `json:"categories,omitempty"` // by lexicon
}

// entity is an entity of it.
type entity struct {
	Type       language.Type `json:"type"`
	Start      int           `json:"start"`
	End        int           `json:"end"`
	Text       string        `json:"text"`
	Confidence float64       `json:"confidence"`
}

// writeJSON writes a document as a line of JSON, with what lexicons say of it.
func (all lexicons) writeJSON(out *bufio.Writer, d *language.Document) error {
	t := tagged{Tokens: make([]token, len(d.Tokens)), Entities: make([]entity, len(d.Entities))}
	heads(d, func(i, head int) {
		w := &d.Tokens[i]
		t.Tokens[i] = token{Text: w.Text, Start: w.Start, End: w.End, UPOS: w.UPOS, XPOS: w.XPOS, Lemma: w.Lemma, Head: head, DepRel: w.DepRel, Sentence: w.Sentence, Categories: all.of(w)}
	})
	for i, e := range d.Entities {
		t.Entities[i] = entity{Type: e.Type, Start: e.Start, End: e.End, Text: d.Text[e.Start:e.End], Confidence: e.Confidence}
	}
	if g := guess.Of(d.Text); !g.English() {
		t.Language = g.Language
	}
	var err error
	if t.Lexicons, t.Sentiment, err = all.counted(d); err != nil {
		return err
	}
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	return e.Encode(t)
}

// heads calls f with each token and the number of its head in its sentence.
func heads(d *language.Document, f func(i, head int)) {
	for first := 0; first < len(d.Tokens); {
		_, end := d.Sentence(first)
		for i := first; i < end; i++ {
			head := 0
			if h := d.Tokens[i].Head; h >= 0 {
				head = h - first + 1
			}
			f(i, head)
		}
		first = end
	}
}

// within returns the entity that a token begins, or goes on with, as B-type or
// I-type.
func within(d *language.Document) func(i int) string {
	next := 0
	return func(i int) string {
		for next < len(d.Entities) && d.Entities[next].End <= d.Tokens[i].Start {
			next++
		}
		if next == len(d.Entities) || d.Entities[next].Start >= d.Tokens[i].End {
			return ""
		}
		if e := d.Entities[next]; i == 0 || d.Tokens[i-1].End <= e.Start {
			return "B-" + string(e.Type)
		}
		return "I-" + string(d.Entities[next].Type)
	}
}

// writeCoNLLU writes a document as CoNLL-U.
func writeCoNLLU(out *bufio.Writer, d *language.Document) error {
	at, what := 0, within(d)
	for _, s := range conllu.Sentences(d) {
		for i := range s.Rows {
			if !s.Rows[i].Word() {
				continue
			}
			if e := what(at); e != "" {
				misc := &s.Rows[i][conllu.Misc]
				if *misc == "_" {
					*misc = "NER=" + e
				} else {
					*misc = "NER=" + e + "|" + *misc
				}
			}
			at++
		}
		if err := s.Write(out); err != nil {
			return err
		}
	}
	return nil
}

// writeTable writes a document for a person.
func writeTable(out *bufio.Writer, d *language.Document) error {
	t := term.NewTable(out, "#", "token", "lemma", "tag", "penn", "head", "relation", "entity")
	what, sentence := within(d), 0
	first := 0
	heads(d, func(i, head int) {
		w := &d.Tokens[i]
		if w.Sentence != sentence {
			sentence, first = w.Sentence, i
		}
		t.Cells(fmt.Sprintf("%d.%d", w.Sentence+1, i-first+1), w.Text, w.Lemma, w.UPOS, w.XPOS, fmt.Sprint(head), w.DepRel, what(i))
	})
	if err := t.Flush(); err != nil {
		return err
	}
	return out.WriteByte('\n')
}
