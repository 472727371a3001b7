package evidence

import (
	"errors"
	"fmt"
	"slices"

	"sotto/experiment"
)

// check refuses what lacks a part that readers rely on. JSON may leave out
// everything.
func (e *Evidence) check() error {
	if slices.Contains(e.Results, nil) || slices.Contains(e.Attacks, nil) || slices.Contains(e.Attempts, nil) ||
		slices.Contains(e.Fairness, nil) || slices.Contains(e.Audits, nil) || slices.Contains(e.Releases, nil) || slices.Contains(e.Tables, nil) {
		return errors.New("evidence: an entry is null")
	}
	for _, r := range e.Results {
		if err := checkPictures(r.Pictures); err != nil {
			return err
		}
	}
	for _, a := range e.Attacks {
		if a.Attack == nil || len(a.Attackers) == 0 || slices.ContainsFunc(a.Models, func(m experiment.ModelAttack) bool { return m.Attack == nil || len(m.Attackers) == 0 }) {
			return errors.New("evidence: an attack has no attackers")
		}
	}
	for _, a := range e.Attempts {
		if a.Attempt == nil || len(a.Findings) == 0 {
			return errors.New("evidence: an attack has no findings")
		}
	}
	for _, f := range e.Fairness {
		if f.Fairness == nil || slices.ContainsFunc(f.Attributes, func(a AttributeFairness) bool { return a.Fairness == nil }) {
			return errors.New("evidence: a comparison of groups has no groups")
		}
	}
	for _, r := range e.Releases {
		if err := r.Guarantee.Validate(); err != nil {
			return fmt.Errorf("evidence: a release: %w", err)
		}
	}
	return checkPictures(e.Pictures)
}

func checkPictures(all []experiment.Picture) error {
	for _, p := range all {
		if len(p.Groups) == 0 || len(p.Before) != len(p.Groups) || len(p.After) != len(p.Groups) {
			return fmt.Errorf("evidence: a picture has %d groups, %d points before release and %d after, must have as many of each", len(p.Groups), len(p.Before), len(p.After))
		}
		for _, g := range p.Groups {
			if g < 0 || g >= len(p.Values) {
				return fmt.Errorf("evidence: a picture has group %d of %d, which it does not name", g, len(p.Values))
			}
		}
	}
	return nil
}
