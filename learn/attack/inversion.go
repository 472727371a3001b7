package attack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"sotto/compute/measure"
	"sotto/compute/nn"
	"sotto/data/dataset"
	"sotto/promise/dp"
	"sotto/text"
	"sotto/text/encode"
)

// InversionWords is how many words an inversion looks for unless told otherwise.
const InversionWords = 1000

// named are the numbers of words that an inversion names of each text.
var named = []int{1, 5, 10}

// inversion guesses which words stand in texts from one release of each, or from
// their raw vectors if there is no mechanism. It looks for the commonest words of
// the half of the texts, drawn by the seed, that the attacker knows, without those
// that stand in more than half of these: to name "the" is no inversion. The other
// half is attacked, by two attackers: a recogniser, which is fitted to releases of
// the texts that are known, and the nearest neighbours of the release among the
// vectors of the words, which takes no fitting.
//
// Findings are precision@k: the share of words named rightly when k are named of
// each text. The baseline names the k commonest words, and the limit is
// [measure.PrecisionLimit] for the shares of the words among the texts attacked.
func (a *attempt) inversion(ctx context.Context) error {
	words := cmp.Or(a.Words, InversionWords)
	if words < 1 {
		return fmt.Errorf("attack: number of words is %d, must be at least 1", words)
	}
	s := newSearch(a.Corpus, words, a.Seed)
	if len(s.words) == 0 {
		return fmt.Errorf("attack: %s has no words that stand in at most half of its texts, must have some to look for", a.Corpus.Source)
	}
	a.note(
		fmt.Sprintf("%d texts are known to the attacker and %d attacked; %d words are looked for, none that stands in more than half of the texts", len(s.known), len(s.attacked), len(s.words)),
		"intervals are those of Hoeffding's bound, which hold whatever the texts are")
	raw, width, err := a.release(ctx, a.Mechanism, a.Corpus.X, 0)
	if err != nil {
		return err
	}
	done, y := a.counter(2), narrowed(raw, width)
	if err := a.recognise(ctx, s, y); err != nil {
		return err
	}
	done()
	if err := a.neighbours(ctx, s, y); err != nil {
		return err
	}
	done()
	return nil
}

// search is what an inversion looks for, and where.
type search struct {
	known, attacked []int
	words           []string  // the commonest first
	present         [][]int   // of each row, places in words
	shares          []float64 // of each word, among the rows attacked
}

func newSearch(c *Corpus, most int, seed uint64) *search {
	s := &search{present: make([][]int, len(c.Texts))}
	s.known, s.attacked = halves(len(c.Texts), seed)
	rows := map[string]int{}
	for _, k := range s.known {
		for word := range distinct(c.Texts[k]) {
			rows[word]++
		}
	}
	s.words = slices.SortedFunc(maps.Keys(rows), func(a, b string) int {
		return cmp.Or(cmp.Compare(rows[b], rows[a]), cmp.Compare(a, b))
	})
	s.words = slices.DeleteFunc(s.words, func(word string) bool { return 2*rows[word] > len(s.known) })
	s.words = s.words[:min(most, len(s.words))]
	place := map[string]int{}
	for k, word := range s.words {
		place[word] = k
	}
	for k, t := range c.Texts {
		for word := range distinct(t) {
			if at, ok := place[word]; ok {
				s.present[k] = append(s.present[k], at)
			}
		}
		slices.Sort(s.present[k])
	}
	s.shares = make([]float64, len(s.words))
	for _, k := range s.attacked {
		for _, at := range s.present[k] {
			s.shares[at] += 1 / float64(len(s.attacked))
		}
	}
	for at, v := range s.shares {
		s.shares[at] = min(v, 1) // a sum of rounded numbers may pass it
	}
	return s
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
func (a *attempt) recognise(ctx context.Context, s *search, y nn.Matrix) error {
	fitted, err := measure.MultiProbe{Seed: a.Seed}.Fit(ctx, a.pool, y.Gather(s.known), dataset.Select(s.present, s.known), len(s.words))
	if err != nil {
		return err
	}
	a.score(s, "recogniser", fitted.Scores(a.pool, y.Gather(s.attacked)))
	return nil
}

// neighbours attacks by the cosine of releases and words, each less its mean:
// that of the releases is taken over the known texts, so that what is named of
// one text does not depend on the noise of another that is attacked.
func (a *attempt) neighbours(ctx context.Context, s *search, y nn.Matrix) error {
	vectors, err := encode.Texts(ctx, a.Corpus.Encoder, s.words, a.Workers)
	if err != nil {
		return err
	}
	vectors, note, err := a.protected(ctx, vectors)
	if errors.Is(err, dp.ErrDomain) {
		a.note("the mechanism refuses the vector of a word: no neighbours are looked for")
		return nil
	} else if err != nil {
		return err
	}
	if note != "" {
		a.note(note)
	}
	if vectors.Rows == 0 {
		return nil
	}
	attacked := directions(y.Gather(s.attacked), means(y.Gather(s.known)))
	vectors = directions(vectors, means(vectors))
	scores := nn.NewMatrix(attacked.Rows, vectors.Rows)
	a.pool.MulNT(scores, attacked, vectors)
	a.score(s, "neighbours", scores)
	return nil
}

// score names the words with the largest scores of each row attacked. Given the
// texts, the precisions of different rows are independent, as their noise is.
func (a *attempt) score(s *search, attacker string, scores nn.Matrix) {
	epsilon := limitedBy(a.result.Guarantee)
	for _, k := range named {
		if k > len(s.words) {
			continue
		}
		right, blind := 0, 0
		for row, at := range s.attacked {
			for place, word := range largest(scores.Row(row), k) {
				if _, found := slices.BinarySearch(s.present[at], word); found {
					right++
				}
				if _, found := slices.BinarySearch(s.present[at], place); found {
					blind++
				}
			}
		}
		all := float64(k * len(s.attacked))
		f := bounded(Finding{Attacker: attacker, Target: "words", Metric: fmt.Sprintf("precision@%d", k), Limit: measure.Undefined}, float64(right)/all, len(s.attacked))
		f.Baseline = measure.Number(float64(blind) / all)
		if epsilon >= 0 {
			f.Limit = measure.Number(measure.PrecisionLimit(epsilon, s.shares, k))
		}
		f.below = func(risk float64) float64 {
			low, _ := measure.Hoeffding(float64(f.Value), f.Rows, 1-2*risk)
			return low
		}
		a.find(f)
	}
}

// bounded is a finding of a mean over rows, with the interval of Hoeffding's
// bound.
func bounded(f Finding, mean float64, rows int) Finding {
	low, high := measure.Hoeffding(mean, rows, 0.95)
	f.Rows, f.Value, f.Low, f.High = rows, measure.Number(mean), measure.Number(low), measure.Number(high)
	return f
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
