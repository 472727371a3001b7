// Package dataset loads the labelled data sets on which private vectors are
// tried: texts, pairs of texts and tables, each with its label, its protected
// attributes and its published split.
//
// No data set is part of this module. Files lie in the folder that [Dir]
// names, and each is known by the SHA-256 of its content. One corpus, "reviews",
// is generated, so that everything runs with no file at all, and the best
// possible attack on it is known exactly: see [Reviews].
//
// It is not for vectors of your own, which package vecfile reads, and the
// randomness of its splits is reproducible, so it protects nothing. The
// smallest use is
//
//	set, err := dataset.Load("reviews", dataset.Options{Rows: 1000, Seed: 1})
//	if err != nil {
//		return err
//	}
//	train := set.Indices(dataset.Train)
package dataset

import (
	"fmt"
	"slices"
	"strings"

	"sotto/internal/layout"
)

// Part is one part of a split.
type Part string

// The parts of a split. Not every set has all three.
const (
	Train      Part = "train"
	Validation Part = "validation"
	Test       Part = "test"
)

// partNames are the names of parts that people use.
var partNames = map[string]Part{
	"train": Train, "training": Train,
	"validation": Validation, "valid": Validation, "val": Validation, "dev": Validation,
	"test": Test, "testing": Test, "eval": Test,
}

// ParsePart returns the part that people call so, in capitals or not, such as dev
// for [Validation].
func ParsePart(name string) (Part, bool) {
	part, ok := partNames[strings.ToLower(strings.TrimSpace(name))]
	return part, ok
}

// Unknown is the class of a row whose value was not given.
const Unknown = -1

// Column is a label or an attribute: one class for each row.
type Column struct {
	Name    string
	Classes []string // names of the classes
	IDs     []int    // a place in Classes for each row, or Unknown
}

// maxNamed is the number of classes up to which they are named.
const maxNamed = 32

// Names returns the names of the classes, or nil if these are so many that they
// are likely to name persons.
func (c Column) Names() []string {
	if len(c.Classes) > maxNamed {
		return nil
	}
	return c.Classes
}

// Set is a loaded data set. It is immutable by convention: a reader neither
// changes nor appends to what its slices hold, so that sets can be shared.
type Set struct {
	Name    string
	Variant string // "" if the set has no variants
	Rows    int

	Text   []string // one a row; nil if the set is a table
	Second []string // the second text of a pair; nil if rows are no pairs

	Features     []float32 // Rows × Width, row by row; nil if the set is text
	Width        int
	FeatureNames []string // one a column of Features

	Label      Column    // the main label; without classes if the target is a number
	More       []Column  // the labels after it, in the order of Options.Labels
	Target     []float64 // what is to be predicted where it is a number; else nil
	Attributes []Column  // protected and further labels
	Split      []Part    // one a row

	// Persons numbers, from 0, whose each row is; nil if that is not known. It
	// does not count for the hash.
	Persons []int
	// Named knows each person's name again, by the numbers in Persons; nil where no
	// column names them.
	Named []Digest
	// Linked says what decided which rows are of one person, where no column says it,
	// so that persons are clusters of rows; "" where a column does.
	Linked string
	// LeftOut counts rows that were not read because their persons have more than
	// a bound.
	LeftOut int

	// Notes are what the loader found and repaired, for a person to read: rows
	// without text, invalid UTF-8. They quote no row.
	Notes []string
}

// Indices returns the rows of a part, in order.
func (s *Set) Indices(part Part) []int {
	var rows []int
	for i, p := range s.Split {
		if p == part {
			rows = append(rows, i)
		}
	}
	return rows
}

// Row returns the features of row i, which the caller must not change. It
// panics if there is no such row or the set has no features.
func (s *Set) Row(i int) []float32 {
	return s.Features[i*s.Width : (i+1)*s.Width : (i+1)*s.Width]
}

// Attribute returns the attribute of that name, the first if it is empty.
func (s *Set) Attribute(name string) (Column, error) {
	var names []string
	for _, c := range s.Attributes {
		if name == "" || c.Name == name {
			return c, nil
		}
		names = append(names, c.Name)
	}
	return Column{}, fmt.Errorf("dataset: attribute of %s is %q, must be one of %q%s", s.Name, name, names, layout.Hint(name, names))
}

