package errors

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"sotto/compute/forest"
)

// Features are numbers that describe texts, a row a text and a column a feature.
// Most are 0, so that only the others are kept.
type Features struct {
	Names  []string `json:"names"`  // of the columns, each its own
	Groups []string `json:"groups"` // the kind of each column, such as emotion
	Rows   []Row    `json:"-"`
}

// Row holds the numbers of one text that are not 0, in the order of their columns.
type Row = forest.Row

// Cell is a number of a row.
type Cell = forest.Cell

// Maker makes features of texts, each of its text alone: a row does not depend on
// the others. Columns are those that any of the texts has, in an order that depends
// on nothing but the set of them.
type Maker interface {
	Make(ctx context.Context, texts []string, w Work) (*Features, error)
}

// Work says how something long is done.
type Work struct {
	Workers  int                   // 0 means 1; no result depends on it
	Progress func(done, total int) // nil if nobody asks; may be called by several goroutines
}

// Tell tells the progress, if somebody asks.
func (w Work) Tell(done, total int) {
	if w.Progress != nil {
		w.Progress(done, total)
	}
}

// Validate refuses what is no table of features.
func (f *Features) Validate() error {
	if len(f.Groups) != len(f.Names) {
		return fmt.Errorf("errors: there are %d groups, must be one for each of %d features", len(f.Groups), len(f.Names))
	}
	seen := make(map[string]bool, len(f.Names))
	for _, name := range f.Names {
		if name == "" || seen[name] {
			return fmt.Errorf("errors: a feature is called %q, must have a name of its own", name)
		}
		seen[name] = true
	}
	for i, row := range f.Rows {
		if err := row.Validate(len(f.Names)); err != nil {
			return fmt.Errorf("errors: row %d: %w", i+1, err)
		}
	}
	return nil
}

// Pick returns some rows, in the given order. They are shared with f.
func (f *Features) Pick(rows []int) *Features {
	some := &Features{Names: f.Names, Groups: f.Groups, Rows: make([]Row, len(rows))}
	for k, i := range rows {
		some.Rows[k] = f.Rows[i]
	}
	return some
}

// Frequent returns the features that at least so many rows have.
func (f *Features) Frequent(rows int) *Features {
	count := make([]int, len(f.Names))
	for _, row := range f.Rows {
		for _, c := range row {
			count[c.Column]++
		}
	}
	var names, groups []string
	for k, n := range count {
		if n >= rows {
			names, groups = append(names, f.Names[k]), append(groups, f.Groups[k])
		}
	}
	return f.Aligned(names, groups)
}

// Aligned returns the same rows with the given columns: those that f does not have
// are 0, and its other columns are left out. It is how new texts are described by
// the features that a forest knows.
func (f *Features) Aligned(names, groups []string) *Features {
	place := make(map[string]int, len(names))
	for k, name := range names {
		place[name] = k
	}
	to := make([]int, len(f.Names))
	for k, name := range f.Names {
		to[k] = -1
		if at, ok := place[name]; ok {
			to[k] = at
		}
	}
	out := &Features{Names: names, Groups: groups, Rows: make([]Row, len(f.Rows))}
	for i, row := range f.Rows {
		for _, c := range row {
			if to[c.Column] >= 0 {
				out.Rows[i] = append(out.Rows[i], Cell{Column: to[c.Column], Value: c.Value})
			}
		}
		slices.SortFunc(out.Rows[i], func(a, b Cell) int { return cmp.Compare(a.Column, b.Column) })
	}
	return out
}

// Join puts tables of the same rows side by side. A name that two of them have is
// refused.
func Join(tables ...*Features) (*Features, error) {
	all := &Features{}
	seen := map[string]bool{}
	for _, t := range tables {
		if t == nil {
			continue
		}
		if all.Rows == nil {
			all.Rows = make([]Row, len(t.Rows))
		}
		if len(t.Rows) != len(all.Rows) {
			return nil, fmt.Errorf("errors: features of %d rows beside those of %d, must be of the same rows", len(t.Rows), len(all.Rows))
		}
		for _, name := range t.Names {
			if seen[name] {
				return nil, fmt.Errorf("errors: two features are called %q, must have different names", name)
			}
			seen[name] = true
		}
		shift := len(all.Names)
		for i, row := range t.Rows {
			for _, c := range row {
				all.Rows[i] = append(all.Rows[i], Cell{Column: c.Column + shift, Value: c.Value})
			}
		}
		all.Names, all.Groups = append(all.Names, t.Names...), append(all.Groups, t.Groups...)
	}
	return all, nil
}

