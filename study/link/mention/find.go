package mention

import (
	"cmp"
	"slices"
	"strings"

	"sotto/study/language"
)

// calendar are names of times, which nobody has.
var calendar = setOf(`monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
september october november december christmas easter chapter volume book part`)

// Find finds the mentions of a document: its names, pronouns, and nouns that speak of
// somebody, or of a place or thing of the kinds that the model was taught. Mentions may
// lie within one another, as her within her sister; they are in the order of the text.
func (m *Model) Find(d *language.Document) []Mention { return m.find(d, false) }

// FindAll is Find for all nouns, whatever they speak of.
func (m *Model) FindAll(d *language.Document) []Mention { return m.find(d, true) }

func (m *Model) find(d *language.Document, all bool) []Mention {
	quotes := quotations(d)
	taken := make([]bool, len(d.Tokens)) // by a name
	var out []Mention
	add := func(first, end int) {
		out = append(out, m.of(d, first, end, quotes))
	}
	for _, s := range nameSpans(d, all) {
		for i := s[0]; i < s[1]; i++ {
			taken[i] = true
		}
		add(s[0], s[1])
	}
	children := childrenOf(d)
	for i, t := range d.Tokens {
		p, isPronoun := pronouns[strings.ToLower(t.Text)]
		switch {
		case taken[i]:
		case isPronoun:
			if spokenOf(t, p) {
				add(i, i+1)
			}
		case t.UPOS == "NOUN" || all && demonstrative(t):
			if all || m.heads[strings.ToLower(t.Lemma)].mention {
				first, end := phrase(d, children, i)
				add(first, end+owner(d, end, all))
			}
		}
	}
	slices.SortStableFunc(out, byPlace)
	return slices.CompactFunc(out, func(a, b Mention) bool { return a.Span == b.Span })
}

// spokenOf reports whether a pronoun stands for something: it rains does not.
func spokenOf(t language.Token, p pronoun) bool {
	if t.UPOS != "" && t.UPOS != "PRON" && t.UPOS != "DET" {
		return false
	}
	return t.DepRel != "expl" && (t.Text != "US" || p.person != 1) && t.Text != "IT"
}

// demonstrative reports whether a token stands for something as a noun does.
func demonstrative(t language.Token) bool {
	return t.UPOS == "PRON" && !strings.HasPrefix(t.XPOS, "W") && t.XPOS != "EX"
}

// owner returns 1 if the token behind a mention is the 's of an owner, which belongs to
// it where all nouns are looked for: so it is in GUM.
func owner(d *language.Document, end int, all bool) int {
	if all && end < len(d.Tokens) && isPossessive(d.Tokens[end]) {
		return 1
	}
	return 0
}

// nameSpans returns the tokens of names: entities with the titles and the article before
// them, and proper nouns that are in none. Names of other things than persons,
// organisations and places are among them where all are looked for.
func nameSpans(d *language.Document, all bool) [][2]int {
	inside := make([]bool, len(d.Tokens))
	var out [][2]int
	for _, e := range d.Entities {
		if !named(e.Type) {
			continue
		}
		first, end := tokensOf(d, Span{e.Start, e.End})
		for end-first > 1 && isPossessive(d.Tokens[end-1]) {
			end--
		}
		for first > 0 && end > first && !inside[first-1] && d.Tokens[first-1].Sentence == d.Tokens[first].Sentence && isTitle(d.Tokens[first-1].Text) {
			first--
		}
		for i := first; i < end; i++ {
			inside[i] = true
		}
		if first < end && (all || e.Type != language.Miscellaneous) && (end > first+1 || !isTitle(d.Tokens[first].Text)) {
			out = append(out, widened(d, first, end, all))
		}
	}
	for i := 0; i < len(d.Tokens); {
		j := i
		for j < len(d.Tokens) && !inside[j] && d.Tokens[j].Sentence == d.Tokens[i].Sentence && properNoun(d.Tokens[j]) {
			j++
		}
		if j == i {
			i++
			continue
		}
		last := d.Tokens[j-1].Text
		if (j > i+1 || !isTitle(last)) && !calendar[strings.ToLower(strings.TrimRight(last, "."))] {
			out = append(out, widened(d, i, j, all))
		}
		i = j
	}
	return out
}

// widened is a name with its article, and with what marks an owner.
func widened(d *language.Document, first, end int, all bool) [2]int {
	if first > 0 && strings.EqualFold(d.Tokens[first-1].Text, "the") && d.Tokens[first-1].Sentence == d.Tokens[first].Sentence {
		first--
	}
	return [2]int{first, end + owner(d, end, all)}
}

func properNoun(t language.Token) bool {
	return t.UPOS == "PROPN" && startsCapital(t.Text) && t.XPOS != "ADD" || t.UPOS == "NOUN" && isTitle(t.Text) && strings.HasSuffix(t.Text, ".")
}

func isPossessive(t language.Token) bool { return t.Text == "'s" || t.Text == "’s" || t.Text == "'" }

func isTitle(word string) bool {
	_, ok := titles[strings.TrimRight(strings.ToLower(word), ".")]
	return ok && startsCapital(word)
}

// childrenOf lists the tokens that depend on each token.
func childrenOf(d *language.Document) [][]int {
	out := make([][]int, len(d.Tokens))
	for i, t := range d.Tokens {
		if t.Head >= 0 && t.DepRel != "" {
			out[t.Head] = append(out[t.Head], i)
		}
	}
	return out
}

// belongs are the relations of what belongs to a noun phrase.
var belongs = setOf("det det:predet det:poss amod nmod nmod:poss nmod:npmod nmod:unmarked nummod compound flat flat:name acl acl:relcl fixed goeswith")

// phrase returns the tokens of the noun phrase around a noun. What stands between two of
// its tokens is a part of it.
func phrase(d *language.Document, children [][]int, head int) (first, end int) {
	first, end = head, head+1
	budget := 200 // tokens that are looked at: no phrase is longer
	var visit func(i int)
	visit = func(i int) {
		if budget--; budget < 0 {
			return
		}
		first, end = min(first, i), max(end, i+1)
		for _, c := range children[i] {
			visit(c)
		}
	}
	for _, c := range children[head] {
		if belongs[d.Tokens[c].DepRel] {
			visit(c)
		}
	}
	for end-1 > head && d.Tokens[end-1].UPOS == "PUNCT" {
		end--
	}
	for first < head && (d.Tokens[first].UPOS == "PUNCT" || d.Tokens[first].UPOS == "CCONJ") {
		first++
	}
	return first, end
}

// byPlace puts mentions into the order of the text, a longer one before those within.
func byPlace(a, b Mention) int { return cmp.Or(a.Start-b.Start, b.End-a.End) }
