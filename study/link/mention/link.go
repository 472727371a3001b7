package mention

import (
	"context"
	"math"
	"slices"

	"sotto/study/language"
	"sotto/study/link"
)

// Options of [Model.Link]. The zero value serves.
type Options struct {
	// Careful leaves a name alone that may be short for two names of two persons, rather
	// than to give it to the likelier one.
	Careful bool
	// Found tells that mentions were found, not given: one of it or they that stands for
	// nothing that was spoken of is left out of the result.
	Found bool
	// Every keeps the links of a pronoun with all that it may stand for, not with the best
	// two alone.
	Every bool
}

// work bounds the search of each component, some milliseconds, so that a text made to be
// hard takes little longer than another.
const work = 400_000

// Result says which mentions are one.
type Result struct {
	Mentions []Mention // in the order of the text
	Labels   []int     // the cluster of each, numbered from 0 in the order in which they appear
	Links    []Link    // what was compared, and how it came out
	// Graph holds the mentions and links as they were divided, for [link.Division]: mentions
	// of one name are together, and pairs without a link cost nothing.
	Graph link.Graph
	every bool // as Options.Every

	// Optimal tells that no division of names and nouns fits the probabilities better.
	Optimal bool
}

// Link is a comparison of two mentions.
type Link struct {
	I, J        int     // places among the mentions
	Probability float64 // that they are one; of a pronoun, of this one rather than of nobody
	Conflict    bool    // they cannot be one: two first names, two genders
	Chosen      bool    // of a pronoun: of all that it may stand for, this one was taken
	Terms       []Term  // what speaks for it, and against; none for a conflict
}

// Term is what a comparison found, and how much that says: above zero, for one.
type Term struct {
	Says   string
	Weight float64
}

// Clusters lists the mentions of each cluster, in order.
func (r *Result) Clusters() [][]int { return link.Clusters(r.Labels) }

// Link says which mentions of a document are one. The same mentions of the same document
// have the same answer everywhere.
func (m *Model) Link(ctx context.Context, d *language.Document, mentions []Mention, o Options) (*Result, error) {
	mentions = slices.Clone(mentions)
	slices.SortStableFunc(mentions, byPlace)
	r := &Result{Mentions: mentions, every: o.Every, Graph: link.Graph{Nodes: len(mentions), Unknown: link.Neutral}}
	nodes, of := nodesOf(mentions)
	labels, err := m.divide(ctx, r, nodes, pairsOf(mentions, nodes), o)
	if err != nil {
		return nil, err
	}
	r.Labels = make([]int, len(mentions))
	for k, n := range of {
		if r.Labels[k] = -1; n >= 0 {
			r.Labels[k] = labels[n]
		}
	}
	s := newResolver(d, mentions, r.Labels, quotations(d))
	s.found = o.Found
	s.choose = func(unit []int, class int, all []candidate) int { return m.pick(r, unit, class, all) }
	s.run()
	r.Labels = s.label
	if o.Found {
		r.drop()
	}
	r.Labels = link.Canonical(r.Labels)
	return r, nil
}

// drop leaves out pronouns of the third person that say nothing of whom: it and they, if
// they are alone.
func (r *Result) drop() {
	size := make(map[int]int)
	for _, l := range r.Labels {
		size[l]++
	}
	place := make([]int, len(r.Mentions)) // that each mention has then, -1 for those left out
	var mentions []Mention
	var labels []int
	for k, m := range r.Mentions {
		if place[k] = -1; m.Kind != Pronoun || m.pronoun.person != 3 || m.Gender == Female || m.Gender == Male || size[r.Labels[k]] > 1 {
			place[k] = len(mentions)
			mentions, labels = append(mentions, m), append(labels, r.Labels[k])
		}
	}
	r.Mentions, r.Labels, r.Graph.Nodes = mentions, labels, len(mentions)
	r.Links = slices.DeleteFunc(r.Links, func(l Link) bool { return place[l.I] < 0 || place[l.J] < 0 })
	for k, l := range r.Links {
		r.Links[k].I, r.Links[k].J = place[l.I], place[l.J]
	}
	for k, e := range r.Graph.Edges { // none of those left out has one
		r.Graph.Edges[k].I, r.Graph.Edges[k].J = place[e.I], place[e.J]
	}
	for _, pairs := range [][]link.Pair{r.Graph.Must, r.Graph.Cannot} {
		for k, p := range pairs {
			pairs[k] = link.Pair{place[p[0]], place[p[1]]}
		}
	}
}

