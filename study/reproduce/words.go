package reproduce

import (
	"context"
	"fmt"
	"maps"
	"math"
	weakrand "math/rand/v2"
	"slices"

	"sotto/compute/measure"
	"sotto/compute/nn"
	"sotto/text"
	"sotto/text/encode"
)

// Pair is what a release does to distances and inner products of words:
// experiments 1 and 2.
type Pair struct {
	Release
	Distance Miss `json:"distance"`
	Inner    Miss `json:"inner"`
}

// Miss is how far a number is off after release.
type Miss struct {
	Mean      measure.Number `json:"mean"`      // over pairs and seeds
	Deviation measure.Number `json:"deviation"` // of a seed's mean
	Max       measure.Number `json:"max"`
	Bound     measure.Number `json:"bound"`  // of the theorem, for all pairs at once
	Within    bool           `json:"within"` // whether the largest is within the bound
}

// Opinion is how well a linear model tells praise from blame by the released
// vector of a word: experiment 3.
type Opinion struct {
	Release
	Accuracy     measure.Number `json:"accuracy"` // on a fifth of the words, mean over seeds
	Deviation    measure.Number `json:"deviation"`
	Low          measure.Number `json:"low"` // 95 % interval from the number of test words alone
	High         measure.Number `json:"high"`
	AUC          measure.Number `json:"auc"`
	AUCDeviation measure.Number `json:"auc_deviation"`
	Test         int            `json:"test"` // words
}

// side is how many words stand on each side of the pairs.
const side = 100

// known encodes words and returns those that the encoder gives a vector that is
// not zero, with their vectors as rows.
func known(ctx context.Context, s encode.Source, words []string, workers int) ([]string, nn.Matrix, error) {
	x, err := encode.Texts(ctx, s, words, workers)
	if err != nil {
		return nil, nn.Matrix{}, err
	}
	var found []string
	kept := nn.Matrix{Cols: x.Cols}
	for i, word := range words {
		if norm(x.Row(i)) > 0 {
			found = append(found, word)
			kept.Data = append(kept.Data, x.Row(i)...)
			kept.Rows++
		}
	}
	return found, kept, nil
}

func norm(x []float32) float64 { return math.Sqrt(inner(x, x)) }

func inner(x, y []float32) float64 {
	sum := 0.0
	for i := range x {
		sum += float64(x[i]) * float64(y[i])
	}
	return sum
}

func distance(x, y []float32) float64 {
	sum := 0.0
	for i := range x {
		d := float64(x[i]) - float64(y[i])
		sum += d * d
	}
	return math.Sqrt(sum)
}

