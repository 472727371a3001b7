package gate

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"sotto/evidence"
	"sotto/internal/layout"
	"sotto/promise/dp"
	"sotto/report"
)

// Policy is what evidence must satisfy: every rule.
type Policy struct {
	Rules []Rule `json:"rules"` // at least one
}

// Rule sets limits on all evidence that it matches, as far as that speaks of
// them. It must set at least one, and match something that speaks of it.
type Rule struct {
	Name  string `json:"name,omitempty"` // for reasons; "" means its number
	Match Match  `json:"match"`

	Epsilon *Promise    `json:"epsilon,omitempty"` // the true ε
	Claim   Requirement `json:"claim,omitempty"`   // [True]: the ε claimed is not below the true one

	Accuracy *Limit `json:"accuracy,omitempty"` // of the answers; has a min
	// MacroF1, Balanced and Least, the smallest recall of a class, count all
	// classes alike; they have a min.
	MacroF1  *Limit `json:"macro_f1,omitempty"`
	Balanced *Limit `json:"balanced_accuracy,omitempty"`
	Least    *Limit `json:"min_recall,omitempty"`
	Leakage  *Limit `json:"leakage,omitempty"` // accuracy of the attackers; by its interval unless it says otherwise
	// LeakageBound is the accuracy that the true ε leaves to any attacker.
	LeakageBound *Limit `json:"leakage_bound,omitempty"`
	Gap          *Limit `json:"gap,omitempty"`    // of the TPR between groups: of the second class of two, GRMS for more
	GRMS         *Limit `json:"grms,omitempty"`   // of the TPR differences over all classes
	Parity       *Limit `json:"parity,omitempty"` // demographic parity difference
	Odds         *Limit `json:"odds,omitempty"`   // equalised odds difference

	// Numbers limits any other number, by the name that evidence of a kind has for
	// it. They need not be shares.
	Numbers map[string]*Limit `json:"numbers,omitempty"`

	Audit  Requirement `json:"audit,omitempty"`  // [NotRefuted] by an audit
	Attack Requirement `json:"attack,omitempty"` // [NotRefuted] by an attack
}

// Match says what a rule speaks of. Its kind is one of those that are
// registered, such as "training", "release", "attack", "audit" and "fairness".
type Match = evidence.Match

// Requirement is a limit that is no number.
type Requirement string

// The requirements.
const (
	True       Requirement = "true"
	NotRefuted Requirement = "not refuted"
)

// Promise bounds a guarantee. Numbers of different units are never compared:
// evidence that promises nothing in the unit fails.
type Promise struct {
	Max      *float64 `json:"max"`            // of ε, apart from a millionth of it
	Unit     dp.Unit  `json:"unit,omitempty"` // "" means text
	DeltaMax float64  `json:"delta_max,omitempty"`
}

// By says which number is held against a limit.
type By string

// The numbers that can be held against a limit: the one measured, or the worse
// end of its 95 % interval, so that the limit is kept beyond chance.
const (
	Value    By = "value"
	Interval By = "interval"
)

// Limit bounds a share, from 0 to 1, or a number of whatever size.
type Limit struct {
	Min *float64 `json:"min,omitempty"` // of the accuracy and of what counts classes alike, above 0, and of other numbers
	Max *float64 `json:"max,omitempty"` // of all other shares, below 1, and of other numbers
	By  By       `json:"by,omitempty"`  // "" means Value, and Interval for leakage
}

// maxPolicy bounds what is read into memory.
const maxPolicy = 1 << 20

// Parse reads a policy in JSON. It refuses what [Policy.Validate] does, a field
// that it does not know and a field that is there twice.
func Parse(r io.Reader, more ...evidence.Entry) (Policy, error) {
	var p Policy
	content, err := io.ReadAll(io.LimitReader(r, maxPolicy+1))
	if err != nil {
		return p, fmt.Errorf("gate: %w", err)
	}
	if len(content) > maxPolicy {
		return p, fmt.Errorf("gate: the policy is larger than %d MiB", maxPolicy>>20)
	}
	d := json.NewDecoder(bytes.NewReader(content))
	d.DisallowUnknownFields()
	if err = d.Decode(&p); err != nil {
		return p, fmt.Errorf("gate: not a policy: %w; it begins with {\"rules\": [{, and docs/gate.md has the fields of a rule", err)
	}
	if _, err = d.Token(); !errors.Is(err, io.EOF) {
		return p, errors.New("gate: more follows after the end of the policy")
	}
	if err = unique(json.NewDecoder(bytes.NewReader(content))); err != nil {
		return p, err
	}
	return p, p.Validate(more...)
}

