package own

import (
	"fmt"
	"slices"
	"strings"

	"sotto/data/dataset"
)

// The percentages of drawn parts, of each class; the rest tests. Where a column
// says which rows test and none validates, lent percent of the others do.
const (
	trains    = 60
	validates = 20
	lent      = 10
)

// eval is what some call the part that tests and others the one that validates: it
// validates where another part tests.
const eval dataset.Part = "eval"

// parts is the column that says where rows belong.
type parts struct {
	of    []dataset.Part
	empty int
	names map[string]int // unknown names, with how many rows have them
}

// add takes the part of one row.
func (p *parts) add(name string) {
	name = strings.TrimSpace(name)
	part, ok := dataset.ParsePart(name)
	if strings.EqualFold(name, string(eval)) {
		part, ok = eval, true
	}
	switch {
	case name == "":
		p.empty++
	case !ok && len(p.names) <= shownParts:
		p.names[strings.Clone(name)]++
	}
	p.of = append(p.of, part)
}

// shownParts is how many unknown names an error lists, and shownLength how long
// each may be: what is longer is likely to be a text.
const (
	shownParts  = 8
	shownLength = 24
)

// refuse says which names are none of parts.
func (p *parts) refuse(column string) error {
	const want = "must be train, validation or test (also training, dev, valid, val, eval)"
	if p.empty > 0 {
		return fmt.Errorf("column %q of the split is empty in %d rows, %s", column, p.empty, want)
	}
	if len(p.names) == 0 {
		return nil
	}
	var unknown []string
	for name := range p.names {
		if len(name) > shownLength {
			unknown = nil
			break
		}
		unknown = append(unknown, fmt.Sprintf("%q", name))
	}
	if unknown == nil || len(p.names) > shownParts {
		return fmt.Errorf("column %q of the split holds other values than names of parts, %s", column, want)
	}
	slices.Sort(unknown)
	return fmt.Errorf("column %q of the split holds %s, %s", column, strings.Join(unknown, ", "), want)
}

// divide gives each row its part.
func (b *builder) divide() error {
	s := &b.set
	if b.split < 0 {
		s.Split = b.draw(allRows(s.Rows), trains, validates)
		return nil
	}
	if err := b.parts.refuse(b.options.Split); err != nil {
		return err
	}
	s.Split = b.parts.of
	b.settleEval()
	counts := map[dataset.Part]int{} // of rows that have a label
	for i, p := range s.Split {
		if s.Label.IDs[i] != dataset.Unknown {
			counts[p]++
		}
	}
	if counts[dataset.Train] == 0 || counts[dataset.Test] == 0 {
		return fmt.Errorf("column %q of the split has %d rows with a label to train on and %d to test on, must have some of each", b.options.Split, counts[dataset.Train], counts[dataset.Test])
	}
	if counts[dataset.Validation] == 0 {
		rows := s.Indices(dataset.Train)
		drawn := b.draw(rows, 100-lent, lent)
		n := 0
		for k, row := range rows {
			if s.Split[row] = drawn[k]; drawn[k] == dataset.Validation {
				n++
			}
		}
		s.Notes = append(s.Notes, fmt.Sprintf("column %q of the split has no validation part: %d rows of its training part serve as one", b.options.Split, n))
	}
	return b.apart()
}

// settleEval decides what eval means here.
func (b *builder) settleEval() {
	s, means := &b.set, dataset.Test
	if slices.Contains(s.Split, dataset.Test) {
		means = dataset.Validation
	}
	for i, p := range s.Split {
		if p == eval {
			s.Split[i] = means
		}
	}
}

func allRows(n int) []int {
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	return rows
}

