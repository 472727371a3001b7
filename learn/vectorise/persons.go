package vectorise

import (
	"hash/maphash"

	"sotto/data/dataset"
	"sotto/data/table"
)

// Persons counts rows by whose they are, so that a guarantee can be given to a
// person. It keeps a number of 64 bits a person, drawn anew in each process, and
// never a name. Two persons whose numbers are the same count as one, which can
// only raise what is said of the most rows.
//
// Rows beyond a bound are declined by their place in the file alone, the first
// ones staying, so that which rows are released depends on no text.
type Persons struct {
	Most int // rows of a person that take part; 0 for all
	// Names joins what a person is called in several ways. Clusters of linked rows are
	// numbers, which nothing joins.
	Names dataset.Names

	seed maphash.Seed
	rows map[uint64]int
	top  int
}

// NewPersons counts nothing yet.
func NewPersons(most int) *Persons {
	return &Persons{Most: most, seed: maphash.MakeSeed(), rows: map[uint64]int{}}
}

// errNobody is returned for a row of nobody.
const errNobody = Unfit("it does not say whose it is, must name a person")

// Take counts a row, and reports whether it takes part. A row of nobody is an
// error: nobody could say what it adds to.
func (p *Persons) Take(who table.Value) (bool, error) {
	if who.Kind == table.Missing || who.Kind == table.Nested {
		return false, errNobody
	}
	name := p.Names.Of(who.Text)
	if name == "" {
		return false, errNobody
	}
	key := maphash.String(p.seed, name)
	if p.Most > 0 && p.rows[key] == p.Most {
		return false, nil
	}
	p.rows[key]++
	p.top = max(p.top, p.rows[key])
	return true, nil
}

// Rows returns the most rows of one person that take part, 0 if there are none.
func (p *Persons) Rows() int { return p.top }
