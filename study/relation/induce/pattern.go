package induce

import (
	"slices"
	"strings"
	"unicode"

	"sotto/study/language"
	"sotto/study/relation"
	"sotto/study/relation/rule"
)

// How long what a pattern describes may be.
const (
	maxBetween = 11 // tokens between the arguments
	maxWhole   = 4  // of them, where each is described
	maxPath    = 5  // tokens of the way through the tree
)

// Bits that say a piece of a pattern: what people would have to read.
const (
	bitsWord = 10
	bitsTag  = 5
	bitsLink = 4
	bitsGap  = 3
	bitsType = 2
)

// maker writes the patterns that an instance fits, each to yield with its bits.
type maker struct {
	x     relation.Instance
	types []language.Type
	words bool // arguments may be described by their words, too
	yield func(pattern string, bits int)
}

// patterns calls yield for each pattern that fits an instance. A pattern that two of them
// share is written in the same way for both.
func patterns(x relation.Instance, words bool, yield func(pattern string, bits int)) {
	m := &maker{x, relation.Types(x.Doc), words, yield}
	m.tokens()
	m.tree()
}

// literal returns a token as a pattern has it: a word of the closed classes as it is, and
// others by their lemma. It is "" for what no rule should rest on, such as a number.
func literal(t *language.Token) string {
	switch t.UPOS {
	case "NUM", "PROPN", "SYM", "X":
		return ""
	case "NOUN", "VERB", "ADJ", "ADV", "AUX":
		if l := strings.ToLower(t.Lemma); plain(l) {
			return "lemma:" + l
		}
		return ""
	}
	w := strings.ToLower(t.Text)
	if plain(w) {
		return "word:" + w
	}
	if strings.Contains(", ; ( )", w) {
		return `word:"` + w + `"`
	}
	if w == "'s" || w == "-" {
		return "word:" + w
	}
	return ""
}

// plain reports whether a word needs no quotation marks in a pattern.
func plain(w string) bool {
	return w != "" && strings.IndexFunc(w, func(r rune) bool { return !unicode.IsLetter(r) }) < 0
}

// single returns a token that is literally so: a bare word, or a test of its lemma.
func single(l string) string {
	if w, ok := strings.CutPrefix(l, "word:"); ok {
		return w
	}
	return "[" + l + "]"
}

// form is how an argument is described.
type form struct {
	tokens, node string
	bits         int
}

// forms returns how an argument may be described: by its type, and by its word.
func (m *maker) forms(s rule.Span) []form {
	t := m.types[s.First]
	all := []form{{"<" + string(t) + ">", "{ner:" + string(t) + "}", bitsType}}
	if !m.words {
		return all
	}
	all[0] = form{"<>", "{}", 1}
	if l := literal(&m.x.Doc.Tokens[relation.Head(m.x.Doc, s)]); strings.HasPrefix(l, "lemma:") {
		f := form{"", "{" + l + "}", bitsWord}
		if s.End-s.First == 1 {
			f.tokens = single(l)
		}
		all = append(all, f)
	}
	return all
}

// pairs calls f for each way in which both arguments may be described; at most one is by
// its word.
func (m *maker) pairs(f func(subject, object form)) {
	subjects, objects := m.forms(m.x.Subject), m.forms(m.x.Object)
	for i, s := range subjects {
		for j, o := range objects {
			if i+j < 2 {
				f(s, o)
			}
		}
	}
}

// tokens writes patterns over what stands between the arguments.
func (m *maker) tokens() {
	first, second := m.x.Subject, m.x.Object
	if first.First > second.First {
		first, second = second, first
	}
	between := m.x.Doc.Tokens[first.End:second.First]
	if len(between) > maxBetween {
		return
	}
	var middles []middle
	if len(between) <= maxWhole {
		middles = wholes(between)
		if len(between) <= 2 {
			middles = append(middles, m.outside(first, second, middles)...)
		}
	}
	for i := range between {
		if l := literal(&between[i]); l != "" {
			middles = append(middles, anchored(single(l), i, len(between)-i-1)...)
			for j := i + 1; j < len(between); j++ {
				if k := literal(&between[j]); k != "" {
					middles = append(middles, twice(single(l), single(k), i, j-i-1, len(between)-j-1)...)
				}
			}
		}
	}
	m.pairs(func(s, o form) {
		if s.tokens == "" || o.tokens == "" {
			return
		}
		before, behind := s.tokens+"=subject", o.tokens+"=object"
		if m.x.Subject.First > m.x.Object.First {
			before, behind = behind, before
		}
		for _, w := range middles {
			m.yield("tokens "+joined(w.before, before, w.text, behind, w.behind), w.bits+s.bits+o.bits)
		}
	})
}

// joined puts a space between what is not empty.
func joined(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), " ")
}

// middle is a pattern for what stands between the arguments, and perhaps for a word before
// or behind them.
type middle struct {
	before, text, behind string
	bits                 int
}

