package mention

import (
	"math"
	"strings"

	"sotto/study/language"
)

// The features of a pronoun and of somebody it may stand for.
const (
	nearSame = iota
	nearOne
	nearTwo
	nearFar
	nearDistance
	rankFirst
	rankSecond
	rankThird
	rankLater
	kindName
	kindNoun
	kindPronoun
	roleSubject
	roleObject
	roleOwner
	roleInner
	bothSubjects
	bothObjects
	firstInSentence
	often
	lately
	genderAgrees
	genderUnknown
	numberAgrees
	numberDiffers
	isPerson
	isPlace
	typeUnknown
	sameVerb
	reflexiveSameVerb
	reflexiveElsewhere
	ownerSameClause
	sameQuote
	otherQuote
	speaker
	addressed
	samePronoun
	firstBefore
	secondBefore
	firstTwoBefore
	depth
	path
	nobody
	nobodyUnsaid
	nobodyInQuote
	nobodyFound
	pronounFeatures
)

var pronounSays = [pronounFeatures]string{
	"in the same sentence", "one sentence before", "two sentences before", "more sentences before", "far apart",
	"the nearest that fits", "the second nearest that fits", "the third nearest that fits", "others that fit are nearer",
	"by name before", "by a noun before", "by a pronoun before",
	"subject", "object", "owner", "inside another phrase", "both are subjects", "both are objects", "first of its sentence",
	"spoken of often", "spoken of lately", "gender agrees", "gender is not known", "number agrees", "number differs",
	"a person", "a place or organisation", "what it is is not known",
	"beside it at the same verb", "reflexive at the same verb", "reflexive elsewhere", "subject of the owner's clause",
	"in the same quotation", "one in a quotation", "who says it", "who is addressed", "the same pronoun before",
	"spoke before", "was spoken to before", "spoke two quotations before",
	"deep in its sentence", "far away in the tree",
	"nobody before", "nobody says it", "nobody, in a quotation", "nobody, among mentions that were found",
}

// The classes of pronouns, of which each has weights of its own. He and she have the
// same.
const (
	classHe = iota
	classIt
	classThey
	classI
	classYou
	classWe
	classes
)

var classNames = [classes]string{"he and she", "it", "they", "I", "you", "we"}

func (p pronoun) class() int {
	switch {
	case p.person == 1 && p.number == Plural:
		return classWe
	case p.person == 1:
		return classI
	case p.person == 2:
		return classYou
	case p.number == Plural:
		return classThey
	case p.gender == Neuter:
		return classIt
	}
	return classHe
}

// How far back a pronoun is looked for, and among how many.
const (
	maxBack       = 80 // mentions
	maxSentences  = 8
	maxCandidates = 20
)

// candidate is somebody a pronoun may stand for.
type candidate struct {
	entity   int // -1 for nobody
	mention  int // the nearest of it
	features []float64
}

// entity is somebody or something that was spoken of.
type entity struct {
	gender Gender
	number Number
	typ    language.Type
	size   int // mentions so far
}

// add counts a mention.
func (e *entity) add(m Mention) {
	e.size++
	if e.gender == "" {
		e.gender = m.Gender
	}
	if e.number == "" {
		e.number = m.Number
	}
	if e.typ == "" {
		e.typ = m.Type
	}
}

// resolver gives pronouns somebody to stand for.
type resolver struct {
	d        *language.Document
	mentions []Mention // in the order of the text
	entities []entity
	label    []int // entity of each mention; -1 if it is not known yet
	speakers []int // mention of who says each quotation, or -1
	// heard has, for each quotation, who says I in it and who is called you, or -1.
	heard [][2]int
	found bool // the mentions were found, so that what a pronoun stands for may not be among them
	// choose picks one of the candidates of a class, of which the last is nobody.
	choose func(unit []int, class int, all []candidate) int
}

// newResolver begins with what names and nouns speak of: a label for each mention, -1
// for pronouns.
func newResolver(d *language.Document, mentions []Mention, label []int, quotes []int) *resolver {
	r := &resolver{d: d, mentions: mentions, label: label, speakers: speakers(d, quotes, mentions)}
	for k, m := range mentions {
		if label[k] < 0 {
			continue
		}
		for label[k] >= len(r.entities) {
			r.entities = append(r.entities, entity{})
		}
		r.entities[label[k]].add(m)
	}
	for i := range r.entities { // they count when they are passed
		r.entities[i].size = 0
	}
	r.heard = make([][2]int, len(r.speakers))
	for q := range r.heard {
		r.heard[q] = [2]int{-1, -1}
	}
	return r
}

