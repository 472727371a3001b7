package own

import (
	"context"
	"errors"
)

// Persons is rows of which some belong to one person.
type Persons struct {
	Columns []string   // by which rows are linked
	Rows    [][]string // the fields of those columns
	// Known, if not nil, names whose each row is as far as that is known: rows with the
	// same name are of one person for certain, and "" says nothing.
	Known []string
}

// How is what decided which rows are of one person.
type How string

// What can decide.
const (
	Model    How = "model"    // one that was trained before
	Estimate How = "estimate" // what the rows themselves tell, without a label
	Equal    How = "equality" // the same in every column, but for case, spaces and punctuation
)

// Linked are clusters of rows.
type Linked struct {
	Labels   []int // the cluster of each row, numbered from 0 in the order in which they appear
	Clusters int
	How      How
}

// Linker groups rows into clusters, one for each person as far as can be told, by the JSON
// of a model, or where that is empty by what the rows themselves tell. This package has
// none: whoever puts a program together hands one in by [WithLinker].
type Linker func(ctx context.Context, p Persons, model []byte) (Linked, error)

type linkerKey struct{}

// WithLinker returns a context in which rows can be linked by person.
func WithLinker(ctx context.Context, l Linker) context.Context {
	return context.WithValue(ctx, linkerKey{}, l)
}

// ErrNoLinker is returned where rows are to be linked by a program that was built without
// what links them.
var ErrNoLinker = errors.New("own: this program cannot tell which rows are of one person, must be one with the study of links")

// LinkPersons groups rows into clusters.
func LinkPersons(ctx context.Context, p Persons, model []byte) (Linked, error) {
	l, ok := ctx.Value(linkerKey{}).(Linker)
	if !ok || l == nil {
		return Linked{}, ErrNoLinker
	}
	return l(ctx, p, model)
}
