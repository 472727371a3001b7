package gate_test

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"sotto/report"
	"sotto/report/gate"
)

func TestParse(t *testing.T) {
	const share = "must be at least 0 and below 1"
	for _, tt := range []struct{ name, policy, want string }{
		{"empty", ``, "not a policy"},
		{"no object", `[]`, "not a policy"},
		{"no rules", `{"accuracy": {"min": 0.7}}`, `it begins with {"rules": [{`},
		{"no rule", `{"rules": []}`, "the policy has no rule, must have at least one"},
		{"null", `null`, "null or empty"},
		{"no limit", `{"rules": [{"match": {"selected": true}}]}`, "rule 1: the rule has no limit, must have at least one"},
		{"null limit", `{"rules": [{"epsilon": null, "claim": "true"}]}`, "null or empty"},
		{"empty limit", `{"rules": [{"epsilon": {"max": 8}, "claim": ""}]}`, "null or empty"},
		{"unknown field", `{"rules": [{"epsilon": {"max": 8}, "leekage": {"max": 1}}]}`, `unknown field "leekage"`},
		{"unknown field of a limit", `{"rules": [{"leakage": {"max": 0.5, "min_rows": 9}}]}`, `unknown field "min_rows"`},
		{"more follows", `{"rules": [{"claim": "true"}]} {}`, "more follows after the end"},
		{"twice", `{"rules": [{"epsilon": {"max": 8}, "epsilon": {"max": 80}}]}`, `"epsilon" is there twice`},
		{"twice, in another case", `{"rules": [{"epsilon": {"max": 8, "MAX": 80}}]}`, `"max" is there twice`},
		{"not a number", `{"rules": [{"epsilon": {"max": NaN}}]}`, "not a policy"},
		{"a string", `{"rules": [{"epsilon": {"max": "8"}}]}`, "not a policy"},
		{"too large a number", `{"rules": [{"epsilon": {"max": 1e999}}]}`, "not a policy"},
		{"ε without max", `{"rules": [{"epsilon": {"unit": "text"}}]}`, "rule 1: epsilon: max is missing"},
		{"negative ε", `{"rules": [{"name": "n", "epsilon": {"max": -1}}]}`, "gate: n: epsilon: max is -1, must be at least 0 and finite"},
		{"unit", `{"rules": [{"epsilon": {"max": 1, "unit": "user"}}]}`, `unit is "user", must be "text", "word" or "metric"`},
		{"δ", `{"rules": [{"epsilon": {"max": 1, "delta_max": 1}}]}`, "delta_max is 1, " + share},
		{"accuracy with max", `{"rules": [{"accuracy": {"max": 0.5}}]}`, "accuracy: the limit has no min or a max, must have a min alone"},
		{"leakage with min", `{"rules": [{"leakage": {"min": 0.5}}]}`, "leakage: the limit has no max or a min, must have a max alone"},
		{"leakage with both", `{"rules": [{"leakage": {"min": 0.5, "max": 0.6}}]}`, "must have a max alone"},
		{"limit that everything keeps", `{"rules": [{"leakage": {"max": 1}}]}`, "leakage: max is 1, " + share},
		{"accuracy that everything has", `{"rules": [{"accuracy": {"min": 0}}]}`, "accuracy: min is 0, must be above 0 and at most 1"},
		{"percent", `{"rules": [{"gap": {"max": 5}}]}`, "gap: max is 5, " + share},
		{"by", `{"rules": [{"odds": {"max": 0.5, "by": "mean"}}]}`, `odds: by is "mean", must be "value" or "interval"`},
		{"claim", `{"rules": [{"claim": "false"}]}`, `claim is "false", must be "true"`},
		{"audit", `{"rules": [{"audit": "refuted"}]}`, `audit is "refuted", must be "not refuted"`},
		{"attack", `{"rules": [{"attack": "none"}]}`, `attack is "none", must be "not refuted"`},
		{"kind", `{"rules": [{"claim": "true"}, {"match": {"kind": "model"}, "claim": "true"}]}`, `rule 2: kind is "model", must be one of`},
		{"too long", strings.Repeat(" ", 1<<20+1), "larger than 1 MiB"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := gate.Parse(strings.NewReader(tt.policy)); err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "gate: ") {
				t.Errorf("Parse error = %v, want gate: … %q", err, tt.want)
			}
		})
	}
}

func TestValidateNaN(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for _, r := range []gate.Rule{
			{Epsilon: &gate.Promise{Max: &v}},
			{Epsilon: &gate.Promise{Max: new(float64), DeltaMax: v}},
			{Accuracy: &gate.Limit{Min: &v}},
			{Leakage: &gate.Limit{Max: &v}},
			{Odds: &gate.Limit{Max: &v}},
		} {
			if err := (gate.Policy{Rules: []gate.Rule{r}}).Validate(); err == nil {
				t.Errorf("Validate of %+v with %v = nil, want an error", r, v)
			}
		}
	}
}

// A policy that is accepted can be written and read again, and judges whatever
// evidence there is without a panic.
func FuzzParse(f *testing.F) {
	f.Add(`{"rules": [{"epsilon": {"max": 8}}]}`, release)
	f.Add(`{"rules": [{"name": "a\nb", "match": {"kind": "training"}, "accuracy": {"min": 0.5, "by": "interval"}, "leakage": {"max": 0}, "claim": "true"}]}`, results("", "", ""))
	f.Add(`{"rules": [{"attack": "not refuted", "audit": "not refuted", "gap": {"max": 0.1}}]}`, attackModels)
	f.Add(`{"rules": [{"odds": {"max": 0.5}}, {"epsilon": {"max": 1, "unit": "word", "delta_max": 0.1}}]}`, fairness)
	f.Add(`{"rules": [{"claim": "true"}]}`, `{"format": "sotto-evidence-1", "results": [null, {}], "attacks": [{}], "attempts": [{}], "audits": [{}], "fairness": [{}]}`)
	f.Fuzz(func(t *testing.T, policy, found string) {
		p, err := gate.Parse(strings.NewReader(policy))
		if err != nil {
			return
		}
		b, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		again, err := gate.Parse(strings.NewReader(string(b)))
		if err != nil || !reflect.DeepEqual(p, again) {
			t.Errorf("%s became %+v, %v", b, again, err)
		}
		e, err := report.Kinds().New()
		if err != nil {
			t.Fatal(err)
		}
		if e.Add("x.json", strings.NewReader(found)) != nil {
			return
		}
		v, err := p.Judge(e)
		if err != nil {
			t.Fatal(err)
		}
		if len(v.Checks) == 0 || v.Passed != (len(v.Reasons) == 0) {
			t.Errorf("a verdict without check, or with another outcome than its reasons: %+v", v)
		}
		for _, r := range v.Reasons {
			if strings.ContainsAny(r, "\n\r\x1b") {
				t.Errorf("a reason takes more than its line: %q", r)
			}
		}
	})
}
