package attack

import (
	"context"
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"sotto/compute/measure"
	"sotto/compute/nn"
	"sotto/promise/dp"
)

// membershipRows bounds the texts of a membership attack, which holds a number
// for each text and each release: 256 MiB.
const membershipRows = 8192

// membership pairs the texts at random, releases one of each pair, as a
// fair coin falls, and lets an attacker who knows the texts and the mechanism,
// but not the coins, say which were released. The attacker sees the releases
// without order. It scores a text by the likelihood of the releases if the
// mechanism has one written down, and by the largest cosine with a release.
//
// Findings are the share of pairs of which the released text scores above the
// other; the balanced accuracy at the threshold that is best on half of the
// pairs, scored on the others; the AUC; and the share of released texts found
// when about 1 % and 0.1 % of the others are accused, by a threshold for that
// share on half of the pairs, scored on the others. Where half of the pairs are
// too few for such a share it is left out. Limits are
//
//	pair and balanced accuracy, AUC: π = e^ε/(1+e^ε)
//	released texts found at a share f of false ones: min(e^ε·f, 1−e^{−ε}(1−f)).
//
// The threshold's true f is not known: the last limit takes the upper end of
// what the pairs scored leave room for, and the baseline is the share seen.
//
// Proof. Given all other coins, the two outcomes of a coin change one release,
// from that of one text to that of another, and shuffling releases is
// post-processing: no event's probability changes by more than e^ε. So for each
// text the points (share of false, share of found) over all thresholds lie in
// the region that the second line bounds, which is convex, hence so do their
// means over texts; the area under its upper edge is π. And whatever was
// released and however the other coins fell, the coin's odds lie within e^{±ε}, so that a
// guess of it is right with probability at most π, one after the other: the
// number of right ones among m guesses is at most a binomial one with m and π.
// That bound, and not the spread over texts, decides whether ε is refuted.
func (a *attempt) membership(ctx context.Context) error {
	if rows := a.Corpus.X.Rows; rows > membershipRows {
		return fmt.Errorf("attack: %s has %d rows, must have at most %d for this attack", a.Corpus.Source, rows, membershipRows)
	}
	s := newSuspects(a.Corpus, a.Seed)
	y, width, err := a.release(ctx, a.Mechanism, s.x.Gather(s.released()), 0)
	if err != nil {
		return err
	}
	pairs := len(s.second)
	a.note(
		fmt.Sprintf("%d pairs of texts; a coin decides which of each is released", pairs),
		"pair and balanced accuracy can refute; the intervals of the others take texts for independent, which they are but nearly",
		"texts found: the threshold is chosen on half of the pairs and scored on the others; the baseline is the share of others accused there, and the limit that of the largest share which this leaves room for",
	)
	for _, f := range falsely {
		if pairs/2 < enough(f) {
			a.note(fmt.Sprintf("%d pairs are too few to find texts at %g %% false: half of them must hold at least %d", pairs, 100*f, enough(f)))
		}
	}
	epsilon := limitedBy(a.result.Guarantee)
	if d, ok := a.Mechanism.(dp.Distinguisher); ok {
		var scores []float64
		if scores, err = a.likelihood(ctx, s, d, y, width); err != nil {
			return err
		}
		a.find(s.findings("likelihood", scores, epsilon, a.Seed)...)
	}
	truth, note, err := a.protected(ctx, s.x)
	if err != nil {
		return err
	}
	if truth.Rows > 0 {
		a.find(s.findings("cosine", cosines(a.pool, truth, narrowed(y, width)), epsilon, a.Seed)...)
	}
	if len(a.result.Findings) == 0 {
		return fmt.Errorf("attack: no text can be scored: %s", note)
	}
	return nil
}

// suspects are pairs of texts, at rows 2i and 2i+1, and which was released.
type suspects struct {
	x      nn.Matrix
	second []bool // of each pair: whether its second text was released
}

func newSuspects(c *Corpus, seed uint64) *suspects {
	// The second word keeps this stream apart from others of the same seed.
	rng := weakrand.New(weakrand.NewPCG(seed, 0x70616972))
	order := rng.Perm(c.X.Rows)
	s := &suspects{x: c.X.Gather(order[:len(order)/2*2]), second: make([]bool, len(order)/2)}
	for i := range s.second {
		s.second[i] = rng.IntN(2) == 1
	}
	return s
}