// wholes describes each token between the arguments: by its word, or by its part of speech.
func wholes(between []language.Token) []middle {
	all := []middle{{}}
	for k := range between {
		t := &between[k]
		var next []middle
		for _, w := range all {
			if l := literal(t); l != "" {
				next = append(next, middle{text: joined(w.text, single(l)), bits: w.bits + bitsWord})
			}
			if t.UPOS != "" && t.UPOS != "PUNCT" {
				next = append(next, middle{text: joined(w.text, "[tag:"+t.UPOS+"]"), bits: w.bits + bitsTag})
			}
		}
		all = next
	}
	return all
}

// outside adds the word before the arguments, or the one behind them.
func (m *maker) outside(first, second rule.Span, middles []middle) []middle {
	var all []middle
	add := func(at int, put func(w *middle, l string)) {
		if at < 0 || at >= len(m.x.Doc.Tokens) || m.types[at] != "" {
			return
		}
		if l := literal(&m.x.Doc.Tokens[at]); l != "" {
			for _, w := range middles {
				put(&w, single(l))
				w.bits += bitsWord
				all = append(all, w)
			}
		}
	}
	add(first.First-1, func(w *middle, l string) { w.before = l })
	add(second.End, func(w *middle, l string) { w.behind = l })
	return all
}

// gaps returns the gaps that n tokens fit, narrow ones first.
func gaps(n int) []string {
	switch {
	case n == 0:
		return []string{"", "[]{0,2}", "[]{0,6}"}
	case n <= 2:
		return []string{"[]{0,2}", "[]{0,6}"}
	case n <= 6:
		return []string{"[]{0,6}"}
	}
	return nil
}

func bitsOf(gap string) int {
	if gap == "" {
		return 0
	}
	return bitsGap
}

// anchored describes one word between the arguments, and gaps around it.
func anchored(word string, before, behind int) []middle {
	var all []middle
	for _, a := range gaps(before) {
		for _, b := range gaps(behind) {
			if a != "" || b != "" { // the others are whole
				all = append(all, middle{text: joined(a, word, b), bits: bitsWord + bitsOf(a) + bitsOf(b)})
			}
		}
	}
	return all
}

// twice describes two words between the arguments, and the narrowest gaps around them.
func twice(one, two string, before, inner, behind int) []middle {
	var all []middle
	narrow := func(n int) []string {
		g := gaps(n)
		return g[:min(len(g), 1)]
	}
	for _, a := range narrow(before) {
		for _, b := range narrow(inner) {
			for _, c := range narrow(behind) {
				if a != "" || b != "" || c != "" {
					all = append(all, middle{text: joined(a, one, b, two, c), bits: 2*bitsWord + bitsOf(a) + bitsOf(b) + bitsOf(c)})
				}
			}
		}
	}
	return all
}

// tree writes patterns over the way through the tree from one argument to the other.
func (m *maker) tree() {
	d := m.x.Doc
	path, up := relation.Path(d, relation.Head(d, m.x.Subject), relation.Head(d, m.x.Object))
	if len(path) < 2 || len(path) > maxPath {
		return
	}
	inner := path[1 : len(path)-1]
	nodes := make([]string, len(path)) // with the words of all between
	top := make([]string, len(path))   // with that of the highest alone
	bits := bitsLink * (len(path) - 1)
	for _, k := range inner {
		if m.types[k] != "" {
			return // it leads through another entity
		}
	}
	known := 0
	for k := range path {
		nodes[k], top[k] = "{}", "{}"
		if k == 0 || k == len(path)-1 {
			continue
		}
		l := literal(&d.Tokens[path[k]])
		if l == "" {
			continue
		}
		known++
		if nodes[k] = "{" + l + "}"; k == up {
			top[k] = nodes[k]
		}
	}
	m.pairs(func(s, o form) {
		write := func(between []string, bits int) {
			between = slices.Clone(between)
			between[0], between[len(between)-1] = s.node+"=subject", o.node+"=object"
			for _, cased := range []bool{true, false} {
				if text := m.walk(path, up, between, cased); text != "" {
					m.yield("tree "+text, bits+s.bits+o.bits)
				}
			}
		}
		bare := make([]string, len(path))
		for k := range bare {
			bare[k] = "{}"
		}
		write(bare, bits)
		if known > 0 {
			write(nodes, bits+known*bitsWord)
		}
		if known > 1 && top[up] != "{}" {
			write(top, bits+bitsWord)
		}
	})
}

// walk writes the pattern of a way, from the subject to the object. Where cased, it names
// prepositions; it is "" where there are none to name.
func (m *maker) walk(path []int, up int, nodes []string, cased bool) string {
	some := false
	link := func(at int) string {
		r := m.x.Doc.Tokens[at].DepRel
		if base, _, _ := strings.Cut(r, ":"); cased && (base == "obl" || base == "nmod") {
			for k := range m.x.Doc.Tokens {
				t := &m.x.Doc.Tokens[k]
				if w := strings.ToLower(t.Text); t.Head == at && t.DepRel == "case" && plain(w) {
					some = true
					return base + ":" + w
				}
			}
		}
		return r
	}
	text := nodes[len(nodes)-1]
	for k := len(path) - 2; k >= 0; k-- {
		way := " <" + link(path[k])
		if k >= up {
			way = " >" + link(path[k+1])
		}
		if k < len(path)-2 {
			text = "(" + text + ")"
		}
		text = nodes[k] + way + " " + text
	}
	if cased && !some {
		return ""
	}
	return text
}
