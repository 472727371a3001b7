package bias

import (
	"context"
	"fmt"
	"io"
	"math"
	weakrand "math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"sotto/bias"
	"sotto/bias/direction"
	"sotto/internal/cli/term"
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
	// Null is the DirectBias of random vectors, as long as the raw ones and released
	// by the same mechanism, to which DirectBias goes when nothing of the direction
	// is left. A random direction would be none: a release need not be a noisy copy
	// of a vector, and those that are not have other cosines.
	Null drawn `json:"null_direct_bias"`
	// Agreement is the absolute cosine between the directions before and after,
	// and NullAgreement that between the raw direction and the one of random
	// vectors. Both are undefined if the mechanism changes how many numbers a
	// vector has.
	Agreement     drawn             `json:"agreement"`
	NullAgreement drawn             `json:"null_agreement"`
	Professions   []professionAfter `json:"professions"`
}

// professionAfter is the score of a profession before and after.
type professionAfter struct {
	Name   string         `json:"name"`
	Before measure.Number `json:"before"`
	After  drawn          `json:"after"`
}

// after measures private tables: of the words that the raw result rests on, and
// no others, since one whose vector is zero would count once there is noise on
// it. It returns nil if there is no pair of them.
func (o *biasDirectionOptions) after(ctx context.Context, s subject, options direction.Options, before *direction.Result, m mech.Mechanism, stderr io.Writer) (*directionAfter, error) {
	words, table := before.Kept(s.words), s.table.Only(before.Used())
	if len(words.Pairs) == 0 {
		return nil, nil
	}
	results, nulls := make([]*direction.Result, o.draws), make([]*direction.Result, o.draws)
	key := o.key(" null")
	err := o.overDraws(ctx, table, m, stderr, func(draw int, private *bias.Table) error {
		var err error
		if results[draw], err = direction.Measure(private, words, options); err != nil {
			return err
		}
		random, err := randomTable(table, o.Seed, draw)
		if err != nil {
			return err
		}
		if random, err = random.Privatize(m, key, draw); err != nil {
			return err
		}
		nulls[draw], err = direction.Measure(random, words, options)
		return err
	})
	if err != nil {
		return nil, err
	}
	over := func(all []*direction.Result, f func(*direction.Result) measure.Number) drawn {
		v := make([]float64, len(all))
		for i, r := range all {
			v[i] = float64(f(r))
		}
		return describeDraws(v)
	}
	directBias := func(r *direction.Result) measure.Number { return r.DirectBias }
	agrees := func(r *direction.Result) measure.Number { return agreement(before.Direction(), r.Direction()) }
	a := &directionAfter{
		Confidence: over(results, func(r *direction.Result) measure.Number { return r.Confidence }),
		DirectBias: over(results, directBias), Null: over(nulls, directBias),
		Agreement: over(results, agrees), NullAgreement: over(nulls, agrees),
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
		a.Professions = append(a.Professions, professionAfter{Name: p.Name, Before: score(before), After: over(results, score)})
	}
	return a, nil
}

// randomTable returns vectors of random directions, as long as those of a table.
func randomTable(t *bias.Table, seed uint64, draw int) (*bias.Table, error) {
	// The constant keeps this stream apart from others of the same seed.
	rng := weakrand.New(weakrand.NewPCG(seed^0x6e756c6c, uint64(draw)))
	words, rows := make([]string, t.Len()), make([]float64, 0, t.Len()*t.Dim())
	for i := range words {
		words[i] = t.Word(i)
		row := make([]float64, t.Dim())
		for j := range row {
			row[j] = rng.NormFloat64()
		}
		floats.Scale(floats.Norm(t.Row(i), 2)/floats.Norm(row, 2), row)
		rows = append(rows, row...)
	}
	return bias.NewTable(t.Dim(), words, rows)
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
		fmt.Sprintf("DirectBias: %s raw, %s private; of random vectors released alike %s", term.Number(before.DirectBias, "%.4f"), a.DirectBias.text("%.4f"), a.Null.text("%.4f")),
		fmt.Sprintf("confidence: %s raw, %s private; refused in %s %% of draws", term.Number(before.Confidence, "%.3f"), a.Confidence.text("%.3f"), term.Number(100*a.Refused, "%.0f")),
		fmt.Sprintf("|cos| between the directions raw and private: %s; of random vectors released alike %s", a.Agreement.text("%.3f"), a.NullAgreement.text("%.3f")),
	}
}
