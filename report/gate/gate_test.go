package gate_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"sotto/evidence"
	attacks "sotto/learn/attack"
	"sotto/learn/experiment"
	"sotto/promise/dp"
	"sotto/report"
	"sotto/report/gate"
)

// score is a score, or a mean, with what a test wants to say of it.
func score(fields string) string {
	return `{"accuracy": 0.9, "low": 0.88, "high": 0.92, "claimed": 8, "true": 8, "unit": "text",
		"gap": 0.03, "grms": 0.02, "leakage": 0.55, "limit": 0.99, "leakage_limit": 0.9,
		"attack": {"accuracy": 0.55, "low": 0.52, "high": 0.58},
		"majority": 0.5, "yardstick": null, "validation_accuracy": 0.9, "validation_gap": 0.01, "seconds": 1` + prefixed(fields) + `}`
}

func prefixed(fields string) string {
	if fields == "" {
		return ""
	}
	return ", " + fields
}

// results is a stored result of one configuration. Later fields hold over
// earlier ones, as the decoder has it.
func results(mean, configuration, result string) string {
	seeds := `[` + score(`"seed": 1`) + `, ` + score(`"seed": 2, "attack": {"accuracy": 0.56, "low": 0.53, "high": 0.59}`) + `]`
	return `{"format": "sotto-results-1", "data": {"name": "reviews"}, "configurations": [{
		"method": "federate", "mechanism": "laplace-l1", "variant": "released", "epsilon": 8, "dim": 300, "selected": true,
		"seeds": ` + seeds + `, "mean": ` + score(mean) + `,
		"fairness": {"demographic_parity_difference": {"value": 0.04, "low": 0.01, "high": 0.09, "resamples": 1000},
			"equalized_odds_difference": {"value": 0.05, "low": 0.02, "high": 0.08, "resamples": 1000}}` +
		prefixed(configuration) + `}]` + prefixed(result) + `}`
}

const (
	attack = `{"format": "sotto-attack-1", "source": "private.npy", "attribute": "author", "classes": 2, "limit": 0.7, "refuted": %t,
		"attackers": [{"name": "linear", "accuracy": 0.51, "high": 0.54}, {"name": "mlp", "accuracy": 0.6, "high": 0.63}]}`
	attackModels = `{"format": "sotto-attack-1", "source": "model", "refuted": true, "attackers": [{"name": "mlp", "accuracy": 0.6, "high": 0.63}], "models": [
		{"folder": "a", "seed": 1, "attribute": "author", "limit": 0.7, "refuted": false, "attackers": [{"name": "mlp", "accuracy": 0.6, "high": 0.63}]},
		{"folder": "a", "seed": 2, "attribute": "author", "limit": 0.7, "refuted": true, "attackers": [{"name": "mlp", "accuracy": 0.8, "high": 0.83}]}]}`
	attempt = `{"format": "sotto-attempt-1", "kind": "%s", "source": "model", "refuted": %t, "findings": [
		{"attacker": "linear", "target": "author", "metric": "accuracy", "value": 0.6, "low": 0.5, "high": 0.7, "limit": %s},
		{"attacker": "mlp", "target": "author", "metric": "accuracy", "releases": 9, "value": 0.8, "low": 0.7, "high": 0.85, "limit": null},
		{"attacker": "mean", "target": "the vector", "metric": "cosine", "value": 0.99, "low": 0.9, "high": 1, "limit": null}]}`
	audit   = `{"format": "sotto-audit-1", "mechanism": "dpnr", "variant": "released", "unit": "text", "claimed": 0.05, "true": "infinite", "refuted": true}`
	foreign = `{"format": "sotto-audit-1", "mechanism": "foreign command", "unit": "text", "claimed": 1, "refuted": false}`
	release = `{"tool": "sotto", "mechanism": {"mechanism": "gaussian", "epsilon": 8}, "claimed": 8,
		"guarantee": {"unit": "text", "epsilon": 8.000000000001, "delta": 1e-6}, "reason": "", "noise": "", "scope": ""}`
	encoded = `{"private": true, "encoder": "default", "dim": 9, "dropout": 0.5, "word_level": {"unit": "word", "epsilon": 0.62, "delta": 0},
		"release": {"tool": "sotto", "mechanism": {"mechanism": "laplace-l1"}, "claimed": 1,
		"guarantee": {"unit": "text", "epsilon": 1, "delta": 0}, "reason": "", "noise": "", "scope": ""}}`
	fairness = `{"format": "sotto-fairness-1", "source": "p.csv", "columns": {"label": "y", "prediction": "p", "group": ["sex", "race"]},
		"accuracy": {"rows": 9, "hits": 8, "value": 0.8889, "low": 0.8, "high": 0.95, "resamples": 1000},
		"grms": {"value": 0.1, "low": 0.05, "high": 0.2, "resamples": 1000},
		"classes": [{}, {"tpr_difference": {"value": 0.3, "low": 0.2, "high": 0.4, "resamples": 9}}],
		"equalized_odds_difference": {"value": null, "low": null, "high": null, "resamples": 0},
		"attributes": [{"attribute": "sex", "grms": {"value": 0.01, "low": 0, "high": 0.02, "resamples": 9}}]}`
)

