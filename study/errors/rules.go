package errors

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"sotto/internal/atomicfile"
)

// RulesFormat is the format of a file of rules.
const RulesFormat = "sotto-rules-1"

// maxRules bounds a file of rules, in bytes.
const maxRules = 16 << 20

// rulesFile is a file of rules.
type rulesFile struct {
	Format string `json:"format"`
	Rules  []Rule `json:"rules"`
}

// ReadRules reads a file of rules.
func ReadRules(r io.Reader) ([]Rule, error) {
	content, err := io.ReadAll(io.LimitReader(r, maxRules+1))
	if err != nil {
		return nil, fmt.Errorf("errors: %w", err)
	}
	if len(content) > maxRules {
		return nil, fmt.Errorf("errors: the rules are more than %d MiB, must be less", maxRules>>20)
	}
	var f rulesFile
	if err := atomicfile.ParseJSON(content, &f); err != nil {
		return nil, fmt.Errorf("errors: not a file of rules: %w", err)
	}
	if f.Format != RulesFormat || len(f.Rules) == 0 {
		return nil, fmt.Errorf("errors: %d rules of format %q, must be at least one and of format %s", len(f.Rules), f.Format, RulesFormat)
	}
	for i, rule := range f.Rules {
		if err := rule.Validate(); err != nil {
			return nil, fmt.Errorf("rule %d: %w", i+1, err)
		}
		if len(rule) == 0 && i < len(f.Rules)-1 {
			return nil, fmt.Errorf("errors: rule %d asks nothing, which only the last may: of rules the first that holds counts", i+1)
		}
	}
	return f.Rules, nil
}

// WriteRules writes a file of rules.
func WriteRules(w io.Writer, rules []Rule) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(rulesFile{RulesFormat, rules})
}

// ForRules makes those features of a column that rules ask for, each row by its own
// value alone: whether it is a value that a rule names, and the number that it is, 0 for
// what is none. [FromColumn] looks at all rows to tell numbers from words, so that one
// row could change what all others match: counts under ε must not go by it.
func ForRules(rules []Rule, name string, values []string) *Features {
	f := &Features{Rows: make([]Row, len(values))}
	for _, r := range rules {
		for _, c := range r {
			if (c.Feature == name || strings.HasPrefix(c.Feature, name+is)) && !slices.Contains(f.Names, c.Feature) {
				f.Names, f.Groups = append(f.Names, c.Feature), append(f.Groups, GroupColumn)
			}
		}
	}
	for i, v := range values {
		for k, feature := range f.Names {
			x := 0.0
			switch feature {
			case name + is + v:
				x = 1
			case name:
				if n, err := strconv.ParseFloat(v, 64); err == nil && !math.IsNaN(n) && !math.IsInf(n, 0) {
					x = n
				}
			}
			if x != 0 {
				f.Rows[i] = append(f.Rows[i], Cell{Column: k, Value: x})
			}
		}
	}
	return f
}

// noRule is in words which rows none of the rules is for.
const noRule = "none of the rules"

// first returns, for each row, the first of the rules that holds; their number if none
// does.
func first(rules []Rule, x *Features) []int {
	which := make([]int, len(x.Rows))
	for i := range which {
		which[i] = len(rules)
	}
	for k := len(rules) - 1; k >= 0; k-- {
		for i, in := range rules[k].Match(x) {
			if in {
				which[i] = k
			}
		}
	}
	return which
}

// CohortsOf counts the texts of rules that were given beforehand, each text where the
// first of them holds, and those for which none does. All rows count as held out.
func CohortsOf(rules []Rule, x *Features, wrong []bool) ([]Cohort, error) {
	if len(wrong) != len(x.Rows) {
		return nil, fmt.Errorf("errors: there are %d answers and features of %d rows, must be as many", len(wrong), len(x.Rows))
	}
	held := make([]bool, len(wrong))
	members := make([][]int, len(rules)+1)
	for i, k := range first(rules, x) {
		held[i] = true
		members[k] = append(members[k], i)
	}
	var all []Cohort
	for k, rows := range members {
		if k < len(rules) {
			all = append(all, count(rules[k], rows, wrong, held))
		} else if len(rows) > 0 {
			c := count(nil, rows, wrong, held)
			c.Rule = noRule
			all = append(all, c)
		}
	}
	return all, nil
}
