package inspect

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"sotto/data/table"
)

const (
	maxClasses  = 200     // values of which a column of classes has at most
	maxClassLen = 80      // bytes of one
	maxDistinct = 1 << 17 // hashes that are kept of a column
	allDistinct = 1 << 21 // hashes that are kept of all columns together, some 70 MB
)

// column gathers what is known of a column.
type column struct {
	name   string
	rows   int64 // with a value
	empty  int64
	nested int64
	values *sketch
	counts map[string]int64 // of each value; nil if there are too many for classes
	words  int64
	bytes  int64
	wide   int64 // bytes that are not ASCII

	numbers int64 // values that are finite numbers
	whole   bool  // all of these are integers
	span    Range // of these
	index   bool  // each value counts the rows, from 0 or 1
	first   float64
	dates   bool // all values so far are
	layout  string
}

func newColumn(name string, bound int) *column {
	return &column{
		name: name, values: newSketch(bound), counts: map[string]int64{},
		whole: true, index: true, dates: true, span: Range{Min: math.Inf(1), Max: math.Inf(-1)},
	}
}

// add counts a value and returns its hash, 0 for none.
func (c *column) add(v table.Value, part uint16) uint64 {
	text := strings.TrimSpace(v.Text)
	if v.Kind == table.Nested {
		c.nested++
		return 0
	}
	hash, words := digest(text)
	if words == 0 {
		c.empty++
		c.index = false
		return 0
	}
	c.rows++
	c.words += int64(words)
	c.bytes += int64(len(text))
	c.values.add(hash, part)
	c.count(text)
	if words == 1 {
		c.number(text)
	} else {
		c.index = false
	}
	if c.dates {
		c.date(text)
	}
	if c.rows <= 1000 {
		for i := range len(text) {
			if text[i] >= 0x80 {
				c.wide++
			}
		}
	}
	return hash
}

// count counts values that may be classes, as long as they may.
func (c *column) count(text string) {
	if c.counts == nil {
		return
	}
	if n, ok := c.counts[text]; ok {
		c.counts[text] = n + 1
		return
	}
	if len(text) > maxClassLen || len(c.counts) == maxClasses {
		c.counts = nil
		return
	}
	c.counts[strings.Clone(text)] = 1
}

// number counts a value that may be a number.
func (c *column) number(text string) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(x, 0) || math.IsNaN(x) {
		c.index = false
		return
	}
	c.numbers++
	n := float64(c.numbers)
	c.span = Range{Min: min(c.span.Min, x), Max: max(c.span.Max, x), Mean: c.span.Mean + (x/n - c.span.Mean/n)} // without overflow
	c.whole = c.whole && x == math.Trunc(x)
	if c.rows == 1 {
		c.first = x
	}
	c.index = c.index && x == c.first+float64(c.rows-1)
}

// layouts are how dates and times are written.
var layouts = []string{
	time.DateOnly, time.RFC3339Nano, time.DateTime, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999-07:00", "2006-01-02 15:04:05 -0700", "2006-01-02 15:04",
	"2006/01/02", "02.01.2006", "02.01.2006 15:04", "01/02/2006", "02/01/2006", "1/2/2006", "1/2/2006 15:04", time.RFC1123Z, time.RFC1123, time.RubyDate,
	"2 January 2006", "2 Jan 2006", "January 2, 2006", "Jan 2, 2006", "2,January,2006",
}

// date tries whether a value is a date.
func (c *column) date(text string) {
	if c.layout != "" {
		if _, err := time.Parse(c.layout, text); err == nil {
			return
		}
	}
	for _, layout := range layouts {
		if _, err := time.Parse(layout, text); err == nil {
			c.layout = layout
			return
		}
	}
	c.dates = false
}

// kind says what the column looks like.
func (c *column) kind() Kind {
	n, d := c.rows, c.distinct()
	mean := float64(c.words) / float64(n)
	switch {
	case n == 0 && c.nested > 0:
		return Nested
	case n == 0:
		return Empty
	case d == 1 && n > 1:
		return Constant
	case c.dates:
		return Date
	case c.numbers == n:
		return c.numeric(n, d)
	case c.classes(n, d, mean) && (d <= 10 || !ofPerson(c.name)):
		return Class
	case mean >= 6 || (mean >= 2.5 && 2*d > n) || (mean >= 1.5 && named(c.name, textNames) >= 0) || c.unspaced():
		return Text
	case float64(d) > .98*float64(n):
		return ID
	}
	return Person
}

// numeric says what a column of numbers looks like.
func (c *column) numeric(n, d int64) Kind {
	switch {
	case c.index && n > 2:
		return ID
	case c.whole && d > 10 && d < n && ofPerson(c.name):
		return Person
	case c.whole && d <= 20 && (2*d <= n || d <= 2):
		return Class
	case c.whole && n >= 20 && float64(d) > .98*float64(n) && c.span.Min >= 0:
		return ID
	}
	return Number
}

// classes reports whether few values stand in several rows each. Values of many
// words may still be classes, such as the answers to a question.
func (c *column) classes(n, d int64, words float64) bool {
	if c.counts == nil || words >= 10 {
		return false
	}
	if d > 50 {
		return n >= 10*d
	}
	return 2*d <= n || (d < n && words < 2)
}

// unspaced reports whether values look like texts of a script without blanks.
func (c *column) unspaced() bool {
	return c.bytes >= 15*c.rows && 2*c.wide*c.rows >= c.bytes*min(c.rows, 1000)
}

// distinct returns how many different values there are. An estimate is never more
// than the rows.
func (c *column) distinct() int64 { return min(c.values.distinct(), c.rows) }

// report returns what others are told.
func (c *column) report() Column {
	out := Column{Name: c.name, Kind: c.kind(), Distinct: c.distinct(), Estimate: !c.values.exact(), Empty: c.empty}
	switch out.Kind {
	case Text:
		out.Words = float64(c.words) / float64(c.rows)
	case Number:
		out.Numbers = &c.span
	case Class:
		out.Classes = shares(c.counts, c.rows)
	default:
	}
	return out
}

// shares returns counts in order of size, then of name.
func shares(counts map[string]int64, rows int64) []Share {
	var out []Share
	for name, n := range counts {
		out = append(out, Share{Name: name, Rows: n, Share: float64(n) / float64(rows)})
	}
	slices.SortFunc(out, func(a, b Share) int {
		return cmp.Or(cmp.Compare(b.Rows, a.Rows), cmp.Compare(a.Name, b.Name))
	})
	return out
}
