package inspect

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// warnings says what is suspicious.
func (s *scan) warnings(r *Report) []string {
	var out []string
	warn := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if r.Headless {
		warn("the first line looks like a row and not like names: without a header, say --no-header")
	}
	for i, c := range r.Columns {
		switch {
		case c.Name == "":
			warn("column %d has no name, so it cannot be asked for", i+1)
		case slices.IndexFunc(r.Columns, func(o Column) bool { return o.Name == c.Name }) < i:
			warn("column %d is named %q as one before it, so neither can be asked for", i+1, c.Name)
		}
		s.columnWarnings(i, c, r, warn)
	}
	gaps(r, warn)
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
		if d.Column == r.Roles.Text {
			warn("%s%s in several rows of %s: %s could go", about, count(d.Texts, "text stands", "texts stand"), calledText(r), count(d.Rows, "row", "rows"))
		}
		if d.Column == r.Roles.Text && d.Across > 0 {
			warn("%s%s in several parts of %s, so a model is tested on what it has seen", about, count(d.Across, "text stands", "texts stand"), calledText(r))
		}
	}
	if p := r.Persons; p != nil && p.Across > 0 {
		warn("%s rows in several parts of %s, so a model is tested on persons that it has seen: without --split, parts are drawn that keep them together", count(p.Across, "person has", "persons have"), called(s.split, r.Columns[s.split]))
	}
	// A name in another language is not known, and many values are not always persons.
	if i := slices.IndexFunc(r.Columns, func(c Column) bool { return c.Kind == Person && c.Name != "" }); i >= 0 && r.Roles.Person == "" {
		warn("%s may say whose row it is: if so, --person keeps the rows of a person in one part and gives ε for a person", called(i, r.Columns[i]))
	}
	if r.Roles.Text == "" {
		warn("no column looks like texts")
	}
	return out
}

// calledText names the column of the texts.
func calledText(r *Report) string {
	i := slices.IndexFunc(r.Columns, func(c Column) bool { return c.Name == r.Roles.Text })
	return called(i, r.Columns[i])
}

// headless reports whether a name in the header is a value of its column: a class,
// or a number among numbers.
func (s *scan) headless(r *Report) bool {
	for i, c := range r.Columns {
		_, class := s.columns[i].counts[c.Name]
		_, notNumber := strconv.ParseFloat(c.Name, 64)
		number := notNumber == nil && s.columns[i].rows > 0 && s.columns[i].numbers == s.columns[i].rows
		if s.r.Header() && c.Name != "" && (class || number) {
			return true
		}
	}
	return false
}

// columnWarnings says what is suspicious about a column by itself.
func (s *scan) columnWarnings(i int, c Column, r *Report, warn func(string, ...any)) {
	col, who := s.columns[i], called(i, c)
	switch c.Kind {
	case Constant:
		warn("%s is the same in every row, so it tells nothing", who)
	case ID:
		if col.index && col.rows > 2 {
			warn("%s counts the rows, so it is neither a label nor a number to learn from", who)
		} else if again := col.rows - c.Distinct; again > 0 && !c.Estimate {
			warn("%s looks like a key, but %s one that was there before, so it is none", who, count(again, "row has", "rows have"))
		}
	case Number:
		if col.whole && c.Distinct > 20 {
			warn("%s has %d values: it is a number, not classes", who, c.Distinct)
		}
	case Class:
		single := int64(0)
		for _, k := range c.Classes {
			if k.Rows == 1 {
				single++
			}
		}
		if single > 0 && i != s.split && 2*c.Empty <= r.Rows {
			warn("%s has %s with one row, which can be in one part only", who, count(single, "class", "classes"))
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
	if c.Name == r.Roles.Text && c.Name != "" && c.Empty > 0 && 2*c.Empty <= r.Rows {
		warn("%s without a text in %s", count(c.Empty, "row is", "rows are"), who)
	}
}

// gaps names the columns that are empty, or almost: in a line for all, because
// there may be many.
func gaps(r *Report, warn func(string, ...any)) {
	var empty, mostly []string
	for i, c := range r.Columns {
		switch {
		case c.Kind == Empty:
			empty = append(empty, called(i, c))
		case 2*c.Empty > r.Rows:
			mostly = append(mostly, called(i, c))
		}
	}
	if len(empty) > 0 {
		warn("%s in every row: %s", count(int64(len(empty)), "column is empty", "columns are empty"), few(empty))
	}
	if len(mostly) > 0 {
		warn("%s in more than half of the rows: %s", count(int64(len(mostly)), "column is empty", "columns are empty"), few(mostly))
	}
}

// few lists the first of many.
func few(names []string) string {
	const most = 5
	if len(names) > most {
		return strings.Join(names[:most], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}

// called names a column in a warning, by its place if it has no name, or one that
// looks like a text: where a file has no header, it may be one.
func called(i int, c Column) string {
	if c.Name == "" || c.Wordy() {
		return fmt.Sprintf("column %d", i+1)
	}
	return fmt.Sprintf("column %q", c.Name)
}

// Wordy reports whether the name of a column looks like a text, which is better
// not shown.
func (c Column) Wordy() bool { return len(strings.Fields(c.Name)) > 4 || len(c.Name) > 60 }

// count renders a number of things.
func count(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
