package report

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"sotto/compute/measure"
	"sotto/evidence"
	"sotto/evidence/page"
	"sotto/promise/dp"
)

// releaseKind is the record of a file of releases. It has no format: the fields
// are those of "sotto privatize" and of "sotto encode".
var releaseKind = evidence.Kind[evidence.Release]{
	Name: "release", List: "releases", Known: []string{"private", "guarantee"}, Decode: evidence.ReadRelease,
	Check: func(r *evidence.Release) error {
		if err := r.Guarantee.Validate(); err != nil {
			return fmt.Errorf("evidence: a release: %w", err)
		}
		return evidence.CheckPerson(r.Person, r.Guarantee)
	},
	Section:  func(e *evidence.Evidence) []page.Section { return []page.Section{spendSection(e)} },
	Subjects: releaseSubjects,
}

// setKind is the record of releases in many files. Policies judge it as they judge that
// of one file.
var setKind = evidence.Kind[evidence.Set]{
	Format: evidence.SetFormat, Name: "release", List: "sets", Check: (*evidence.Set).Check,
	Subjects: func(s *evidence.Set) []evidence.Subject { return releaseSubjects(s.AsRelease()) },
}

// releases returns all records of releases, those of sets among them.
func releases(e *evidence.Evidence) []*evidence.Release {
	all := slices.Clone(evidence.All[evidence.Release](e))
	for _, s := range evidence.All[evidence.Set](e) {
		all = append(all, s.AsRelease())
	}
	return all
}

func releaseSubjects(r *evidence.Release) []evidence.Subject {
	p := &evidence.Promise{
		Name:      mechanismName(r.Mechanism, r.Mechanism.Mechanism, r.Mechanism.Variant),
		Mechanism: r.Mechanism.Mechanism, Variant: r.Mechanism.Variant, Dim: r.Mechanism.Dim, User: "file " + nameText(page.FileName(r.Name)),
		Unit: r.Guarantee.Unit, Delta: r.Guarantee.Delta, Claimed: &r.Claimed, Proved: &r.Guarantee.Epsilon,
		Reason: r.Reason, Assumptions: r.Guarantee.Assumptions,
	}
	if r.Unbound {
		p.Assumptions = append(slices.Clone(p.Assumptions), "the record is unbound: its file was not there to be compared with it")
	}
	if r.Word != nil {
		p.Also = append(p.Also, *r.Word)
	}
	s := evidence.Subject{Name: join("release", page.FileName(r.Name)), Match: evidence.Match{Mechanism: p.Mechanism, Variant: p.Variant}, Promise: p}
	if r.Person != nil {
		s.Numbers = map[string]measure.Estimate{"person_epsilon": evidence.Exactly(measure.Number(r.Person.Epsilon))}
	}
	return []evidence.Subject{s}
}

// spendSection shows what releases add up to.
func spendSection(e *evidence.Evidence) page.Section {
	s := page.Section{
		ID: "spend", Title: "Spend",
		Meaning: "What each file of releases costs a text that is in it, and what they cost together: ε and δ add, whatever the files are used for.",
		Source:  "The records that sotto privatize and sotto encode write beside their files.",
	}
	all := releases(e)
	if len(all) == 0 {
		return s
	}
	t := &page.Table{Caption: "Releases", Head: page.Heads("file", "mechanism", "#ε of a row", "#δ", "unit", "#rows", "noise")}
	for _, r := range all {
		g := r.Guarantee
		delta, rows := "0", none
		if r.Rows > 0 {
			rows = strconv.FormatInt(r.Rows, 10)
		}
		if g.Delta > 0 {
			delta = fmt.Sprintf("%.3g", g.Delta)
		}
		t.Add(nameText(page.FileName(r.Name)), mechanismName(r.Mechanism, r.Mechanism.Mechanism, r.Mechanism.Variant), epsilonText(g.Epsilon), delta, nameText(string(g.Unit))+"-level", rows, cmp.Or(nameText(r.Noise), none))
	}
	s.Blocks = append(s.Blocks, t.Blocks()...)
	if persons := personItems(all); len(persons) > 0 {
		s.Blocks = append(s.Blocks, page.Block{Heading: "For a person"}, page.Block{List: persons})
	}
	if paid := paidItems(evidence.All[evidence.Set](e)); len(paid) > 0 {
		s.Blocks = append(s.Blocks, page.Block{Heading: "Paid first"}, page.Block{List: paid})
	}
	s.Blocks = append(s.Blocks, page.Block{Heading: "Together"}, page.Block{List: totals(all)})
	s.Blocks = append(s.Blocks, page.Block{Note: "This assumes that a text is one row in each file and that the files draw their noise independently. A text with k rows in a file has spent k times as much there, and ε of different units do not add. Releases that are not listed here are not counted."})
	return s
}

// personItems say what files promise to a person with several rows.
func personItems(all []*evidence.Release) []page.Item {
	var list []page.Item
	for _, r := range all {
		if p := r.Person; p != nil {
			text := "True is " + p.String() + "."
			if p.LeftOut > 0 {
				text += fmt.Sprintf(" %s beyond were left out before anything was released.", page.Plural(int(p.LeftOut), "row", "rows"))
			}
			list = append(list, page.Item{Name: nameText(page.FileName(r.Name)), Text: text + " It holds " + longText(p.Scope) + "."})
		}
	}
	return list
}

// paidItems say what the users of sets paid before anything was released.
func paidItems(all []*evidence.Set) []page.Item {
	var list []page.Item
	for _, s := range all {
		if p := s.Paid; p != nil {
			list = append(list, page.Item{Name: nameText(s.AsRelease().Name), Text: fmt.Sprintf("%s paid for %s of %s that were read; %s too little left, and none of their rows was released.",
				page.Plural(int(p.Users), "user has", "users have"), page.Plural(int(p.Releases), "release", "releases"), page.Plural(int(s.Rows), "row", "rows"), page.Plural(int(p.Exhausted), "user had", "users had"))})
		}
	}
	return list
}

// totals composes the guarantees of each unit.
func totals(all []*evidence.Release) []page.Item {
	var list []page.Item
	for _, unit := range []dp.Unit{dp.Text, dp.Word, dp.Metric} {
		total, n, err := composed(all, unit)
		if n == 0 {
			continue
		}
		name := "A text in " + filesText(n, unit)
		if err != nil {
			list = append(list, page.Item{Name: name, Text: "what they add up to is not known: a stored guarantee is not valid"})
			continue
		}
		text := "has spent ε = " + guaranteeText(&total.Epsilon, total.Unit, total.Delta)
		if total.Epsilon == dp.Infinite {
			text = "is not protected: one of the releases promises nothing"
		}
		list = append(list, page.Item{Name: name, Text: text})
		for _, a := range total.Assumptions {
			list = append(list, page.Item{Name: "Assuming", Text: longText(a)})
		}
	}
	return list
}

// composed returns what the releases of one unit promise together.
func composed(all []*evidence.Release, unit dp.Unit) (dp.Guarantee, int, error) {
	var some []dp.Guarantee
	for _, r := range kept(all, func(r *evidence.Release) bool { return r.Guarantee.Unit == unit }) {
		some = append(some, r.Guarantee)
	}
	if len(some) == 0 {
		return dp.Guarantee{}, 0, errors.New("report: no release has this unit")
	}
	total, err := dp.Compose(some...)
	return total, len(some), err
}

func filesText(n int, unit dp.Unit) string {
	if n == 1 {
		return fmt.Sprintf("the one %s-level file", unit)
	}
	return fmt.Sprintf("all %d %s-level files", n, unit)
}
