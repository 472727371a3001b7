package dp

import (
	"fmt"
	"strings"
)

// Person is what is promised to one person who has several rows of a file, each
// of which is released once.
type Person struct {
	Column string `json:"column,omitempty"` // that says whose a row is
	// Rows is the most rows that one person has. Rows beyond a bound were left out
	// before anything was released; LeftOut counts them.
	Rows    int   `json:"rows"`
	LeftOut int64 `json:"left_out,omitempty"`
	// Epsilon is that of all rows of a person together, with Delta: the sums.
	Epsilon Epsilon `json:"epsilon"`
	Delta   float64 `json:"delta"`
	// Optimal is the least that is true at its δ; nil where that is not less.
	Optimal *Guarantee `json:"optimal,omitempty"`
	Scope   string     `json:"scope"` // what the two ε speak of
	// Linked says how rows were found to be of one person, where no column says so;
	// everything above is then of a cluster of rows.
	Linked *Linked `json:"linked,omitempty"`
}

// Linked says that persons were not known but found: rows that look alike in some
// columns make a cluster, and a guarantee is that of a cluster.
type Linked struct {
	Columns  []string `json:"columns"` // by which rows were linked
	By       string   `json:"by"`      // what decided: a model, or another rule
	Clusters int      `json:"clusters"`
	// Twice is the ε, with Delta, of a person whose rows lie in two clusters, which is
	// the sum of both: at most that of twice the rows of one. In three it is three times.
	Twice    Epsilon `json:"epsilon_in_two"`
	Delta    float64 `json:"delta_in_two"`
	Estimate string  `json:"estimate"` // what a person can make of it
}

// linkedEstimate is what a guarantee of a cluster means to a person.
const linkedEstimate = "an estimate for a person: the guarantee is per cluster of linked rows; a person whose rows lie in two clusters pays for both, so that ε is the sum of theirs, and persons in one cluster share one budget"

// linkedScope is what a guarantee of a cluster speaks of.
const linkedScope = "between any two files that differ in nothing but the texts of one cluster of linked rows; how many rows a cluster has, which they are, the columns that rows were linked by, and what is kept beside the vectors are not covered"

// PersonDelta is the δ of [Person.Optimal], beyond that of the releases
// themselves.
const PersonDelta = 1e-6

// personScope is what a guarantee of a person speaks of.
const personScope = "between any two files that differ in nothing but the texts of one person; how many rows a person has, which they are, and what is kept beside the vectors are not covered"

// PerPerson returns what the release of every row of a file promises to a person
// who has at most so many rows, each release being text-level g.
//
// Theorem. Let each row be released once, with noise that is independent between
// rows, by a mechanism that is chosen without a look at any text. Of two files
// that differ in nothing but the texts of at most k rows, everything that is
// released is as alike as k releases are by [Compose] and by [ComposeAt]: with
// kε and kδ, and with less ε at a larger δ.
//
// Proof. The law of all releases is a product over the rows. A row whose text is
// the same in both files has the same factor in both, whatever the other rows are,
// and conditioned on the other rows' releases it tells nothing: dropping it is
// undone by drawing it anew, which is post-processing. What is left is the product
// of at most k releases, the i-th on text x_i in one file and x′_i in the other.
// That is composition of k releases that are (ε, δ)-DP, without any adaptivity, for
// which both theorems hold. A person with fewer rows has fewer releases, which
// promise no less. ∎
//
// Which rows are released must not depend on a text: rows beyond a bound are to be
// left out by their place alone. Noise that is the same for equal texts is not
// independent between rows, and then this does not hold.
func PerPerson(g Guarantee, rows int) (Person, error) {
	if g.Unit != Text {
		return Person{}, fmt.Errorf("dp: unit is %q, must be text for a guarantee of all texts of a person", string(g.Unit))
	}
	part := Repeated{Guarantee: g, Times: rows}
	sum, err := ComposeAt(0, Repeated{Guarantee{Unit: g.Unit, Epsilon: g.Epsilon}, rows})
	if err != nil {
		return Person{}, err
	}
	p := Person{Rows: rows, Epsilon: sum.Epsilon, Delta: min(1, float64(rows)*g.Delta*(1+0x1p-50)), Scope: personScope}
	if rows < 2 {
		p.Epsilon = g.Epsilon // nothing is added up, nor rounded
		p.Delta = g.Delta
		return p, nil
	}
	if own := p.Delta + PersonDelta; g.Epsilon != Infinite && own < 1 {
		best, err := ComposeAt(own, part)
		if err == nil && best.Epsilon < p.Epsilon {
			p.Optimal = &best
		}
	}
	return p, nil
}

// PerCluster returns what the release of every row of a file promises to a cluster of
// at most so many rows, which were linked by what they have in other columns than
// that of the texts.
//
// Theorem. As that of [PerPerson], with a cluster in the place of a person: two files
// that differ in nothing but the texts of one cluster have the same clusters, since no
// text decides them. A person whose rows lie in several clusters is covered by the sum
// over these, and of persons whose rows lie in one each is covered by its guarantee.
func PerCluster(g Guarantee, rows int, l Linked) (Person, error) {
	p, err := PerPerson(g, rows)
	if err != nil {
		return Person{}, err
	}
	two, err := PerPerson(g, 2*rows)
	if err != nil {
		return Person{}, err
	}
	l.Twice, l.Delta, l.Estimate = two.Epsilon, two.Delta, linkedEstimate
	p.Linked, p.Scope = &l, linkedScope
	return p, nil
}

// String renders the numbers.
func (p Person) String() string {
	text := Guarantee{Epsilon: p.Epsilon, Delta: p.Delta}.numbers()
	if p.Optimal != nil {
		text += fmt.Sprintf(", or %v,", p.Optimal.numbers())
	}
	if l := p.Linked; l != nil {
		of := fmt.Sprintf("for all rows of a cluster together, which has at most %d", p.Rows)
		if p.Rows == 1 {
			of = "for a cluster, which has one row"
		}
		return fmt.Sprintf("%s %s; rows were linked by %s, so this is %s; in two clusters it is %v at most",
			text, of, strings.Join(l.Columns, ", "), l.Estimate, Guarantee{Epsilon: l.Twice, Delta: l.Delta}.numbers())
	}
	if p.Rows == 1 {
		return text + " for a person, who has one row"
	}
	return fmt.Sprintf("%s for all rows of a person together, who has at most %d", text, p.Rows)
}