// balance are the measures of a score in which classes count alike.
const balance = `"macro_f1": 0.7, "macro_f1_low": 0.6, "macro_f1_high": 0.8, "balanced_accuracy": 0.8, "balanced_accuracy_low": 0.75,
	"balanced_accuracy_high": 0.85, "min_recall": 0.5, "min_recall_low": 0.4, "min_recall_high": 0.6`

const config = "reviews federate laplace-l1 released ε=8 D=300"

func TestJudge(t *testing.T) {
	plain := results("", "", "")
	for _, tt := range []struct {
		name     string
		rule     string // of a policy with this one
		evidence string
		want     []string // the reasons, all of them
		checks   int
	}{
		// The true ε.
		{"ε within", `"epsilon": {"max": 8}`, plain, nil, 1},
		{"ε above", `"epsilon": {"max": 8}`, results(`"true": 138.56406460551017`, "", ""), []string{"rule 1: " + config + ": true ε is 138.565 (text), allowed at most 8"}, 1},
		{"ε infinite", `"epsilon": {"max": 1e300}`, results(`"true": "infinite"`, "", ""), []string{"rule 1: " + config + ": true ε is infinite (text), allowed at most 1e+300"}, 1},
		{"ε null", `"epsilon": {"max": 8}`, results(`"true": null`, "", ""), []string{"rule 1: " + config + ": no ε (text) is proved, allowed at most 8"}, 1},
		{"ε of another unit", `"epsilon": {"max": 8}`, results(`"unit": "word"`, "", ""), []string{"rule 1: " + config + ": no ε (text) is proved, allowed at most 8"}, 1},
		{"ε of a word", `"epsilon": {"max": 8, "unit": "word"}`, results(`"unit": "word"`, "", ""), nil, 1},
		{"ε of texts beside that of words", `"epsilon": {"max": 8}`, results(`"unit": "word"`, `"statement": {"variant": "released", "text_level": 9}`, ""), []string{"rule 1: " + config + ": true ε is 9 (text), allowed at most 8"}, 1},
		{"δ above", `"epsilon": {"max": 8}`, results(`"delta": 1e-6`, "", ""), []string{"rule 1: " + config + ": δ is 1e-06 (text), allowed at most 0"}, 1},
		{"δ allowed", `"epsilon": {"max": 8, "delta_max": 1e-6}`, results(`"delta": 1e-6`, "", ""), nil, 1},
		{"claim true", `"claim": "true"`, plain, nil, 1},
		{"claim false", `"claim": "true"`, results(`"true": 16`, "", ""), []string{"rule 1: " + config + ": claimed ε is 8, true ε is 16 (text)"}, 1},
		{"nothing claimed", `"claim": "true"`, results(`"claimed": null`, "", ""), []string{"rule 1: nothing that the rule matches speaks of claim"}, 1},
		{"claimed and not proved", `"claim": "true"`, results(`"true": null`, "", ""), []string{"rule 1: " + config + ": claimed ε is 8, but none is proved"}, 1},

		// Shares.
		{"accuracy within", `"accuracy": {"min": 0.9}`, plain, nil, 1},
		{"accuracy below", `"accuracy": {"min": 0.91}`, plain, []string{"rule 1: " + config + ": accuracy is 0.9, allowed at least 0.91"}, 1},
		{"accuracy by its interval", `"accuracy": {"min": 0.9, "by": "interval"}`, plain, []string{"rule 1: " + config + ": accuracy may be as low as 0.88, allowed at least 0.9"}, 1},
		{"accuracy null", `"accuracy": {"min": 0.1}`, results(`"accuracy": null`, "", ""), []string{"rule 1: " + config + ": accuracy was not measured, allowed at least 0.1"}, 1},
		{"accuracy without interval", `"accuracy": {"min": 0.1, "by": "interval"}`, results(`"low": null`, "", ""), []string{"rule 1: " + config + ": the interval of the accuracy was not measured, allowed at least 0.1"}, 1},
		{"balanced within", `"macro_f1": {"min": 0.7}, "balanced_accuracy": {"min": 0.75, "by": "interval"}, "min_recall": {"min": 0.5}`, results(balance, "", ""), nil, 3},
		{
			"balanced below", `"macro_f1": {"min": 0.71}, "balanced_accuracy": {"min": 0.8, "by": "interval"}, "min_recall": {"min": 0.51}`, results(balance, "", ""),
			[]string{
				"rule 1: " + config + ": macro-F1 is 0.7, allowed at least 0.71",
				"rule 1: " + config + ": balanced accuracy may be as low as 0.75, allowed at least 0.8",
				"rule 1: " + config + ": smallest recall is 0.5, allowed at least 0.51",
			},
			3,
		},
		{"balanced in an old result", `"min_recall": {"min": 0.1}`, plain, []string{"rule 1: " + config + ": smallest recall was not measured, allowed at least 0.1"}, 1},
		{"leakage of the worst seed", `"leakage": {"max": 0.585}`, plain, []string{"rule 1: " + config + ": leakage may be as high as 0.59, allowed at most 0.585"}, 1},
		{"leakage within", `"leakage": {"max": 0.59}`, plain, nil, 1},
		{"leakage by value", `"leakage": {"max": 0.556, "by": "value"}`, plain, nil, 1}, // the mean of two seeds
		{
			"leakage by the centred attacker", `"leakage": {"max": 0.7, "by": "value"}`,
			results("", `"seeds": [`+score(`"seed": 1, "centred_attack": {"accuracy": 0.78, "low": 0.75, "high": 0.81}`)+`]`, ""),
			[]string{"rule 1: " + config + ": leakage is 0.78, allowed at most 0.7"},
			1,
		},
		{"leakage without attack", `"leakage": {"max": 0.9}`, results("", `"seeds": [{"attack": null}]`, ""), []string{"rule 1: " + config + ": the interval of the leakage was not measured, allowed at most 0.9"}, 1},
		{"leakage bound", `"leakage_bound": {"max": 0.8}`, plain, []string{"rule 1: " + config + ": leakage bound is 0.9, allowed at most 0.8"}, 1},
		{"leakage bound null", `"leakage_bound": {"max": 0.8}`, results(`"leakage_limit": null`, "", ""), []string{"rule 1: " + config + ": leakage bound was not measured, allowed at most 0.8"}, 1},
		{
			"fairness", `"gap": {"max": 0.02}, "grms": {"max": 0.01}, "parity": {"max": 0.03}, "odds": {"max": 0.07, "by": "interval"}`, plain,
			[]string{
				"rule 1: " + config + ": TPR gap is 0.03, allowed at most 0.02",
				"rule 1: " + config + ": GRMS is 0.02, allowed at most 0.01",
				"rule 1: " + config + ": demographic parity difference is 0.04, allowed at most 0.03",
				"rule 1: " + config + ": equalised odds difference may be as high as 0.08, allowed at most 0.07",
			},
			4,
		},
		{"fairness within", `"gap": {"max": 0.03}, "grms": {"max": 0.02}, "parity": {"max": 0.04}, "odds": {"max": 0.08}`, plain, nil, 4},
		{"no groups", `"odds": {"max": 0.9}`, results("", `"fairness": null`, ""), []string{"rule 1: " + config + ": equalised odds difference was not measured, allowed at most 0.9"}, 1},

		// What is not whole.
		{"interrupted", `"epsilon": {"max": 8}`, results("", "", `"interrupted": true`), []string{"evidence: reviews: the training was interrupted"}, 2},
		{"failed", `"epsilon": {"max": 8}`, results("", "", `"failed": [{"job": "federate-seed-2", "reason": "it\ndiverged"}]`), []string{"evidence: reviews: the training federate-seed-2 failed: it diverged"}, 2},
		{"a seed interrupted", `"epsilon": {"max": 8}`, results("", `"seeds": [{"seed": 7, "interrupted": true}]`, ""), []string{"rule 1: " + config + ": the training with seed 7 was interrupted"}, 1},
		{"not trained", `"epsilon": {"max": 8}`, results("", `"seeds": []`, ""), []string{"rule 1: " + config + ": it was not trained"}, 1},
		{"no configuration", `"epsilon": {"max": 8}`, `{"format": "sotto-results-1"}`, []string{"rule 1: the rule matches nothing"}, 1},

		// What a rule matches.
		{"another method", `"match": {"method": "noise"}, "epsilon": {"max": 8}`, plain, []string{"rule 1: the rule matches nothing"}, 1},
		{"another kind", `"name": "audits", "match": {"kind": "audit"}, "audit": "not refuted"`, plain, []string{"audits: the rule matches nothing"}, 1},
		{"not selected", `"match": {"selected": true}, "epsilon": {"max": 8}`, results("", `"selected": false`, ""), []string{"rule 1: the rule matches nothing"}, 1},
		{"all values", `"match": {"kind": "training", "data": "reviews", "method": "federate", "mechanism": "laplace-l1", "variant": "released", "selected": true}, "epsilon": {"max": 8}`, plain, nil, 1},
		{"the variant that is the default", `"match": {"variant": "paper"}, "epsilon": {"max": 8}`, results("", `"variant": "", "statement": {"variant": "paper"}`, ""), nil, 1},
		{"another subject", `"audit": "not refuted"`, plain, []string{"rule 1: nothing that the rule matches speaks of audit"}, 1},

		// Attacks.
		{"attack not refuted", `"attack": "not refuted", "leakage": {"max": 0.63}, "leakage_bound": {"max": 0.7}`, fmt.Sprintf(attack, false), nil, 3},
		{"attack refuted", `"attack": "not refuted"`, fmt.Sprintf(attack, true), []string{"rule 1: attack on private.npy for author: the attack refuted the ε that is stated"}, 1},
		{"attack leaks", `"leakage": {"max": 0.6}`, fmt.Sprintf(attack, false), []string{"rule 1: attack on private.npy for author: leakage may be as high as 0.63, allowed at most 0.6"}, 1},
		{"attack without limit", `"attack": "not refuted"`, strings.Replace(fmt.Sprintf(attack, false), `"limit": 0.7`, `"limit": null`, 1), []string{"rule 1: nothing that the rule matches speaks of attack"}, 1},
		{"attack on models", `"attack": "not refuted", "leakage": {"max": 0.7, "by": "value"}`, attackModels, []string{
			"rule 1: attack on model a seed 2 for author: leakage is 0.8, allowed at most 0.7",
			"rule 1: attack on model a seed 2 for author: the attack refuted the ε that is stated",
		}, 4},
		{"averaging", `"attack": "not refuted", "leakage": {"max": 0.8}`, fmt.Sprintf(attempt, "averaging", false, "0.65"), []string{"rule 1: averaging attack on model: leakage may be as high as 0.85, allowed at most 0.8"}, 2},
		{"inversion refutes", `"attack": "not refuted"`, fmt.Sprintf(attempt, "inversion", true, "0.5"), []string{"rule 1: inversion attack on model: the attack refuted the ε that is stated"}, 1},
		{"inversion is no leakage", `"leakage": {"max": 0.1}`, fmt.Sprintf(attempt, "inversion", false, "0.65"), []string{"rule 1: nothing that the rule matches speaks of leakage"}, 1},
		{"inversion without limit", `"attack": "not refuted"`, fmt.Sprintf(attempt, "inversion", false, "null"), []string{"rule 1: nothing that the rule matches speaks of attack"}, 1},

		// Audits and releases.
		{"audit refuted", `"match": {"kind": "audit", "mechanism": "dpnr", "variant": "released"}, "audit": "not refuted", "claim": "true", "epsilon": {"max": 1}`, audit, []string{
			"rule 1: audit of dpnr released: true ε is infinite (text), allowed at most 1",
			"rule 1: audit of dpnr released: claimed ε is 0.05, true ε is infinite (text)",
			"rule 1: audit of dpnr released: the audit refuted the ε that is stated",
		}, 3},
		{"audit of a foreign mechanism", `"audit": "not refuted"`, foreign, nil, 1},
		{"ε of a foreign mechanism", `"claim": "true"`, foreign, []string{"rule 1: audit of foreign command: claimed ε is 1, but none is proved"}, 1},
		{"release", `"claim": "true", "epsilon": {"max": 8, "delta_max": 1e-6}`, release, nil, 2},
		{"release with δ", `"match": {"kind": "release", "mechanism": "gaussian"}, "epsilon": {"max": 8}`, release, []string{"rule 1: release x.json: δ is 1e-06 (text), allowed at most 0"}, 1},
		{"release with dropout", `"claim": "true", "epsilon": {"max": 0.7, "unit": "word"}`, encoded, nil, 2},
		{"release is no training", `"accuracy": {"min": 0.1}`, release, []string{"rule 1: nothing that the rule matches speaks of accuracy"}, 1},

		{
			"audit against the proof", `"epsilon": {"max": 8}, "claim": "true"`,
			`{"format": "sotto-audit-1", "mechanism": "laplace-l1", "variant": "paper", "unit": "text", "claimed": 8, "true": 8, "lower_bound": 20, "refuted": true}`,
			[]string{
				"rule 1: audit of laplace-l1 paper: an audit certifies ε ≥ 20, above the 8 (text) that is proved",
				"rule 1: audit of laplace-l1 paper: an audit certifies ε ≥ 20, above the 8 (text) that is proved",
			},
			2,
		},

		// Fairness of any model.
		{
			"fairness of predictions", `"accuracy": {"min": 0.85, "by": "interval"}, "gap": {"max": 0.1}, "grms": {"max": 0.1}, "odds": {"max": 0.9}`,
			strings.Replace(fairness, `"attributes"`, `"left_out": 0, "attributes"`, 1),
			[]string{
				"rule 1: fairness of p.csv by sex × race: accuracy may be as low as 0.8, allowed at least 0.85",
				"rule 1: fairness of p.csv by sex × race: TPR gap is 0.3, allowed at most 0.1",
				"rule 1: fairness of p.csv by sex × race: equalised odds difference was not measured, allowed at most 0.9",
				"rule 1: fairness of p.csv by sex: accuracy may be as low as 0, allowed at least 0.85",
			},
			8,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := judge(t, `{"rules": [{`+tt.rule+`}]}`, tt.evidence)
			if !slices.Equal(v.Reasons, tt.want) {
				t.Errorf("reasons\n%s\nwant\n%s", strings.Join(v.Reasons, "\n"), strings.Join(tt.want, "\n"))
			}
			if v.Passed != (len(tt.want) == 0) || len(v.Checks) != tt.checks {
				t.Errorf("passed = %t with %d checks %+v, want %t with %d", v.Passed, len(v.Checks), v.Checks, len(tt.want) == 0, tt.checks)
			}
		})
	}
}

