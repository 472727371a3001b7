package evidence

import (
	"encoding/json"
	"errors"
	"fmt"

	"sotto/compute/measure"
	"sotto/promise/audit"
	"sotto/promise/dp"
	"sotto/promise/mech"
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
	// Person is the guarantee of all rows of a person; nil if nobody said whose
	// rows are.
	Person *dp.Person `json:"person,omitempty"`
	// Uncovered is how many rows no guarantee covers; nil if nobody says it.
	Uncovered *Uncovered `json:"uncovered,omitempty"`
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
	Mask    string        `json:"mask,omitempty"` // rule by which parts of texts were masked for what they are
	Release *mech.Record  `json:"release,omitempty"`
	Word    *dp.Guarantee `json:"word_level,omitempty"` // as in [Release]
	Person  *dp.Person    `json:"person,omitempty"`     // as in [Release]
	// Model is the ID of the trained model through which texts were released, as its
	// head has it, or NoModel why there is none; and Codes what each code says where that
	// released codes. Tells is what they tell of the training, which no guarantee covers.
	Model   string   `json:"model,omitempty"`
	NoModel string   `json:"no_model,omitempty"`
	Codes   []Saying `json:"codes,omitempty"`
	Tells   string   `json:"tells,omitempty"`
	// Uncovered is how many of the rows that model was trained on; nil without one.
	Uncovered *Uncovered `json:"uncovered,omitempty"`
	// Kept are columns that stand beside the vectors as they were.
	Kept []string `json:"kept,omitempty"`
	mech.Binding
}

// Saying is what a code says of each label.
type Saying struct {
	Code    int               `json:"code"`
	Classes map[string]string `json:"classes"` // by label
}

// CheckPerson refuses a guarantee of a person that is less than what the rows
// add up to, each with the given one.
func CheckPerson(p *dp.Person, each dp.Guarantee) error {
	if p == nil {
		return nil
	}
	least, err := dp.PerPerson(each, p.Rows)
	if err != nil {
		return err
	}
	if !(p.Epsilon >= least.Epsilon && p.Delta >= least.Delta) {
		return fmt.Errorf("evidence: ε of a person is %v with δ = %v, must be at least that of %d rows, %v with δ = %v", p.Epsilon, p.Delta, p.Rows, least.Epsilon, least.Delta)
	}
	p.Optimal = least.Optimal
	if p.Linked != nil { // what a cluster means to a person is not the record's to say
		whole, err := dp.PerCluster(each, p.Rows, *p.Linked)
		if err != nil {
			return err
		}
		p.Linked, p.Scope = whole.Linked, whole.Scope
	}
	return nil
}

// ReadRelease reads the record of either command. Raw vectors are no release.
func ReadRelease(name string, content []byte) (*Release, error) {
	var kind struct {
		Private *bool `json:"private"` // of "sotto encode"
	}
	if err := json.Unmarshal(content, &kind); err != nil {
		return nil, fmt.Errorf("evidence: not what its fields say: %w", err)
	}
	r := &Release{Name: name}
	if kind.Private == nil {
		return r, Strictly(content, &r.Record)
	}
	var record Encoded
	if err := Strictly(content, &record); err != nil {
		return nil, err
	}
	if record.Release == nil {
		return nil, errors.New("evidence: these vectors are raw, must be released before there is anything to report")
	}
	r.Record, r.Word, r.Person = *record.Release, record.Word, record.Person
	r.Uncovered, r.Binding = record.Uncovered, record.Binding
	if u := r.Uncovered; u != nil && u.Rows != nil && *u.Rows > r.Rows {
		return nil, fmt.Errorf("evidence: %d rows are not covered of %d, must be at most as many", *u.Rows, r.Rows)
	}
	return r, nil
}
