package decoy

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strings"

	"sotto/compute/measure"
	"sotto/study/explain"
	"sotto/study/explain/linear"
)

// values collect what was measured, by name, a value a seed.
type values map[string][]float64

func (v values) put(name string, value float64) { v[name] = append(v[name], value) }

func (v values) mean(name string) measure.Number { return measure.Summarise(v[name]).Mean }

// share is the summary of values from 0 to 1, gain of differences of such, and count of
// values from 1 on: an interval does not go beyond what is possible.
func (v values) share(name string) measure.Summary { return v.within(name, 0, 1) }
func (v values) gain(name string) measure.Summary  { return v.within(name, -1, 1) }
func (v values) count(name string) measure.Summary {
	return v.within(name, 1, measure.Number(math.Inf(1)))
}

func (v values) within(name string, low, high measure.Number) measure.Summary {
	s := measure.Summarise(v[name])
	if s.N > 1 {
		s.Low, s.High = max(s.Low, low), min(s.High, high)
	}
	return s
}

// compare ranks explainers over seeds.
func (b *bench) compare(ctx context.Context, r *Result) error {
	finders := []string(nil)
	if b.Models == nil && slices.ContainsFunc(b.decoys, func(d Decoy) bool { return d.Recipe == Flip }) {
		finders = Finders()
	}
	methods := b.Explainers
	if len(b.cues) == 0 {
		methods = nil // there is no word to find
	}
	if len(methods)+len(finders) == 0 {
		return nil
	}
	words, rows := make([]values, len(methods)), make([]values, len(finders))
	total := b.Seeds * (len(methods) + len(finders))
	for s := range b.Seeds {
		t, err := b.newTrial(ctx, b.Seed+uint64(s)+1)
		if err != nil {
			return err
		}
		for k, m := range methods {
			b.Progress(s*(len(methods)+len(finders))+k, total)
			if words[k] == nil {
				words[k] = values{}
			}
			if err := b.word(ctx, t, m.Make(t.seed), words[k]); err != nil {
				return err
			}
		}
		for k, name := range finders {
			b.Progress(s*(len(methods)+len(finders))+len(methods)+k, total)
			if rows[k] == nil {
				rows[k] = values{}
			}
			if err := b.find(ctx, t, name, rows[k]); err != nil {
				return err
			}
		}
	}
	r.Explainers = append(b.ranked(methods, words), rankedFinders(finders, rows)...)
	return nil
}

// word measures an explainer of words for a seed.
func (b *bench) word(ctx context.Context, t *trial, e explain.Explainer, v values) error {
	with, err := readAll(ctx, e, t.asked.Decoy, t.instance, b.Workers)
	if err != nil {
		return err
	}
	b.identify(with, v)
	pool, err := readAll(ctx, e, t.asked.Decoy, t.pool, b.Workers)
	if err != nil {
		return err
	}
	other, err := readAll(ctx, e, t.asked.Clean, t.pool, b.Workers)
	if err != nil {
		return err
	}
	hit, clean := make([]bool, len(pool)), make([]bool, len(pool))
	for i := range pool {
		hit[i], clean[i] = pool[i].hit(b.cues, b.Top), other[i].hit(b.cues, b.Top)
	}
	v.put("choose", chooses(hit, clean, b.Budget))
	for _, o := range Orders() {
		first, third := untilHits(o, pool, hit, t.rng)
		v.put("first "+string(o), first)
		v.put("third "+string(o), third)
	}
	return b.improve(ctx, t, listed(pool), v)
}

// identify measures how well cues show in explanations of texts that have one.
func (b *bench) identify(with []reading, v values) {
	top1, rank, at3, at5 := 0.0, 0.0, 0.0, 0.0
	for _, r := range with {
		top1 += float64(r.among(b.cues, 1))
		rank += float64(r.rank(b.cues))
		at3 += float64(r.among(b.cues, 3)) / 3
		at5 += float64(r.among(b.cues, 5)) / 5
	}
	n := float64(len(with))
	v.put("top1", top1/n)
	v.put("rank", rank/n)
	v.put("at3", at3/n)
	v.put("at5", at5/n)
}

// improve repairs the model by the cues that stand at the top of a list of words.
func (b *bench) improve(ctx context.Context, t *trial, list []string, v values) error {
	at := slices.IndexFunc(list, func(w string) bool { return b.cues[w] })
	if at < 0 {
		at = len(list)
	}
	v.put("list", float64(at+1))
	if b.Models != nil {
		return nil // what was trained elsewhere cannot be trained again
	}
	found := map[string]bool{}
	for _, w := range list[:min(b.Listed, len(list))] {
		if b.cues[w] {
			found[w] = true
		}
	}
	removed, held, err := b.repair(ctx, t, found)
	if err != nil {
		return err
	}
	v.put("found", float64(number(len(found) > 0)))
	v.put("removed test", removed.test-t.base.test)
	v.put("removed slice", removed.slice-t.base.slice)
	v.put("held test", held.test-t.base.test)
	v.put("held slice", held.slice-t.base.slice)
	return nil
}

