package experiment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"sotto/dp"
	"sotto/measure"
	"sotto/mech"
	"sotto/nn"
)

// How several releases of one text come about.
const (
	fresh    = "fresh"    // each with noise of its own
	memoised = "memoised" // the first answer again and again
)

// AttackAveraging releases each text k times, for each k of releases, and lets
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
func AttackAveraging(ctx context.Context, c *Corpus, m mech.Mechanism, releases []int, o AttemptOptions) (*Attempt, error) {
	o, pool, err := o.check()
	if err != nil {
		return nil, err
	}
	if m == nil {
		return nil, errors.New("experiment: there is no mechanism, must be one whose noise is averaged")
	}
	if err = c.validate(m, 8); err != nil {
		return nil, err
	}
	if len(releases) == 0 || slices.Min(releases) < 1 {
		return nil, errors.New("experiment: numbers of releases must be given, each at least 1")
	}
	truth, note, err := protected(ctx, pool, m, c.X)
	if err != nil {
		return nil, err
	}
	if truth.Rows == 0 && c.Z == nil {
		return nil, fmt.Errorf("experiment: nothing can be attacked: %s, and %s has no attribute to infer", note, c.Source)
	}
	a := &Attempt{Kind: Averaging, Source: c.describe(m), Guarantee: o.stated(guaranteeOf(m)), Notes: []string{
		simulated,
		"the attacker takes the mean of the releases of a text; reconstruction moves it towards the mean text by a factor fitted on other texts",
	}}
	if note != "" {
		a.Notes = append(a.Notes, note)
	}
	if c.Z == nil {
		a.Notes = append(a.Notes, "the data has no attribute: none is inferred")
	}
	ks := slices.Compact(slices.Sorted(slices.Values(releases)))
	total := ks[len(ks)-1] + 2*len(ks) // the fits count as one each
	average := averager{c, simulator{m, o.Seed}, counter(o.Progress, total)}
	views, err := average.all(ctx, pool, ks)
	if err != nil {
		return nil, err
	}
	trials, err := average.attack(ctx, pool, a, views, truth, o)
	if err != nil {
		return nil, err
	}
	return a.conclude(trials, o.Risk), nil
}

// averager averages releases and attacks the means.
type averager struct {
	corpus *Corpus
	sim    simulator
	done   func()
}

// view is what an attacker has of each text.
type view struct {
	releases int
	noise    string
	mean     nn.Matrix
}

// all returns the means for each number of releases, in increasing order.
func (v averager) all(ctx context.Context, pool *nn.Pool, ks []int) ([]view, error) {
	var views []view
	var sum []float64
	for draw := range ks[len(ks)-1] {
		y, width, err := v.sim.release(ctx, pool, v.corpus.X, uint64(draw))
		if err != nil {
			return nil, err
		}
		v.done()
		if sum == nil {
			sum = make([]float64, len(y))
			for _, k := range ks {
				if k > 1 { // a mean of equal releases is the release
					views = append(views, view{k, memoised, narrowed(y, width)})
				}
			}
		}
		for i, w := range y {
			sum[i] += w
		}
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

// attack attacks one view a core.
func (v averager) attack(ctx context.Context, pool *nn.Pool, a *Attempt, views []view, truth nn.Matrix, o AttemptOptions) ([]trial, error) {
	fit, score := halves(v.corpus.X.Rows, o.Seed)
	trials, faults := make([][]trial, len(views)), make([]error, len(views))
	pool.Each(len(views), func(_, k int) {
		defer v.done()
		w := views[k]
		f := Finding{Releases: w.releases, Noise: w.noise, Baseline: undefined, Limit: undefined}
		epsilon := limitedBy(a.Guarantee)
		if w.noise == fresh {
			epsilon *= dp.Epsilon(w.releases)
		}
		if v.corpus.Z != nil {
			trials[k], faults[k] = v.infer(ctx, w, f, epsilon, fit, score, o)
		}
		if truth.Rows > 0 {
			trials[k] = append(trials[k], rebuild(w, f, truth, fit, score)...)
		}
	})
	return slices.Concat(trials...), errors.Join(faults...)
}

// infer is the attribute of one view.
func (v averager) infer(ctx context.Context, w view, f Finding, epsilon dp.Epsilon, fit, score []int, o AttemptOptions) ([]trial, error) {
	var trials []trial
	c := v.corpus
	want := pick(c.Z, score)
	list, err := AttackOptions{Seed: o.Seed, Attackers: []string{"linear", "mlp-100"}}.attackers(w.mean.Cols)
	if err != nil {
		return nil, err
	}
	for _, k := range list {
		own := nn.NewPool(1)
		fitted, err := k.probe.Fit(ctx, own, gather(w.mean, fit), pick(c.Z, fit), c.Classes)
		if err != nil {
			return nil, fmt.Errorf("attacker %s of %s: %w", k.name, c.Attribute, err)
		}
		g := f
		g.Attacker, g.Target, g.Metric = k.name, c.Attribute, "accuracy"
		g.Baseline, g.Limit = measure.Number(measure.Majority(want)), limit(epsilon, shares(want, c.Classes))
		hits, rows := hitsOf(want, fitted.Predict(own, gather(w.mean, score)), func(int) bool { return true })
		trials = append(trials, share(g, hits, rows))
	}
	return trials, nil
}

// rebuild reconstructs vectors from one view: v̂ = μ + s·(y − μ_y), where μ and
// μ_y are the means of vectors and releases over the rows to fit, and s the
// factor with the least squared error there.
func rebuild(w view, f Finding, truth nn.Matrix, fit, score []int) []trial {
	centre, from := means(truth, fit), means(w.mean, fit)
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
	return []trial{one, averaged(f, errs, blindErrs)}
}

// averaged is a finding of the mean over texts.
func averaged(f Finding, values, blind []float64) trial {
	s := measure.Summarise(values)
	f.Value, f.Low, f.High = s.Mean, s.Low, s.High
	f.Baseline = measure.Summarise(blind).Mean
	return trial{f, nil}
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
