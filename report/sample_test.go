package report_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"sotto/compute/measure"
	"sotto/evidence"
	"sotto/learn/attack"
	"sotto/learn/experiment"
	"sotto/learn/model"
	"sotto/promise/audit"
	"sotto/promise/dp"
	"sotto/promise/mech"
	"sotto/report"
)

var nan = measure.Number(math.NaN())

// sample returns evidence of every kind: a mechanism whose claim is false
// altogether, one that is false by a factor, and an honest one.
func sample() *evidence.Evidence {
	e := of(
		result(), inference(), averaging(), inversion(), comparison(),
		audited("dpnr", "released", 0.05, 22.1, true), audited("laplace-l1", "paper", 4, 3.6, false), audited("foreign command", "", 1, 3.2, true),
		released("a.npy", 4), released("b.npy", 8), picture(60, 2),
	)
	e.Tool, e.Title = "sotto v1", "A sample"
	return e
}

// of returns evidence that holds values.
func of(values ...any) *evidence.Evidence {
	e, err := report.Kinds().New(values...)
	if err != nil {
		panic(err)
	}
	return e
}

// only returns evidence that holds what e does of one type.
func only[T any](e *evidence.Evidence) *evidence.Evidence {
	some := of()
	for _, v := range evidence.All[T](e) {
		put(some, v)
	}
	return some
}

func put(e *evidence.Evidence, v any) {
	if err := e.Put(v); err != nil {
		panic(err)
	}
}

// first returns the first value of a type.
func first[T any](e *evidence.Evidence) *T { return evidence.All[T](e)[0] }

// attacks lists those that infer an attribute, or all others.
func attacks(e *evidence.Evidence, infer bool) []*attack.Result {
	return slices.DeleteFunc(evidence.All[attack.Result](e), func(r *attack.Result) bool { return infer != (r.Kind == attack.Attribute) })
}

// onlyAttacks returns evidence of just these.
func onlyAttacks(e *evidence.Evidence, infer bool) *evidence.Evidence {
	some := of()
	for _, r := range attacks(e, infer) {
		put(some, r)
	}
	return some
}

func result() *experiment.Result {
	return &experiment.Result{
		Format: experiment.ResultsFormat,
		Spec:   experiment.Spec{Data: "reviews", Methods: []string{"noise", "dpnr"}, Epsilons: []float64{4}, Seeds: 3},
		Data: model.DataRecord{
			Name: "reviews", Encoder: "default", Label: "sentiment", Classes: []string{"negative", "positive"},
			Attribute: "author", Groups: []string{"casual", "formal"}, GroupCount: 2, Hash: "6c7ef8c1",
		},
		Rows: experiment.Rows{Train: 3000, Validation: 1000, Test: 1000}, Priors: []float64{0.48, 0.52}, Reference: 0.965,
		Notes: []string{"the corpus is generated"},
		Configurations: []experiment.Configuration{
			configuration("unconstrained", "", "", 0, dp.Infinite, 0.9705),
			configuration("noise", "laplace-l1", "released", 4, 8, 0.9020),
			configuration("noise", "laplace-l1", "paper", 4, 4, 0.9412),
			configuration("dpnr", "dpnr", "released", 0.05, dp.Infinite, 0.9665),
			configuration("federate", "laplace-l1", "released", 8, 138.6, 0.9535),
		},
		Failed: []experiment.Failure{{Job: "noise-e1-seed-2", Reason: "the loss is not finite"}},
	}
}