// divide divides nodes by what pairs of them say, and enters the pairs into a result.
func (m *Model) divide(ctx context.Context, r *Result, nodes []node, pairs []pair, o Options) ([]int, error) {
	g := link.Graph{Nodes: len(nodes), Unknown: link.Neutral}
	for _, n := range nodes {
		for k := 1; k < len(n.mentions); k++ {
			r.Graph.Must = append(r.Graph.Must, link.Pair{n.mentions[k-1], n.mentions[k]})
		}
	}
	attracts := false
	for _, p := range pairs {
		i, j := nodes[p.i].mentions[0], nodes[p.j].mentions[0]
		if p.conflict {
			g.Cannot = append(g.Cannot, link.Pair{p.i, p.j})
			r.Graph.Cannot = append(r.Graph.Cannot, link.Pair{i, j})
			r.Links = append(r.Links, Link{I: i, J: j, Conflict: true})
			continue
		}
		if o.Careful && !p.noun && p.features[nameRivals] > 0 {
			continue
		}
		w, says := m.names, nameSays[:]
		if p.noun {
			w, says = m.nouns, nounSays[:]
		}
		q := logistic(w.dot(p.features))
		weight := math.Round((1-2*q)*1e6) / 1e6
		attracts = attracts || weight < 0
		g.Edges = append(g.Edges, link.Edge{I: p.i, J: p.j, Weight: weight})
		r.Graph.Edges = append(r.Graph.Edges, link.Edge{I: i, J: j, Weight: weight})
		r.Links = append(r.Links, Link{I: i, J: j, Probability: q, Terms: terms(w, says, p.features)})
	}
	r.Optimal = true
	if !attracts {
		labels := make([]int, len(nodes))
		for n := range labels {
			labels[n] = n
		}
		return labels, ctx.Err()
	}
	s, err := link.Solve(ctx, g, link.Options{Work: work, Workers: 1})
	r.Optimal = s.Optimal
	return s.Labels, err
}

// terms lists what features say, what says the most first.
func terms(w weights, says []string, x []float64) []Term {
	var out []Term
	for i, v := range x {
		if t := float64(w[i] * v); t != 0 {
			out = append(out, Term{says[i], t})
		}
	}
	slices.SortStableFunc(out, func(a, b Term) int {
		switch x, y := math.Abs(a.Weight), math.Abs(b.Weight); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	return out
}

// pick chooses whom a unit of pronouns stands for, and enters that into a result.
func (m *Model) pick(r *Result, unit []int, class int, all []candidate) int {
	w := m.pronouns[class]
	none := len(all) - 1
	best, next, score := none, -1, make([]float64, len(all))
	for c := range all {
		score[c] = w.dot(all[c].features)
	}
	for c := range all {
		if score[c] > score[best] {
			best = c
		}
	}
	for c := range all[:none] {
		if c != best && (next < 0 || score[c] > score[next]) {
			next = c
		}
	}
	for k := 1; k < len(unit); k++ {
		r.Graph.Must = append(r.Graph.Must, link.Pair{unit[k-1], unit[k]})
	}
	for c := range all[:none] {
		if c != best && c != next && !r.every {
			continue
		}
		l := Link{
			I: min(all[c].mention, unit[0]), J: max(all[c].mention, unit[0]), Chosen: c == best,
			Probability: logistic(score[c] - score[none]), Terms: append(terms(w, pronounSays[:], all[c].features), Term{"rather than nobody", -score[none]}),
		}
		r.Links = append(r.Links, l)
		if c == best { // the only one, so that it changes nothing else
			r.Graph.Edges = append(r.Graph.Edges, link.Edge{I: l.I, J: l.J, Weight: math.Round((1-2*l.Probability)*1e6) / 1e6})
		}
	}
	return best
}

// Names says which entities of a text are one person, organisation, place or other thing
// by their names alone: a label for each, −1 for what is no name. It needs neither tokens
// nor trees, is careful as [Options] says, and takes time in proportion to the text.
func (m *Model) Names(s string, entities []language.Entity) ([]int, error) {
	labels := make([]int, len(entities))
	var mentions []Mention
	var of []int
	for i, e := range entities {
		if labels[i] = -1; named(e.Type) {
			n := ParseName(s[e.Start:e.End])
			x := Mention{Span: Span{e.Start, e.End}, Kind: Named, Type: e.Type, Number: Singular, name: n}
			if e.Type == language.Person {
				x.Gender = m.nameGender(n)
			}
			mentions, of = append(mentions, x), append(of, i)
		}
	}
	nodes, at := nodesOf(mentions)
	found, err := m.divide(context.Background(), &Result{}, nodes, namePairs(mentions, nodes), Options{Careful: true})
	if err != nil {
		return nil, err
	}
	for k, n := range at {
		labels[of[k]] = found[n]
	}
	return labels, nil
}