// run resolves all pronouns: those of the third person, and of who tells the text, in
// order; then, quotation by quotation, who speaks and who is spoken to.
func (r *resolver) run() {
	told, quoted := r.units()
	for _, unit := range told {
		r.join(unit, r.fresh())
	}
	for k, m := range r.mentions {
		switch {
		case r.label[k] >= 0:
			r.entities[r.label[k]].size++
		case m.pronoun.person == 3:
			r.resolve([]int{k})
		}
	}
	for _, unit := range quoted {
		r.resolve(unit)
	}
}

// units groups pronouns of the first and second person: those of one kind outside of
// quotations are one, and those of one kind in one quotation.
func (r *resolver) units() (told, quoted [][]int) {
	place := make(map[[2]int]int)
	for k, m := range r.mentions {
		if m.Kind != Pronoun || m.pronoun.person == 3 {
			continue
		}
		list := &told
		if m.quote >= 0 {
			list = &quoted
		}
		key := [2]int{m.quote, m.pronoun.class()}
		at, ok := place[key]
		if !ok {
			at = len(*list)
			place[key] = at
			*list = append(*list, nil)
		}
		(*list)[at] = append((*list)[at], k)
	}
	return told, quoted
}

// fresh returns an entity that there was not.
func (r *resolver) fresh() int {
	r.entities = append(r.entities, entity{})
	return len(r.entities) - 1
}

// join gives mentions to an entity.
func (r *resolver) join(unit []int, to int) {
	for _, k := range unit {
		r.label[k] = to
		r.entities[to].add(r.mentions[k])
	}
	m := r.mentions[unit[0]]
	if m.quote < 0 {
		return
	}
	switch m.pronoun.class() {
	case classI:
		r.heard[m.quote][0] = to
	case classYou:
		r.heard[m.quote][1] = to
	}
}

// resolve finds whom a unit stands for.
func (r *resolver) resolve(unit []int) {
	all := r.candidates(unit[0])
	at := r.choose(unit, r.mentions[unit[0]].pronoun.class(), all)
	to := all[at].entity
	if to < 0 {
		to = r.fresh()
	}
	r.join(unit, to)
}

// candidates lists whom a pronoun may stand for, the nearest first, and nobody last.
func (r *resolver) candidates(k int) []candidate {
	p := r.mentions[k]
	place := make(map[int]int)
	var all []candidate
	var count []int
	add := func(j, e int) {
		at, ok := place[e]
		if !ok {
			if len(all) == maxCandidates || !r.fits(p, r.entities[e]) {
				return
			}
			at = len(all)
			place[e] = at
			all = append(all, candidate{entity: e, mention: j})
			count = append(count, 0)
		}
		count[at]++
	}
	if p.pronoun.person < 3 && p.quote >= 0 { // who speaks may be named behind the quotation
		if j := r.speakers[p.quote]; j >= 0 && r.label[j] >= 0 {
			add(j, r.label[j])
		}
	}
	for j := k - 1; j >= max(0, k-maxBack) && p.sentence-r.mentions[j].sentence <= maxSentences; j-- {
		m := r.mentions[j]
		if r.label[j] < 0 || m.first <= p.first && m.end >= p.end {
			continue // her is not her sister
		}
		add(j, r.label[j])
	}
	for at := range all {
		all[at].features = r.features(k, all[at], min(at, 3), count[at])
	}
	none := make([]float64, pronounFeatures)
	none[nobody] = 1
	none[nobodyUnsaid] = flag(p.quote >= 0 && r.speakers[p.quote] < 0)
	none[nobodyInQuote] = flag(p.quote >= 0)
	none[nobodyFound] = flag(r.found)
	return append(all, candidate{entity: -1, mention: -1, features: none})
}

// fits reports whether nothing forbids that a pronoun stands for an entity.
func (r *resolver) fits(p Mention, e entity) bool {
	g := p.pronoun.gender
	if g != "" && e.gender != "" && g != e.gender {
		return false
	}
	switch p.pronoun.class() {
	case classHe, classIt, classI:
		return e.number != Plural
	case classWe:
		return e.number != Singular
	}
	return true
}