// released lists the rows that were released.
func (s *suspects) released() []int {
	rows := make([]int, len(s.second))
	for i, second := range s.second {
		rows[i] = 2 * i
		if second {
			rows[i]++
		}
	}
	return rows
}

// unlikely stands for ln 0.
const unlikely = -1e6

// likelihood scores texts by ln Σ_y P(y|text)/Σ over texts of P(y|·): how much
// likelier the releases are if the text is among those released.
func (a *attempt) likelihood(ctx context.Context, s *suspects, d dp.Distinguisher, y []float64, width int) ([]float64, error) {
	texts := make([][]float64, s.x.Rows)
	for c := range texts {
		texts[c] = widened(s.x.Row(c))
	}
	ratio := make([][]float64, len(s.second)) // release × text
	done := a.counter(len(ratio))
	err := a.each(ctx, len(ratio), func(_ context.Context, i int) error {
		ratio[i] = ratios(d, y[i*width:(i+1)*width], texts)
		floats.AddConst(-floats.LogSumExp(ratio[i]), ratio[i])
		done()
		return nil
	})
	if err != nil {
		return nil, err
	}
	scores, column := make([]float64, len(texts)), make([]float64, len(ratio))
	for c := range texts {
		for i := range ratio {
			column[i] = ratio[i][c]
		}
		scores[c] = floats.LogSumExp(column)
	}
	return scores, nil
}

// ratios returns the log-likelihood of each text for one release, against that of
// one of them. This is the first, which cancels in what follows; where that says
// that others are infinitely likelier, it is the likeliest.
func ratios(d dp.Distinguisher, y []float64, texts [][]float64) []float64 {
	against := func(c, reference int) float64 {
		v, err := d.LogRatio(y, texts[c], texts[reference])
		if err != nil { // neither text can have been released so
			return unlikely
		}
		return v
	}
	row, reference := make([]float64, len(texts)), 0
	for c := range texts {
		if row[c] = against(c, 0); math.IsInf(row[c], 1) && against(c, reference) > 0 {
			reference = c
		}
	}
	for c := range texts {
		if reference > 0 {
			row[c] = against(c, reference)
		}
		row[c] = max(row[c], unlikely)
	}
	return row
}

// cosines scores texts by the largest cosine of its vector with a release.
func cosines(pool *nn.Pool, truth, y nn.Matrix) []float64 {
	truth = directions(truth, means(truth))
	y = directions(y, means(y))
	all := nn.NewMatrix(truth.Rows, y.Rows)
	pool.MulNT(all, truth, y)
	scores := make([]float64, truth.Rows)
	for c := range scores {
		scores[c] = float64(slices.Max(all.Row(c)))
	}
	return scores
}

// findings are those of one attacker.
func (s *suspects) findings(attacker string, scores []float64, epsilon dp.Epsilon, seed uint64) []Finding {
	in, out := make([]float64, len(s.second)), make([]float64, len(s.second))
	for i, row := range s.released() {
		in[i], out[i] = scores[row], scores[row^1]
	}
	pi := measure.Number(1 / (1 + math.Exp(-float64(epsilon))))
	f := Finding{Attacker: attacker, Target: "released texts", Rows: len(scores), Baseline: 0.5, Limit: pi}
	f.Metric = "pair accuracy"
	all := []Finding{guesses(f, in, out)}
	f.Metric = "balanced accuracy"
	half := len(in) / 2
	at := threshold(in[:half], out[:half])
	all = append(all, guesses(f, above(in[half:], at), above(out[half:], at)))
	f.Metric = "auc"
	all = append(all, areaUnder(f, in, out, seed))
	for _, share := range falsely {
		if half >= enough(share) {
			f.Metric = fmt.Sprintf("found at %g %% false", 100*share)
			at := strict(out[:half], share)
			all = append(all, found(f, above(in[half:], at), above(out[half:], at), epsilon))
		}
	}
	return all
}