// vocabulary returns the words of texts, each once, in order of the alphabet.
func vocabulary(texts []string) []string {
	seen := map[string]bool{}
	for _, t := range texts {
		for word := range text.Words(t) {
			seen[word] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// pairs makes experiments 1 and 2.
func (w *work) pairs(ctx context.Context, r *PrivEmb, set *sentences, dims []int) error {
	words, vectors, err := known(ctx, w.sources[0].from, vocabulary(set.texts()), w.Workers)
	if err != nil {
		return err
	}
	if len(words) < 2*side {
		return fmt.Errorf("reproduce: the encoder knows %d words of mr, must know at least %d", len(words), 2*side)
	}
	x := vectors.Gather(weakrand.New(weakrand.NewPCG(0, 2)).Perm(len(words))[:2*side])
	for i := range x.Rows {
		r.Tau = max(r.Tau, norm(x.Row(i)))
	}
	r.Words = x.Rows
	eachPair(func(i, j int) {
		r.Distance += measure.Number(distance(x.Row(i), x.Row(j)) / (side * side))
		r.Inner += measure.Number(math.Abs(inner(x.Row(i), x.Row(j))) / (side * side))
	})
	trials := each(grid(x.Cols, dims, []float64{1, 2, 5}), func(s setting) trial[missed] {
		return trial[missed]{fmt.Sprintf("pairs: %v", s), func(_ context.Context, _ *nn.Pool, seed int) (missed, error) {
			released, failed := s.apply(x, seed)
			if failed != nil {
				return missed{}, failed
			}
			return compare(x, released, r.Tau), nil
		}}
	})
	seen, err := all(ctx, w, trials)
	if err == nil {
		r.Pairs = each(seen, joinPairs)
	}
	return err
}

// eachPair visits the 100×100 pairs of the first words and the others.
func eachPair(visit func(i, j int)) {
	for i := range side {
		for j := range side {
			visit(i, side+j)
		}
	}
}

// missed is what one seed did to distances and inner products.
type missed struct {
	about           Release
	distance, inner off
}

// off is how far numbers are off with one seed, and may be.
type off struct{ mean, most, bound float64 }

func compare(x nn.Matrix, released made, tau float64) missed {
	y, m := released.x, missed{about: released.about}
	b := released.bounds(x.Cols, x.Rows, tau)
	m.distance.bound, m.inner.bound = b.Distance(), b.Inner()
	eachPair(func(i, j int) {
		d := math.Abs(distance(y.Row(i), y.Row(j)) - distance(x.Row(i), x.Row(j)))
		p := math.Abs(inner(y.Row(i), y.Row(j)) - inner(x.Row(i), x.Row(j)))
		m.distance.mean += d / (side * side)
		m.inner.mean += p / (side * side)
		m.distance.most, m.inner.most = max(m.distance.most, d), max(m.inner.most, p)
	})
	return m
}

// joinPairs joins the seeds of a setting.
func joinPairs(of []missed) Pair {
	return Pair{
		Release:  worst(each(of, func(m missed) Release { return m.about })),
		Distance: joinOff(each(of, func(m missed) off { return m.distance })),
		Inner:    joinOff(each(of, func(m missed) off { return m.inner })),
	}
}

func joinOff(of []off) Miss {
	s := measure.Summarise(each(of, func(o off) float64 { return o.mean }))
	m := Miss{Mean: s.Mean, Deviation: s.Deviation, Within: true}
	for _, o := range of {
		m.include(o.most, o.bound)
	}
	return m
}

// include takes in the largest error of a seed and its bound.
func (m *Miss) include(most, bound float64) {
	m.Max, m.Bound = max(m.Max, measure.Number(most)), max(m.Bound, measure.Number(bound))
	m.Within = m.Within && most <= bound
}

// opinions makes experiment 3: as many words of each opinion, a fifth of them
// to test.
func (w *work) opinions(ctx context.Context, r *PrivEmb, lexicon [2][]string, dims []int) error {
	var vectors [2]nn.Matrix
	for opinion, words := range lexicon {
		var err error
		if _, vectors[opinion], err = known(ctx, w.sources[0].from, words, w.Workers); err != nil {
			return err
		}
	}
	r.Opinions = min(vectors[0].Rows, vectors[1].Rows)
	if r.Opinions < 10 {
		return fmt.Errorf("reproduce: the encoder knows %d words of an opinion, must know at least 10", r.Opinions)
	}
	d := measure.Labelled{X: nn.Matrix{Rows: 2 * r.Opinions, Cols: vectors[0].Cols}}
	rng := weakrand.New(weakrand.NewPCG(0, 3))
	for opinion, x := range vectors {
		d.X.Data = append(d.X.Data, x.Gather(rng.Perm(x.Rows)[:r.Opinions]).Data...)
		d.Z = append(d.Z, slices.Repeat([]int{opinion}, r.Opinions)...)
	}
	epsilons := []float64{1, 2, 5, 10}
	if w.Quick {
		epsilons, dims = []float64{2, 10}, dims[len(dims)-1:]
	}
	settings := append([]setting{{Unprotected, 0, d.X.Cols}}, grid(d.X.Cols, dims, epsilons)...)
	seen, err := all(ctx, w, each(settings, func(s setting) trial[judged] {
		return trial[judged]{fmt.Sprintf("opinions: %v", s), func(ctx context.Context, p *nn.Pool, seed int) (judged, error) {
			return judge(ctx, p, s, d, seed)
		}}
	}))
	if err == nil {
		r.Opinion = each(seen, joinOpinions)
	}
	return err
}

// judged is what one seed did to opinions.
type judged struct {
	about         Release
	accuracy, auc float64
	test          int
}

// judge releases the words, and fits and tests a support vector machine.
func judge(ctx context.Context, p *nn.Pool, s setting, words measure.Labelled, seed int) (judged, error) {
	released, err := s.apply(words.X, seed)
	if err != nil {
		return judged{}, err
	}
	words.X = released.x
	rng := weakrand.New(weakrand.NewPCG(uint64(seed), 4))
	train, test := carve(nn.Indices(len(words.Z)), 0.2, rng)
	train, validation := carve(train, 0.1, rng)
	m, err := Choose(ctx, p, Hinge, words.Gather(train), words.Gather(validation), 2)
	if err != nil {
		return judged{}, err
	}
	d := words.Gather(test)
	scores := m.Scores(p, d.X)
	positive, margin := make([]bool, len(test)), make([]float64, len(test))
	for i, z := range d.Z {
		positive[i], margin[i] = z == 1, float64(scores.Row(i)[1])-float64(scores.Row(i)[0])
	}
	return judged{released.about, measure.Accuracy(d.Z, m.Predict(p, d.X)), measure.AUC(positive, margin), len(test)}, nil
}

// joinOpinions joins the seeds of a setting.
func joinOpinions(of []judged) Opinion {
	areas := measure.Summarise(each(of, func(j judged) float64 { return j.auc }))
	o := Opinion{Release: worst(each(of, func(j judged) Release { return j.about })), Test: of[0].test, AUC: areas.Mean, AUCDeviation: areas.Deviation}
	o.Accuracy, o.Deviation, o.Low, o.High = summary(each(of, func(j judged) float64 { return j.accuracy }), o.Test)
	return o
}