// draw assigns the given rows to parts, class by class. The rows of a person go
// together, and count for the class among them that the fewest persons have: a
// rare class would be left to chance if it counted for nothing beside others.
func (b *builder) draw(rows []int, train, validation int) []dataset.Part {
	y := b.set.Label.IDs
	if b.set.Persons == nil {
		return dataset.Draw(dataset.Select(y, rows), train, validation, b.options.SplitSeed)
	}
	unit := map[int]int{} // by person
	var has []map[int]bool
	for _, row := range rows {
		who := b.set.Persons[row]
		if _, ok := unit[who]; !ok {
			unit[who] = len(has)
			has = append(has, map[int]bool{})
		}
		if y[row] != dataset.Unknown {
			has[unit[who]][y[row]] = true
		}
	}
	persons := make([]int, len(b.set.Label.Classes))
	for _, classes := range has {
		for c := range classes {
			persons[c]++
		}
	}
	strata := make([]int, len(has))
	for u, classes := range has {
		strata[u] = dataset.Unknown
		for c := range classes {
			if rarest := strata[u]; rarest == dataset.Unknown || persons[c] < persons[rarest] || persons[c] == persons[rarest] && c < rarest {
				strata[u] = c
			}
		}
	}
	drawn := dataset.Draw(strata, train, validation, b.options.SplitSeed)
	parts := make([]dataset.Part, len(rows))
	for k, row := range rows {
		parts[k] = drawn[unit[b.set.Persons[row]]]
	}
	return parts
}

// apart notes persons whose rows a column puts into several parts.
func (b *builder) apart() error {
	s, in := &b.set, map[int]dataset.Part{}
	torn := map[int]bool{}
	for i, who := range s.Persons {
		if p, ok := in[who]; ok && p != s.Split[i] {
			torn[who] = true
		}
		in[who] = s.Split[i]
	}
	if len(torn) > 0 {
		return fmt.Errorf("column %q of the split has rows of %s in several parts, must keep the rows of a person together; leave --split out to draw parts that do", b.options.Split, countPersons(len(torn)))
	}
	return nil
}

// everywhere refuses classes that no row teaches, and drawn parts that lack a
// class; it notes classes that a column leaves out of a part.
func (b *builder) everywhere() error {
	s := &b.set
	known := func(part dataset.Part, c dataset.Column) []int { return c.Counts(s.Indices(part)) }
	for k, c := range slices.Concat([]dataset.Column{s.Label}, s.More) {
		train, validation, test := known(dataset.Train, c), known(dataset.Validation, c), known(dataset.Test, c)
		var missing []string
		for id := range c.Classes {
			rows := train[id] + validation[id] + test[id]
			switch {
			case train[id] > 0 && validation[id] > 0 && test[id] > 0:
			case k == 0 && b.split < 0:
				return b.scarce(c, id, rows)
			case train[id] == 0:
				return fmt.Errorf("class %s of label %q has %s and none to train on, must have at least one there", className(c, id), c.Name, countRows(rows))
			default:
				missing = append(missing, className(c, id))
			}
		}
		if len(missing) > 0 {
			s.Notes = append(s.Notes, fmt.Sprintf("%d of %d classes of %q are missing in the part that validates or tests", len(missing), len(c.Classes), c.Name))
		}
	}
	return nil
}

// scarce refuses a class that is not in all of the drawn parts.
func (b *builder) scarce(c dataset.Column, id, rows int) error {
	const what = "leave those rows out, join the class with another, or give --split"
	if b.set.Persons == nil {
		return fmt.Errorf("class %s of label %q has %s, too few to be in the parts that train, validate and test; it needs at least 3: %s", className(c, id), c.Name, countRows(rows), what)
	}
	persons := map[int]bool{}
	for i, y := range c.IDs {
		if y == id {
			persons[b.set.Persons[i]] = true
		}
	}
	if len(persons) < 3 {
		return fmt.Errorf("class %s of label %q has %s of %s, too few to be in the parts that train, validate and test; it needs at least 3 persons: %s", className(c, id), c.Name, countRows(rows), countPersons(len(persons)), what)
	}
	return fmt.Errorf("class %s of label %q has %s of %d persons, whom the draw did not put into all parts: try another --split-seed, %s", className(c, id), c.Name, countRows(rows), len(persons), what)
}

func countPersons(n int) string {
	if n == 1 {
		return "1 person"
	}
	return fmt.Sprintf("%d persons", n)
}

func countRows(n int) string {
	if n == 1 {
		return "1 row"
	}
	return fmt.Sprintf("%d rows", n)
}

// className names a class, or its place where classes may be texts or persons.
func className(c dataset.Column, id int) string {
	if c.Names() == nil || len(c.Classes[id]) > shownLength {
		return fmt.Sprintf("number %d", id+1)
	}
	return fmt.Sprintf("%q", c.Classes[id])
}
