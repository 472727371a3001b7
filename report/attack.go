package report

import (
	"errors"
	"fmt"
	"math"
	"path"
	"slices"

	"sotto/experiment"
	"sotto/measure"
	"sotto/report/evidence"
	"sotto/report/page"
)

// attackKind is attribute inference, and attemptKind any other attack, as
// "sotto attack" stores them.
var (
	attackKind = evidence.Kind[evidence.Attack]{
		Format: evidence.AttackFormat, Name: "attack", List: "attacks",
		Check: func(a *evidence.Attack) error {
			if a.Attack == nil || len(a.Attackers) == 0 || slices.ContainsFunc(a.Models, func(m experiment.ModelAttack) bool { return m.Attack == nil || len(m.Attackers) == 0 }) {
				return errors.New("evidence: an attack has no attackers")
			}
			return nil
		},
		Section: func(e *evidence.Evidence) []page.Section {
			return []page.Section{attackersSection(e), descriptionSection(e)}
		},
		Subjects: attackSubjects,
	}
	attemptKind = evidence.Kind[evidence.Attempt]{
		Format: evidence.AttemptFormat, Name: "attack", List: "attempts",
		Check: func(a *evidence.Attempt) error {
			if a.Attempt == nil || len(a.Findings) == 0 {
				return errors.New("evidence: an attack has no findings")
			}
			return nil
		},
		Section:  func(e *evidence.Evidence) []page.Section { return []page.Section{attemptSection(e)} },
		Subjects: attemptSubjects,
	}
)

// attackSubjects lists the models that were attacked, or what was attacked if it
// has no models.
func attackSubjects(a *evidence.Attack) []evidence.Subject {
	if len(a.Models) == 0 {
		// The field of a.Attack stays empty when a file is read: a's own hides it.
		return []evidence.Subject{attackSubject(join("attack on", a.Source), a.Attack, a.Refuted)}
	}
	var all []evidence.Subject
	for _, m := range a.Models {
		all = append(all, attackSubject(join("attack on", a.Source, m.Folder, fmt.Sprintf("seed %d", m.Seed)), m.Attack, m.Refuted))
	}
	return all
}

func attackSubject(name string, a *experiment.Attack, refuted bool) evidence.Subject {
	s := evidence.Subject{Name: join(name, "for", a.Attribute)}
	if refuted || !math.IsNaN(float64(a.Limit)) { // without a limit nothing can be refuted
		s.Refuted = &refuted
	}
	worst := evidence.Unmeasured()
	for i, o := range a.Attackers {
		if i == 0 || !(o.Accuracy <= float64(worst.Value)) {
			worst.Value = measure.Number(o.Accuracy)
		}
		if i == 0 || !(o.High <= float64(worst.High)) {
			worst.High = measure.Number(o.High)
		}
	}
	s.Numbers = map[string]measure.Estimate{"leakage": worst, "leakage_bound": evidence.Exactly(a.Limit)}
	return s
}

// attemptSubjects speaks of leakage where an attack guesses the attribute from
// several releases of a text. Other kinds guess something else.
func attemptSubjects(a *evidence.Attempt) []evidence.Subject {
	s := evidence.Subject{Name: join(string(a.Kind), "attack on", a.Source)}
	limited := slices.ContainsFunc(a.Findings, func(f experiment.Finding) bool { return !math.IsNaN(float64(f.Limit)) })
	if a.Refuted || limited { // without a limit nothing can be refuted
		s.Refuted = &a.Refuted
	}
	for _, f := range a.Findings {
		if a.Kind != experiment.Averaging || f.Metric != "accuracy" {
			continue
		}
		worst, ok := s.Numbers["leakage"]
		if !ok || !(f.Value <= worst.Value) {
			worst.Value = f.Value
		}
		if !ok || !(f.High <= worst.High) {
			worst.High = f.High
		}
		s.Numbers = map[string]measure.Estimate{"leakage": worst}
	}
	return []evidence.Subject{s}
}

// attacked is an attack on one model or file of releases.
type attacked struct {
	name   string
	folder string // the same for all seeds
	*experiment.Attack
}

// models lists the attacks, one for each model.
func models(e *evidence.Evidence) []attacked {
	var all []attacked
	for _, a := range evidence.All[evidence.Attack](e) {
		source := nameText(path.Base(a.Source))
		if len(a.Models) == 0 {
			all = append(all, attacked{source, source, a.Attack})
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
			all = append(all, attacked{name, source + "/" + m.Folder, m.Attack})
		}
	}
	return all
}
