package attack

import (
	"cmp"
	"context"
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"slices"

	"sotto/compute/measure"
	"sotto/compute/nn"
	"sotto/data/dataset"
)

// attribute infers an attribute from releases. Attackers are adaptive: fitted to
// releases, and not to what the releases were made of. Half of the rows, drawn by
// the seed, fits the attackers, the other scores them; where the releases are
// those of stored models, these say which rows do.
//
// The limit is the accuracy that no attacker exceeds if the guarantee is true,
// for the shares of the values among the rows scored.
func (a *attempt) attribute(ctx context.Context) error {
	if err := known(slices.Concat(a.Attackers, a.Coders)); err != nil {
		return err
	}
	return a.released(func(r *Released) error {
		one, err := a.inferred(ctx, r)
		if err != nil {
			return err
		}
		if r.Score.Vectors.Rows == 0 {
			a.result = one
			return nil
		}
		one.Folder, one.Seed = r.Folder, r.Seed
		a.result.Models = append(a.result.Models, one)
		return nil
	})
}

// inferred attacks one file or model.
func (a *attempt) inferred(ctx context.Context, r *Released) (*Result, error) {
	at := 0
	if r.Attribute != "" {
		at = slices.IndexFunc(r.Columns, func(c dataset.Column) bool { return c.Name == r.Attribute })
	}
	if at < 0 || len(r.Columns) == 0 {
		return nil, fmt.Errorf("attack: %s has no attribute to attack, must have one (of a model: sotto train --attribute)", a.Source)
	}
	c := r.Columns[at]
	fit, score, classes, err := r.parts(c, a.Seed)
	if err != nil {
		return nil, err
	}
	values := max(classes, slices.Max(score.Z)+1) // with those that no row to fit has
	one := &Result{Kind: Attribute, Source: a.Source, Values: c.Names(), Classes: values, Guarantee: cmp.Or(a.Claim, r.Guarantee)}
	list, err := choose(a.Attackers, a.Seed+r.Seed, fit.X.Cols) // so that the reference attacker is that of an evaluation
	if err != nil {
		return nil, err
	}
	limit := measure.AccuracyLimit(limitedBy(one.Guarantee), measure.Shares(score.Z, values))
	one.Findings = make([]Finding, len(list))
	if err := a.each(ctx, len(list), func(ctx context.Context, item int) error {
		k := len(list) - 1 - item // the slowest first, so that no core is left with it
		see := func(d measure.Labelled) measure.Labelled { return measure.Labelled{X: list[k].see(d.X), Z: d.Z} }
		l, err := measure.Leak(ctx, nn.NewPool(1), list[k].probe, see(fit), see(score), classes)
		if err != nil {
			return fmt.Errorf("attacker %s: %w", list[k].name, err)
		}
		one.Findings[k] = leaked(list[k].name, c.Name, l, limit)
		one.Findings[k].below = surely(int(math.Round(l.Accuracy*float64(l.RowsScored))), l.RowsScored)
		return nil
	}); err != nil {
		return nil, err
	}
	return one, a.describe(ctx, one, list, fit, score, classes)
}

// parts returns what attackers of a column are fitted to and scored on, and how
// many values they can learn: see [Learnable].
func (r *Released) parts(c dataset.Column, seed uint64) (fit, score measure.Labelled, classes int, err error) {
	if r.Score.Vectors.Rows > 0 {
		fit.X, score.X = r.Fit.Vectors, r.Score.Vectors
		fit.Z, score.Z, classes = Learnable(r.Fit.of(c.IDs), r.Score.of(c.IDs), len(c.Classes))
		if classes == 0 {
			err = fmt.Errorf("attack: no value of %s can be learnt from the rows to fit and scored on the others", c.Name)
		}
		return fit, score, classes, err
	}
	all := measure.Labelled{X: r.Fit.Vectors, Z: r.Fit.of(c.IDs)}
	var known []int
	for i, z := range all.Z {
		if z >= 0 {
			known = append(known, i)
		}
	}
	if len(known) < 4 {
		return fit, score, 0, fmt.Errorf("attack: attribute is known in %d rows, must be known in at least 4", len(known))
	}
	// The second word keeps this stream apart from others of the same seed.
	rng := weakrand.New(weakrand.NewPCG(seed, 0x61747461636b))
	rng.Shuffle(len(known), func(i, j int) { known[i], known[j] = known[j], known[i] })
	half := len(known) / 2
	return all.Gather(known[:half]), all.Gather(known[half:]), len(c.Classes), nil
}

// leaked is the finding of one attacker of an attribute.
func leaked(attacker, attribute string, l measure.Leakage, limit measure.Number) Finding {
	return Finding{
		Attacker: attacker, Target: attribute, Metric: "accuracy", Value: measure.Number(l.Accuracy), Low: measure.Number(l.Low), High: measure.Number(l.High),
		Baseline: measure.Number(l.Majority), Limit: limit, Rows: l.RowsScored, Leakage: &l,
	}
}

// describe measures the description length of the attribute, over the rows to
// fit and to score together. Values that no row to fit has are one to it.
func (a *attempt) describe(ctx context.Context, r *Result, list []attacker, fit, score measure.Labelled, classes int) error {
	if a.Coding == "" {
		return nil
	}
	all := measure.Labelled{X: nn.Matrix{Rows: fit.X.Rows + score.X.Rows, Cols: fit.X.Cols, Data: slices.Concat(fit.X.Data, score.X.Data)}, Z: slices.Concat(fit.Z, score.Z)}
	for i, z := range all.Z {
		all.Z[i] = min(z, classes)
	}
	classes = min(r.Classes, classes+1)
	for k, by := range list {
		if a.Coders != nil && !slices.Contains(a.Coders, by.name) {
			continue
		}
		l, err := by.probe.DescriptionLength(ctx, a.pool, measure.Labelled{X: by.see(all.X), Z: all.Z}, classes, a.Coding)
		if err != nil {
			return fmt.Errorf("attacker %s: %w", by.name, err)
		}
		r.Findings[k].Description = &l
	}
	return nil
}
