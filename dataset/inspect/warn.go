package inspect

import (
	"fmt"
	"slices"
	"strings"

	"sotto/dataset"
)

// warnings says what is suspicious.
func (s *scan) warnings(r *Report) []string {
	var out []string
	warn := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	for i, c := range r.Columns {
		switch {
		case c.Name == "":
			warn("column %d has no name, so it cannot be asked for", i+1)
		case slices.IndexFunc(r.Columns, func(o Column) bool { return o.Name == c.Name }) < i:
			warn("column %d is named %q as one before it, so neither can be asked for", i+1, c.Name)
		}
		s.columnWarnings(i, c, r, warn)
	}
	for _, p := range s.pairs {
		if told := s.tells(p, r.Columns); told != "" {
			warn("%s", told)
		}
	}
	for _, d := range r.Duplicates {
		about := ""
		if d.Estimate {
			about = "about "
		}
		warn("%s%s in several rows of column %q: %d rows could go", about, count(d.Texts, "text stands", "texts stand"), d.Column, d.Rows)
		if d.Across > 0 {
			warn("%s%s in several parts of column %q, so a model is tested on what it has seen", about, count(d.Across, "text stands", "texts stand"), d.Column)
		}
	}
	if p := r.Persons; p != nil && p.Across > 0 {
		warn("%s rows in several parts, so a model is tested on persons that it has seen", count(p.Across, "person has", "persons have"))
	}
	if !slices.ContainsFunc(r.Columns, func(c Column) bool { return c.Kind == Text }) {
		warn("no column looks like texts")
	}
	return out
}

// columnWarnings says what is suspicious about a column by itself.
func (s *scan) columnWarnings(i int, c Column, r *Report, warn func(string, ...any)) {
	col, who := s.columns[i], called(i, c)
	switch c.Kind {
	case Empty:
		warn("%s is empty", who)
	case Constant:
		warn("%s is the same in every row, so it tells nothing", who)
	case ID:
		if col.index && col.rows > 2 {
			warn("%s counts the rows, so it is neither a label nor a number to learn from", who)
		}
	case Number:
		if col.whole && c.Distinct > 20 {
			warn("%s has %d values: it is a number, not classes", who, c.Distinct)
		}
	case Class:
		var single []string
		for _, k := range c.Classes {
			if k.Rows == 1 {
				single = append(single, k.Name)
			}
		}
		if len(single) > 0 && i != s.split {
			warn("%s has %s with one row, which can be in one part only", who, count(int64(len(single)), "class", "classes"))
		}
		if c.Name == r.Roles.Label && len(c.Classes) > 50 {
			warn("%s has %d classes: each needs rows to be learnt", who, len(c.Classes))
		}
	case Nested:
		warn("%s holds lists or objects, which cannot be used", who)
	default:
	}
	if col.numbers < col.rows && col.numbers*10 >= col.rows*9 {
		warn("%s has numbers but for %s", who, count(col.rows-col.numbers, "row", "rows"))
	}
	if c.Kind != Empty && c.Empty*2 > r.Rows {
		warn("%s is empty in %d of %d rows", who, c.Empty, r.Rows)
	} else if c.Kind == Text && c.Name == r.Roles.Text && c.Empty > 0 {
		warn("%s without a text in %s", count(c.Empty, "row is", "rows are"), who)
	}
}

// called names a column in a warning.
func called(i int, c Column) string {
	if c.Name == "" {
		return fmt.Sprintf("column %d", i+1)
	}
	return fmt.Sprintf("column %q", c.Name)
}

// count renders a number of things.
func count(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Roles are what columns are probably for, by their kinds and names. An empty name
// means that no column looks so.
type Roles struct {
	Text       string   `json:"text,omitempty"`
	Label      string   `json:"label,omitempty"`
	Attributes []string `json:"attributes,omitempty"`
	ID         string   `json:"id,omitempty"`
	Split      string   `json:"split,omitempty"`
	Person     string   `json:"person,omitempty"`
}

// What columns are called, as far as names tell what they are for.
var (
	textNames      = []string{"text", "review", "comment", "sentence", "body", "message", "tweet", "content", "document"}
	labelNames     = []string{"label", "class", "target", "category", "sentiment", "topic", "intent", "rating", "stars", "polarity", "y", "score"}
	attributeNames = []string{"gender", "sex", "age", "race", "ethnicity", "dialect", "religion", "nationality", "country", "language", "disability", "orientation"}
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
		case out.Person == "" && (c.Kind == Person || c.Kind == Class || c.Kind == Number) && c.Distinct > 5 && named(c.Name, personNames) >= 0:
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
	return out
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

// named returns which of the names is a word of a column's name, −1 if none is.
func named(column string, names []string) int {
	words := strings.FieldsFunc(strings.ToLower(column), func(r rune) bool { return strings.ContainsRune(" _-./", r) })
	for i, name := range names {
		for _, w := range words {
			if w == name || w == name+"s" || w == name+"id" {
				return i
			}
		}
	}
	return -1
}