func configuration(method, mechanism, variant string, claimed, truth dp.Epsilon, accuracy measure.Number) experiment.Configuration {
	score := experiment.Score{
		Seed: 1, Accuracy: accuracy, Low: accuracy - 0.02, High: accuracy + 0.02, True: &truth, Unit: dp.Text, Gap: 0.031, GRMS: 0.027,
		Leakage: 0.553, Majority: 0.524, Attack: &measure.Leakage{Accuracy: 0.553, Low: 0.52, High: 0.58, Majority: 0.524, AUC: 0.55},
		Limit: 0.999, AttackLimit: 0.982, Yardstick: 0.9483, Seconds: 1,
	}
	c := experiment.Configuration{
		Point: experiment.Point{Method: method, Mechanism: mechanism, Variant: variant, Epsilon: float64(claimed), Dim: 4},
		Seeds: []experiment.Score{score, score, score}, Mean: score,
		Deviation: experiment.Score{Accuracy: 0.0021, Leakage: 0.004, Gap: 0.002, GRMS: 0.001},
		Interval:  [2]measure.Number{accuracy - 0.01, accuracy + 0.01}, Fairness: fairness("casual", "formal"),
	}
	if mechanism != "" {
		c.Mean.Claimed = &claimed
		c.Coverage = "the guarantee covers a text whose vector is released"
		c.Statement = &mech.Statement{
			Mechanism: mechanism, Variant: variant, Parameters: mech.Params{Mechanism: mechanism, Variant: variant, Dim: 4, Epsilon: float64(claimed)},
			Unit: dp.Text, Claimed: claimed, True: truth, Reason: "this is why for " + mechanism + " " + variant,
			Assumptions: []string{"the noise is drawn exactly"},
		}
	}
	return c
}

func share(hits, rows int) measure.Share {
	v := measure.Number(float64(hits) / float64(rows))
	return measure.Share{Cell: measure.Cell{Rows: rows, Hits: hits}, Estimate: measure.Estimate{Value: v, Low: v - 0.03, High: v + 0.03, Resamples: 100}}
}

func fairness(groups ...string) *measure.Fairness {
	e := measure.Estimate{Value: 0.0817, Low: 0.04, High: 0.12, Resamples: 100}
	f := &measure.Fairness{
		Rows: 200, Accuracy: share(170, 200), Difference: e, ParityDifference: e, ParityRatio: measure.Estimate{Value: 0.93, Low: 0.85, High: 1, Resamples: 100},
		OddsDifference: e, GRMS: e, DeviationRMS: e, ClassesDefined: 1,
		Classes: []measure.ClassReport{{Overall: measure.Rates{Class: "positive"}, TPRDifference: e}},
	}
	for i, g := range groups {
		tpr := share(40+i, 50)
		if i > 0 {
			tpr = measure.Share{Estimate: measure.Estimate{Value: nan, Low: nan, High: nan}} // no rows
		}
		f.Groups = append(f.Groups, measure.GroupReport{Name: g, Rows: 100, Accuracy: share(80+i, 100), Classes: []measure.Rates{{Class: "positive", Selection: share(50, 100), TPR: tpr, FPR: share(5, 50)}}})
	}
	return f
}

func comparison() *evidence.Fairness {
	return &evidence.Fairness{
		Format: evidence.FairnessFormat, Source: "data/predictions.csv", Columns: evidence.Columns{Group: []string{"sex"}}, Fairness: fairness("female", "male", "unknown"),
	}
}

func inference() *attack.Result {
	code := &measure.DescriptionLength{
		Coding: measure.BlockCoding, Rows: 2000, Classes: 2, Bits: 1900, Kbit: 1.855, Uniform: 2000, Compression: 1.053,
		Blocks: []measure.Block{{To: 4, Bits: 4}, {Fitted: 4, From: 4, To: 8, Bits: 5}, {Fitted: 8, From: 8, To: 1000, Bits: 960}, {Fitted: 1000, From: 1000, To: 2000, Bits: 931}},
	}
	found := func(attacker string, value, low, high, auc measure.Number) attack.Finding {
		return attack.Finding{
			Attacker: attacker, Target: "author", Metric: "accuracy", Value: value, Low: low, High: high, Baseline: 0.524, Limit: 0.5498,
			Leakage: &measure.Leakage{Accuracy: float64(value), Low: float64(low), High: float64(high), Majority: 0.524, AUC: auc},
		}
	}
	linear, mlp := found("linear", 0.561, 0.53, 0.592, 0.57), found("mlp-100", 0.702, 0.672, 0.73, 0.76)
	linear.Description, mlp.Refutes = code, true
	one := attack.Result{Kind: attack.Attribute, Source: "models/run", Classes: 2, Guarantee: &dp.Guarantee{Unit: dp.Text, Epsilon: 0.2}, Refuted: true, Findings: []attack.Finding{linear, mlp}}
	all := one
	one.Folder, one.Seed, all.Models = "noise-e4", 1, []*attack.Result{&one}
	return &all
}