// Counts returns how many of the given rows have each class; unknown rows are
// in none, and a column without classes has no counts. It panics if there is no
// such row.
func (c Column) Counts(rows []int) []int {
	counts := make([]int, len(c.Classes))
	if len(c.Classes) == 0 {
		return counts
	}
	for _, i := range rows {
		if id := c.IDs[i]; id != Unknown {
			counts[id]++
		}
	}
	return counts
}

// Priors returns the share of each class among the given rows whose class is
// known: zeros if there are none. The largest is the majority rate, which an
// attacker reaches who sees nothing. It panics if there is no such row.
func (c Column) Priors(rows []int) []float64 {
	counts := c.Counts(rows)
	total := 0
	for _, n := range counts {
		total += n
	}
	priors := make([]float64, len(counts))
	for k, n := range counts {
		if total > 0 {
			priors[k] = float64(n) / float64(total)
		}
	}
	return priors
}

// RowsOfPersons returns how many persons there are and how many rows one has at
// most: 0 and 0 if that is not known.
func (s *Set) RowsOfPersons() (persons, most int) {
	counts := map[int]int{}
	for _, p := range s.Persons {
		counts[p]++
		most = max(most, counts[p])
	}
	return len(counts), most
}

// Validate reports the first fault in the shape of a set: lengths that differ
// from Rows, classes out of range, parts that are none.
func (s *Set) Validate() error {
	for _, l := range []struct {
		what      string
		got, want int
		optional  bool
	}{
		{"texts", len(s.Text), s.Rows, true},
		{"second texts", len(s.Second), s.Rows, true},
		{"features", len(s.Features), s.Rows * s.Width, true},
		{"feature names", len(s.FeatureNames), s.Width, true},
		{"targets", len(s.Target), s.Rows, true},
		{"labels", len(s.Label.IDs), s.Rows, s.Target != nil},
		{"parts", len(s.Split), s.Rows, false},
		{"persons", len(s.Persons), s.Rows, true},
	} {
		if l.got != l.want && (l.got != 0 || !l.optional) {
			return fmt.Errorf("dataset: %s has %d %s, must have %d", s.Name, l.got, l.what, l.want)
		}
	}
	for _, c := range slices.Concat([]Column{s.Label}, s.More, s.Attributes) {
		if err := c.validate(s); err != nil {
			return err
		}
	}
	for _, p := range s.Split {
		if p != Train && p != Validation && p != Test {
			return fmt.Errorf("dataset: part of a row of %s is %q, must be %s, %s or %s", s.Name, p, Train, Validation, Test)
		}
	}
	return nil
}

func (c Column) validate(s *Set) error {
	if len(c.IDs) != s.Rows && (len(c.IDs) != 0 || s.Target == nil) {
		return fmt.Errorf("dataset: %s of %s has %d rows, must have %d", c.Name, s.Name, len(c.IDs), s.Rows)
	}
	for i, id := range c.IDs {
		if id != Unknown && (id < 0 || id >= len(c.Classes)) {
			return fmt.Errorf("dataset: %s of row %d of %s is %d, must be below %d", c.Name, i, s.Name, id, len(c.Classes))
		}
	}
	return nil
}

// pick returns a set of the given rows alone, in that order.
func (s *Set) pick(rows []int) *Set {
	p := *s
	p.Rows = len(rows)
	p.Text = Select(s.Text, rows)
	p.Second = Select(s.Second, rows)
	p.Target = Select(s.Target, rows)
	p.Split = Select(s.Split, rows)
	p.Persons = Select(s.Persons, rows)
	p.Label.IDs = Select(s.Label.IDs, rows)
	p.More, p.Attributes = slices.Clone(s.More), slices.Clone(s.Attributes)
	for _, columns := range [][]Column{p.More, p.Attributes} {
		for k := range columns {
			columns[k].IDs = Select(columns[k].IDs, rows)
		}
	}
	if s.Features != nil {
		p.Features = make([]float32, 0, len(rows)*s.Width)
		for _, i := range rows {
			p.Features = append(p.Features, s.Row(i)...)
		}
	}
	return &p
}

// Select returns the values of the given rows; nil stays nil.
func Select[T any](all []T, rows []int) []T {
	if all == nil {
		return nil
	}
	some := make([]T, len(rows))
	for k, i := range rows {
		some[k] = all[i]
	}
	return some
}
