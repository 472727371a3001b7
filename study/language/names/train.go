package names

import (
	"maps"
	"math"
	weakrand "math/rand/v2"
	"slices"

	"sotto/study/language"
)

// Options says how to train.
type Options struct {
	Epochs int                           // passes over the sentences
	Rate   float64                       // of learning
	Rare   int                           // features seen less often are left out
	Keep   int                           // features that are kept, those that tell most
	Settle int                           // passes with these alone
	Ridge  float64                       // pull of weights towards 0, an update
	Hide   float64                       // how often a word is hidden, so that names not seen before are learnt from what is around them
	Blind  float64                       // how often the words around it are hidden, likewise; with Hide at most 1
	Lean   float64                       // how much the score of words outside of names is lowered when names are looked for
	Words  int                           // that are put into clusters by their vectors
	Report func(epoch int, loss float64) // is told of each pass; may be nil
	Stop   func() error                  // ends training by an error before a pass; may be nil
}

// trainer holds the weights while they are learnt.
type trainer struct {
	m       *Model
	ids     map[uint32]int32
	weights []float32 // by feature and tag
	squares []float32 // sums of squared gradients, likewise
	chainSq []float64
	firstSq []float64
	lastSq  []float64
	opts    Options
	random  *weakrand.Rand
	shown   []int32 // the features of a sentence that are not hidden
	from    []int   // where those of each word begin
}

// prepared is a sentence with features and tags in numbers.
type prepared struct {
	feats  []int32
	starts []int32
	own    []int32 // where the features that tell the word itself end
	near   []int32 // where those of the words around it end
	gold   []int
}

// typeOf returns the place of a type in a model.
func (m *Model) typeOf(t language.Type) int { return slices.Index(m.types, t) }

// goldTags returns the tags of a sentence.
func (m *Model) goldTags(s Sentence) []int {
	tags := make([]int, len(s.Words))
	for _, sp := range s.Spans {
		t := m.typeOf(sp.Type)
		if t < 0 {
			continue
		}
		for k := sp.Start; k < sp.End; k++ {
			part := inside
			switch {
			case sp.End-sp.Start == 1:
				part = single
			case k == sp.Start:
				part = begin
			case k == sp.End-1:
				part = end
			}
			tags[k] = tag(t, part)
		}
	}
	return tags
}

// featurise computes the features of all words of a sentence into l.
func (m *Model) featurise(l *lattice, s Sentence) {
	l.words, l.feats, l.starts = l.words[:0], l.feats[:0], l.starts[:0]
	for i, w := range s.Words {
		l.words = append(l.words, m.look(w, i == 0 || s.Breaks != nil && s.Breaks[i]))
	}
	manner := style(l.words)
	for i := range l.words {
		l.starts = append(l.starts, len(l.feats))
		l.feats = features(l.feats, l.words, i, manner)
	}
	l.starts = append(l.starts, len(l.feats))
}

// train learns the weights of a model whose lists and clusters are there.
func train(m *Model, sentences []Sentence, opts Options) error {
	t := &trainer{m: m, ids: map[uint32]int32{}, opts: opts}
	m.chain = newChain(len(m.types))
	data := t.prepare(sentences)
	n := m.chain.tags
	t.weights, t.squares = make([]float32, len(t.ids)*n), make([]float32, len(t.ids)*n)
	t.chainSq, t.firstSq, t.lastSq = make([]float64, n*n), make([]float64, n), make([]float64, n)
	t.random = weakrand.New(weakrand.NewPCG(18, 2))
	var l lattice
	for epoch := range opts.Epochs + opts.Settle {
		if opts.Stop != nil {
			if err := opts.Stop(); err != nil {
				return err
			}
		}
		if epoch == opts.Epochs {
			t.prune(data)
		}
		loss := 0.0
		for _, i := range t.random.Perm(len(data)) {
			loss += t.learn(&l, &data[i])
		}
		if opts.Report != nil {
			opts.Report(epoch, loss/float64(len(data)))
		}
	}
	t.finish()
	return nil
}

