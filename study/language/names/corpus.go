package names

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"path/filepath"
	"regexp"
	"strings"

	"sotto/internal/regular"
	"sotto/study/language"
)

// Corpus is sentences whose names are known, in three parts that share none.
type Corpus struct {
	Name             string
	Train, Dev, Test []Sentence
}

// Synthetic reports whether the sentences were made from templates.
func (c *Corpus) Synthetic() bool { return c.Name == synthetic }

// typesOf has our type for each type of a public corpus; others are left out.
var typesOf = map[string]language.Type{
	"person": language.Person, "PER": language.Person, "PERSON": language.Person,
	"corporation": language.Organisation, "group": language.Organisation, "ORG": language.Organisation, "ORGANIZATION": language.Organisation,
	"location": language.Place, "LOC": language.Place, "GPE": language.Place, "LOCATION": language.Place,
	"product": language.Miscellaneous, "creative-work": language.Miscellaneous, "MISC": language.Miscellaneous, "NRP": language.Miscellaneous,
	"STREET_ADDRESS": language.Address, "ADDRESS": language.Address, "ZIP_CODE": language.Address,
}

// Lines calls f with each line of a file, which may be packed by gzip.
func Lines(path string, f func(line []byte) error) error {
	file, _, err := regular.Open(path, regular.Most) //nolint:gosec // a file of the folder of data that the user names
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // read only
	var r io.Reader = file
	if strings.HasSuffix(path, ".gz") {
		z, err := gzip.NewReader(file)
		if err != nil {
			return fmt.Errorf("names: %s: %w", filepath.Base(path), err)
		}
		r = z
	}
	scan := bufio.NewScanner(r)
	scan.Buffer(nil, 1<<24)
	for n := 1; scan.Scan(); n++ {
		if err := f(scan.Bytes()); err != nil {
			return fmt.Errorf("names: %s, line %d: %w", filepath.Base(path), n, err)
		}
	}
	return scan.Err()
}

// tokenised is a line of a corpus of words.
type tokenised struct {
	Split    string   `json:"split"`
	Tokens   []string `json:"tokens"`
	Entities [][3]any `json:"entities"`
}

// sentence checks a line and returns it with our types.
func (row tokenised) sentence() (Sentence, error) {
	s := Sentence{Words: row.Tokens}
	at := 0
	for _, e := range row.Entities {
		name, ok1 := e[0].(string)
		from, ok2 := e[1].(float64)
		to, ok3 := e[2].(float64)
		if !ok1 || !ok2 || !ok3 || int(from) < at || to <= from || int(to) > len(row.Tokens) {
			return s, errors.New("an entity must be [type, start, end], behind the one before and within the tokens")
		}
		at = int(to)
		if t := typesOf[name]; t != "" {
			s.Spans = append(s.Spans, Span{Type: t, Start: int(from), End: int(to)})
		}
	}
	return s, nil
}

// readTokens reads a corpus of words by its splits.
func readTokens(name, path string) (*Corpus, error) {
	c := &Corpus{Name: name}
	var all []Sentence
	err := Lines(path, func(line []byte) error {
		var row tokenised
		if err := json.Unmarshal(line, &row); err != nil {
			return err
		}
		s, err := row.sentence()
		if err != nil {
			return err
		}
		switch row.Split {
		case "train":
			c.Train = append(c.Train, s)
		case "dev":
			c.Dev = append(c.Dev, s)
		case "test":
			c.Test = append(c.Test, s)
		case "all":
			all = append(all, s)
		default:
			return fmt.Errorf("split is %q, must be train, dev, test or all", row.Split)
		}
		return nil
	})
	// A corpus without splits is cut in order, because sentences beside one another
	// are from one page: six tenths to train, one to tune, three to test.
	if n := len(all); n > 0 {
		c.Train, c.Dev, c.Test = all[:n*6/10], all[n*6/10:n*7/10], all[n*7/10:]
	}
	return c, err
}

// withoutHandles leaves out words that begin with @. WNUT17 does not mark them,
// and the Broad Twitter Corpus does.
func withoutHandles(sentences []Sentence) []Sentence {
	out := make([]Sentence, 0, len(sentences))
	for _, s := range sentences {
		var t Sentence
		place := make([]int, len(s.Words)+1)
		for i, w := range s.Words {
			place[i] = len(t.Words)
			if !strings.HasPrefix(w, "@") || len(w) == 1 {
				t.Words = append(t.Words, w)
			}
		}
		place[len(s.Words)] = len(t.Words)
		for _, sp := range s.Spans {
			if place[sp.End] > place[sp.Start] {
				t.Spans = append(t.Spans, Span{Type: sp.Type, Start: place[sp.Start], End: place[sp.End]})
			}
		}
		out = append(out, t)
	}
	return out
}

