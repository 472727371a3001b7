package experiment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"sotto/dp"
	"sotto/encode"
	"sotto/measure"
	"sotto/mech"
	"sotto/nn"
	"sotto/text"
)

// InversionWords is how many words an inversion looks for unless told otherwise.
const InversionWords = 1000

// named are the numbers of words that an inversion names of each text.
var named = []int{1, 5, 10}

// AttackInversion guesses which words stand in texts from one release of each,
// or from their raw vectors if m is nil. It looks for the commonest words of the
// half of the texts, drawn by the seed, that the attacker knows, without those
// that stand in more than half of these: to name "the" is no inversion. Words 0
// means [InversionWords]. The other half is attacked, by two attackers: a recogniser,
// which is fitted to releases of the texts that are known, and the nearest
// neighbours of the release among the vectors of the words, which takes no
// fitting.
//
// Findings are precision@k: the share of words named rightly when k are named of
// each text. The baseline names the k commonest words, and the limit is
// [measure.PrecisionLimit] for the shares of the words among the texts attacked.
func AttackInversion(ctx context.Context, c *Corpus, m mech.Mechanism, words int, o AttemptOptions) (*Attempt, error) {
	o, pool, err := o.check()
	if err != nil {
		return nil, err
	}
	if c.Texts == nil || c.Encoder == nil {
		return nil, fmt.Errorf("experiment: %s has no texts, must have some to look for words", c.Source)
	}
	if err = c.validate(m, 20); err != nil {
		return nil, err
	}
	if words == 0 {
		words = InversionWords
	}
	if words < 1 {
		return nil, fmt.Errorf("experiment: number of words is %d, must be at least 1", words)
	}
	a := &Attempt{Kind: Inversion, Source: c.describe(m), Guarantee: o.stated(guaranteeOf(m))}
	if m != nil {
		a.Notes = append(a.Notes, simulated)
	}
	i := newInversion(c, words, o.Seed)
	if len(i.words) == 0 {
		return nil, fmt.Errorf("experiment: %s has no words that stand in at most half of its texts, must have some to look for", c.Source)
	}
	a.Notes = append(a.Notes,
		fmt.Sprintf("%d texts are known to the attacker and %d attacked; %d words are looked for, none that stands in more than half of the texts", len(i.known), len(i.attacked), len(i.words)),
		"intervals are those of Hoeffding's bound, which hold whatever the texts are")
	y, width, err := simulator{m, o.Seed}.release(ctx, pool, c.X, 0)
	if err != nil {
		return nil, err
	}
	done := counter(o.Progress, 2)
	trials, err := i.recognise(ctx, pool, narrowed(y, width), limitedBy(a.Guarantee), o)
	if err != nil {
		return nil, err
	}
	done()
	near, note, err := i.neighbours(ctx, pool, m, narrowed(y, width), limitedBy(a.Guarantee))
	if err != nil {
		return nil, err
	}
	done()
	if note != "" {
		a.Notes = append(a.Notes, note)
	}
	return a.conclude(append(trials, near...), o.Risk), nil
}

// inversion is what an inversion looks for, and where.
type inversion struct {
	corpus          *Corpus
	known, attacked []int
	words           []string  // the commonest first
	present         [][]int   // of each row, places in words
	shares          []float64 // of each word, among the rows attacked
}

func newInversion(c *Corpus, most int, seed uint64) *inversion {
	i := &inversion{corpus: c, present: make([][]int, len(c.Texts))}
	i.known, i.attacked = halves(len(c.Texts), seed)
	rows := map[string]int{}
	for _, k := range i.known {
		for word := range distinct(c.Texts[k]) {
			rows[word]++
		}
	}
	i.words = slices.SortedFunc(maps.Keys(rows), func(a, b string) int {
		return cmp.Or(cmp.Compare(rows[b], rows[a]), cmp.Compare(a, b))
	})
	i.words = slices.DeleteFunc(i.words, func(word string) bool { return 2*rows[word] > len(i.known) })
	i.words = i.words[:min(most, len(i.words))]
	place := map[string]int{}
	for k, word := range i.words {
		place[word] = k
	}
	for k, t := range c.Texts {
		for word := range distinct(t) {
			if at, ok := place[word]; ok {
				i.present[k] = append(i.present[k], at)
			}
		}
		slices.Sort(i.present[k])
	}
	i.shares = make([]float64, len(i.words))
	for _, k := range i.attacked {
		for _, at := range i.present[k] {
			i.shares[at] += 1 / float64(len(i.attacked))
		}
	}
	for at, s := range i.shares {
		i.shares[at] = min(s, 1) // a sum of rounded numbers may pass it
	}
	return i
}

