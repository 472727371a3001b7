package report

import (
	"errors"
	"fmt"
	"slices"

	"sotto/compute/measure"
	"sotto/evidence"
	"sotto/evidence/page"
	"sotto/learn/attack"
)

// attackKind is attribute inference, and attemptKind any other attack, as
// "sotto attack" stores them.
var (
	attackKind = evidence.Kind[attack.Result]{
		Format: attack.AttributeFormat, Name: "attack", List: "attacks",
		Owns:  infers,
		Check: checkAttack,
		Section: func(e *evidence.Evidence) []page.Section {
			return []page.Section{attackersSection(e), descriptionSection(e)}
		},
		Subjects: attackSubjects,
	}
	attemptKind = evidence.Kind[attack.Result]{
		Format: attack.Format, Name: "attack", List: "attempts",
		Owns:     func(r *attack.Result) bool { return !infers(r) },
		Check:    checkAttack,
		Section:  func(e *evidence.Evidence) []page.Section { return []page.Section{attemptSection(e)} },
		Subjects: attackSubjects,
	}
)

func infers(r *attack.Result) bool { return r.Kind == attack.Attribute }

func checkAttack(r *attack.Result) error {
	for _, m := range append(slices.Clone(r.Models), r) {
		if m == nil || len(m.Findings) == 0 {
			return errors.New("evidence: an attack has no findings")
		}
	}
	return nil
}

// attackSubjects lists the models that were attacked, or what was attacked if it
// has no models.
func attackSubjects(r *attack.Result) []evidence.Subject {
	if len(r.Models) == 0 {
		kind := string(r.Kind)
		if infers(r) {
			kind = ""
		}
		return []evidence.Subject{attackSubject(join(kind, "attack on", page.FileName(r.Source)), r)}
	}
	var all []evidence.Subject
	for _, m := range r.Models {
		all = append(all, attackSubject(join("attack on", page.FileName(r.Source), m.Folder, fmt.Sprintf("seed %d", m.Seed)), m))
	}
	return all
}

// attackSubject speaks of leakage where the attribute is guessed. Other kinds
// guess something else.
func attackSubject(name string, r *attack.Result) evidence.Subject {
	s := evidence.Subject{Name: name, Numbers: map[string]measure.Estimate{}}
	if r.Refuted || r.Limited() { // without a limit nothing can be refuted
		s.Refuted = &r.Refuted
	}
	if infers(r) {
		s.Name = join(name, "for", r.Findings[0].Target)
		s.Numbers["leakage_bound"] = evidence.Exactly(r.Findings[0].Limit)
	}
	if info, err := attack.Find(r.Kind); err != nil || !info.Infers {
		return s
	}
	worst := evidence.Unmeasured()
	for _, f := range r.Findings {
		if f.Metric != "accuracy" {
			continue
		}
		if !(f.Value <= worst.Value) { // also the first
			worst.Value = f.Value
		}
		if !(f.High <= worst.High) {
			worst.High = f.High
		}
		s.Numbers["leakage"] = worst
	}
	return s
}

// attempts lists the attacks that are not on an attribute.
func attempts(e *evidence.Evidence) []*attack.Result {
	return slices.DeleteFunc(evidence.All[attack.Result](e), infers)
}

// attacked is an attack on one model or file of releases.
type attacked struct {
	name   string
	folder string // the same for all seeds
	*attack.Result
}

// sourceText names what was attacked, without the folders of its path.
func sourceText(a *attack.Result) string { return nameText(page.FileName(a.Source)) }

// models lists the attacks on an attribute, one for each model.
func models(e *evidence.Evidence) []attacked {
	var all []attacked
	for _, a := range kept(evidence.All[attack.Result](e), infers) {
		source := sourceText(a)
		if len(a.Models) == 0 {
			all = append(all, attacked{source, source, a})
		}
		for _, m := range a.Models {
			name := source
			if m.Folder != "" {
				name = nameText(m.Folder)
			}
			if m.Seed != 0 {
				name += fmt.Sprintf(", seed %d", m.Seed)
			}
			if slices.ContainsFunc(all, func(other attacked) bool { return other.name == name }) {
				name = source + ", " + name
			}
			all = append(all, attacked{name, source + "/" + m.Folder, m})
		}
	}
	return all
}
