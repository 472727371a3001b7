package inspect

import (
	"fmt"
	"slices"

	"sotto/data/dataset"
	"sotto/data/table"
)

// scan is one pass over a file.
type scan struct {
	r       *table.Reader
	opt     Options
	columns []*column
	rows    int64
	split   int // places of columns, given or guessed by their names; −1 for none
	person  int
	parts   map[string]int64  // rows of each part
	bits    map[string]uint16 // of each part
	persons *sketch
	pairs   []*pair
	hashes  []uint64 // of the row at hand
	shown   [][]string
}

// maxPersons is up to how many persons their rows are counted exactly.
const maxPersons = 1 << 20

// newScan finds the columns that were named.
func newScan(r *table.Reader, o Options) (*scan, error) {
	names := r.Columns()
	s := &scan{r: r, opt: o, split: -1, person: -1, parts: map[string]int64{}, bits: map[string]uint16{}, hashes: make([]uint64, len(names))}
	var err error
	if s.split, err = place(r, o.Split, func(name string) bool { return named(name, splitNames) >= 0 }); err != nil {
		return nil, err
	}
	if s.person, err = place(r, o.Person, ofPerson); err != nil {
		return nil, err
	}
	if s.person >= 0 {
		s.persons = newSketch(maxPersons)
	}
	bound := max(min(maxDistinct, allDistinct/max(len(names), 1)), 1000)
	for _, name := range names {
		s.columns = append(s.columns, newColumn(name, bound))
	}
	s.pairs = newPairs(len(names))
	return s, nil
}

// place finds a column: the one that was asked for, or the first whose name
// looks so.
func place(r *table.Reader, asked string, looks func(string) bool) (int, error) {
	if asked == "" {
		return slices.IndexFunc(r.Columns(), looks), nil
	}
	return r.Column(asked)
}

// row counts a row.
func (s *scan) row(row []table.Value) {
	s.rows++
	part := s.part(row)
	for i, c := range s.columns {
		s.hashes[i] = c.add(row[i], part)
	}
	if s.person >= 0 && s.hashes[s.person] != 0 {
		who, _ := digest(dataset.FoldName(row[s.person].Text)) // as a training joins them
		s.persons.add(who, part)
	}
	s.pairs = compare(s.pairs, s.hashes)
	if len(s.shown) < s.opt.Show {
		var values []string
		for _, v := range row {
			values = append(values, v.Text)
		}
		s.shown = append(s.shown, values)
	}
}

// part returns the bit of the part that a row belongs to. The parts of a split
// are few, so those after the fifteenth share a bit.
func (s *scan) part(row []table.Value) uint16 {
	if s.split < 0 {
		return 1
	}
	name := row[s.split].Text
	bit, ok := s.bits[name]
	if !ok {
		bit = 1 << min(len(s.bits), 15)
		if len(s.bits) < maxClasses {
			s.bits[name] = bit
		}
	}
	if _, ok := s.parts[name]; ok || len(s.parts) < maxClasses {
		s.parts[name]++
	}
	return bit
}

// report says what was found.
func (s *scan) report() (*Report, error) {
	sum, err := s.r.SHA256()
	if err != nil {
		return nil, err
	}
	out := &Report{Rows: s.rows, Format: s.r.Format(), SHA256: sum, Columns: []Column{}, Notes: s.r.Notes(), Examples: s.shown}
	for _, c := range s.columns {
		out.Columns = append(out.Columns, c.report())
	}
	out.Roles = s.roles(out)
	s.confirm(out)
	for i, c := range s.columns {
		d := Duplicates{
			Column: c.name, Texts: c.values.count(func(t tally) bool { return t.rows > 1 }),
			Rows: c.rows - c.distinct(), Estimate: !c.values.exact(),
		}
		if s.split >= 0 {
			d.Across = c.values.count(several)
		}
		// The sample is sure of the texts that it holds, and the number of rows is
		// within its error of nothing.
		if out.Columns[i].Kind == Text && d.Texts > 0 {
			out.Duplicates = append(out.Duplicates, d)
		}
	}
	out.Headless = s.headless(out)
	out.Warnings = s.warnings(out)
	return out, nil
}

// confirm takes back guesses that the columns' values do not bear out, and reports
// parts and persons. Parts that tear persons apart are none to train with, unless
// they were asked for.
func (s *scan) confirm(out *Report) {
	is := func(at int, name string) bool { return at >= 0 && out.Columns[at].Name == name }
	if !is(s.split, out.Roles.Split) {
		s.split = -1
	}
	if !is(s.person, out.Roles.Person) {
		s.person = -1
	}
	if s.split >= 0 {
		out.Parts = shares(s.parts, s.rows)
	}
	if s.person < 0 {
		return
	}
	most, median := s.persons.spread()
	out.Persons = &Persons{
		Column: out.Roles.Person, Persons: s.persons.distinct(), Most: most, Median: median,
		Nobody: s.rows - s.columns[s.person].rows, Estimate: !s.persons.exact(),
	}
	if exact := s.columns[s.person].values.exact() && !out.Persons.Estimate; exact {
		out.Persons.Joined = max(0, s.columns[s.person].distinct()-out.Persons.Persons)
	}
	if s.split < 0 {
		return
	}
	if out.Persons.Across = s.persons.count(several); out.Persons.Across > 0 && s.opt.Split == "" {
		out.Roles.Split = ""
	}
}

// pair is two columns that have told each other so far: a value of the one always
// stood beside the same value of the other. They are equal, or the same in other
// words, such as the name and the number of a class.
type pair struct {
	a, b    int
	equal   bool
	forward map[uint64]uint64
	back    map[uint64]uint64
}

// maxPaired is up to how many columns are compared with one another.
const maxPaired = 64

func newPairs(columns int) []*pair {
	var out []*pair
	for b := range min(columns, maxPaired) {
		for a := range b {
			out = append(out, &pair{a: a, b: b, equal: true, forward: map[uint64]uint64{}, back: map[uint64]uint64{}})
		}
	}
	return out
}

// compare keeps the pairs that a row does not tell apart.
func compare(pairs []*pair, hashes []uint64) []*pair {
	left := pairs[:0]
	for _, p := range pairs {
		if p.keep(hashes[p.a], hashes[p.b]) {
			left = append(left, p)
		}
	}
	clear(pairs[len(left):])
	return left
}

func (p *pair) keep(a, b uint64) bool {
	p.equal = p.equal && a == b
	if p.equal && len(p.forward) > maxClasses {
		return true
	}
	x, seen := p.forward[a]
	y, back := p.back[b]
	if (seen && x != b) || (back && y != a) {
		return false
	}
	p.forward[a], p.back[b] = b, a
	return p.equal || len(p.forward) <= maxClasses
}

// tells renders a pair for a warning; "" if it is none. Columns in which nothing
// repeats tell each other without meaning.
func (s *scan) tells(p *pair, columns []Column) string {
	a, b := columns[p.a], columns[p.b]
	switch {
	case a.Kind == Empty || a.Kind == Constant || b.Kind == Constant || b.Kind == Empty || a.Kind == Nested || b.Kind == Nested:
		return ""
	case p.equal:
		return fmt.Sprintf("%s repeats %s", called(p.b, b), called(p.a, a))
	case a.Kind == Class && b.Kind == Class:
		return fmt.Sprintf("%s and %s are the same in other words: whoever knows the one knows the other", called(p.a, a), called(p.b, b))
	}
	return ""
}