// GroupColumn is the group of features that are columns of a file.
const GroupColumn = "column"

// maxValues bounds how many different texts a column may have to be a feature: more
// are names of rows rather than kinds of them.
const maxValues = 200

// is stands between a column and its value in the name of a feature.
const is = " = "

// FromColumn makes features of a column of a file: the number itself if all values
// are numbers, and else one feature for each value, 1 where it is that value. An
// empty value is missing: 0 in every feature.
func FromColumn(name string, values []string) (*Features, error) {
	numbers := make([]float64, len(values))
	all, some := true, false
	for i, v := range values {
		if v == "" {
			continue
		}
		x, err := strconv.ParseFloat(v, 64)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			all = false
			break
		}
		numbers[i], some = x, true
	}
	f := &Features{Rows: make([]Row, len(values))}
	if all && some {
		f.Names, f.Groups = []string{name}, []string{GroupColumn}
		for i, x := range numbers {
			if x != 0 {
				f.Rows[i] = Row{{Column: 0, Value: x}}
			}
		}
		return f, nil
	}
	place := map[string]int{}
	for _, v := range values {
		if v != "" {
			place[v] = 0
		}
	}
	if len(place) > maxValues {
		return nil, fmt.Errorf("errors: column %q has %d different texts, must have at most %d to be a feature", name, len(place), maxValues)
	}
	for v := range place {
		f.Names = append(f.Names, v)
	}
	slices.Sort(f.Names)
	for k, v := range f.Names {
		place[v] = k
		f.Names[k], f.Groups = name+is+v, append(f.Groups, GroupColumn)
	}
	for i, v := range values {
		if v != "" {
			f.Rows[i] = Row{{Column: place[v], Value: 1}}
		}
	}
	return f, nil
}

// SameColumn tells whether two features are values of one column.
func SameColumn(a, b string) bool {
	x, _, one := strings.Cut(a, is)
	y, _, two := strings.Cut(b, is)
	return one && two && x == y
}

// GroupShape is the group of features of a text's shape.
const GroupShape = "shape"

// Shape is a [Maker] that looks at no word: how long a text is, and how much of it
// are capitals, digits and marks. It needs no language.
type Shape struct{}

var _ Maker = Shape{}

// Make implements [Maker].
func (Shape) Make(ctx context.Context, texts []string, w Work) (*Features, error) {
	names := []string{"words", "letters per word", "capitals per letter", "digits per character", "marks per character", "question marks per word", "exclamation marks per word"}
	f := &Features{Names: names, Rows: make([]Row, len(texts))}
	for range names {
		f.Groups = append(f.Groups, GroupShape)
	}
	for i, t := range texts {
		if i%1000 == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			w.Tell(i, len(texts))
		}
		if !utf8.ValidString(t) {
			return nil, errors.New("errors: a text is not UTF-8, must be")
		}
		for k, v := range shapeOf(t) {
			if v != 0 {
				f.Rows[i] = append(f.Rows[i], Cell{Column: k, Value: v})
			}
		}
	}
	return f, nil
}

// shapeOf returns the numbers of [Shape], in its order.
func shapeOf(t string) [7]float64 {
	var words, letters, capitals, digits, marks, runes, questions, exclamations int
	inside := false
	for _, r := range t {
		runes++
		space := unicode.IsSpace(r)
		if !space && !inside {
			words++
		}
		inside = !space
		switch {
		case unicode.IsLetter(r):
			letters++
			if unicode.IsUpper(r) {
				capitals++
			}
		case unicode.IsDigit(r):
			digits++
		case unicode.IsPunct(r) || unicode.IsSymbol(r):
			marks++
		}
		switch r {
		case '?':
			questions++
		case '!':
			exclamations++
		}
	}
	per := func(n, of int) float64 { return float64(n) / float64(max(1, of)) }
	return [7]float64{float64(words), per(letters, words), per(capitals, letters), per(digits, runes), per(marks, runes), per(questions, words), per(exclamations, words)}
}
