package mask

import (
	"fmt"
	"strings"

	"sotto/language"
	"sotto/language/personal"
)

// Known returns the types that can be masked by what is built in.
func Known() []language.Type { return personal.Types() }

// builtin finds what is built in.
type builtin struct{}

// Find implements [Finder].
func (builtin) Find(s string) ([]language.Entity, error) {
	return personal.Join(s, nil, personal.Find(s)), nil
}

// Version implements [Finder].
func (builtin) Version() string { return "personal " + personal.Version }

// Open makes a masker of what is built in. Its types are written as [Parse] takes
// them, or as the rule of another masker, which must be of the same version.
func Open(types string, otherwise Policy, secret []byte) (*Masker, error) {
	list, version, isRule := strings.Cut(types, by)
	parsed, err := Parse(list, otherwise, Known())
	if err != nil {
		return nil, err
	}
	m, err := New(builtin{}, parsed, secret)
	if err != nil {
		return nil, err
	}
	if isRule && m.Rule() != Prefix+parsed.String()+by+version {
		return nil, fmt.Errorf("mask: the rule is of %.80q, must be of %q, which is built in here", version, m.finder.Version())
	}
	return m, nil
}
