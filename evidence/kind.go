package evidence

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"sotto/evidence/page"
	"sotto/promise/mech"
)

// Kind is one kind of evidence, whose values are of type *T. Whoever stores
// something new describes it by a Kind beside the type, and enters it in the
// list of package report: readers then take its files, pages show it and gates
// judge it, without a change to any of them.
type Kind[T any] struct {
	Format string // the field "format" of a file; "" if files have none
	Name   string // in the field "kind" of a policy, such as "audit"
	List   string // the field of a file of everything, [Format], such as "audits"

	// Decode reads a file, whose name may be shown. It may be nil: then a file
	// is a T, read by [Strictly].
	Decode func(name string, content []byte) (*T, error)
	// Known are fields of which a file without a format has one.
	Known []string
	// Owns tells the values of this kind from those of another that has the same
	// type. It may be nil: then all are its own.
	Owns func(*T) bool
	// Check refuses a value that lacks a part on which the others rely, since
	// JSON may leave out everything. It may be nil.
	Check func(*T) error

	// Section makes the sections of a page from everything that is known; those
	// without a block are left out. Sections of several kinds that have the same
	// ID become one, with the words of the first. It may be nil.
	Section func(*Evidence) []page.Section
	// Summary makes the sentence and the verdicts at the top of a page, the
	// sentence for a page that has nothing else to say there. It may be nil.
	Summary func(*Evidence) (string, []page.Verdict)
	// Subjects lists what a gate can judge of a value, without the kind in Match,
	// which is Name. It may be nil: then no policy speaks of this kind.
	Subjects func(*T) []Subject
	// Stated lists what mechanisms promised of which the numbers of a value speak,
	// where its subjects are not those promises themselves: a page explains them.
	// It may be nil.
	Stated func(*T) []*mech.Statement
}

// Entry is a [Kind] of whichever type.
type Entry interface {
	about() about
	decode(name string, content []byte) (any, error)
	decodeList(content []byte) ([]any, error)
	check(v any) (mine bool, err error)
	subjects(v any) []Subject
	stated(v any) []*mech.Statement
}

// about is what is known of a kind without its type.
type about struct {
	format, name, list string
	known              []string
	judged             bool
	section            func(*Evidence) []page.Section
	summary            func(*Evidence) (string, []page.Verdict)
}

func (k Kind[T]) about() about {
	return about{k.Format, k.Name, k.List, k.Known, k.Subjects != nil, k.Section, k.Summary}
}

func (k Kind[T]) decode(name string, content []byte) (any, error) {
	v, err := new(T), error(nil)
	if k.Decode != nil {
		v, err = k.Decode(name, content)
	} else {
		err = Strictly(content, v)
	}
	if err != nil {
		return nil, err
	}
	_, err = k.check(v)
	return v, err
}

func (k Kind[T]) decodeList(content []byte) ([]any, error) {
	var list []*T
	if err := strictly(content, &list, k.List+"."); err != nil {
		return nil, err
	}
	all := make([]any, len(list))
	for i, v := range list {
		mine, err := k.check(v)
		if err == nil && !mine {
			err = fmt.Errorf("evidence: an entry of %s is of another kind", k.List)
		}
		if err != nil {
			return nil, err
		}
		all[i] = v
	}
	return all, nil
}

func (k Kind[T]) check(v any) (mine bool, err error) {
	own, mine := v.(*T)
	switch {
	case !mine:
		return false, nil
	case own == nil:
		return true, errors.New("evidence: an entry is null")
	case k.Owns != nil && !k.Owns(own):
		return false, nil
	case k.Check != nil:
		err = k.Check(own)
	}
	return true, err
}

func (k Kind[T]) subjects(v any) []Subject {
	if k.Subjects == nil {
		return nil
	}
	all := k.Subjects(v.(*T))
	for i := range all {
		all[i].Match.Kind, all[i].Name = k.Name, page.WithoutPaths(all[i].Name)
	}
	return all
}

func (k Kind[T]) stated(v any) []*mech.Statement {
	if k.Stated == nil {
		return nil
	}
	return k.Stated(v.(*T))
}

// Kinds is a list of kinds. A file of everything holds them in this order.
type Kinds []Entry

// New returns evidence of these kinds that holds the values: pointers to what
// the kinds describe. It refuses two kinds that share a format or a list.
func (k Kinds) New(values ...any) (*Evidence, error) {
	seen := map[string]bool{"": true, Format: true, "format": true, "tool": true, "title": true}
	for _, kind := range k {
		a := kind.about()
		if a.format != "" && seen[a.format] || seen[a.list] {
			return nil, fmt.Errorf("evidence: a kind has the format %q and the list %q, must have its own", a.format, a.list)
		}
		seen[a.format], seen[a.list] = true, true
	}
	e := &Evidence{kinds: k, held: make([][]any, len(k))}
	return e, e.Put(values...)
}

// Names lists what policies call the kinds that they can judge, each once.
func (k Kinds) Names() []string {
	var names []string
	for _, kind := range k {
		if a := kind.about(); a.judged && !slices.Contains(names, a.name) {
			names = append(names, a.name)
		}
	}
	return names
}

// index finds the kind of a file by its format, or else by its fields.
func (k Kinds) index(fields map[string]json.RawMessage) (int, error) {
	if raw, ok := fields["format"]; ok {
		var format string
		if err := json.Unmarshal(raw, &format); err != nil {
			return 0, errors.New("evidence: the format is not a string")
		}
		if i := slices.IndexFunc(k, func(e Entry) bool { return format != "" && e.about().format == format }); i >= 0 {
			return i, nil
		}
		var known []string
		for _, e := range k {
			if f := e.about().format; f != "" {
				known = append(known, f)
			}
		}
		return 0, fmt.Errorf("evidence: format is %.40q, must be one that this version knows: %q", format, append(known, Format))
	}
	for i, e := range k {
		if slices.ContainsFunc(e.about().known, func(name string) bool { _, ok := fields[name]; return ok }) {
			return i, nil
		}
	}
	return 0, errors.New("evidence: the file has no format, must be one that sotto stored")
}