// prepare counts features, leaves out rare ones, and numbers the others in the
// order in which they are met.
func (t *trainer) prepare(sentences []Sentence) []prepared {
	var l lattice
	count := map[uint32]int{}
	for _, s := range sentences {
		t.m.featurise(&l, s)
		for _, f := range l.feats {
			count[f]++
		}
	}
	var data []prepared
	for _, s := range sentences {
		if len(s.Words) == 0 {
			continue
		}
		t.m.featurise(&l, s)
		p := prepared{gold: t.m.goldTags(s)}
		for i := range s.Words {
			p.starts = append(p.starts, int32(len(p.feats)))
			p.own = append(p.own, int32(len(p.feats)))
			p.near = append(p.near, int32(len(p.feats)))
			for k, f := range l.feats[l.starts[i]:l.starts[i+1]] {
				if count[f] < t.opts.Rare {
					continue
				}
				if k < itself {
					p.own[i]++
				}
				if k < around {
					p.near[i]++
				}
				id, ok := t.ids[f]
				if !ok {
					id = int32(len(t.ids))
					t.ids[f] = id
				}
				p.feats = append(p.feats, id)
			}
		}
		p.starts = append(p.starts, int32(len(p.feats)))
		data = append(data, p)
	}
	return data
}

// learn takes one step on a sentence and returns its loss.
func (t *trainer) learn(l *lattice, p *prepared) float64 {
	c, n := t.m.chain, len(p.gold)
	tags := c.tags
	l.grow(n, tags)
	goldScore := 0.0
	t.from, t.shown = append(t.from[:0], 0), t.shown[:0]
	for i := range n {
		t.hide(p, i)
		row := l.score[i*tags : (i+1)*tags]
		clear(row)
		for _, f := range t.shown[t.from[i]:t.from[i+1]] {
			w := t.weights[int(f)*tags : (int(f)+1)*tags]
			for b := range row {
				row[b] += float64(w[b])
			}
		}
		goldScore += row[p.gold[i]]
		if i > 0 {
			goldScore += c.move[p.gold[i-1]*tags+p.gold[i]]
		}
	}
	goldScore += c.first[p.gold[0]] + c.last[p.gold[n-1]]
	loss := c.sum(l, n) - goldScore
	rate := float32(t.opts.Rate)
	ridge := float32(t.opts.Ridge)
	for i := range n {
		for b := range tags {
			g := float32(l.forward[i*tags+b] * l.back[i*tags+b])
			if b == p.gold[i] {
				g--
			}
			if g < 1e-4 && g > -1e-4 {
				continue
			}
			for _, f := range t.shown[t.from[i]:t.from[i+1]] {
				k := int(f)*tags + b
				t.squares[k] += float32(g * g)
				t.weights[k] -= rate * (g + float32(ridge*t.weights[k])) / (float32(math.Sqrt(float64(t.squares[k]))) + 1e-6)
			}
		}
	}
	t.learnChain(l, p)
	return loss
}

// hide chooses what is shown of word i: sometimes not the word itself, sometimes
// not those around it, so that each is learnt to be enough.
func (t *trainer) hide(p *prepared, i int) {
	u := t.random.Float64()
	if u >= t.opts.Hide {
		t.shown = append(t.shown, p.feats[p.starts[i]:p.own[i]]...)
	}
	if u < 1-t.opts.Blind {
		t.shown = append(t.shown, p.feats[p.own[i]:p.near[i]]...)
	}
	t.shown = append(t.shown, p.feats[p.near[i]:p.starts[i+1]]...)
	t.from = append(t.from, len(t.shown))
}

