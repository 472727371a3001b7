package decoy

import (
	"context"
	"math"
	weakrand "math/rand/v2"

	"sotto/explain"
	"sotto/text"
)

// Random gives words weights at random: what any explainer must beat. Equal texts and
// seeds give equal weights.
type Random struct{ Seed uint64 }

var _ explain.Explainer = Random{}

// Name implements [explain.Explainer].
func (Random) Name() string { return "random" }

// Explain implements [explain.Explainer].
func (r Random) Explain(ctx context.Context, p explain.Predictor, s string, class int) (*explain.Explanation, error) {
	answers, err := p.Predict(ctx, []string{s})
	if err != nil {
		return nil, err
	}
	if err := explain.Check(answers, 1, len(p.Classes())); err != nil {
		return nil, err
	}
	best := 0
	for c, v := range answers[0] {
		if v > answers[0][best] {
			best = c
		}
	}
	if class == explain.Predicted {
		class = best
	}
	e := &explain.Explanation{
		Method: r.Name(), Prediction: p.Classes()[best], Class: p.Classes()[class],
		Probability: answers[0][class], Base: answers[0][class], Asked: 1,
	}
	rng := weakrand.New(weakrand.NewPCG(r.Seed, text.HashOn(text.HashBasis, s)))
	sum := 0.0
	for _, w := range explain.Words(s) {
		t := explain.Token{Text: s[w.Start:w.End], Start: w.Start, End: w.End, Weight: rng.NormFloat64()}
		sum += t.Weight
		e.Tokens = append(e.Tokens, t)
	}
	e.Check = math.Abs(sum)
	return e, nil
}

// Methods returns the explainers that a benchmark compares by default, with so many
// samples for those that draw some; 0 means their own defaults. Gradients are for models
// that have them.
func Methods(samples int, gradients bool) []Method {
	all := []Method{
		{explain.Occlusion{}.Name(), func(uint64) explain.Explainer { return explain.Occlusion{} }},
		{explain.LIME{}.Name(), func(seed uint64) explain.Explainer { return explain.LIME{Samples: samples, Seed: seed} }},
		{explain.SHAP{}.Name(), func(seed uint64) explain.Explainer { return explain.SHAP{Samples: samples, Seed: seed} }},
		{Random{}.Name(), func(seed uint64) explain.Explainer { return Random{seed} }},
	}
	if gradients {
		all = append(all,
			Method{explain.GradientInput{}.Name(), func(uint64) explain.Explainer { return explain.GradientInput{} }},
			Method{explain.Gradients{}.Name(), func(uint64) explain.Explainer { return explain.Gradients{} }})
	}
	return all
}
