package train

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"sotto/compute/channel"
	"sotto/compute/nn"
	"sotto/learn/model"
	"sotto/promise/dp"
)

// fairLesson returns what a teacher is taught that also tells, of each row, the
// class of the first label together with the group. That is no label: it counts
// in no accuracy, and nobody is told of it.
func (t Training) fairLesson(d Data) (lesson, error) {
	if err := d.Validate(); err != nil {
		return lesson{}, err
	}
	if d.Z == nil {
		return lesson{}, errors.New("train: data has no attribute, must have one whose groups fair codes serve alike")
	}
	if d.Groups > model.MaxPairs/d.Classes {
		return lesson{}, fmt.Errorf("train: data has %d classes and %d groups, must have at most %d pairs of them for fair codes", d.Classes, d.Groups, model.MaxPairs)
	}
	pairs := make([]int, len(d.Y))
	for i := range pairs {
		pairs[i] = Unknown
		if d.Y[i] != Unknown && d.Z[i] != Unknown {
			pairs[i] = d.Y[i]*d.Groups + d.Z[i]
		}
	}
	whole := d
	whole.More = append(slices.Clone(d.More), Target{Y: pairs, Classes: d.Classes * d.Groups})
	q, err := t.lesson(whole)
	q.fair = &d
	return q, err
}

// tellGroups makes pairs of class and group of what was the last label beside
// those of d.
func (t *teacher) tellGroups(d Data) {
	t.groups, t.classes, t.weights = d.Groups, d.classes(), d.weights()
	t.labels = t.labels[:len(t.classes)]
	t.expect = make([]float64, d.Classes*d.Groups)
	for i := range t.checked.Rows {
		for pair, q := range t.checked.Row(i)[model.Columns(t.classes):] {
			t.expect[pair] += float64(q)
		}
	}
	t.judge()
}

// told returns what the teacher says of the labels alone.
func (t *teacher) told() nn.Matrix { return t.posteriors.Columns(0, model.Columns(t.classes)) }

// rates returns how often a release tells the first label rightly of the rows
// that check, for each pair of class and group: what is expected over all that
// the channel can give, and over which pair each row is of, by what the teacher
// says. Its probabilities are those by which codes are chosen, and counting the
// rows of a rare pair instead would add the chance of few to the difference
// between groups. A pair of which less than a row is expected has NaN.
func (t *teacher) rates(table, scores nn.Matrix, weights []float64, epsilon dp.Epsilon) []float64 {
	says := make([]int, len(weights))
	for v := range says {
		says[v] = nn.Argmax(table.Row(v)[:t.classes[0]])
	}
	width, sums := model.Columns(t.classes), make([]float64, len(t.expect))
	law, said := make([]float64, len(weights)), make([]float64, t.classes[0])
	for i := range scores.Rows {
		channel.Probabilities(law, weights, epsilon, scores.Row(i))
		clear(said)
		for v, share := range law {
			said[says[v]] += share
		}
		for pair, q := range t.checked.Row(i)[width:] {
			sums[pair] += said[pair/t.groups] * float64(q)
		}
	}
	for pair, rows := range t.expect {
		if sums[pair] /= rows; !(rows >= 1) {
			sums[pair] = math.NaN()
		}
	}
	return sums
}

// compared returns the classes whose true positive rates are compared: of two
// the second, which is the positive one, and of more all. Package measure gives
// the gap of the same.
func (t *teacher) compared() []int {
	if t.classes[0] == 2 {
		return []int{1}
	}
	return nn.Indices(t.classes[0])
}

// gapOf returns the root of the mean over classes of the squared largest
// difference between groups' true positive rates. Classes that fewer than two
// groups have do not count; it is 0 if there are no others.
func (t *teacher) gapOf(rates []float64) float64 {
	sum, counted := 0.0, 0.0
	for _, c := range t.compared() {
		if known := defined(rates[c*t.groups : (c+1)*t.groups]); len(known) > 1 {
			gap := slices.Max(known) - slices.Min(known)
			sum += gap * gap
			counted++
		}
	}
	return math.Sqrt(sum / max(counted, 1))
}

func defined(rates []float64) []float64 {
	return slices.DeleteFunc(slices.Clone(rates), math.IsNaN)
}

// direction returns a tilt against the differences between groups, false if
// there are none. A true positive rate is the mean over all rows of
// P(answer is c)·P(c, g)/share(c, g), so that what an answer that says c adds to the
// rates' differences is linear in the probabilities of pairs: each group's by how
// far it is above the mean of the groups, over its share. No tilt of it is above
// what the first label counts.
func (t *teacher) direction(rates []float64) (nn.Matrix, bool) {
	tilt, largest := nn.NewMatrix(t.classes[0], t.groups), 0.0
	away := make([]float64, len(rates))
	for _, c := range t.compared() {
		of := rates[c*t.groups : (c+1)*t.groups]
		known := defined(of)
		mean := 0.0
		for _, r := range known {
			mean += r / float64(len(known))
		}
		least := math.Inf(1)
		for g, r := range of {
			if !math.IsNaN(r) {
				largest = max(largest, math.Abs(r-mean))
				least = min(least, t.expect[c*t.groups+g])
			}
		}
		for g, r := range of {
			if !math.IsNaN(r) {
				away[c*t.groups+g] = (r - mean) * least / t.expect[c*t.groups+g]
			}
		}
	}
	if !(largest > 0) {
		return tilt, false
	}
	for i, v := range away {
		tilt.Data[i] = float32(-t.weights[0] * v / largest)
	}
	return tilt, true
}

// strengths of a tilt that are tried, in a first round as they are and then in
// finer steps from the best.
func strengths() []float64 { return []float64{0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1} }

const tiltRounds = 3

// again returns the same release with scores that are tilted.
func (c coding) again(tilt nn.Matrix) (coding, error) {
	if c.open {
		return c.teacher.decoded(c.release, c.answers, tilt, c.table)
	}
	return c.teacher.coding(c.release, c.answers, tilt)
}

// fair returns the release of the smallest gap whose accuracy is within what may
// be paid of the untilted one's. Channels take long to find, so that tilts are
// first tried on the one that there is; that of the best tilt is taken if it is
// better still.
func (h Codes) fair(ctx context.Context, t *teacher, untilted coding, workers int) (coding, error) {
	if t.groups == 0 {
		return coding{}, errors.New("train: the model on the trusted side knows no groups, must know those that fair codes serve alike")
	}
	relax := max(cmp.Or(h.Relax, 1), 0)
	best := untilted
	better := func(c coding) bool { return c.accuracy >= untilted.accuracy-relax/100 && c.gap < best.gap }
	for round := range tiltRounds {
		from := best
		step, ok := t.direction(from.rates)
		if !ok {
			break
		}
		for _, strength := range strengths() {
			if err := ctx.Err(); err != nil {
				return coding{}, fmt.Errorf("train: stopped: %w", err)
			}
			tilt := step.Clone()
			for i := range tilt.Data {
				tilt.Data[i] *= float32(math.Ldexp(strength, -2*round))
				if from.tilt.Rows > 0 {
					tilt.Data[i] += from.tilt.Data[i]
				}
			}
			c, err := untilted.again(tilt)
			if err != nil {
				return coding{}, err
			}
			if better(c) {
				best = c
			}
		}
	}
	if best.tilt.Rows == 0 || best.open { // a public channel stays as it is
		return best, nil
	}
	again, err := h.solve(ctx, t, best.tilt, workers)
	if err == nil && better(again) {
		best = again
	}
	return best, err
}
