package evidence

import (
	"sotto/audit"
	"sotto/dp"
	"sotto/measure"
	"sotto/mech"
)

// The formats of what is described here.
const (
	FairnessFormat = "sotto-fairness-1"
	AuditFormat    = "sotto-audit-1"
)

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
	// Querier is what asking as the same user tells, of a whole gateway.
	Querier *audit.Querier `json:"querier,omitempty"`
}

// Release is the record of a file of releases, as "sotto privatize" and "sotto
// encode" write it beside the vectors.
type Release struct {
	Name string `json:"name"` // of the file
	mech.Record
	// Word is the guarantee between texts that differ in one word, with word
	// dropout.
	Word *dp.Guarantee `json:"word_level,omitempty"`
	// Unbound says that nobody compared the record with its file.
	Unbound bool `json:"unbound,omitempty"`
}

// Encoded is what "sotto encode" writes beside vectors, raw ones too.
type Encoded struct {
	Warning string        `json:"warning,omitempty"` // of raw vectors
	Private bool          `json:"private"`
	Encoder string        `json:"encoder"`
	Dim     int           `json:"dim"`
	Dropout float64       `json:"dropout,omitempty"`
	Release *mech.Record  `json:"release,omitempty"`
	Word    *dp.Guarantee `json:"word_level,omitempty"` // as in [Release]
	mech.Binding
}
