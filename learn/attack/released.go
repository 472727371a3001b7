package attack

import (
	"fmt"
	"iter"
	"slices"

	"sotto/compute/nn"
	"sotto/data/dataset"
	"sotto/promise/dp"
)

// Released is vectors that were released, and what is known of their rows.
type Released struct {
	// Folder and Seed are those of a stored model, and Name tells it from others.
	// All are empty for releases of somebody else.
	Folder string
	Seed   uint64
	Name   string

	// Guarantee is what is stated of one release, nil if nothing is.
	Guarantee *dp.Guarantee
	// Columns may be guessed. Attribute names the one that attribute inference
	// guesses; the first if it is empty.
	Columns   []dataset.Column
	Attribute string
	// Fit holds releases that attackers are fitted to and Score those on which
	// they are scored. Where Score has none, Fit has all rows, and is split in
	// halves by the seed.
	Fit, Score Part
}

// Part is some releases.
type Part struct {
	Rows    []int     // of the columns, one for each release; nil: all rows, in order
	Vectors nn.Matrix // one a row
}

// One is the releases of one model or file.
func One(r *Released) iter.Seq2[*Released, error] {
	return func(yield func(*Released, error) bool) { yield(r, nil) }
}

// released passes on releases, and adds to an error whose they are.
func (a *attempt) released(f func(r *Released) error) error {
	found := false
	for r, err := range a.Released {
		if err != nil {
			return err
		}
		found = true
		if err := f(r); err != nil {
			if r.Name != "" {
				err = fmt.Errorf("%s: %w", r.Name, err)
			}
			return err
		}
	}
	if !found {
		return fmt.Errorf("attack: %s: no model releases anything that could be attacked", a.Source)
	}
	return nil
}

// gather takes some of the releases of all rows.
func (p Part) gather(rows []int) Part {
	return Part{Rows: rows, Vectors: p.Vectors.Gather(rows)}
}

// of returns the values of a column in a part.
func (p Part) of(values []int) []int {
	if p.Rows == nil {
		return values
	}
	return dataset.Select(values, p.Rows)
}

// Learnable numbers anew the values of an attribute in what an attacker is
// fitted to and scored on: first those that occur in the first part, which are
// the classes that can be learnt, then the others, which [measure.Leak] counts as
// missed: where there are as many values as authors, most occur in one part
// alone. It returns no classes if fewer than two occur in the first part, or none
// of them in the second.
func Learnable(fit, score []int, values int) (fitted, scored []int, classes int) {
	number, next := slices.Repeat([]int{dataset.Unknown}, values), 0
	renumber := func(old []int) []int {
		z := slices.Clone(old)
		for i, v := range old {
			if v < 0 {
				continue
			}
			if number[v] == dataset.Unknown {
				number[v] = next
				next++
			}
			z[i] = number[v]
		}
		return z
	}
	fitted = renumber(fit)
	classes = next
	scored = renumber(score)
	if classes < 2 || !slices.ContainsFunc(scored, func(z int) bool { return z >= 0 && z < classes }) {
		return fitted, scored, 0
	}
	return fitted, scored, classes
}
