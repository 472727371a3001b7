package reproduce

import (
	"context"
	"fmt"
	"maps"
	"math"
	weakrand "math/rand/v2"
	"slices"

	"sotto/dataset"
	"sotto/encode"
	"sotto/measure"
	"sotto/nn"
	"sotto/text"
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
	words, all, err := known(ctx, w.sources[0].from, vocabulary(set.texts()), w.Workers)
	if err != nil {
		return err
	}
	if len(words) < 2*side {
		return fmt.Errorf("reproduce: the encoder knows %d words of mr, must know at least %d", len(words), 2*side)
	}
	x := nn.NewMatrix(2*side, all.Cols)
	for i, row := range weakrand.New(weakrand.NewPCG(0, 2)).Perm(len(words))[:x.Rows] {
		copy(x.Row(i), all.Row(row))
		r.Tau = max(r.Tau, norm(x.Row(i)))
	}
	r.Words = x.Rows
	eachPair(func(i, j int) {
		r.Distance += measure.Number(distance(x.Row(i), x.Row(j)) / (side * side))
		r.Inner += measure.Number(math.Abs(inner(x.Row(i), x.Row(j))) / (side * side))
	})
	settings := grid(x.Cols, dims, []float64{1, 2, 5})
	seen := make([][]missed, len(settings))
	var jobs []job
	for k, s := range settings {
		seen[k] = make([]missed, w.seeds)
		for seed := range w.seeds {
			jobs = append(jobs, job{fmt.Sprintf("pairs: %v, seed %d", s, seed), func(context.Context, *nn.Pool) error {
				released, err := s.apply(x, seed)
				if err == nil {
					seen[k][seed] = compare(x, released, r.Tau)
				}
				return err
			}})
		}
	}
	if err := w.all(ctx, jobs); err != nil {
		return err
	}
	for _, of := range seen {
		r.Pairs = append(r.Pairs, joinPairs(of))
	}
	return nil
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
	distance, inner struct{ mean, most, bound float64 }
}

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
	var abouts []Release
	var distances, inners []float64
	p := Pair{Distance: Miss{Within: true}, Inner: Miss{Within: true}}
	for _, m := range of {
		abouts = append(abouts, m.about)
		distances, inners = append(distances, m.distance.mean), append(inners, m.inner.mean)
		p.Distance.include(m.distance.most, m.distance.bound)
		p.Inner.include(m.inner.most, m.inner.bound)
	}
	d, i := measure.Summarise(distances), measure.Summarise(inners)
	p.Distance.Mean, p.Distance.Deviation, p.Inner.Mean, p.Inner.Deviation = d.Mean, d.Deviation, i.Mean, i.Deviation
	p.Release = worst(abouts)
	return p
}

// include takes in the largest error of a seed and its bound.
func (m *Miss) include(most, bound float64) {
	m.Max, m.Bound = max(m.Max, measure.Number(most)), max(m.Bound, measure.Number(bound))
	m.Within = m.Within && most <= bound
}

// opinions makes experiment 3: as many words of each opinion, a fifth of them
// to test.
func (w *work) opinions(ctx context.Context, r *PrivEmb, lexicon opinionLexicon, dims []int) error {
	_, positive, err := known(ctx, w.sources[0].from, lexicon.positive, w.Workers)
	if err != nil {
		return err
	}
	_, negative, err := known(ctx, w.sources[0].from, lexicon.negative, w.Workers)
	if err != nil {
		return err
	}
	r.Opinions = min(positive.Rows, negative.Rows)
	if r.Opinions < 10 {
		return fmt.Errorf("reproduce: the encoder knows %d words of an opinion, must know at least 10", r.Opinions)
	}
	x, y := nn.NewMatrix(2*r.Opinions, positive.Cols), make([]int, 2*r.Opinions)
	rng := weakrand.New(weakrand.NewPCG(0, 3))
	for opinion, all := range []nn.Matrix{negative, positive} {
		for i, row := range rng.Perm(all.Rows)[:r.Opinions] {
			copy(x.Row(opinion*r.Opinions+i), all.Row(row))
			y[opinion*r.Opinions+i] = opinion
		}
	}
	epsilons := []float64{1, 2, 5, 10}
	if w.Quick {
		epsilons, dims = []float64{2, 10}, dims[len(dims)-1:]
	}
	settings := append([]setting{{Unprotected, 0, x.Cols}}, grid(x.Cols, dims, epsilons)...)
	seen := make([][]judged, len(settings))
	var jobs []job
	for k, s := range settings {
		seen[k] = make([]judged, w.seeds)
		for seed := range w.seeds {
			jobs = append(jobs, job{fmt.Sprintf("opinions: %v, seed %d", s, seed), func(ctx context.Context, p *nn.Pool) error {
				var err error
				seen[k][seed], err = judge(ctx, p, s, x, y, seed)
				return err
			}})
		}
	}
	if err := w.all(ctx, jobs); err != nil {
		return err
	}
	for _, of := range seen {
		r.Opinion = append(r.Opinion, joinOpinions(of))
	}
	return nil
}

// judged is what one seed did to opinions.
type judged struct {
	about         Release
	accuracy, auc float64
	test          int
}

// judge releases the words, and fits and tests a support vector machine.
func judge(ctx context.Context, p *nn.Pool, s setting, x nn.Matrix, y []int, seed int) (judged, error) {
	released, err := s.apply(x, seed)
	if err != nil {
		return judged{}, err
	}
	rng := weakrand.New(weakrand.NewPCG(uint64(seed), 4))
	train, test := carve(nn.Indices(len(y)), 0.2, rng)
	train, validation := carve(train, 0.1, rng)
	pick := func(rows []int) measure.Labelled {
		return measure.Labelled{X: released.x.Gather(rows), Z: dataset.Select(y, rows)}
	}
	m, err := Choose(ctx, p, Hinge, pick(train), pick(validation), 2)
	if err != nil {
		return judged{}, err
	}
	d := pick(test)
	scores := m.Scores(p, d.X)
	positive, margin := make([]bool, len(test)), make([]float64, len(test))
	for i, z := range d.Z {
		positive[i], margin[i] = z == 1, float64(scores.Row(i)[1])-float64(scores.Row(i)[0])
	}
	return judged{released.about, measure.Accuracy(d.Z, m.Predict(p, d.X)), measure.AUC(positive, margin), len(test)}, nil
}

// joinOpinions joins the seeds of a setting.
func joinOpinions(of []judged) Opinion {
	var abouts []Release
	var accuracies, areas []float64
	for _, j := range of {
		abouts = append(abouts, j.about)
		accuracies, areas = append(accuracies, j.accuracy), append(areas, j.auc)
	}
	o := Opinion{Release: worst(abouts), Test: of[0].test}
	o.Accuracy, o.Deviation, o.Low, o.High = summary(accuracies, o.Test)
	a := measure.Summarise(areas)
	o.AUC, o.AUCDeviation = a.Mean, a.Deviation
	return o
}
