// Package evidence is what sotto has found out about representations, in the
// form in which its commands store it, and the registry of its kinds: what a
// file of each looks like, what a page shows of it and what a gate can judge.
//
// It computes nothing and judges nothing, and it knows no kind by itself: the
// list of those that sotto has is in package report. A file with a field that
// is not known is refused. The smallest use is
//
//	found, err := report.Load("results.json", "audit.json")
//	for _, a := range evidence.All[evidence.Audit](found) {
//
// A new kind of evidence is a [Kind] beside the type that it describes, and one
// line in that list. The example of Kind shows one.
package evidence

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"sotto/evidence/page"
)

// Format is the format of a file of everything: what is known of each kind, in
// a list of its own.
const Format = "sotto-evidence-1"

// Evidence is everything that is known. [Kinds.New] and [Kinds.Load] make it.
type Evidence struct {
	Tool  string // that wrote it; "" if it is not known
	Title string // for a page; "" for none

	kinds Kinds
	held  [][]any // of each kind, in the order in which they came
}

// Put adds values: pointers to what the kinds describe. It refuses what none of
// them does, and then adds nothing.
func (e *Evidence) Put(values ...any) error {
	more := make([][]any, len(e.kinds))
	for _, v := range values {
		i := slices.IndexFunc(e.kinds, func(k Entry) bool { mine, _ := k.check(v); return mine })
		if i < 0 {
			return fmt.Errorf("evidence: a value is a %T, must be of a kind that is registered", v)
		}
		if _, err := e.kinds[i].check(v); err != nil {
			return err
		}
		more[i] = append(more[i], v)
	}
	for i, list := range more {
		e.held[i] = append(e.held[i], list...)
	}
	return nil
}

// All returns what e holds of one type.
func All[T any](e *Evidence) []*T {
	var all []*T
	for _, list := range e.held {
		for _, v := range list {
			if own, ok := v.(*T); ok {
				all = append(all, own)
			}
		}
	}
	return all
}

// Kinds returns the kinds that e may hold.
func (e *Evidence) Kinds() Kinds { return e.kinds }

// Sections lists what the kinds have to show, those without a block left out
// and those of the same ID joined, and their summaries.
func (e *Evidence) Sections() (sections []page.Section, sentence string, verdicts []page.Verdict) {
	for _, k := range e.kinds {
		a := k.about()
		if a.section != nil {
			sections = join(sections, a.section(e))
		}
		if a.summary != nil {
			first, more := a.summary(e)
			sentence, verdicts = cmp.Or(sentence, first), append(verdicts, more...)
		}
	}
	return sections, sentence, verdicts
}

// join adds sections that have a block, to one of the same ID if there is one.
func join(all, more []page.Section) []page.Section {
	for _, s := range more {
		i := slices.IndexFunc(all, func(other page.Section) bool { return s.ID != "" && other.ID == s.ID })
		switch {
		case len(s.Blocks) == 0:
		case i < 0:
			all = append(all, s)
		default:
			all[i].Blocks = append(all[i].Blocks, s.Blocks...)
		}
	}
	return all
}

// Subjects lists what there is to judge, kind after kind.
func (e *Evidence) Subjects() []Subject {
	var all []Subject
	for i, k := range e.kinds {
		for _, v := range e.held[i] {
			all = append(all, k.subjects(v)...)
		}
	}
	return all
}

// Promises lists all that is claimed or proved in what e holds, also what lists of
// pages leave out, each with a name.
func (e *Evidence) Promises() []Promise {
	var all []Promise
	for _, s := range e.Subjects() {
		if p := s.Promise; p != nil && (p.Claimed != nil || p.Proved != nil) {
			all = append(all, *p)
			all[len(all)-1].Name = cmp.Or(p.Name, s.Name)
		}
	}
	for i, k := range e.kinds {
		for _, v := range e.held[i] {
			for _, s := range k.stated(v) {
				if s == nil {
					continue
				}
				all = append(all, Promise{
					Name: s.Mechanism + " " + s.Variant, Mechanism: s.Mechanism, Variant: s.Variant, Dim: s.Parameters.Dim,
					Unit: s.Unit, Delta: s.Delta, Claimed: &s.Claimed, Proved: &s.True, Reason: s.Reason, Assumptions: s.Assumptions,
				})
			}
		}
	}
	return all
}

// MarshalJSON implements [json.Marshaler]: a file of everything.
func (e *Evidence) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	var errs []error
	field := func(name string, v any, there bool) {
		if there {
			fmt.Fprintf(&b, ",%q:", name)
			enc := json.NewEncoder(&b)
			enc.SetEscapeHTML(false) // whoever called decides
			errs = append(errs, enc.Encode(v))
		}
	}
	fmt.Fprintf(&b, `{"format":%q`, Format)
	field("tool", e.Tool, e.Tool != "")
	field("title", e.Title, e.Title != "")
	for i, k := range e.kinds {
		field(k.about().list, e.held[i], len(e.held[i]) > 0)
	}
	b.WriteByte('}')
	return b.Bytes(), errors.Join(errs...)
}
