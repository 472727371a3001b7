package own

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"sotto/data/dataset"
)

// MaxClasses is how many classes a label may have, which is what a release of
// codes chooses from at most.
const MaxClasses = 1024

// maxGroups is how many groups an attribute may have: persons, for instance.
const maxGroups = 1 << 16

// manyNumbers is how many different numbers are no classes but a number, unless
// they are whole and have rowsEach rows on average: numbers of departments are
// classes, and prices are not.
const (
	manyNumbers = 50
	rowsEach    = 20
)

// values is a column whose values are classes.
type values struct {
	name  string
	at    int
	known map[string]int // by value, in the order of appearance
	ids   []int
	empty int

	numeric, whole bool // all values are numbers, or whole ones; decided by column
}

// add takes the value of one row; none is [dataset.Unknown]. Names of classes are
// printed, so that a terminal must not take them for something else.
func (v *values) add(value string) error {
	value = strings.TrimSpace(value)
	if value == "" {
		v.empty++
		v.ids = append(v.ids, dataset.Unknown)
		return nil
	}
	id, ok := v.known[value]
	if !ok {
		if strings.ContainsFunc(value, func(r rune) bool { return !unicode.IsPrint(r) }) {
			return fmt.Errorf("column %q holds a line break or a character that is not printed, must hold names of classes", v.name)
		}
		id = len(v.known)
		v.known[strings.Clone(value)] = id
	}
	v.ids = append(v.ids, id)
	return nil
}

// column makes the column, with classes in the order of their names, or of
// their numbers if all are numbers.
func (v *values) column(label bool) (dataset.Column, error) {
	classes := make([]string, 0, len(v.known))
	for name := range v.known {
		classes = append(classes, name)
	}
	v.numeric, v.whole = sortClasses(classes)
	if err := v.refuse(label); err != nil {
		return dataset.Column{}, err
	}
	to := make([]int, len(classes))
	for id, name := range classes {
		to[v.known[name]] = id
	}
	for i, id := range v.ids {
		if id != dataset.Unknown {
			v.ids[i] = to[id]
		}
	}
	return dataset.Column{Name: v.name, Classes: classes, IDs: v.ids}, nil
}

// refuse says why the values are no classes. It quotes none of them.
func (v *values) refuse(label bool) error {
	what, most := "attribute", maxGroups
	if label {
		what, most = "label", MaxClasses
	}
	n, rows := len(v.known), len(v.ids)-v.empty
	switch {
	case n == 0:
		return fmt.Errorf("%s %q is empty in all %d rows, must have a value in some", what, v.name, len(v.ids))
	case n == 1:
		return fmt.Errorf("%s %q has the same value in all rows, must have at least two classes", what, v.name)
	case label && v.numeric && n > manyNumbers && (!v.whole || rows < rowsEach*n):
		return fmt.Errorf("label %q has %d different numbers in %d rows: that is a number, not classes; cut it into a few ranges first, or give it to --numbers and another column to --label", v.name, n, rows)
	case n > most:
		return fmt.Errorf("%s %q has %d different values in %d rows, must have at most %d classes; it looks like a text or an id", what, v.name, n, rows, most)
	case label && rows > 20 && 2*n > rows:
		return fmt.Errorf("label %q has %d different values in %d rows, must have several rows of each class; it looks like a text or an id", v.name, n, rows)
	}
	return nil
}

// sortClasses sorts by number if all are numbers, else by name, and reports
// whether they were numbers, and whole ones.
func sortClasses(classes []string) (numeric, whole bool) {
	numbers := map[string]float64{}
	whole = true
	for _, c := range classes {
		if x, err := strconv.ParseFloat(c, 64); err == nil {
			numbers[c] = x
			whole = whole && x == math.Trunc(x)
		}
	}
	numeric = len(numbers) == len(classes)
	slices.SortFunc(classes, func(a, b string) int {
		if x, y := numbers[a], numbers[b]; numeric && x != y {
			if x < y {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
	return numeric, numeric && whole
}

// folded returns how many classes are others with other capitals.
func (v *values) folded() int {
	seen := map[string]bool{}
	for name := range v.known {
		seen[strings.ToLower(name)] = true
	}
	return len(v.known) - len(seen)
}

// number is a column of numbers.
type number struct {
	name  string
	at    int
	given int // rows that have one
}

// parse reads the number of one row, NaN if there is none.
func (n *number) parse(text string) (float32, error) {
	x, err := ParseNumber(n.name, text)
	if err == nil && !math.IsNaN(float64(x)) {
		n.given++
	}
	return x, err
}

// ParseNumber reads a number of a column, NaN if there is none.
func ParseNumber(column, text string) (float32, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return float32(math.NaN()), nil
	}
	x, err := strconv.ParseFloat(text, 32)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Errorf("column %q holds no number, must be one such as 3 or -0.5, or empty; leave the column out of --numbers if it is no number", column)
	}
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return 0, fmt.Errorf("column %q holds a number that is too large or none, must be finite", column)
	}
	return float32(x), nil
}
