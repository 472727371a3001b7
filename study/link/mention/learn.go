package mention

import (
	"context"
	"errors"
	"slices"
	"strings"

	"sotto/study/language"
)

// Lesson is a document with mentions, of some or all of which it is known who they are.
type Lesson struct {
	Document *language.Document
	Spans    []Span
	Entity   []int           // of each span; below zero for one of which it is not known
	Types    []language.Type // of each span; empty for what nouns are not taught of
	// Whole tells that the spans are all mentions of the types that are taught, so that
	// what is not among them is none.
	Whole bool
	// Partial tells that few of the entities are known: of the pronouns whose entity is
	// known alone something is learnt.
	Partial bool
}

// study is a lesson that is being read.
type study struct {
	d        *language.Document
	mentions []Mention
	entity   []int
	partial  bool
	found    bool
}

// Train teaches a model. The same lessons make the same model; trained says on what.
func Train(ctx context.Context, lessons []Lesson, trained []string) (*Model, error) {
	if len(lessons) == 0 {
		return nil, errors.New("mention: there are no lessons, must be some")
	}
	m, err := newModel()
	if err != nil {
		return nil, err
	}
	m.trained = trained
	m.learnHeads(lessons)
	var all, found, partial []study
	var names, nouns []example
	for _, l := range lessons {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if l.Partial {
			l = m.complete(l)
		}
		mentions, entity := m.lesson(l)
		s := study{l.Document, mentions, entity, l.Partial, l.Partial}
		if l.Partial {
			partial = append(partial, s)
			continue
		}
		all = append(all, s)
		if l.Whole {
			found = append(found, m.refind(s))
		}
		nodes, _ := nodesOf(mentions)
		for _, p := range pairsOf(mentions, nodes) {
			same, known := together(entity, nodes[p.i], nodes[p.j])
			if p.conflict || !known {
				continue
			}
			e := example{rows: [][]float64{p.features, make([]float64, len(p.features))}, right: []bool{same, !same}}
			if p.noun {
				nouns = append(nouns, e)
			} else {
				names = append(names, e)
			}
		}
	}
	m.names = fit(names, nameFeatures, 40, 1)
	m.nouns = fit(nouns, nounFeatures, 40, 2)
	return m, m.learnPronouns(ctx, all, found, partial)
}

// learnPronouns learns from what is known of whole documents; it and they also from those
// that stand for nothing of what is taught; then, with what was learnt, from documents of
// which little is known.
func (m *Model) learnPronouns(ctx context.Context, all, found, partial []study) error {
	var choices [classes][]example
	for k, group := range [][]study{all, found, partial} {
		var some [classes][]example
		for _, s := range group {
			if err := m.follow(ctx, s, &some); err != nil {
				return err
			}
		}
		for c := range choices {
			if k != 1 || c == classIt || c == classThey {
				choices[c] = append(choices[c], some[c]...)
			}
			if k > 0 {
				m.pronouns[c] = fit(choices[c], pronounFeatures, 20, uint64(3+c))
			}
		}
	}
	return nil
}

// complete returns a partial lesson with what the model finds beside its mentions.
func (m *Model) complete(l Lesson) Lesson {
	l.Spans, l.Entity = slices.Clone(l.Spans), slices.Clone(l.Entity)
	given := len(l.Spans)
	for _, x := range m.Find(l.Document) {
		overlaps := func(s Span) bool { return x.Start < s.End && x.End > s.Start && x.Kind != Nominal || x.Span == s }
		if !slices.ContainsFunc(l.Spans[:given], overlaps) {
			l.Spans, l.Entity = append(l.Spans, x.Span), append(l.Entity, -1)
		}
	}
	return l
}

// refind returns a lesson with the mentions that the model itself finds.
func (m *Model) refind(s study) study {
	known := make(map[Span]int, len(s.mentions))
	for k, x := range s.mentions {
		known[x.Span] = s.entity[k]
	}
	out := study{d: s.d, mentions: m.Find(s.d), found: true}
	for _, x := range out.mentions {
		e, ok := known[x.Span]
		if !ok {
			e = -1
		}
		out.entity = append(out.entity, e)
	}
	return out
}

// lesson returns the mentions of a lesson in the order of the text, and their entities.
func (m *Model) lesson(l Lesson) (mentions []Mention, entity []int) {
	order := make([]int, len(l.Spans))
	at := make([]Mention, len(l.Spans))
	for i, s := range l.Spans {
		order[i] = i
		if one := m.At(l.Document, []Span{s}); len(one) == 1 {
			at[i] = one[0]
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return byPlace(at[a], at[b]) })
	for _, i := range order {
		if at[i].End > 0 {
			mentions, entity = append(mentions, at[i]), append(entity, l.Entity[i])
		}
	}
	return mentions, entity
}

// together reports whether two nodes are of one entity: that of most of their mentions.
func together(entity []int, a, b node) (same, known bool) {
	x, y := mostly(entity, a), mostly(entity, b)
	return x == y, x >= 0 && y >= 0
}

