package experiment

import (
	"sotto/dp"
	"sotto/measure"
)

// AttackKind names a way to attack releases.
type AttackKind string

// The kinds of attack. Attribute inference has a type of its own, [Attack].
const (
	Entities   AttackKind = "entities"   // which kinds of name stand in the text
	Averaging  AttackKind = "averaging"  // what several releases of one text give away
	Inversion  AttackKind = "inversion"  // which words stand in the text
	Membership AttackKind = "membership" // whether a text was released
)

// Attempt is what one kind of attack learnt from releases.
type Attempt struct {
	Kind   AttackKind `json:"kind"`
	Source string     `json:"source"` // what was attacked, for a person
	// Guarantee is what is stated of one release, nil if nothing is.
	Guarantee *dp.Guarantee `json:"guarantee,omitempty"`
	Notes     []string      `json:"notes,omitempty"` // what a reader must know to judge it
	Findings  []Finding     `json:"findings"`
	Refuted   bool          `json:"refuted"` // a finding refutes the guarantee
}

// Finding is one number that an attacker reached.
type Finding struct {
	Attacker string `json:"attacker"`
	Target   string `json:"target"` // what it guesses
	Metric   string `json:"metric"` // accuracy, f1, precision@5, …
	// Releases is how many releases of each text the attacker has; 0 means one.
	Releases int `json:"releases,omitempty"`
	// Noise says whether these draw their noise anew ("fresh") or repeat the
	// first answer ("memoised"); "" where there is one release.
	Noise    string         `json:"noise,omitempty"`
	Value    measure.Number `json:"value"`
	Low      measure.Number `json:"low"` // 95 % interval
	High     measure.Number `json:"high"`
	Baseline measure.Number `json:"baseline"` // of whoever sees no release
	Limit    measure.Number `json:"limit"`    // what no attacker exceeds at the stated ε; null where none is known
	Rows     int            `json:"rows"`     // scored
	Refutes  bool           `json:"refutes"`  // above the limit beyond chance
}