func averaging() *attack.Result {
	a := &attack.Result{Kind: attack.Averaging, Source: "noise-e4", Guarantee: &dp.Guarantee{Unit: dp.Text, Epsilon: 4}, Notes: []string{"texts of the test part"}}
	for _, noise := range []string{"fresh", "memoised"} {
		for _, k := range []int{1, 4, 16} {
			v := measure.Number(0.6)
			if noise == "fresh" {
				v += measure.Number(k) / 50
			}
			a.Findings = append(a.Findings, attack.Finding{Attacker: "nearest", Target: "the text", Metric: "accuracy", Releases: k, Noise: noise, Value: v, Low: v - 0.02, High: v + 0.02, Baseline: 0.5, Limit: nan, Rows: 500})
		}
	}
	return a
}

func inversion() *attack.Result {
	return &attack.Result{
		Kind: attack.Inversion, Source: "noise-e4",
		Findings: []attack.Finding{{Attacker: "logistic", Target: "words", Metric: "f1", Value: 0.4321, Low: nan, High: nan, Baseline: 0.1, Limit: nan, Rows: 500}},
	}
}

func audited(mechanism, variant string, claimed dp.Epsilon, bound float64, refuted bool) *evidence.Audit {
	a := &evidence.Audit{Format: evidence.AuditFormat, Mechanism: mechanism, Variant: variant, Unit: dp.Text}
	a.Result = audit.Result{Claimed: claimed, LowerBound: bound, Confidence: 0.99, Refuted: refuted}
	return a
}

func released(name string, epsilon dp.Epsilon) *evidence.Release {
	return &evidence.Release{Name: name, Record: mech.Record{
		Tool: "sotto v1", Mechanism: mech.Params{Mechanism: "laplace-l1", Variant: "paper", Dim: 4, Epsilon: float64(epsilon)}, Claimed: epsilon,
		Guarantee: dp.Guarantee{Unit: dp.Text, Epsilon: epsilon}, Reason: "two vectors are at most 2 apart", Binding: mech.Binding{Rows: 50}, Noise: "fresh for each row",
	}}
}

func picture(points, groups int) *experiment.Picture {
	p := &experiment.Picture{Title: "reviews at ε = 4", Layout: "t-sne", Attribute: "author"}
	for g := range groups {
		p.Values = append(p.Values, fmt.Sprintf("group %d", g))
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range points {
		g := i % groups
		p.Groups = append(p.Groups, g)
		p.Before = append(p.Before, experiment.Spot{float32(rng.NormFloat64() + 4*float64(g)), float32(rng.NormFloat64())})
		p.After = append(p.After, experiment.Spot{float32(rng.NormFloat64()), float32(rng.NormFloat64())})
	}
	return p
}

// large returns as many configurations as somebody may look at, and pictures.
func large() *evidence.Evidence {
	e := sample()
	r := result()
	r.Configurations = nil
	for i := range 100 {
		c := configuration("federate", "laplace-l1", []string{"paper", "released"}[i%2], dp.Epsilon(1+i/10), dp.Epsilon((1+i/10)*(1+i%2)), measure.Number(0.6+float64(i)/300))
		c.Dim, c.Lambda = 4+i%5, float64(1+i%3)
		r.Configurations = append(r.Configurations, c)
	}
	put(e, r)
	for range 10 {
		put(e, picture(500, 4))
	}
	return e
}