// Text is a text with the places of what is personal in it, under the names that
// its corpus gives types.
type Text struct {
	Text     string
	Marks    []Mark
	Template string // from which the text was made
	Held     bool   // out: texts of this template are for tests alone
}

// Mark is a place of a text that its corpus gives a type.
type Mark struct {
	Type       string
	Start, End int // bytes
}

var placeholder = regexp.MustCompile(`\{\{[^}]*\}\}`)

// held reports whether a template is kept for tests. Templates of the two sets
// differ in the names of placeholders alone, so these do not count.
func held(template string) bool {
	h := fnv.New32a()
	plain := strings.ToLower(strings.Join(strings.Fields(placeholder.ReplaceAllString(template, "{}")), " "))
	h.Write([]byte(plain))
	return h.Sum32()>>8%2 == 1
}

// ReadTexts reads the synthetic texts of presidio-research.
func ReadTexts(folder string) ([]Text, error) {
	var out []Text
	err := Lines(filepath.Join(folder, "ner", "presidio_synth.jsonl.gz"), func(line []byte) error {
		var row struct {
			Masked   string   `json:"masked"`
			Text     string   `json:"text"`
			Entities [][3]any `json:"entities"`
		}
		if err := json.Unmarshal(line, &row); err != nil {
			return err
		}
		t := Text{Text: row.Text, Template: row.Masked, Held: held(row.Masked)}
		for _, e := range row.Entities {
			name, ok1 := e[0].(string)
			from, ok2 := e[1].(float64)
			to, ok3 := e[2].(float64)
			if !ok1 || !ok2 || !ok3 || from < 0 || to <= from || int(to) > len(row.Text) {
				return errors.New("an entity must be [type, start, end] within the text")
			}
			t.Marks = append(t.Marks, Mark{Type: name, Start: int(from), End: int(to)})
		}
		out = append(out, t)
		return nil
	})
	return out, err
}

// sentence returns the words of a text with the names of our types. Parts of an
// address that only spaces and commas separate are one.
func (t Text) sentence() Sentence {
	tokens := language.Tokens(t.Text)
	s := sentence(t.Text, tokens)
	for _, m := range t.Marks {
		typ := typesOf[m.Type]
		if typ == "" {
			continue
		}
		from, to := -1, -1
		for i, k := range tokens {
			if k.End > m.Start && k.Start < m.End {
				if from < 0 {
					from = i
				}
				to = i + 1
			}
		}
		if n := len(s.Spans); from >= 0 && n > 0 && typ == language.Address && s.Spans[n-1].Type == typ &&
			strings.Trim(t.Text[tokens[s.Spans[n-1].End-1].End:max(tokens[s.Spans[n-1].End-1].End, tokens[from].Start)], " \n,") == "" {
			s.Spans[n-1].End = to
			continue
		}
		if from >= 0 && (len(s.Spans) == 0 || from >= s.Spans[len(s.Spans)-1].End) {
			s.Spans = append(s.Spans, Span{Type: typ, Start: from, End: to})
		}
	}
	return s
}

// synthetic is the name of the corpus of synthetic texts.
const synthetic = "presidio"

// ReadCorpora reads the corpora that the model is trained and tested on, from a
// folder of data.
func ReadCorpora(folder string) ([]*Corpus, error) {
	var out []*Corpus
	for _, c := range [][2]string{{"wnut17", "wnut17.jsonl.gz"}, {"btc", "btc.jsonl.gz"}, {"wikigold", "wikigold.jsonl"}} {
		corpus, err := readTokens(c[0], filepath.Join(folder, "ner", c[1]))
		if err != nil {
			return nil, err
		}
		out = append(out, corpus)
	}
	texts, err := ReadTexts(folder)
	if err != nil {
		return nil, err
	}
	made := &Corpus{Name: synthetic}
	for _, t := range texts {
		if t.Held {
			made.Test = append(made.Test, t.sentence())
		} else {
			made.Train = append(made.Train, t.sentence())
		}
	}
	return append(out, made), nil
}

// Held returns the texts whose templates are kept for tests.
func Held(texts []Text) []Text {
	var out []Text
	for _, t := range texts {
		if t.Held {
			out = append(out, t)
		}
	}
	return out
}
