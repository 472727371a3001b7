// Package evidence is what sotto has found out about representations, in the
// form in which its commands store it: results of trainings, attacks, audits,
// comparisons of groups and records of releases. Reports and gates read it.
//
// It computes nothing and judges nothing. A file with a field that is not known
// is refused. The smallest use is
//
//	found, err := evidence.Load("results.json", "audit.json")
package evidence

import (
	"sotto/audit"
	"sotto/dp"
	"sotto/experiment"
	"sotto/experiment/reproduce/declared"
	"sotto/internal/release"
	"sotto/measure"
)

// The formats of stored files, the value of their field "format". Records of
// releases have none.
const (
	Format         = "sotto-evidence-1" // everything together, [Evidence]
	ResultsFormat  = experiment.ResultsFormat
	AttackFormat   = "sotto-attack-1"
	AttemptFormat  = "sotto-attempt-1"
	FairnessFormat = "sotto-fairness-1"
	AuditFormat    = "sotto-audit-1"
	TableFormat    = declared.Format
)

// Evidence is everything that is known.
type Evidence struct {
	Format string `json:"format"`
	Tool   string `json:"tool,omitempty"`
	Title  string `json:"title,omitempty"`

	Results  []*experiment.Result `json:"results,omitempty"`
	Attacks  []*Attack            `json:"attacks,omitempty"`
	Attempts []*Attempt           `json:"attempts,omitempty"`
	Fairness []*Fairness          `json:"fairness,omitempty"`
	Audits   []*Audit             `json:"audits,omitempty"`
	Releases []*Release           `json:"releases,omitempty"`
	Tables   []*declared.Table    `json:"tables,omitempty"` // published ones, made again
	Pictures []experiment.Picture `json:"pictures,omitempty"`
}

// Attack is what "sotto attack" finds: attribute inference. With several
// models the fields outside Models are those of the first.
type Attack struct {
	Format string `json:"format"`
	Source string `json:"source"`
	*experiment.Attack
	Models  []experiment.ModelAttack `json:"models,omitempty"`
	Refuted bool                     `json:"refuted"` // any of them
}

// Attempt is what "sotto attack" finds with another kind of attack.
type Attempt struct {
	Format string `json:"format"`
	*experiment.Attempt
}

// Fairness is what "sotto measure fairness" finds: the comparison of the
// groups, of their intersection if there are several attributes, and then of
// each attribute.
type Fairness struct {
	Format  string  `json:"format"`
	Source  string  `json:"source"`
	Columns Columns `json:"columns"`
	*measure.Fairness
	Attributes []AttributeFairness `json:"attributes,omitempty"`
}

// Columns are those of a file of predictions.
type Columns struct {
	Label      string   `json:"label"`
	Prediction string   `json:"prediction"`
	Group      []string `json:"group"`
}

// AttributeFairness compares the groups of one attribute.
type AttributeFairness struct {
	Attribute string `json:"attribute"`
	*measure.Fairness
}

// Audit is what "sotto audit" certifies.
type Audit struct {
	Format    string      `json:"format"`
	Mechanism string      `json:"mechanism"`
	Variant   string      `json:"variant,omitempty"`
	Dim       int         `json:"dim,omitempty"`
	Unit      dp.Unit     `json:"unit"`
	True      *dp.Epsilon `json:"true,omitempty"` // what is proved at the delta below, for a built-in mechanism
	audit.Result
}

// Release is the record of a file of releases, as "sotto privatize" and "sotto
// encode" write it beside the vectors.
type Release struct {
	Name string `json:"name"` // of the file
	release.Record
	// Word is the guarantee between texts that differ in one word, with word
	// dropout.
	Word *dp.Guarantee `json:"word_level,omitempty"`
}
