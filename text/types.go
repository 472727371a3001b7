package text

import (
	"context"
	"errors"
	"strings"
)

// TypesPrefix is what a list of types begins with where a file could stand, too.
const TypesPrefix = "types:"

// Types opens maskers of personal data, which find e-mail addresses, names and the like for
// what they are. This package knows none: whoever puts a program together hands one in by
// [WithTypes].
type Types interface {
	// Open returns the masker of a list such as "types:email,phone=fake", or of the rule of
	// another one, which must be of the same version.
	Open(list string, o TypesOptions) (TypesMasker, error)

	// Known lists the types of what is built in, and groups of them, for help texts.
	Known() []string
}

// TypesOptions say how personal data is masked.
type TypesOptions struct {
	Policy    string // what stands in the place of types without one of their own; "" for the type
	Secret    []byte // under which pseudonyms are the same in all texts; nil for none
	Relations string // folder of a model of relations that are types, too; "" for what is built in
}

// TypesMasker masks personal data for what it is.
type TypesMasker interface {
	Masker

	// List returns the types and their policies in one order, as a list that opens the same.
	List() string
}

type typesKey struct{}

// WithTypes returns a context in which lists of types can be opened.
func WithTypes(ctx context.Context, t Types) context.Context {
	return context.WithValue(ctx, typesKey{}, t)
}

// ErrNoTypes is returned where a list of types is given to a program that was built
// without what finds them.
var ErrNoTypes = errors.New("text: this program cannot tell personal data by its type, must be one with the study of language")

// OpenTypes returns the masker of a list of types.
func OpenTypes(ctx context.Context, list string, o TypesOptions) (TypesMasker, error) {
	t, ok := ctx.Value(typesKey{}).(Types)
	if !ok || t == nil {
		return nil, ErrNoTypes
	}
	return t.Open(list, o)
}

// IsTypes reports whether a mask is a list of types, and not the name of a file.
func IsTypes(mask string) bool { return strings.HasPrefix(mask, TypesPrefix) }
