package mention

import (
	"context"
	"fmt"
	"math"
	"slices"

	"sotto/study/language"
	"sotto/study/language/english"
	"sotto/study/link"
)

// JudgeOptions of [Run].
type JudgeOptions struct {
	Corpus   string                // one of [Corpora]
	Part     string                // dev or test; empty means test
	Model    *Model                // nil means the one that is built in
	Progress func(done, total int) // hears how many texts are done; may be nil
}

// Judged is what was measured.
type Judged struct {
	Format   string         `json:"format"`
	Corpus   string         `json:"corpus"`
	Part     string         `json:"part"`
	Trained  int            `json:"trained_documents"` // that the model was trained on
	Chains   []JudgedChains `json:"chains,omitempty"`
	Pronouns []Pronouns     `json:"pronouns,omitempty"`
}

// JudgedChains is how well a method finds chains of mentions.
type JudgedChains struct {
	Method   string `json:"method"`
	Mentions string `json:"given"` // "gold" if the mentions were given, "found" if they were found, too
	Scope    string `json:"scope"` // "all" mentions, or "names" alone
	link.Coref
}

// The methods.
const (
	ours      = "sotto"
	headWords = "head match"
)

// Judge measures on the corpus of a folder of data sets.
func Judge(ctx context.Context, folder string, o JudgeOptions) (*Judged, error) {
	if !slices.Contains(Corpora(), o.Corpus) {
		return nil, fmt.Errorf("judge: corpus is %.40q, must be one of %v", o.Corpus, Corpora())
	}
	switch o.Part {
	case "":
		o.Part = "test"
	case "dev", "test":
	default:
		return nil, fmt.Errorf("judge: part is %.40q, must be dev or test", o.Part)
	}
	if o.Model == nil {
		m, err := Load()
		if err != nil {
			return nil, err
		}
		o.Model = m
	}
	r := &Judged{Format: JudgedFormat, Corpus: o.Corpus, Part: o.Part, Trained: len(o.Model.Trained())}
	if o.Corpus == GAP {
		return r, o.pronouns(ctx, folder, r)
	}
	return r, o.chains(ctx, folder, r)
}

func (o JudgeOptions) done(k, n int) {
	if o.Progress != nil {
		o.Progress(k, n)
	}
}

// chains measures on a corpus of chains.
func (o JudgeOptions) chains(ctx context.Context, folder string, r *Judged) error {
	read, find := readLitBank, o.Model.Find
	if o.Corpus == GUM {
		read, find = readGUM, o.Model.FindAll
	}
	all, err := read(folder)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(t *judgeText) bool { return t.part != o.Part })
	sums := map[[3]string]*link.Documents{}
	for k, t := range all {
		o.done(k, len(all))
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := annotate(t.doc); err != nil {
			return err
		}
		gold := o.Model.At(t.doc, t.spans)
		if o.Corpus == GUM { // which does not say what is a name
			for i, m := range gold {
				t.proper[i] = m.Kind == Named
			}
		}
		if err := o.judge(ctx, t, "gold", gold, sums); err != nil {
			return err
		}
		if err := o.judge(ctx, t, "found", find(t.doc), sums); err != nil {
			return err
		}
	}
	for _, given := range []string{"gold", "found"} {
		for _, scope := range []string{"all", "names"} {
			for _, method := range []string{ours, headWords} {
				r.Chains = append(r.Chains, JudgedChains{method, given, scope, sums[[3]string{method, given, scope}].Score()})
			}
		}
	}
	return nil
}

// judge links mentions of a text, given or found, and adds what that is worth.
func (o JudgeOptions) judge(ctx context.Context, t *judgeText, given string, mentions []Mention, sums map[[3]string]*link.Documents) error {
	linked, err := o.Model.Link(ctx, t.doc, mentions, Options{Found: given == "found"})
	if err != nil {
		return err
	}
	number := make(map[Span]int) // of places
	at := func(s Span) int {
		n, ok := number[s]
		if !ok {
			n = len(number)
			number[s] = n
		}
		return n
	}
	properPlace := make(map[Span]bool)
	for i, s := range t.spans {
		properPlace[s] = t.proper[i]
	}
	for _, scope := range []string{"all", "names"} {
		truth := make(map[int][]int)
		var order []int
		for i, s := range t.spans {
			if scope == "names" && !t.proper[i] {
				continue
			}
			if truth[t.entity[i]] == nil {
				order = append(order, t.entity[i])
			}
			truth[t.entity[i]] = append(truth[t.entity[i]], at(s))
		}
		chains := make([][]int, len(order))
		for k, e := range order {
			chains[k] = truth[e]
		}
		for method, labels := range map[string][]int{ours: linked.Labels, headWords: headMatch(linked.Mentions)} {
			var found [][]int
			for _, cluster := range link.Clusters(labels) {
				var chain []int
				for _, k := range cluster {
					m := linked.Mentions[k]
					if isName := m.Kind == Named && given == "found" || given == "gold" && properPlace[m.Span]; scope == "all" || isName {
						chain = append(chain, at(m.Span))
					}
				}
				if len(chain) > 0 {
					found = append(found, chain)
				}
			}
			key := [3]string{method, given, scope}
			if sums[key] == nil {
				sums[key] = &link.Documents{}
			}
			sums[key].Add(chains, found)
		}
	}
	return nil
}