// features of a pronoun and of a candidate, which is the nearest but rank that fits, and
// was spoken of so many times lately.
func (r *resolver) features(k int, c candidate, rank, lastly int) []float64 {
	f := make([]float64, pronounFeatures)
	p, m, e := r.mentions[k], r.mentions[c.mention], r.entities[c.entity]
	switch back := p.sentence - m.sentence; {
	case back <= 0:
		f[nearSame] = 1
	case back == 1:
		f[nearOne] = 1
	case back == 2:
		f[nearTwo] = 1
	default:
		f[nearFar] = 1
	}
	f[nearDistance] = math.Log2(1+math.Abs(float64(p.Start-m.Start))/20) / 5
	f[rankFirst+rank] = 1
	f[kindName], f[kindNoun], f[kindPronoun] = flag(m.Kind == Named), flag(m.Kind == Nominal), flag(m.Kind == Pronoun)
	r.roles(f, p, m)
	f[often] = math.Log2(1 + float64(e.size))
	f[lately] = math.Log2(1 + float64(lastly))
	r.agreement(f, p, e)
	f[samePronoun] = flag(m.Kind == Pronoun && m.pronoun.class() == p.pronoun.class())
	f[sameQuote] = flag(p.quote >= 0 && p.quote == m.quote)
	f[otherQuote] = flag((p.quote >= 0) != (m.quote >= 0))
	if p.quote >= 0 {
		if s := r.speakers[p.quote]; s >= 0 {
			f[speaker] = flag(r.label[s] == c.entity)
		}
		f[addressed] = flag(p.quote == m.quote && r.d.Tokens[m.head].DepRel == "vocative")
		for back, at := range []int{firstBefore, firstTwoBefore} {
			if q := p.quote - 1 - back; q >= 0 {
				f[at] = flag(r.heard[q][0] == c.entity || r.speakers[q] >= 0 && r.label[r.speakers[q]] == c.entity)
			}
		}
		if p.quote > 0 {
			f[secondBefore] = flag(r.heard[p.quote-1][1] == c.entity)
		}
	}
	return f
}

// agreement fills in gender, number and type.
func (r *resolver) agreement(f []float64, p Mention, e entity) {
	if g := p.pronoun.gender; g != "" {
		f[genderAgrees], f[genderUnknown] = flag(e.gender == g), flag(e.gender == "")
	}
	if n := p.pronoun.number; n != "" && e.number != "" {
		f[numberAgrees], f[numberDiffers] = flag(n == e.number), flag(n != e.number)
	}
	f[isPerson], f[typeUnknown] = flag(e.typ == language.Person), flag(e.typ == "")
	f[isPlace] = flag(e.typ == language.Place || e.typ == language.Organisation)
}

// roles fills in what the tree says.
func (r *resolver) roles(f []float64, p, m Mention) {
	a, b := r.d.Tokens[p.head], r.d.Tokens[m.head]
	subject := func(t language.Token) bool { return strings.HasPrefix(t.DepRel, "nsubj") }
	object := func(t language.Token) bool { return t.DepRel == "obj" || t.DepRel == "iobj" }
	f[roleSubject], f[roleObject], f[roleOwner] = flag(subject(b)), flag(object(b)), flag(b.DepRel == "nmod:poss")
	f[roleInner] = flag(!subject(b) && !object(b) && b.DepRel != "nmod:poss")
	f[bothSubjects], f[bothObjects] = flag(subject(a) && subject(b)), flag(object(a) && object(b))
	f[firstInSentence] = flag(m.first == 0 || r.d.Tokens[m.first-1].Sentence != b.Sentence)
	f[depth] = float64(r.depth(m.head)) / 5
	if a.Sentence == b.Sentence {
		f[path] = float64(r.path(p.head, m.head)) / 10
	}
	beside := a.Head >= 0 && a.Head == b.Head && a.Sentence == b.Sentence
	switch p.pronoun.role {
	case reflexive:
		f[reflexiveSameVerb], f[reflexiveElsewhere] = flag(beside), flag(!beside)
	case possessive:
		f[ownerSameClause] = flag(subject(b) && r.verb(p.head) == b.Head && b.Head >= 0)
	case personal:
		f[sameVerb] = flag(beside)
	}
}

// deepest is how far up a tree is looked.
const deepest = 30

// depth is how far a token is from the root of its sentence.
func (r *resolver) depth(i int) int {
	n := 0
	for i = r.d.Tokens[i].Head; i >= 0 && n < deepest; i = r.d.Tokens[i].Head {
		n++
	}
	return n
}

// path is how many steps lead from a token to another in their tree.
func (r *resolver) path(i, j int) int {
	x, y, n := r.depth(i), r.depth(j), 0
	for i != j && n < 2*deepest {
		if x >= y {
			i, x = r.d.Tokens[i].Head, x-1
		} else {
			j, y = r.d.Tokens[j].Head, y-1
		}
		if n++; i < 0 || j < 0 {
			break
		}
	}
	return n
}

// verb returns the verb of the clause of a token, -1 if there is none near.
func (r *resolver) verb(i int) int {
	for range 6 {
		if i = r.d.Tokens[i].Head; i < 0 {
			return -1
		}
		if r.d.Tokens[i].UPOS == "VERB" {
			return i
		}
	}
	return -1
}
