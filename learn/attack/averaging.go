package attack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"sotto/compute/measure"
	"sotto/compute/nn"
	"sotto/data/dataset"
	"sotto/promise/dp"
)

// How several releases of one text come about.
const (
	fresh    = "fresh"    // each with noise of its own
	memoised = "memoised" // the first answer again and again
)

// averaging releases each text k times, for each k of releases, and lets
// attackers average what they get. They infer the attribute, if there is one, by
// a linear attacker and the reference perceptron, and reconstruct the vector
// that the mechanism protects. Half of the rows fits them, the other scores them.
//
// With fresh noise the k releases together are k·ε-DP (composition), and what is
// inferred may grow to the limit of that. With memoised noise they are one
// release seen k times, and nothing is gained.
//
// The mean of releases is the estimator. It is unbiased for additive noise and
// privunit; for codebook it points at the vector, and for bit protocols it grows
// with each bit, so that a fitted attacker can use it. A mechanism of labels,
// krr, is refused.
func (a *attempt) averaging(ctx context.Context) error {
	if len(a.Releases) == 0 || slices.Min(a.Releases) < 1 {
		return errors.New("attack: numbers of releases must be given, each at least 1")
	}
	truth, note, err := a.protected(ctx, a.Corpus.X)
	if err != nil {
		return err
	}
	if truth.Rows == 0 && a.Corpus.Z == nil {
		return fmt.Errorf("attack: nothing can be attacked: %s, and %s has no attribute to infer", note, a.Corpus.Source)
	}
	a.note("the attacker takes the mean of the releases of a text; reconstruction moves it towards the mean text by a factor fitted on other texts")
	if note != "" {
		a.note(note)
	}
	if a.Corpus.Z == nil {
		a.note("the data has no attribute: none is inferred")
	}
	ks := slices.Compact(slices.Sorted(slices.Values(a.Releases)))
	done := a.counter(ks[len(ks)-1] + 2*len(ks)) // the fits count as one each
	views, err := a.views(ctx, ks, done)
	if err != nil {
		return err
	}
	fit, score := halves(a.Corpus.X.Rows, a.Seed)
	findings := make([][]Finding, len(views))
	if err := a.each(ctx, len(views), func(ctx context.Context, k int) error {
		defer done()
		w := views[k]
		f := Finding{Releases: w.releases, Noise: w.noise, Baseline: measure.Undefined, Limit: measure.Undefined}
		if a.Corpus.Z != nil {
			inferred, err := a.infer(ctx, w, f, fit, score)
			if err != nil {
				return err
			}
			findings[k] = inferred
		}
		if truth.Rows > 0 {
			findings[k] = append(findings[k], rebuild(w, f, truth, fit, score)...)
		}
		return nil
	}); err != nil {
		return err
	}
	a.find(slices.Concat(findings...)...)
	return nil
}

// view is what an attacker has of each text.
type view struct {
	releases int
	noise    string
	mean     nn.Matrix
}

// views returns the means for each number of releases, in increasing order.
func (a *attempt) views(ctx context.Context, ks []int, done func()) ([]view, error) {
	var views []view
	var sum []float64
	for draw := range ks[len(ks)-1] {
		y, width, err := a.release(ctx, a.Mechanism, a.Corpus.X, uint64(draw))
		if err != nil {
			return nil, err
		}
		done()
		if sum == nil {
			sum = make([]float64, len(y))
			for _, k := range ks {
				if k > 1 { // a mean of equal releases is the release
					views = append(views, view{k, memoised, narrowed(y, width)})
				}
			}
		}
		floats.Add(sum, y)
		if k := draw + 1; slices.Contains(ks, k) {
			mean := make([]float64, len(sum))
			for i, w := range sum {
				mean[i] = w / float64(k)
			}
			views = append(views, view{k, fresh, narrowed(mean, width)})
		}
	}
	slices.SortFunc(views, func(a, b view) int {
		return cmp.Or(cmp.Compare(a.releases, b.releases), cmp.Compare(a.noise, b.noise))
	})
	return views, nil
}