// pronouns measures on GAP.
func (o JudgeOptions) pronouns(ctx context.Context, folder string, r *Judged) error {
	items, err := readGAP(folder)
	if err != nil {
		return err
	}
	want := map[string]string{"dev": "validation", "test": "test"}[o.Part]
	items = slices.DeleteFunc(items, func(it item) bool { return it.part != want })
	p, err := english.Load()
	if err != nil {
		return err
	}
	const two, alone = "the two names", "the text"
	all := []*tally{{method: ours, knows: alone}, {method: headWords, knows: alone}, {method: ours, knows: two}, {method: "parallelism", knows: two}, {method: "distance in words", knows: two}}
	for k, it := range items {
		o.done(k, len(items))
		if err := ctx.Err(); err != nil {
			return err
		}
		d, err := p.Document(it.text)
		if err != nil {
			return err
		}
		linked, err := o.Model.Link(ctx, d, o.Model.Find(d), Options{Found: true})
		if err != nil {
			return err
		}
		a, b := judgeTogether(it, linked.Mentions, linked.Labels)
		all[0].add(it, a, b)
		a, b = judgeTogether(it, linked.Mentions, headMatch(linked.Mentions))
		all[1].add(it, a, b)
		a, b, err = o.either(ctx, it, d)
		if err != nil {
			return err
		}
		all[2].add(it, a, b)
		a, b = parallel(it, d)
		all[3].add(it, a, b)
		a, b = nearest(it, d)
		all[4].add(it, a, b)
	}
	for _, t := range all {
		r.Pronouns = append(r.Pronouns, t.result())
	}
	return nil
}

// judgeTogether reports whether the pronoun shares a cluster with a mention at each name.
func judgeTogether(it item, mentions []Mention, labels []int) (a, b bool) {
	of := -1
	for k, m := range mentions {
		if m.Kind == Pronoun && m.Span == it.pronoun {
			of = labels[k]
		}
	}
	for k, m := range mentions {
		if of < 0 || labels[k] != of || m.Kind == Pronoun {
			continue
		}
		a = a || m.Start < it.a.End && m.End > it.a.Start
		b = b || m.Start < it.b.End && m.End > it.b.Start
	}
	return a, b
}

// either says which of the two names the pronoun stands for, if it is one of them, by
// what the model says of each against nobody.
func (o JudgeOptions) either(ctx context.Context, it item, d *language.Document) (a, b bool, err error) {
	mentions := o.Model.Find(d)
	for _, s := range []Span{it.a, it.b, it.pronoun} {
		mentions = slices.DeleteFunc(mentions, func(m Mention) bool { return m.Start < s.End && m.End > s.Start && m.Kind != Nominal })
	}
	mentions = append(mentions, o.Model.At(d, []Span{it.a, it.b, it.pronoun})...)
	linked, err := o.Model.Link(ctx, d, mentions, Options{Found: true, Every: true})
	if err != nil {
		return false, false, err
	}
	place := func(s Span) int {
		return slices.IndexFunc(linked.Mentions, func(m Mention) bool { return m.Span == s && m.Kind != Nominal })
	}
	ia, ib, ip := place(it.a), place(it.b), place(it.pronoun)
	if ip < 0 {
		return false, false, nil
	}
	score := func(label int) float64 {
		best := math.Inf(-1)
		for _, l := range linked.Links {
			j := l.I
			if j == ip {
				j = l.J
			}
			if (l.I == ip || l.J == ip) && !l.Conflict && linked.Labels[j] == label {
				best = max(best, l.Probability)
			}
		}
		return best
	}
	pa, pb := math.Inf(-1), math.Inf(-1)
	if ia >= 0 {
		pa = score(linked.Labels[ia])
	}
	if ib >= 0 {
		pb = score(linked.Labels[ib])
	}
	switch {
	case math.IsInf(pa, -1) && math.IsInf(pb, -1):
		return false, false, nil
	case pa > pb:
		return true, false, nil
	}
	return false, true, nil
}
