package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// This part of the package reads the lines of public sets of relations: texts with entities, and what
// is said of them. Package dataset knows their files.

// Related is a text of a set of relations.
type Related struct {
	Part      string // as the file has it; "" where there are none
	Group     string // of fewrel, the variant; of biographies, whom the page is about
	Text      string
	Words     [][2]int // bytes of the words, where the set gives them
	Entities  []marked
	Relations []Relation
}

// marked is an entity of a text, in bytes.
type marked struct {
	Type       string // as the set has it; "" where it has none
	Start, End int
}

// Relation is what is said of two entities.
type Relation struct {
	Type            string
	Subject, Object int // places among the entities; subject −1 is whom the text is about
}

// relationReaders read a line, by set.
var relationReaders = map[string]func(line []byte) (Related, error){
	"semeval2010": readSemEval,
	"conll04":     readCoNLL,
	"biographies": readBiography,
	"fewrel":      readFewRel,
}

// Check reports entities and relations that are not within the text.
func (r Related) Check() error {
	for _, e := range r.Entities {
		if e.Start < 0 || e.End <= e.Start || e.End > len(r.Text) {
			return errors.New("an entity must lie within the text")
		}
	}
	for _, q := range r.Relations {
		if q.Type == "" || q.Subject < -1 || q.Subject >= len(r.Entities) || q.Object < 0 || q.Object >= len(r.Entities) {
			return errors.New("a relation must have a name and two entities of the text")
		}
	}
	return nil
}

// Marked returns the text with the subject of a relation between <e1> and </e1>, and
// its object between <e2> and </e2>.
func (r Related) Marked(q Relation) string {
	type insert struct {
		at   int
		text string
	}
	var marks []insert
	for k, e := range []int{q.Subject, q.Object} {
		if e >= 0 {
			marks = append(marks, insert{r.Entities[e].Start, fmt.Sprintf("<e%d>", k+1)}, insert{r.Entities[e].End, fmt.Sprintf("</e%d>", k+1)})
		}
	}
	slices.SortStableFunc(marks, func(a, b insert) int { return a.at - b.at })
	var b strings.Builder
	at := 0
	for _, m := range marks {
		b.WriteString(r.Text[at:m.at] + m.text)
		at = m.at
	}
	return b.String() + r.Text[at:]
}

// errRelations says that a line is not as a set of relations has it. The message of the
// decoder may quote the text.
var errRelations = errors.New("it is no JSON of a text with relations")

// setWords makes a text of words, with a space between any two.
func (r *Related) setWords(words []string) {
	var b strings.Builder
	for k, w := range words {
		if k > 0 {
			b.WriteByte(' ')
		}
		r.Words = append(r.Words, [2]int{b.Len(), b.Len() + len(w)})
		b.WriteString(w)
	}
	r.Text = b.String()
}

// mark adds the entity of the words from first up to, but without, end.
func (r *Related) mark(kind string, first, end int) error {
	if first < 0 || end <= first || end > len(r.Words) {
		return errors.New("an entity must lie within the words")
	}
	r.Entities = append(r.Entities, marked{kind, r.Words[first][0], r.Words[end-1][1]})
	return nil
}

// readSemEval reads a sentence of SemEval-2010 task 8. Its relations say which argument is
// which, so the first is always the subject here.
func readSemEval(line []byte) (r Related, err error) {
	var in struct {
		Split    string `json:"split"`
		Relation string `json:"relation"`
		Text     string `json:"text"`
		E1       [2]int `json:"e1"`
		E2       [2]int `json:"e2"`
	}
	if json.Unmarshal(line, &in) != nil {
		return r, errRelations
	}
	r.Text = in.Text
	r.Entities = []marked{{"", in.E1[0], in.E1[1]}, {"", in.E2[0], in.E2[1]}}
	r.Relations = []Relation{{in.Relation, 0, 1}}
	r.Part = in.Split
	return r, nil
}

// readCoNLL reads a sentence of CoNLL04.
func readCoNLL(line []byte) (r Related, err error) {
	var in struct {
		Split     string   `json:"split"`
		Tokens    []string `json:"tokens"`
		Entities  []triple `json:"entities"`
		Relations []triple `json:"relations"`
	}
	if json.Unmarshal(line, &in) != nil {
		return r, errRelations
	}
	r.setWords(in.Tokens)
	for _, e := range in.Entities {
		if err := r.mark(e.name, e.a, e.b); err != nil {
			return r, err
		}
	}
	for _, q := range in.Relations {
		r.Relations = append(r.Relations, Relation{q.name, q.a, q.b})
	}
	r.Part = in.Split
	return r, nil
}

// triple is a name and two numbers, in a list.
type triple struct {
	name string
	a, b int
}

// UnmarshalJSON implements json.Unmarshaler.
func (t *triple) UnmarshalJSON(data []byte) error {
	var list []json.RawMessage
	if json.Unmarshal(data, &list) != nil {
		return errRelations
	}
	return fields(list, &t.name, &t.a, &t.b)
}

// fields reads the values of a list.
func fields(list []json.RawMessage, into ...any) error {
	if len(list) != len(into) {
		return errRelations
	}
	for k, to := range into {
		if json.Unmarshal(list[k], to) != nil {
			return errRelations
		}
	}
	return nil
}

// readBiography reads a paragraph of Wikipedia, whose links have relations to the person
// whom the page is about, or none.
func readBiography(line []byte) (r Related, err error) {
	var in struct {
		Split   string              `json:"split"`
		Subject string              `json:"subject"`
		Text    string              `json:"text"`
		Links   [][]json.RawMessage `json:"links"`
	}
	if json.Unmarshal(line, &in) != nil {
		return r, errRelations
	}
	r.Text, r.Group = in.Text, in.Subject
	for _, link := range in.Links {
		var e marked
		var relation, title string
		if err := fields(link, &e.Start, &e.End, &relation, &title); err != nil {
			return r, err
		}
		if r.Entities = append(r.Entities, e); relation != "" {
			r.Relations = append(r.Relations, Relation{relation, -1, len(r.Entities) - 1})
		}
	}
	r.Part = in.Split
	return r, nil
}

// readFewRel reads a sentence of FewRel. Of the places of an argument, the first counts.
func readFewRel(line []byte) (r Related, err error) {
	var in struct {
		Set      string   `json:"set"`
		Relation string   `json:"relation"`
		Tokens   []string `json:"tokens"`
		Head     [][2]int `json:"head"`
		Tail     [][2]int `json:"tail"`
	}
	if json.Unmarshal(line, &in) != nil || len(in.Head) == 0 || len(in.Tail) == 0 {
		return r, errRelations
	}
	r.Group = in.Set
	r.setWords(in.Tokens)
	r.Relations = []Relation{{in.Relation, 0, 1}}
	return r, errors.Join(r.mark("", in.Head[0][0], in.Head[0][1]), r.mark("", in.Tail[0][0], in.Tail[0][1]))
}
