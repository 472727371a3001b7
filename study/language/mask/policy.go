package mask

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sotto/study/language"
)

// Policy says what stands in the place of something that was found.
type Policy string

// The policies.
const (
	Remove    Policy = "remove"    // nothing
	Tag       Policy = "tag"       // what it was, such as [PERSON]
	Pseudonym Policy = "pseudonym" // another name, the same for the same
	Fake      Policy = "fake"      // something that looks alike, such as another e-mail address
)

// Policies are all of them.
func Policies() []Policy { return []Policy{Remove, Tag, Pseudonym, Fake} }

// Names are the types that are found by a model of the language rather than by
// what they look like.
func Names() []language.Type {
	return []language.Type{language.Person, language.Organisation, language.Place, language.Miscellaneous}
}

// Prefix is what a list of types begins with where a file could stand, too.
const Prefix = "types:"

// Types says which types are masked, and how.
type Types map[language.Type]Policy

// Parse reads types, separated by commas, each with a policy of its own or with
// the one for the others, such as
//
//	person=pseudonym,email,phone=fake
//
// Beside the types that are known there are "names", "identifiers", which are all
// that are no names, and "all"; and "relations", which are those of [Relations]. What is
// named by itself counts before a group.
// The list may begin with [Prefix].
func Parse(s string, otherwise Policy, known []language.Type) (Types, error) {
	otherwise = cmp.Or(otherwise, Tag)
	if err := otherwise.Validate(); err != nil {
		return nil, err
	}
	groups := map[string][]language.Type{}
	for _, t := range known {
		group := "identifiers"
		switch {
		case isRelation(t):
			group = "relations"
		case slices.Contains(Names(), t):
			group = "names"
		}
		if groups[group] = append(groups[group], t); group != "relations" {
			groups["all"] = append(groups["all"], t)
		}
	}
	all, single := Types{}, Types{}
	for item := range strings.SplitSeq(strings.TrimPrefix(s, Prefix), ",") {
		name, policy, given := strings.Cut(strings.TrimSpace(item), "=")
		p := otherwise
		if given {
			if p = Policy(policy); p.Validate() != nil {
				return nil, fmt.Errorf("mask: policy of %.20q is %.20q, must be one of %s", name, policy, join(Policies()))
			}
		}
		switch group, ok := groups[name]; {
		case ok:
			for _, t := range group {
				all[t] = p
			}
		case slices.Contains(known, language.Type(name)):
			single[language.Type(name)] = p
		default:
			return nil, fmt.Errorf("mask: type is %.40q, must be one of all, names, identifiers, relations, %s", name, join(slices.Sorted(slices.Values(known))))
		}
	}
	maps.Copy(all, single)
	return all, nil
}

// Validate refuses a policy that is none.
func (p Policy) Validate() error {
	if !slices.Contains(Policies(), p) {
		return fmt.Errorf("mask: policy is %.20q, must be one of %s", p, join(Policies()))
	}
	return nil
}

// String returns the types in order, as [Parse] reads them.
func (t Types) String() string {
	var each []string
	for _, name := range slices.Sorted(maps.Keys(t)) {
		each = append(each, fmt.Sprintf("%s=%s", name, t[name]))
	}
	return strings.Join(each, ",")
}

// keyed reports whether a secret would change anything.
func (t Types) keyed() bool {
	for _, p := range t {
		if p == Pseudonym || p == Fake {
			return true
		}
	}
	return false
}

// renames reports whether persons have pseudonyms.
func (t Types) renames() bool { return t[language.Person] == Pseudonym || t[language.Person] == Fake }

// minSecret is the least size of a secret in bytes.
const minSecret = 16

// checkSecret refuses a secret that could be guessed, or that nothing needs.
func (t Types) checkSecret(secret []byte) error {
	switch {
	case secret == nil:
		return nil
	case !t.keyed():
		return errors.New("mask: a secret is given, must not be where nothing has the policy pseudonym or fake")
	case len(secret) < minSecret:
		return fmt.Errorf("mask: the secret has %d bytes, must have at least %d, drawn at random", len(secret), minSecret)
	}
	return nil
}

func join[S ~string](all []S) string {
	each := make([]string, len(all))
	for i, s := range all {
		each[i] = string(s)
	}
	return strings.Join(each, ", ")
}
