package mask

import (
	"fmt"

	"sotto/study/relation/folder"
	"sotto/text"
)

// Maskers opens maskers of types for a program that does not know this package.
type Maskers struct{}

var _ text.Types = Maskers{}

// Open implements [text.Types].
func (Maskers) Open(list string, o text.TypesOptions) (text.TypesMasker, error) {
	if o.Relations == "" {
		return open(Open(list, Policy(o.Policy), o.Secret))
	}
	told, err := folder.OpenMasks(o.Relations)
	if err != nil {
		return nil, fmt.Errorf("--mask-relations: %w", err)
	}
	return open(OpenBy(list, Policy(o.Policy), o.Secret, told))
}

// open returns nothing for a masker that could not be opened.
func open(m *Masker, err error) (text.TypesMasker, error) {
	if err != nil {
		return nil, err
	}
	return m, nil
}

// Known implements [text.Types].
func (Maskers) Known() []string {
	all := []string{"all", "names", "identifiers", "relations"}
	for _, t := range Known() {
		all = append(all, string(t))
	}
	return all
}

// List implements [text.TypesMasker].
func (m *Masker) List() string { return Prefix + m.types.String() }