// unique refuses a field that one object has twice, in whatever case, of which
// the decoder would take the last, and one that says nothing, which would pass
// for a limit. What it reads is known to be JSON.
func unique(d *json.Decoder) error {
	t, err := d.Token()
	if err != nil {
		return fmt.Errorf("gate: %w", err)
	}
	open, ok := t.(json.Delim)
	if t == nil || t == "" {
		return errors.New("gate: a field is null or empty, must say something or be left out")
	}
	if !ok {
		return nil
	}
	seen := map[string]bool{}
	for d.More() {
		if open == '{' {
			if t, err = d.Token(); err != nil {
				return fmt.Errorf("gate: %w", err)
			}
			name := strings.ToLower(fmt.Sprint(t))
			if seen[name] {
				return fmt.Errorf("gate: %q is there twice in one object, must be there once", name)
			}
			seen[name] = true
		}
		if err = unique(d); err != nil {
			return err
		}
	}
	_, err = d.Token() // the end
	return err
}

// Validate reports a policy without a rule, and the first rule that has no
// limit, or one that means nothing or that everything keeps. Rules may match the
// kinds of evidence of package report, and more.
func (p Policy) Validate(more ...evidence.Entry) error {
	if len(p.Rules) == 0 {
		return errors.New("gate: the policy has no rule, must have at least one")
	}
	kinds := append(report.Kinds(), more...).Names()
	for i, r := range p.Rules {
		if err := r.validate(kinds); err != nil {
			return fmt.Errorf("gate: %s: %w", r.name(i), err)
		}
	}
	return nil
}

func (r Rule) name(i int) string {
	if r.Name != "" {
		return oneLine(r.Name)
	}
	return fmt.Sprintf("rule %d", i+1)
}

func (r Rule) validate(kinds []string) error {
	if len(r.demands()) == 0 {
		return errors.New("the rule has no limit, must have at least one")
	}
	if r.Match.Kind != "" && !slices.Contains(kinds, r.Match.Kind) {
		return fmt.Errorf("kind is %q, must be one of %q%s", r.Match.Kind, kinds, layout.Hint(r.Match.Kind, kinds))
	}
	for _, q := range []struct {
		field     string
		got, want Requirement
	}{{"claim", r.Claim, True}, {"audit", r.Audit, NotRefuted}, {"attack", r.Attack, NotRefuted}} {
		if q.got != "" && q.got != q.want {
			return fmt.Errorf("%s is %q, must be %q", q.field, q.got, q.want)
		}
	}
	if err := r.Epsilon.validate(); err != nil {
		return err
	}
	for _, m := range r.limits() {
		if err := m.validate(); err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
	}
	return nil
}

func (p *Promise) validate() error {
	switch {
	case p == nil:
		return nil
	case p.Max == nil:
		return errors.New("epsilon: max is missing, must be there")
	case !(*p.Max >= 0) || *p.Max-*p.Max != 0:
		return fmt.Errorf("epsilon: max is %v, must be at least 0 and finite", *p.Max)
	case p.Unit != "" && !p.Unit.Valid():
		return fmt.Errorf("epsilon: unit is %q, must be %q, %q or %q", p.Unit, dp.Text, dp.Word, dp.Metric)
	case !(p.DeltaMax >= 0 && p.DeltaMax < 1):
		return fmt.Errorf("epsilon: delta_max is %v, must be at least 0 and below 1", p.DeltaMax)
	}
	return nil
}

// validate reports a limit that means nothing.
func (m limited) validate() error {
	l, least := m.limit, m.least
	switch {
	case l == nil:
		return errors.New("the limit is null, must have a min or a max")
	case !slices.Contains([]By{"", Value, Interval}, l.By):
		return fmt.Errorf("by is %q, must be %q or %q", l.By, Value, Interval)
	case !m.share && (l.Min == nil) == (l.Max == nil):
		return errors.New("the limit has both or neither of min and max, must have one of them")
	case !m.share:
		if v := *cmp.Or(l.Min, l.Max); v-v != 0 {
			return fmt.Errorf("the limit is %v, must be finite", v)
		}
	case least && (l.Min == nil || l.Max != nil):
		return errors.New("the limit has no min or a max, must have a min alone")
	case !least && (l.Max == nil || l.Min != nil):
		return errors.New("the limit has no max or a min, must have a max alone")
	case least && !(*l.Min > 0 && *l.Min <= 1):
		return fmt.Errorf("min is %v, must be above 0 and at most 1", *l.Min)
	case !least && !(*l.Max >= 0 && *l.Max < 1):
		return fmt.Errorf("max is %v, must be at least 0 and below 1", *l.Max)
	}
	return nil
}
