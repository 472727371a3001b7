package errors

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Condition is what a rule asks of one feature: more than Above, and at most AtMost.
// Nil asks nothing.
type Condition struct {
	Feature string   `json:"feature"`
	Above   *float64 `json:"above,omitempty"`
	AtMost  *float64 `json:"at_most,omitempty"`
}

// Rule is what texts of a cohort have in common: all its conditions. Without any, it
// is all texts.
type Rule []Condition

// allTexts is the rule that asks nothing, in words.
const allTexts = "all texts"

// Validate refuses a condition that asks nothing or what no number is.
func (r Rule) Validate() error {
	for _, c := range r {
		if c.Feature == "" || c.Above == nil && c.AtMost == nil {
			return fmt.Errorf("errors: a condition of a rule has the feature %q, must have one, and above, at_most or both", c.Feature)
		}
		for _, v := range []*float64{c.Above, c.AtMost} {
			if v != nil && (math.IsNaN(*v) || math.IsInf(*v, 0)) {
				return fmt.Errorf("errors: a condition on %q has no finite number", c.Feature)
			}
		}
		if c.Above != nil && c.AtMost != nil && !(*c.Above < *c.AtMost) {
			return fmt.Errorf("errors: the condition on %q is above %v and at most %v, which no number is", c.Feature, *c.Above, *c.AtMost)
		}
	}
	return nil
}

// String says the rule in plain words.
func (r Rule) String() string {
	if len(r) == 0 {
		return allTexts
	}
	words := make([]string, len(r))
	for i, c := range r {
		words[i] = c.String()
	}
	return strings.Join(words, ", ")
}

// String says the condition in plain words. A feature of which there must be more than
// none is there or is not, and a column with a value is it or is not.
func (c Condition) String() string {
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	column, value, one := strings.Cut(c.Feature, is)
	switch {
	case c.Above == nil && c.AtMost == nil: // which Validate refuses
		return "any " + c.Feature
	case one && c.AtMost == nil:
		return column + is + value
	case one && c.Above == nil:
		return column + " ≠ " + value
	case c.AtMost == nil && *c.Above == 0:
		return "with " + c.Feature
	case c.Above == nil && *c.AtMost == 0:
		return "without " + c.Feature
	case c.AtMost == nil:
		return c.Feature + " > " + number(*c.Above)
	case c.Above == nil:
		return c.Feature + " ≤ " + number(*c.AtMost)
	case *c.Above == 0:
		return "with " + c.Feature + " ≤ " + number(*c.AtMost)
	}
	return number(*c.Above) + " < " + c.Feature + " ≤ " + number(*c.AtMost)
}

// and returns the rule with one more bound: above or at most v.
func (r Rule) and(feature string, above bool, v float64) Rule {
	r = slices.Clone(r)
	i := slices.IndexFunc(r, func(c Condition) bool { return c.Feature == feature })
	if i < 0 {
		i, r = len(r), append(r, Condition{Feature: feature})
	}
	if above {
		r[i].Above = &v
	} else {
		r[i].AtMost = &v
	}
	return r
}

// matcher tells whether rows have what a rule asks, given the columns of its features,
// −1 for one that no row has.
type matcher struct {
	rule    Rule
	columns []int
}

// Match returns which rows have what the rule asks. A feature that x does not have is
// 0 in all rows.
func (r Rule) Match(x *Features) []bool {
	m := matcher{r, make([]int, len(r))}
	for k, c := range r {
		m.columns[k] = slices.Index(x.Names, c.Feature)
	}
	all := make([]bool, len(x.Rows))
	for i, row := range x.Rows {
		all[i] = m.takes(row)
	}
	return all
}

func (m matcher) takes(row Row) bool {
	for k, c := range m.rule {
		v := 0.0
		if m.columns[k] >= 0 {
			v = row.At(m.columns[k])
		}
		if c.Above != nil && !(v > *c.Above) || c.AtMost != nil && !(v <= *c.AtMost) {
			return false
		}
	}
	return true
}

// between returns a number that is at least low and below high with as few digits as
// such a number has, near their middle.
func between(low, high float64) float64 {
	if low == 0 { // rows that have none, and the others
		return 0
	}
	mid := float64(low/2) + float64(high/2)
	for digits := 1; digits < 17; digits++ {
		v, err := strconv.ParseFloat(strconv.FormatFloat(mid, 'g', digits, 64), 64)
		if err == nil && v >= low && v < high {
			return v
		}
	}
	if mid >= low && mid < high {
		return mid
	}
	return low
}
