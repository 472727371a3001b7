package mention

import (
	"math"
	"slices"
	"strings"

	"sotto/study/language"
	"sotto/study/link"
)

// The features of a pair of names.
const (
	nameAlways = iota
	nameEqual
	nameLast
	nameFirst
	nameInside
	nameInitials
	nameNickname
	nameSpelling
	nameAcronym
	nameAlike
	nameTypesAgree
	nameTypesDiffer
	nameTitle
	nameGenders
	nameRivals
	nameDistance
	namePersons
	nameFeatures
)

var nameSays = [nameFeatures]string{
	"two names that share a word", "the same words", "a part of the name, with its last word", "a part of the name, with its first word",
	"an inner part of the name", "an initial", "a nickname", "another spelling", "initials of all words", "similar spelling",
	"the same type", "another type", "a title on one", "the same gender", "also a part of another name", "far apart", "persons",
}

// The features of a noun and what was spoken of before.
const (
	nounAlways = iota
	nounSame
	nounDefinite
	nounIndefinite
	nounPossessive
	nounBare
	nounFirstIndefinite
	nounPossessor
	nounPossessors
	nounFewer
	nounNew
	nounDistance
	nounPlural
	nounQuotes
	nounTitle
	nounPerson
	nounFeatures
)

var nounSays = [nounFeatures]string{
	"the same noun", "the same words", "definite", "indefinite", "somebody's", "without article", "indefinite before",
	"the same owner", "another owner", "described as before", "described otherwise", "far apart", "several",
	"one in a quotation", "the title of the name", "a person",
}

// node is what is divided: a name, wherever it stands, or a mention by a noun.
type node struct {
	mentions []int // in order
	kind     Kind
	name     Name
	typ      language.Type
	gender   Gender // of a name, if it is sure
}

// pair is two nodes that were compared.
type pair struct {
	i, j     int // nodes, i before j
	conflict bool
	features []float64
	noun     bool // features are those of nouns
}

// maxBlock is how many names may share a word and all be compared: where there are more,
// the word says nothing. It keeps the number of pairs linear.
const maxBlock = 64

// maxOthers is how many earlier names a name is compared with, the nearest.
const maxOthers = 96

// nodesOf returns the nodes of mentions, and those of each mention, -1 for pronouns.
func nodesOf(mentions []Mention) (nodes []node, of []int) {
	of = make([]int, len(mentions))
	known := make(map[string]int)
	for k, m := range mentions {
		of[k] = -1
		switch m.Kind {
		case Named:
			key := m.name.key(m.Gender)
			n, ok := known[key]
			if !ok {
				n = len(nodes)
				known[key] = n
				nodes = append(nodes, node{kind: Named, name: m.name, typ: m.Type, gender: m.name.sure(m.Gender)})
			}
			if nodes[n].typ == "" {
				nodes[n].typ = m.Type
			}
			nodes[n].mentions = append(nodes[n].mentions, k)
			of[k] = n
		case Nominal:
			of[k] = len(nodes)
			nodes = append(nodes, node{kind: Nominal, mentions: []int{k}, typ: m.Type, gender: m.Gender})
		case Pronoun:
		}
	}
	return nodes, of
}

// pairsOf compares nodes that have something in common, in order.
func pairsOf(mentions []Mention, nodes []node) []pair {
	return append(namePairs(mentions, nodes), nounPairs(mentions, nodes)...)
}

func namePairs(mentions []Mention, nodes []node) []pair {
	blocks := make(map[string][]int)
	for n, x := range nodes {
		if x.kind != Named {
			continue
		}
		for _, key := range keysOf(x.name) {
			if have := blocks[key]; len(have) <= maxBlock {
				blocks[key] = append(have, n)
			}
		}
	}
	var out []pair
	for n, x := range nodes {
		if x.kind != Named {
			continue
		}
		var others []int
		for _, key := range keysOf(x.name) {
			if have := blocks[key]; len(have) <= maxBlock {
				for _, o := range have {
					if o < n {
						others = append(others, o)
					}
				}
			}
		}
		slices.Sort(others)
		others = slices.Compact(others)
		for _, o := range others[max(0, len(others)-maxOthers):] {
			r := relate(nodes[o].name, x.name)
			p := pair{i: o, j: n, conflict: r.conflict || nodes[o].gender != "" && x.gender != "" && nodes[o].gender != x.gender || nested(mentions, nodes[o], x)}
			if !p.conflict && !r.related {
				continue
			}
			if !p.conflict {
				p.features = compareNames(mentions, nodes[o], x, r)
			}
			out = append(out, p)
		}
	}
	rivals(out)
	return out
}

// nested reports whether a mention of one node lies within one of the other where they
// first stand: Green Gables is not Anne of Green Gables.
func nested(mentions []Mention, a, b node) bool {
	x, y := mentions[a.mentions[0]], mentions[b.mentions[0]]
	return x.Start < y.End && y.Start < x.End
}

// rivals marks pairs of which one also fits a name that contradicts the other.
func rivals(pairs []pair) {
	conflict := make(map[link.Pair]bool)
	fits := make(map[int][]int)
	for _, p := range pairs {
		if p.conflict {
			conflict[link.Pair{p.i, p.j}] = true
			continue
		}
		fits[p.i] = append(fits[p.i], p.j)
		fits[p.j] = append(fits[p.j], p.i)
	}
	rivalled := func(of, other int) bool {
		return slices.ContainsFunc(fits[of], func(o int) bool { return conflict[link.Pair{min(o, other), max(o, other)}] })
	}
	for _, p := range pairs {
		if !p.conflict && (rivalled(p.i, p.j) || rivalled(p.j, p.i)) {
			p.features[nameRivals] = 1
		}
	}
}