// learnChain takes the step for how tags follow one another.
func (t *trainer) learnChain(l *lattice, p *prepared) {
	c, n := t.m.chain, len(p.gold)
	tags := c.tags
	step := func(w, sq *float64, g float64) {
		if math.IsInf(*w, -1) || g < 1e-5 && g > -1e-5 {
			return
		}
		*sq += float64(g * g)
		*w -= t.opts.Rate * g / (math.Sqrt(*sq) + 1e-6)
	}
	gradient := make([]float64, tags*tags)
	for i := 1; i < n; i++ {
		for b := range tags {
			factor := l.score[i*tags+b] * l.back[i*tags+b] / l.scale[i]
			if i == n-1 {
				factor *= math.Exp(c.last[b])
			}
			for _, a := range c.prev[b] {
				gradient[a*tags+b] += float64(l.forward[(i-1)*tags+a] * c.ratio[a*tags+b] * factor)
			}
		}
		gradient[p.gold[i-1]*tags+p.gold[i]]--
	}
	for b := range tags {
		f, e := float64(l.forward[b]*l.back[b]), float64(l.forward[(n-1)*tags+b]*l.back[(n-1)*tags+b])
		if b == p.gold[0] {
			f--
		}
		if b == p.gold[n-1] {
			e--
		}
		step(&c.first[b], &t.firstSq[b], f)
		step(&c.last[b], &t.lastSq[b], e)
	}
	for k, g := range gradient {
		if g != 0 {
			step(&c.move[k], &t.chainSq[k], g)
			c.ratio[k] = math.Exp(c.move[k])
		}
	}
}

// prune leaves out all features but those that tell most, by the size of their
// weights and how often they are met.
func (t *trainer) prune(data []prepared) {
	tags := t.m.chain.tags
	met := make([]float64, len(t.ids))
	for _, p := range data {
		for _, f := range p.feats {
			met[f]++
		}
	}
	worth := make([]float64, len(met))
	for f := range worth {
		size := 0.0
		for _, w := range t.weights[f*tags : (f+1)*tags] {
			size += float64(float64(w) * float64(w))
		}
		worth[f] = size * met[f]
	}
	if len(worth) <= t.opts.Keep {
		return
	}
	sorted := slices.Clone(worth)
	slices.Sort(sorted)
	least := sorted[len(sorted)-t.opts.Keep]
	for k := range data {
		data[k].keep(func(f int32) bool { return worth[f] >= least })
	}
	for f := range worth {
		if worth[f] < least {
			clear(t.weights[f*tags : (f+1)*tags])
		}
	}
}

// keep leaves out features.
func (p *prepared) keep(ok func(f int32) bool) {
	kept := p.feats[:0]
	for i := range p.gold {
		from, own, near, to := p.starts[i], p.own[i], p.near[i], p.starts[i+1]
		p.starts[i], p.own[i], p.near[i] = int32(len(kept)), int32(len(kept)), int32(len(kept))
		for k := from; k < to; k++ {
			if !ok(p.feats[k]) {
				continue
			}
			kept = append(kept, p.feats[k])
			if k < own {
				p.own[i]++
			}
			if k < near {
				p.near[i]++
			}
		}
	}
	p.starts[len(p.gold)] = int32(len(kept))
	p.feats = kept
}

// finish stores weights in steps that a byte holds, and the features that have
// any.
func (t *trainer) finish() {
	const step = 0.08 // weights beyond ±127 of them are rare
	tags := t.m.chain.tags
	t.m.step = step
	hashes := slices.Sorted(maps.Keys(t.ids))
	var kept []uint32
	var rows []int8
	for _, h := range hashes {
		w := t.weights[int(t.ids[h])*tags : (int(t.ids[h])+1)*tags]
		row, some := make([]int8, tags), false
		for b, v := range w {
			row[b] = int8(max(-127, min(127, math.Round(float64(v)/t.m.step))))
			some = some || row[b] != 0
		}
		if some {
			kept = append(kept, h)
			rows = append(rows, row...)
		}
	}
	t.m.index, t.m.rows = newIndex(kept), rows
	for _, list := range [][]float64{t.m.chain.first, t.m.chain.last, t.m.chain.move} {
		for i, v := range list {
			list[i] = float64(float32(v)) // as a file holds it
		}
	}
	t.m.chain.prepare()
}