// infer is the attribute of one view.
func (a *attempt) infer(ctx context.Context, w view, f Finding, fit, score []int) ([]Finding, error) {
	list, err := choose([]string{"linear", "mlp-100"}, a.Seed, w.mean.Cols)
	if err != nil {
		return nil, err
	}
	epsilon := limitedBy(a.result.Guarantee)
	if w.noise == fresh {
		epsilon *= dp.Epsilon(w.releases)
	}
	c, want := a.Corpus, dataset.Select(a.Corpus.Z, score)
	f.Target, f.Metric = c.Attribute, "accuracy"
	f.Baseline, f.Limit = measure.Number(measure.Majority(want)), measure.AccuracyLimit(epsilon, measure.Shares(want, c.Classes))
	var findings []Finding
	for _, k := range list {
		own := nn.NewPool(1)
		fitted, err := k.probe.Fit(ctx, own, w.mean.Gather(fit), dataset.Select(c.Z, fit), c.Classes)
		if err != nil {
			return nil, fmt.Errorf("attacker %s of %s: %w", k.name, c.Attribute, err)
		}
		f.Attacker = k.name
		hits, rows := measure.Hits(want, fitted.Predict(own, w.mean.Gather(score)))
		findings = append(findings, share(f, hits, rows))
	}
	return findings, nil
}

// rebuild reconstructs vectors from one view: v̂ = μ + s·(y − μ_y), where μ and
// μ_y are the means of vectors and releases over the rows to fit, and s the
// factor with the least squared error there.
func rebuild(w view, f Finding, truth nn.Matrix, fit, score []int) []Finding {
	centre, from := means(truth.Gather(fit)), means(w.mean.Gather(fit))
	cross, square := 0.0, 0.0
	for _, i := range fit {
		for j, y := range w.mean.Row(i) {
			d := float64(y) - from[j]
			cross += d * (float64(truth.Row(i)[j]) - centre[j])
			square += d * d
		}
	}
	factor := 0.0
	if square > 0 {
		factor = cross / square
	}
	var cosines, errs, blindCosines, blindErrs []float64
	guess := make([]float64, truth.Cols)
	for _, i := range score {
		for j, y := range w.mean.Row(i) {
			guess[j] = centre[j] + factor*(float64(y)-from[j])
		}
		c, e := closeness(truth.Row(i), guess)
		blindC, blindE := closeness(truth.Row(i), centre)
		cosines, errs = append(cosines, c), append(errs, e)
		blindCosines, blindErrs = append(blindCosines, blindC), append(blindErrs, blindE)
	}
	f.Attacker, f.Target, f.Rows = "mean", "the vector", len(score)
	f.Metric = "cosine"
	one := averaged(f, cosines, blindCosines)
	f.Metric = "relative error"
	return []Finding{one, averaged(f, errs, blindErrs)}
}

// averaged is a finding of the mean over texts.
func averaged(f Finding, values, blind []float64) Finding {
	s := measure.Summarise(values)
	f.Value, f.Low, f.High = s.Mean, s.Low, s.High
	f.Baseline = measure.Summarise(blind).Mean
	return f
}

// closeness returns the cosine between a vector and a guess, and their distance
// relative to the vector's length.
func closeness(v []float32, guess []float64) (cosine, relative float64) {
	dot, a, b, d := 0.0, 0.0, 0.0, 0.0
	for j, g := range guess {
		w := float64(v[j])
		dot += w * g
		a += w * w
		b += g * g
		d += (w - g) * (w - g)
	}
	if !(a > 0) {
		return 0, 1 // a text without a known word
	}
	if b > 0 {
		cosine = dot / math.Sqrt(a*b)
	}
	return cosine, math.Sqrt(d / a)
}
