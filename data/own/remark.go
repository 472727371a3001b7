package own

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"sotto/data/dataset"
)

// remark notes what a person should know of the rows, and refuses numbers that
// are none.
func (b *builder) remark() error {
	s := &b.set
	note := func(format string, args ...any) { s.Notes = append(s.Notes, fmt.Sprintf(format, args...)) }
	for k, n := range b.numbers {
		switch {
		case n.given == 0:
			return fmt.Errorf("column %q of numbers is empty in all rows, must have a number in some", n.name)
		case n.given < s.Rows:
			note("%s no number in %q; the mean stands in for it", rowsHave(s.Rows-n.given), n.name)
		}
		if b.constant(k) {
			note("column %q has the same number in every row, which tells nothing", n.name)
		}
	}
	for k, c := range b.classed {
		switch {
		case c.empty > 0 && k == 0:
			note("%s no %q: left out", rowsHave(c.empty), c.name)
		case c.empty > 0:
			note("%s no %q", rowsHave(c.empty), c.name)
		}
		if n := c.folded(); n > 0 {
			note("%d values of %q and others differ in capitals alone, and count as classes of their own", n, c.name)
		}
		if k >= len(b.options.Labels) && c.numeric && len(c.known) > manyNumbers {
			note("%q has %d different numbers, each a group of its own; cut it into a few ranges unless they are names", c.name, len(c.known))
		}
	}
	if len(s.Label.Classes) > 100 {
		note("%q has %d classes, of which a release of small ε can tell few apart", s.Label.Name, len(s.Label.Classes))
	}
	if persons, most := s.RowsOfPersons(); persons > 0 {
		of := "persons"
		if s.Linked != "" {
			of = "clusters"
			note("rows were linked to persons by %s (%s), which is an estimate: a person may lie in several clusters, and several in one", strings.Join(b.options.LinkBy, ", "), s.Linked)
		}
		note("rows are of %d %s; one has %d of them at most", persons, of, most)
		if said := b.called.Note(b.options.Person); said != "" {
			note("%s", said)
		}
		if s.LeftOut > 0 {
			note("%d rows of %s with more than %d were left out", s.LeftOut, of, b.options.MaxRows)
		}
	}
	b.remarkTexts(note)
	return nil
}

// constant reports whether a column of numbers has one value.
func (b *builder) constant(column int) bool {
	s := &b.set
	return !slices.ContainsFunc(allRows(s.Rows), func(i int) bool {
		x, first := s.Row(i)[column], s.Row(0)[column]
		return x != first && (x == x || first == first) //nolint:gocritic // NaN stands for no number
	})
}

// fewTexts is how many texts are too few to say what kind they are of.
const fewTexts = 20

// remarkTexts notes texts that are empty, ids, or in two parts.
func (b *builder) remarkTexts(note func(format string, args ...any)) {
	s := &b.set
	if s.Text == nil {
		return
	}
	empty, words := 0, 0
	seen := make(map[string]dataset.Part, len(s.Text)) // where a text trains, if anywhere
	for i, t := range s.Text {
		t = strings.TrimSpace(t)
		if t == "" {
			empty++
			continue
		}
		if !strings.ContainsFunc(t, unicode.IsSpace) {
			words++
		}
		if s.Split[i] == dataset.Train || seen[t] == "" {
			seen[t] = s.Split[i]
		}
	}
	both := 0
	for i, t := range s.Text {
		if t = strings.TrimSpace(t); t != "" && s.Split[i] == dataset.Test && seen[t] == dataset.Train {
			both++
		}
	}
	if empty > 0 {
		note("%s no text", rowsHave(empty))
	}
	// A few that repeat make no texts of ids.
	if texts := s.Rows - empty; texts >= fewTexts && words == texts && 10*len(seen) >= 9*texts {
		note("every text of %q is one word and hardly any is there twice: are they ids? A model can learn nothing from those", b.options.Text)
	}
	if both > 0 {
		note("the text of %s to test on is also trained on, which makes the accuracy look better than it is", countRows(both))
	}
}

// rowsHave begins a sentence on some of the rows.
func rowsHave(n int) string {
	if n == 1 {
		return "1 row has"
	}
	return fmt.Sprintf("%d rows have", n)
}