// distinct is the set of words of a text.
func distinct(t string) map[string]bool {
	set := map[string]bool{}
	for word := range text.Words(t) {
		set[word] = true
	}
	return set
}

// recognise attacks by a recogniser of all words at once.
func (i *inversion) recognise(ctx context.Context, pool *nn.Pool, y nn.Matrix, epsilon dp.Epsilon, o AttemptOptions) ([]trial, error) {
	var lists [][]int
	for _, k := range i.known {
		lists = append(lists, i.present[k])
	}
	fitted, err := measure.MultiProbe{Seed: o.Seed}.Fit(ctx, pool, gather(y, i.known), lists, len(i.words))
	if err != nil {
		return nil, err
	}
	return i.score("recogniser", fitted.Scores(pool, gather(y, i.attacked)), epsilon), nil
}

// neighbours attacks by the cosine of releases and words, each less its mean:
// that of the releases is taken over the known texts, so that what is named of
// one text does not depend on the noise of another that is attacked.
func (i *inversion) neighbours(ctx context.Context, pool *nn.Pool, m mech.Mechanism, y nn.Matrix, epsilon dp.Epsilon) ([]trial, string, error) {
	vectors, err := encode.Texts(ctx, i.corpus.Encoder, i.words, pool.Workers())
	if err != nil {
		return nil, "", err
	}
	vectors, note, err := protected(ctx, pool, m, vectors)
	switch {
	case errors.Is(err, dp.ErrDomain):
		return nil, "the mechanism refuses the vector of a word: no neighbours are looked for", nil
	case err != nil:
		return nil, "", err
	case vectors.Rows == 0:
		return nil, note, nil
	}
	attacked := directions(gather(y, i.attacked), means(y, i.known))
	vectors = directions(vectors, means(vectors, everyRow(vectors)))
	scores := nn.NewMatrix(attacked.Rows, vectors.Rows)
	pool.MulNT(scores, attacked, vectors)
	return i.score("neighbours", scores, epsilon), note, nil
}

// score names the words with the largest scores of each row attacked. Given the
// texts, the precisions of different rows are independent, as their noise is.
func (i *inversion) score(attacker string, scores nn.Matrix, epsilon dp.Epsilon) []trial {
	var trials []trial
	for _, k := range named {
		if k > len(i.words) {
			continue
		}
		right, blind := 0, 0
		for row, at := range i.attacked {
			for place, word := range largest(scores.Row(row), k) {
				if _, found := slices.BinarySearch(i.present[at], word); found {
					right++
				}
				if _, found := slices.BinarySearch(i.present[at], place); found {
					blind++
				}
			}
		}
		all := float64(k * len(i.attacked))
		f := Finding{Attacker: attacker, Target: "words", Metric: fmt.Sprintf("precision@%d", k), Rows: len(i.attacked), Limit: undefined}
		mean := float64(right) / all
		low, high := measure.Hoeffding(mean, f.Rows, 0.95)
		f.Value, f.Low, f.High = measure.Number(mean), measure.Number(low), measure.Number(high)
		f.Baseline = measure.Number(float64(blind) / all)
		if epsilon >= 0 {
			f.Limit = measure.Number(measure.PrecisionLimit(epsilon, i.shares, k))
		}
		trials = append(trials, trial{f, func(risk float64) float64 {
			low, _ := measure.Hoeffding(mean, f.Rows, 1-2*risk)
			return low
		}})
	}
	return trials
}

// largest returns the places of the k largest scores, the first of equal ones
// first.
func largest(scores []float32, k int) []int {
	var best []int
	for i, s := range scores {
		if len(best) == k && !(s > scores[best[k-1]]) {
			continue
		}
		at := len(best)
		for at > 0 && s > scores[best[at-1]] {
			at--
		}
		best = slices.Insert(best, at, i)
		best = best[:min(k, len(best))]
	}
	return best
}
