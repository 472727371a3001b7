package mech

import (
	"cmp"

	"sotto/promise/dp"
)

// Judgement is a [Statement] with what became of the claim, in the unit, domain
// and δ of whoever made it.
type Judgement struct {
	Statement
	ClaimedUnit  dp.Unit    `json:"claimed_unit"`
	ClaimedDelta float64    `json:"claimed_delta,omitempty"`
	Verdict      dp.Verdict `json:"verdict"`
	Place        string     `json:"place,omitempty"`     // where the claim stands
	Condition    string     `json:"condition,omitempty"` // under which it is true, or what is missing for a proof
}

// Judge states what is claimed and what is true of the mechanism that p
// describes, as [Describe] does, and judges the claim.
func Judge(p Params, dropout float64) (Judgement, error) {
	m, err := New(p)
	if err != nil {
		return Judgement{}, err
	}
	s, err := Describe(p, dropout)
	if err != nil {
		return Judgement{}, err
	}
	claim := m.Profile().Claim
	j := Judgement{Statement: s, ClaimedUnit: claim.Unit, Verdict: claim.Verdict, Place: claim.Place, Condition: claim.Condition, ClaimedDelta: cmp.Or(claim.Delta, s.Delta)}
	if j.ClaimedUnit == "" || dropout > 0 {
		j.ClaimedUnit = s.Unit // dropout makes both word-level
	}
	switch {
	case s.Honest(): // a bound between any two texts holds for one word, too
		j.Verdict, j.Condition = dp.ClaimTrue, ""
		if s.Floating() {
			j.Verdict, j.Condition = dp.ClaimConditional, "true of real numbers; "+assumeReals
		}
	case j.Verdict == "":
		j.Verdict = dp.ClaimFalse
	}
	return j, nil
}