// judge parses a policy and judges files by it.
func judge(t *testing.T, policy string, files ...string) *gate.Verdict {
	t.Helper()
	p, err := gate.Parse(strings.NewReader(policy))
	if err != nil {
		t.Fatal(err)
	}
	e, err := report.Kinds().New()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if err = e.Add("x.json", strings.NewReader(whole(t, f))); err != nil {
			t.Fatal(err)
		}
	}
	v, err := p.Judge(e)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// whole fills in the fields that a test has nothing to say of.
func whole(t *testing.T, fragment string) string {
	t.Helper()
	var head struct{ Format string }
	if err := json.Unmarshal([]byte(fragment), &head); err != nil {
		t.Fatal(err)
	}
	v := map[string]any{
		experiment.ResultsFormat: new(experiment.Result), attacks.AttributeFormat: new(attacks.Result), attacks.Format: new(attacks.Result),
		evidence.FairnessFormat: new(evidence.Fairness), evidence.AuditFormat: new(evidence.Audit),
	}[head.Format]
	if v == nil {
		return fragment // a record of releases, which is short
	}
	if err := json.Unmarshal([]byte(fragment), v); err != nil {
		t.Fatal(err)
	}
	content, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func TestSeveralRules(t *testing.T) {
	v := judge(t, `{"rules": [
		{"name": "budget", "match": {"kind": "training"}, "epsilon": {"max": 8}, "claim": "true"},
		{"match": {"kind": "training"}, "accuracy": {"min": 0.95}},
		{"match": {"kind": "attack"}, "attack": "not refuted"}]}`,
		results("", "", ""), results(`"true": 9`, "", ""), fmt.Sprintf(attack, false), release)
	want := []string{
		"budget: " + config + ": true ε is 9 (text), allowed at most 8",
		"budget: " + config + ": claimed ε is 8, true ε is 9 (text)",
		"rule 2: " + config + ": accuracy is 0.9, allowed at least 0.95",
		"rule 2: " + config + ": accuracy is 0.9, allowed at least 0.95",
	}
	if !slices.Equal(v.Reasons, want) {
		t.Errorf("reasons %q, want %q", v.Reasons, want)
	}
	if v.Judged != 3 || len(v.Checks) != 7 { // the release is nobody's
		t.Errorf("judged = %d with %d checks, want 3 with 7", v.Judged, len(v.Checks))
	}
}

func TestVerdictInJSON(t *testing.T) {
	v := judge(t, `{"rules": [{"epsilon": {"max": 8}}]}`, results("", "", ""))
	got, err := json.Marshal(v)
	want := `{"passed":true,"judged":1,"checks":[{"rule":"rule 1","subject":"` + config + `","limit":"epsilon","passed":true,"finding":"true ε is 8 (text), allowed at most 8"}],"reasons":[]}`
	if err != nil || string(got) != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
}

func TestJudgeRefusesBadPolicy(t *testing.T) {
	limit := 0.5
	for _, p := range []gate.Policy{
		{},
		{Rules: []gate.Rule{{}}},
		{Rules: []gate.Rule{{Epsilon: &gate.Promise{Unit: dp.Text}}}},
		{Rules: []gate.Rule{{Leakage: &gate.Limit{Min: &limit}}}},
	} {
		if v, err := p.Judge(&evidence.Evidence{}); err == nil {
			t.Errorf("Judge by %+v = %+v, want an error", p, v)
		}
	}
}

// A policy on ε fails when an attack has refuted the ε that is stated, also where
// no rule speaks of attacks.
func TestRefutedByAttack(t *testing.T) {
	v := judge(t, `{"rules": [{"match": {"kind": "training"}, "epsilon": {"max": 8}}]}`, results("", "", ""), fmt.Sprintf(attempt, "membership", true, "0.7"))
	if want := "evidence: membership attack on model: the attack refuted the ε that is stated"; v.Passed || !slices.Contains(v.Reasons, want) {
		t.Errorf("passed = %t for %q, want %q", v.Passed, v.Reasons, want)
	}
	v = judge(t, `{"rules": [{"match": {"kind": "training"}, "accuracy": {"min": 0.8}}]}`, results("", "", ""), fmt.Sprintf(attempt, "membership", true, "0.7"))
	if !v.Passed {
		t.Errorf("a policy on accuracy alone fails for %q", v.Reasons)
	}
}
