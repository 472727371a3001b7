package model

import (
	"fmt"
	"slices"

	"sotto/promise/mech"
)

// Masks says what was masked in every text before it was encoded. Whoever
// encodes a text for a model must mask the same, or the model is asked for
// something else than it was trained for.
type Masks struct {
	Dropout float64    `json:"dropout,omitempty"` // probability with which each word was masked at random
	Draw    mech.Masks `json:"draw,omitempty"`    // how those words were chosen; "" without dropout
	Rules   []string   `json:"rules,omitempty"`   // of what was masked besides, as text.Masker has them
}

// Lacking returns the rules of m that are not among those given.
func (m Masks) Lacking(rules []string) []string {
	return slices.DeleteFunc(slices.Clone(m.Rules), func(r string) bool { return slices.Contains(rules, r) })
}

// Masked returns what was masked in training: Masks, with what the record of the
// data says, which is all that there is before a model is saved and of one that was
// saved before there was such a field.
func (info Manifest) Masked() Masks {
	m := info.Masks
	if m.Dropout == 0 && info.Data.Dropout > 0 {
		m.Dropout, m.Draw = info.Data.Dropout, mech.Bernoulli
	}
	if rule := info.Data.Mask; rule != "" && !slices.Contains(m.Rules, rule) {
		m.Rules = append(slices.Clone(m.Rules), rule)
	}
	return m
}

// checkMasks refuses masks that nobody can apply, or that are not the data's.
func (info Manifest) checkMasks() error {
	m := info.Masked()
	switch {
	case !(m.Dropout >= 0 && m.Dropout < 1) || m.Dropout != info.Data.Dropout:
		return fmt.Errorf("dropout of the masks is %v and of the data %v, must be the same and in [0, 1)", m.Dropout, info.Data.Dropout)
	case (m.Dropout == 0) != (m.Draw == "") || m.Draw != "" && m.Draw != mech.Bernoulli && m.Draw != mech.FixedCount:
		return fmt.Errorf("masks of dropout %v are drawn by %q, must be by %s or %s, and by nothing without dropout", m.Dropout, m.Draw, mech.Bernoulli, mech.FixedCount)
	}
	return nil
}
