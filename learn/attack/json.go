package attack

import (
	"encoding/json"
	"errors"
	"fmt"

	"sotto/compute/measure"
	"sotto/internal/atomicfile"
	"sotto/promise/dp"
)

// The formats of a stored [Result], the value of its field "format".
const (
	AttributeFormat = "sotto-attack-1"  // of attribute inference: attacker by attacker, model by model
	Format          = "sotto-attempt-1" // of every other kind: finding by finding
)

// stored is a result in [Format].
type stored struct {
	Format string `json:"format"`
	plain
}

type plain Result // without methods

// inference is a result of one model or file in [AttributeFormat].
type inference struct {
	Attribute string         `json:"attribute"`
	Values    []string       `json:"values,omitempty"`
	Classes   int            `json:"classes"`
	Attackers []inferrer     `json:"attackers"`
	Guarantee *dp.Guarantee  `json:"guarantee,omitempty"`
	Limit     measure.Number `json:"limit"`
	Refuted   bool           `json:"refuted"`
}

type inferrer struct {
	Name string `json:"name"`
	measure.Leakage
	Description *measure.DescriptionLength `json:"mdl,omitempty"`
	Refutes     bool                       `json:"refutes"`
}

type modelInference struct {
	Folder string `json:"folder"`
	Seed   uint64 `json:"seed"`
	inference
}

// inferences is a whole result in [AttributeFormat].
type inferences struct {
	Format string `json:"format"`
	Source string `json:"source"`
	inference
	Models  []modelInference `json:"models,omitempty"`
	Refuted bool             `json:"refuted"` // any of them; it hides that of the first
}

// MarshalJSON implements [json.Marshaler].
func (r Result) MarshalJSON() ([]byte, error) {
	if r.Kind != Attribute {
		return json.Marshal(stored{Format, plain(r)})
	}
	all := inferences{Format: AttributeFormat, Source: r.Source, inference: r.inference(), Refuted: r.Refuted}
	for _, m := range r.Models {
		all.Models = append(all.Models, modelInference{m.Folder, m.Seed, m.inference()})
	}
	return json.Marshal(all)
}

// UnmarshalJSON implements [json.Unmarshaler]. It refuses fields that it does not
// know, and a result without findings.
func (r *Result) UnmarshalJSON(content []byte) error {
	var head struct {
		Format string `json:"format"`
	}
	if err := json.Unmarshal(content, &head); err != nil {
		return err
	}
	switch head.Format {
	case Format:
		var s stored
		if err := atomicfile.ParseJSON(content, &s); err != nil {
			return err
		}
		if *r = Result(s.plain); len(r.Findings) == 0 {
			return errors.New("attack: a result has no findings, must have at least one")
		}
		return nil
	case AttributeFormat:
		var all inferences
		if err := atomicfile.ParseJSON(content, &all); err != nil {
			return err
		}
		*r = *all.result(all.Source)
		r.Refuted = all.Refuted
		for _, m := range all.Models {
			one := m.result(all.Source)
			one.Folder, one.Seed = m.Folder, m.Seed
			r.Models = append(r.Models, one)
		}
		for _, one := range append(r.Models, r) {
			if len(one.Findings) == 0 {
				return errors.New("attack: a result has no attackers, must have at least one")
			}
		}
		return nil
	}
	return fmt.Errorf("attack: format is %.40q, must be %s or %s", head.Format, AttributeFormat, Format)
}

func (r Result) inference() inference {
	i := inference{Values: r.Values, Classes: r.Classes, Guarantee: r.Guarantee, Limit: measure.Undefined, Refuted: r.Refuted}
	for _, f := range r.Findings {
		i.Attribute, i.Limit = f.Target, f.Limit
		k := inferrer{Name: f.Attacker, Description: f.Description, Refutes: f.Refutes}
		if f.Leakage != nil {
			k.Leakage = *f.Leakage
		}
		i.Attackers = append(i.Attackers, k)
	}
	return i
}

func (i inference) result(source string) *Result {
	r := &Result{Kind: Attribute, Source: source, Values: i.Values, Classes: i.Classes, Guarantee: i.Guarantee, Refuted: i.Refuted}
	for _, k := range i.Attackers {
		f := leaked(k.Name, i.Attribute, k.Leakage, i.Limit)
		f.Description, f.Refutes = k.Description, k.Refutes
		r.Findings = append(r.Findings, f)
	}
	return r
}