// chooses is the probability that who reads so many texts of a pool, as two models
// explain them, sees the cue more often in the explanations of the decoy model, and half
// of that of seeing it as often: exactly, over all ways to draw the texts.
func chooses(decoy, clean []bool, budget int) float64 {
	n, a, c := len(decoy), 0, 0 // texts that tell the models apart
	for i := range decoy {
		a += number(decoy[i] && !clean[i])
		c += number(clean[i] && !decoy[i])
	}
	budget = min(budget, n)
	all := choose(n, budget)
	sum := 0.0
	for i := range min(a, budget) + 1 {
		for j := range min(c, budget-i) + 1 {
			p := math.Exp(choose(a, i) + choose(c, j) + choose(n-a-c, budget-i-j) - all)
			switch {
			case i > j:
				sum += p
			case i == j:
				sum += p / 2
			}
		}
	}
	return min(sum, 1)
}

// repair is the scores of models that were trained again.
type repair struct{ removed, held scores }

// repair trains the decoy model again without the words that were found, and with a
// penalty on what they are worth. Nothing found repairs nothing.
func (b *bench) repair(ctx context.Context, t *trial, found map[string]bool) (removed, held scores, err error) {
	if len(found) == 0 {
		return t.base, t.base, nil
	}
	key := strings.Join(slices.Sorted(maps.Keys(found)), " ")
	if r, ok := t.repaired[key]; ok {
		return r.removed, r.held, nil
	}
	texts := make([]string, len(t.keep))
	for k, i := range t.keep {
		texts[k] = b.rows.Texts[i]
	}
	x, err := b.without(ctx, texts, t.x, found)
	if err != nil {
		return removed, held, err
	}
	m, err := b.fit(ctx, &b.planted, x, t.labels, b.Fit)
	if err != nil {
		return removed, held, err
	}
	test, err := b.without(ctx, b.data.Test.Texts, b.planted.test, found)
	if err != nil {
		return removed, held, err
	}
	cut := make([]*linear.Rows, len(b.slices))
	for k := range cut {
		if cut[k], err = b.without(ctx, b.slices[k].Texts, b.planted.cut[k], found); err != nil {
			return removed, held, err
		}
	}
	removed = b.scores(m, test, cut)

	o := b.Fit
	if o.Against, err = linear.Attributed(ctx, b.planted.f, texts, found, maxAgainst); err != nil {
		return removed, held, err
	}
	if m, err = b.fit(ctx, &b.planted, t.x, t.labels, o); err != nil {
		return removed, held, err
	}
	held = b.scores(m, b.planted.test, b.planted.cut)
	t.repaired[key] = repair{removed, held}
	return removed, held, nil
}

// maxAgainst is how many texts with a found word are penalised for it, which bounds what
// an encoder has to encode.
const maxAgainst = 1000

// without returns the rows of texts without some words: x where they have none.
func (b *bench) without(ctx context.Context, texts []string, x *linear.Rows, words map[string]bool) (*linear.Rows, error) {
	var changed []string
	which := make([]bool, len(texts))
	for i, s := range texts {
		var rest string
		if rest, which[i] = linear.Without(s, words); which[i] {
			changed = append(changed, rest)
		}
	}
	made, err := b.planted.f.Rows(ctx, changed)
	if err != nil {
		return nil, err
	}
	all, at := linear.NewRows(x.Width), 0
	for i := range texts {
		if !which[i] {
			all.Add(x.Row(i))
			continue
		}
		all.Add(made.Row(at))
		at++
	}
	return all, nil
}

// places returns for each explainer its places by seed: 1 for the one with the fewest
// explanations until a hit, the mean place of equals.
func places(all []values, name string) [][]float64 {
	out := make([][]float64, len(all))
	if len(all) == 0 {
		return out
	}
	for s := range all[0][name] {
		for k := range all {
			before, same := 0, 0
			for j := range all {
				switch c := cmp.Compare(all[j][name][s], all[k][name][s]); {
				case c < 0:
					before++
				case c == 0:
					same++
				}
			}
			out[k] = append(out[k], float64(before)+float64(same+1)/2)
		}
	}
	return out
}

// ranked returns the explainers of words, best first.
func (b *bench) ranked(methods []Method, all []values) []Explained {
	where := places(all, "first "+string(Uniform))
	most := measure.Number(min(b.Pool, len(b.shown.Texts)) + 1)
	out := make([]Explained, len(methods))
	for k, m := range methods {
		v := all[k]
		chosen := v.share("choose")
		e := Explained{
			Name: m.Name, Top1: v.mean("top1"), FirstHit: v.mean("first " + string(Uniform)), Place: measure.Summarise(where[k]),
			Identify: &Identify{v.share("top1"), v.count("rank"), v.share("at3"), v.share("at5"), v.count("list")},
			Choose:   &chosen,
		}
		if b.Models == nil {
			e.Removed = &Gain{v.mean("found"), v.gain("removed test"), v.gain("removed slice")}
			e.Held = &Gain{v.mean("found"), v.gain("held test"), v.gain("held slice")}
		}
		for _, o := range Orders() {
			e.Reading = append(e.Reading, Reading{o, v.within("first "+string(o), 1, most), v.within("third "+string(o), 1, most)})
		}
		out[k] = e
	}
	return inPlace(out)
}

// inPlace sorts explainers by their mean place, and equals by how often the cue is on top.
func inPlace(all []Explained) []Explained {
	slices.SortStableFunc(all, func(a, b Explained) int {
		return cmp.Or(cmp.Compare(a.Place.Mean, b.Place.Mean), cmp.Compare(b.Top1, a.Top1))
	})
	return all
}
