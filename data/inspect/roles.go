package inspect

import (
	"cmp"
	"slices"
	"strings"

	"sotto/data/dataset"
)

// Roles are what columns are probably for, by their kinds and names. An empty name
// means that no column looks so.
type Roles struct {
	Text       string   `json:"text,omitempty"`
	Label      string   `json:"label,omitempty"`
	Attributes []string `json:"attributes,omitempty"`
	ID         string   `json:"id,omitempty"`
	Split      string   `json:"split,omitempty"`
	Person     string   `json:"person,omitempty"`
	Numbers    []string `json:"numbers,omitempty"` // to learn from where there are no texts
}

// What columns are called, as far as names tell what they are for.
var (
	textNames      = []string{"text", "review", "comment", "sentence", "body", "message", "tweet", "content", "document"}
	labelNames     = []string{"label", "class", "target", "category", "sentiment", "topic", "intent", "rating", "stars", "polarity", "y", "score"}
	attributeNames = []string{"gender", "sex", "age", "race", "ethnicity", "dialect", "religion", "nationality", "country", "language", "disability", "orientation"}
	splitNames     = []string{"split", "part", "partition", "subset", "set", "fold"}
	personNames    = []string{"user", "author", "person", "customer", "patient", "speaker", "subject", "account", "client", "member"}
)

// roles finds what columns are for.
func (s *scan) roles(r *Report) Roles {
	out := Roles{Split: s.opt.Split, Person: s.opt.Person}
	usable := slices.DeleteFunc(slices.Clone(r.Columns), func(c Column) bool {
		same := 0
		for _, o := range r.Columns {
			if o.Name == c.Name {
				same++
			}
		}
		return c.Name == "" || same > 1 || c.Name == s.opt.Split || c.Name == s.opt.Person
	})
	for _, c := range usable {
		switch {
		case out.Split == "" && isSplit(c):
			out.Split = c.Name
		case out.ID == "" && c.Kind == ID && c.Empty == 0 && !c.Estimate && c.Distinct == r.Rows:
			out.ID = c.Name
		case out.Person == "" && (c.Kind == Person || c.Kind == Class || c.Kind == Number) && c.Distinct > 5 && ofPerson(c.Name):
			out.Person = c.Name
		}
	}
	out.Text = best(usable, textNames, func(c Column) float64 {
		if c.Kind != Text {
			return 0
		}
		return c.Words
	})
	out.Label = best(usable, labelNames, func(c Column) float64 {
		if c.Kind != Class || len(c.Classes) < 2 || c.Name == out.Split || c.Name == out.Person || named(c.Name, attributeNames) >= 0 {
			return 0
		}
		return 1 / float64(len(c.Classes))
	})
	for _, c := range usable {
		if c.Kind == Class && c.Name != out.Label && c.Name != out.Person && named(c.Name, attributeNames) >= 0 {
			out.Attributes = append(out.Attributes, c.Name)
		}
	}
	for _, c := range usable {
		if c.Kind == Number && c.Empty == 0 && out.Text == "" && c.Name != out.Person {
			out.Numbers = append(out.Numbers, c.Name)
		}
	}
	slices.SortStableFunc(out.Attributes, func(a, b string) int { return cmp.Compare(named(a, attributeNames), named(b, attributeNames)) })
	return out
}

// ofPerson reports whether a column is named as one that says whose row it is,
// such as user or author_id, and not something about them.
func ofPerson(name string) bool {
	words := nameWords(name)
	for len(words) > 1 && slices.Contains([]string{"id", "name", "key", "number", "no", "nr", "hash"}, words[len(words)-1]) {
		words = words[:len(words)-1]
	}
	return len(words) > 0 && named(words[len(words)-1], personNames) >= 0
}

// isSplit reports whether the classes of a column are parts.
func isSplit(c Column) bool {
	return c.Kind == Class && len(c.Classes) > 1 && !slices.ContainsFunc(c.Classes, func(k Share) bool {
		_, part := dataset.ParsePart(k.Name)
		return !part
	})
}

// best returns the column with the first of the names, or else the one that is
// worth the most, if that is more than nothing.
func best(columns []Column, names []string, worth func(Column) float64) string {
	out, rank, most := "", len(names), 0.
	for _, c := range columns {
		w := worth(c)
		if w <= 0 {
			continue
		}
		at := named(c.Name, names)
		if at < 0 {
			at = len(names)
		}
		if out == "" || at < rank || (at == rank && w > most) {
			out, rank, most = c.Name, at, w
		}
	}
	return out
}

// nameWords returns the words of a column's name.
func nameWords(column string) []string {
	return strings.FieldsFunc(strings.ToLower(column), func(r rune) bool { return strings.ContainsRune(" _-./", r) })
}

// named returns which of the names is a word of a column's name, −1 if none is.
func named(column string, names []string) int {
	for i, name := range names {
		for _, w := range nameWords(column) {
			if w == name || w == name+"s" || w == name+"id" || w == name+"name" {
				return i
			}
		}
	}
	return -1
}