func mostly(entity []int, n node) int {
	count := make(map[int]int)
	best := -1
	for _, k := range n.mentions {
		e := entity[k]
		if count[e]++; best < 0 || count[e] > count[best] {
			best = e
		}
	}
	return best
}

// follow follows the pronouns of a document with what names and nouns are to the model
// itself, choosing rightly, and notes the choices.
func (m *Model) follow(ctx context.Context, l study, to *[classes][]example) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	nodes, of := nodesOf(l.mentions)
	labels, err := m.divide(ctx, &Result{}, nodes, pairsOf(l.mentions, nodes), Options{})
	if err != nil {
		return err
	}
	label := make([]int, len(l.mentions))
	owner := make(map[int]int) // the entity that each of ours is known to be
	for k, n := range of {
		if label[k] = -1; n >= 0 {
			label[k] = labels[n]
			if _, ok := owner[label[k]]; !ok && l.entity[k] >= 0 {
				owner[label[k]] = l.entity[k]
			}
		}
	}
	s := newResolver(l.d, l.mentions, label, quotations(l.d))
	s.found = l.found
	s.choose = func(unit []int, class int, all []candidate) int {
		want := l.entity[unit[0]]
		if want < 0 && l.partial {
			return m.pick(&Result{}, unit, class, all)
		}
		e, chosen := l.choice(want, all, owner)
		if len(all) > 1 {
			to[class] = append(to[class], e)
		}
		if to := all[chosen].entity; to >= 0 && want >= 0 {
			owner[to] = want
		} else if want >= 0 {
			owner[len(s.entities)] = want // the one that is made for it
		}
		return chosen
	}
	s.run()
	return nil
}

// choice returns which candidates are right for a pronoun of a known entity, and the
// first of them.
func (l study) choice(want int, all []candidate, owner map[int]int) (e example, chosen int) {
	e = example{right: make([]bool, len(all))}
	none := len(all) - 1
	chosen = none
	for c := range all {
		e.rows = append(e.rows, all[c].features)
		if known, ok := owner[all[c].entity]; c < none && ok && want >= 0 && known == want {
			e.right[c] = true
			if chosen == none {
				chosen = c
			}
		}
	}
	if chosen < none {
		return e, chosen
	}
	e.right[none] = true
	for c := range all[:none] { // it may be somebody of whom nothing is known
		if _, ok := owner[all[c].entity]; !ok && l.partial {
			e.right[c] = true
		}
	}
	return e, chosen
}

// learnHeads learns which nouns speak of somebody: those that are marked at least half of
// the time; and of which type they mostly are. Genders are not learnt: corpora would teach
// that doctors are men.
func (m *Model) learnHeads(lessons []Lesson) {
	type count struct {
		seen, marked int
		types        map[language.Type]int
	}
	counts := make(map[string]*count)
	of := func(word string) *count {
		c := counts[word]
		if c == nil {
			c = &count{types: make(map[language.Type]int)}
			counts[word] = c
		}
		return c
	}
	for _, l := range lessons {
		if l.Partial {
			continue
		}
		mentions, _ := m.lesson(l)
		types := make(map[Span]language.Type, len(l.Spans))
		for i, s := range l.Spans {
			types[s] = l.Types[i]
		}
		for _, x := range mentions {
			if x.Kind != Nominal || l.Document.Tokens[x.head].UPOS != "NOUN" {
				continue
			}
			c := of(x.lemma)
			if t := types[x.Span]; t != "" {
				c.types[t]++
				c.marked++
			}
		}
		for _, t := range l.Document.Tokens {
			if t.UPOS == "NOUN" {
				of(strings.ToLower(t.Lemma)).seen++
			}
		}
	}
	for word, c := range counts {
		if c.marked < 2 || 2*c.marked < c.seen {
			continue
		}
		h := head{mention: true, gender: Neuter}
		most := 0
		for _, t := range []language.Type{language.Person, language.Place, language.Organisation, language.Miscellaneous} {
			if c.types[t] > most {
				most, h.typ = c.types[t], t
			}
		}
		if h.typ == language.Person {
			h.gender = ""
		}
		m.heads[word] = h
	}
	for gender, words := range sure {
		for _, w := range strings.Fields(words) {
			m.heads[w] = head{true, language.Person, gender}
		}
	}
}

// sure are nouns whose gender needs no lesson.
var sure = map[Gender]string{
	Female: `woman girl lady mother mamma mama mom mum sister daughter wife aunt grandmother niece queen princess widow
nun bride maid girlfriend housewife duchess countess mistress madam stepmother granddaughter landlady`,
	Male: `man boy gentleman father papa dad brother son husband uncle grandfather nephew king prince widower monk
bridegroom groom boyfriend duke earl lord sir stepfather grandson landlord fellow chap lad`,
}
