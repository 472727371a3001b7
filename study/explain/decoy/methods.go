package decoy

import (
	"context"
	weakrand "math/rand/v2"

	"sotto/study/explain"
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
	return explain.By(ctx, r.Name(), p, s, class, func(words []text.Span, _ int) (float64, []float64, error) {
		rng := weakrand.New(weakrand.NewPCG(r.Seed, text.HashOn(text.HashBasis, s)))
		weights := make([]float64, len(words))
		for i := range weights {
			weights[i] = rng.NormFloat64()
		}
		return 0, weights, nil
	})
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
