package main

import (
	"context"
	"fmt"
	"io"
	"math"

	"sotto/bias"
	"sotto/bias/direction"
	"sotto/measure"
	"sotto/mech"
)

// directionAfter is what the measures become when each word's vector is
// released, over draws. Draws whose direction is refused count in all but
// Refused like the others, so that what is shown does not choose them.
type directionAfter struct {
	Refused    measure.Number `json:"refused_share"` // of draws
	Confidence drawn          `json:"confidence"`
	DirectBias drawn          `json:"direct_bias"`
	// Random is the DirectBias of a random direction over the private vectors,
	// to which DirectBias falls when nothing of the direction is left.
	Random drawn `json:"random_direct_bias"`
	// Agreement is the absolute cosine between the directions before and after,
	// and AgreementChance what it is on average for a random direction. Both are
	// undefined if the mechanism changes how many numbers a vector has.
	Agreement       drawn             `json:"agreement"`
	AgreementChance measure.Number    `json:"agreement_chance"`
	Professions     []professionAfter `json:"professions"`
}

// professionAfter is the score of a profession before and after.
type professionAfter struct {
	Name   string         `json:"name"`
	Before measure.Number `json:"before"`
	After  drawn          `json:"after"`
}

// after measures private tables.
func (o *biasDirectionOptions) after(ctx context.Context, s subject, options direction.Options, before *direction.Result, m mech.Mechanism, stderr io.Writer) (*directionAfter, error) {
	results := make([]*direction.Result, o.draws)
	err := o.overDraws(ctx, s.table, m, stderr, func(draw int, private *bias.Table) error {
		r, err := direction.Measure(private, s.words, options)
		results[draw] = r
		return err
	})
	if err != nil {
		return nil, err
	}
	values := func(f func(*direction.Result) measure.Number) drawn {
		v := make([]float64, len(results))
		for i, r := range results {
			v[i] = float64(f(r))
		}
		return describeDraws(v)
	}
	a := &directionAfter{
		Confidence: values(func(r *direction.Result) measure.Number { return r.Confidence }),
		DirectBias: values(func(r *direction.Result) measure.Number { return r.DirectBias }),
		Random:     values(func(r *direction.Result) measure.Number { return r.Random }),
		Agreement:  values(func(r *direction.Result) measure.Number { return agreement(before.Direction(), r.Direction()) }),
	}
	a.AgreementChance = measure.Number(math.NaN())
	if !math.IsNaN(float64(a.Agreement.Mean)) {
		a.AgreementChance = measure.Number(direction.RandomCosine(before.Dim, 1))
	}
	for _, r := range results {
		if r.Refused != "" {
			a.Refused += measure.Number(1 / float64(len(results)))
		}
	}
	for i, p := range s.words.Professions {
		score := func(r *direction.Result) measure.Number {
			if len(r.Professions) == 0 { // no pair was found
				return measure.Number(math.NaN())
			}
			return r.Professions[i].Score
		}
		a.Professions = append(a.Professions, professionAfter{Name: p.Name, Before: score(before), After: values(score)})
	}
	return a, nil
}

// agreement is the absolute cosine between two directions of length 1,
// undefined if they have not as many numbers.
func agreement(a, b []float64) measure.Number {
	if len(a) != len(b) || len(a) == 0 {
		return measure.Number(math.NaN())
	}
	sum := 0.0
	for i := range a {
		sum += a[i] * b[i]
	}
	return measure.Number(min(1, math.Abs(sum)))
}

// lines says in words what noise did.
func (a *directionAfter) lines(before *direction.Result) []string {
	return []string{
		fmt.Sprintf("DirectBias: %s raw, %s private; a random direction has %s", number(before.DirectBias, "%.4f"), a.DirectBias.text("%.4f"), number(a.Random.Mean, "%.4f")),
		fmt.Sprintf("confidence: %s raw, %s private; refused in %s %% of draws", number(before.Confidence, "%.3f"), a.Confidence.text("%.3f"), number(100*a.Refused, "%.0f")),
		fmt.Sprintf("|cos| between the directions raw and private: %s; of a random direction %s", a.Agreement.text("%.3f"), number(a.AgreementChance, "%.3f")),
	}
}