// flag is 1 for what is so.
func flag(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// apart is how far two nodes are apart where they are nearest to the first mention of the
// later one: the logarithm of bytes, 1 a page or so.
func apart(mentions []Mention, a, b node) float64 {
	at := mentions[b.mentions[0]].Start
	k, _ := slices.BinarySearchFunc(a.mentions, at, func(m, at int) int { return mentions[m].Start - at })
	near := math.MaxInt
	for _, x := range []int{k - 1, k} {
		if x >= 0 && x < len(a.mentions) {
			gap := mentions[a.mentions[x]].Start - at
			near = min(near, max(gap, -gap))
		}
	}
	return math.Log2(1+float64(near)/100) / 5
}

func compareNames(mentions []Mention, a, b node, r relation) []float64 {
	f := make([]float64, nameFeatures)
	f[nameAlways] = 1
	f[nameEqual], f[nameLast], f[nameFirst], f[nameInside] = flag(r.equal), flag(r.last), flag(r.first), flag(r.inside)
	f[nameInitials], f[nameNickname], f[nameSpelling], f[nameAcronym] = flag(r.initials), flag(r.nickname), flag(r.spelling), flag(r.acronym)
	f[nameAlike] = link.JaroWinkler(strings.Join(a.name.Words, " "), strings.Join(b.name.Words, " "))
	if a.typ != "" && b.typ != "" {
		f[nameTypesAgree], f[nameTypesDiffer] = flag(a.typ == b.typ), flag(a.typ != b.typ)
	}
	f[nameTitle] = flag(len(a.name.Titles) > 0 || len(b.name.Titles) > 0)
	f[nameGenders] = flag(a.gender != "" && a.gender == b.gender)
	f[nameDistance] = apart(mentions, a, b)
	f[namePersons] = flag(a.typ == language.Person && b.typ == language.Person)
	return f
}

// maxNouns is how many earlier mentions by the same noun a mention is compared with.
const maxNouns = 4

func nounPairs(mentions []Mention, nodes []node) []pair {
	var out []pair
	before := make(map[string][]int) // nodes by noun
	titled := make(map[string][]int) // names by title
	for n, x := range nodes {
		first := mentions[x.mentions[0]]
		if x.kind == Named {
			for _, t := range x.name.Titles {
				if have := titled[t]; len(have) < maxNouns {
					titled[t] = append(have, n)
				}
			}
			continue
		}
		for _, o := range titled[first.lemma] {
			if first.Number != Plural {
				out = append(out, pair{i: o, j: n, noun: true, features: compareNouns(mentions, nodes[o], x)})
			}
		}
		have := before[first.lemma]
		for _, o := range have[max(0, len(have)-maxNouns):] {
			m := mentions[nodes[o].mentions[0]]
			switch {
			case m.Number != first.Number || m.End > first.Start: // one within the other, too
			case m.Gender != "" && first.Gender != "" && m.Gender != first.Gender:
			default:
				out = append(out, pair{i: o, j: n, noun: true, features: compareNouns(mentions, nodes[o], x)})
			}
		}
		before[first.lemma] = append(have, n)
	}
	return out
}

// described returns the article or owner that a noun phrase begins with, and the words
// between that and the noun.
func (m Mention) described() (article string, owner bool, words []string) {
	words = m.words[:min(m.head-m.first, len(m.words))]
	if len(words) == 0 {
		return "", false, nil
	}
	if indefinite[words[0]] || definite[words[0]] {
		return words[0], false, words[1:]
	}
	if p, ok := pronouns[words[0]]; ok && p.role == possessive {
		return words[0], true, words[1:]
	}
	if k := slices.IndexFunc(words, func(w string) bool { return w == "'s" || w == "’s" }); k > 0 {
		return strings.Join(words[:k], " "), true, words[k+1:]
	}
	return "", false, words
}

func compareNouns(mentions []Mention, a, b node) []float64 {
	f := make([]float64, nounFeatures)
	x, y := mentions[a.mentions[0]], mentions[b.mentions[0]]
	article, owner, words := y.described()
	f[nounAlways] = 1
	f[nounDefinite], f[nounIndefinite] = flag(definite[article]), flag(indefinite[article])
	f[nounPossessive], f[nounBare] = flag(owner), flag(article == "")
	f[nounDistance] = apart(mentions, a, b)
	f[nounPlural] = flag(y.Number == Plural)
	f[nounQuotes] = flag((x.quote >= 0) != (y.quote >= 0))
	f[nounPerson] = flag(y.Type == language.Person)
	if a.kind == Named {
		f[nounTitle] = 1
		return f
	}
	earlier, owned, others := x.described()
	f[nounSame] = flag(slices.Equal(x.words, y.words))
	f[nounFirstIndefinite] = flag(indefinite[earlier])
	f[nounPossessor] = flag(owner && owned && article == earlier)
	f[nounPossessors] = flag(owner && owned && article != earlier)
	known := true
	for _, w := range words {
		known = known && slices.Contains(others, w)
	}
	f[nounFewer], f[nounNew] = flag(known && len(others) > 0), flag(!known)
	return f
}