// guesses is a finding on pairs: right if the released text has the larger
// number, half right if both have the same, when nothing is guessed. The test is
// that of the guesses made; the interval also knows that their number is chance.
func guesses(f Finding, in, out []float64) Finding {
	right, made := 0, 0
	for i, v := range in {
		if v != out[i] {
			made++
			if v > out[i] {
				right++
			}
		}
	}
	mean := (float64(right) + float64(len(in)-made)/2) / float64(len(in))
	f = bounded(f, mean, len(in))
	if f.Rows = 2 * len(in); made > 0 {
		f.below = surely(right, made)
	}
	return f
}

// threshold returns the score at which accusing what is above it has the best
// balanced accuracy: between two scores, so that others are told apart, too.
func threshold(in, out []float64) float64 {
	best, at := -1.0, math.Inf(1)
	all := slices.Sorted(slices.Values(slices.Concat(in, out)))
	for k, t := range append([]float64{math.Inf(-1)}, all...) {
		if k > 0 && k < len(all) {
			t += (all[k] - t) / 2
		}
		right := 0.0
		for i := range in {
			if in[i] > t {
				right++
			}
			if !(out[i] > t) {
				right++
			}
		}
		if right > best {
			best, at = right, t
		}
	}
	return at
}

// above returns 1 for each score above t, and 0 for the others.
func above(scores []float64, t float64) []float64 {
	accused := make([]float64, len(scores))
	for i, v := range scores {
		if v > t {
			accused[i] = 1
		}
	}
	return accused
}

// areaUnder is a finding of the AUC, with a bootstrap over pairs.
func areaUnder(f Finding, in, out []float64, seed uint64) Finding {
	n := len(in)
	positive, score := make([]bool, 2*n), make([]float64, 2*n)
	area := func(at func(i int) int) float64 {
		for i := range n {
			positive[2*i], positive[2*i+1] = true, false
			score[2*i], score[2*i+1] = in[at(i)], out[at(i)]
		}
		return measure.AUC(positive, score)
	}
	f.Value = measure.Number(area(func(i int) int { return i }))
	rng := weakrand.New(weakrand.NewPCG(seed, 0x617563))
	values := make([]float64, 1000)
	for k := range values {
		values[k] = area(func(int) int { return rng.IntN(n) })
	}
	slices.Sort(values)
	f.Low, f.High = measure.Holding(f.Value, measure.Number(values[25]), measure.Number(values[974]))
	return f
}

// falsely are the shares of false accusations at which texts are found.
var falsely = []float64{0.01, 0.001}

// enough is how many scores a threshold for a share of false accusations takes:
// the largest of n scores is exceeded by the next one with probability 1/(n+1).
func enough(share float64) int { return int(math.Ceil(1/share)) - 1 }

// strict returns the score that another like these exceeds with at most the
// given probability: the k-th largest of n, with k/(n+1) at most that. It panics
// if n is not enough.
func strict(scores []float64, share float64) float64 {
	sorted := slices.Sorted(slices.Values(scores))
	k := max(1, int(share*float64(len(sorted)+1))) // rounding may leave less than 1 of enough
	return sorted[len(sorted)-k]
}

// found is a finding of the share of released texts accused, in which numbers
// are 1 for who is. Its interval and the largest share of the others that may
// have been accused leave out 1.25 % each on the side of a refutation, so that the
// interval of a true ε lies above the limit in at most 2.5 % of attacks.
func found(f Finding, in, out []float64, epsilon dp.Epsilon) Finding {
	const confidence = 0.975
	hits, misses := int(floats.Sum(in)), int(floats.Sum(out))
	low, high := measure.ClopperPearson(hits, len(in), confidence)
	_, most := measure.ClopperPearson(misses, len(out), confidence)
	e := math.Exp(float64(epsilon))
	f.Rows, f.Value = 2*len(in), measure.Number(float64(hits)/float64(len(in)))
	f.Low, f.High = measure.Number(low), measure.Number(high)
	f.Baseline = measure.Number(float64(misses) / float64(len(out)))
	f.Limit = measure.Number(min(e*most, 1-(1-most)/e))
	return f // texts are not quite independent, so it refutes nothing
}
