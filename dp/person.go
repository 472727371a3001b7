package dp

import "fmt"

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
}

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

// String renders the numbers.
func (p Person) String() string {
	text := Guarantee{Epsilon: p.Epsilon, Delta: p.Delta}.numbers()
	if p.Optimal != nil {
		text += fmt.Sprintf(", or %v,", p.Optimal.numbers())
	}
	if p.Rows == 1 {
		return text + " for a person, who has one row"
	}
	return fmt.Sprintf("%s for all rows of a person together, who has at most %d", text, p.Rows)
}
