package mention

import (
	"slices"
	"strings"
	"unicode"

	"sotto/study/link"
	"sotto/text"
)

// Name is a name, taken apart.
type Name struct {
	Before string   // what stands before it, as it is written: titles, with the space behind
	Titles []string // in lower case, without full stops
	Words  []string // of the name, folded, without titles and suffixes: at least one
	Suffix string   // folded, such as jr
	Tail   string   // behind it, such as 's
}

// ParseName takes a name apart. It takes any text.
func ParseName(surface string) Name {
	var n Name
	for _, end := range []string{"'s", "’s", "'S", "’S"} {
		if rest, ok := strings.CutSuffix(surface, end); ok && rest != "" {
			surface, n.Tail = rest, end
			break
		}
	}
	for {
		word, rest, more := strings.Cut(surface, " ")
		title := strings.TrimRight(strings.ToLower(word), ".")
		_, known := titles[title]
		if !known && !strings.EqualFold(word, "the") || !more || strings.TrimSpace(rest) == "" {
			break
		}
		if known {
			n.Titles = append(n.Titles, title)
		}
		n.Before += surface[:len(surface)-len(strings.TrimLeft(rest, " "))]
		surface = strings.TrimLeft(rest, " ")
	}
	for _, word := range strings.FieldsFunc(surface, func(r rune) bool { return unicode.IsSpace(r) || r == ',' || r == '.' }) {
		n.Words = append(n.Words, text.Fold(word))
	}
	for len(n.Words) > 1 && suffixes[n.Words[len(n.Words)-1]] {
		n.Suffix = n.Words[len(n.Words)-1]
		n.Words = n.Words[:len(n.Words)-1]
	}
	if len(n.Words) == 0 {
		n.Words = []string{text.Fold(surface)}
	}
	return n
}

// key tells names apart that may be of two persons.
func (n Name) key(g Gender) string {
	title := ""
	if len(n.Titles) > 0 {
		title = string(g)
	}
	return strings.Join(n.Words, " ") + "\x00" + n.Suffix + "\x00" + title
}

// nameGender is what a name tells of a gender: its title, or else its first name, if that
// is on the list of one gender alone.
func (m *Model) nameGender(n Name) Gender {
	for k := len(n.Titles) - 1; k >= 0; k-- {
		if g := titles[n.Titles[k]]; g != "" {
			return g
		}
	}
	if len(n.Titles) > 0 && len(n.Words) == 1 { // a surname
		return ""
	}
	switch women, men := m.given(n.Words[0]); {
	case women && !men:
		return Female
	case men && !women:
		return Male
	}
	return ""
}

// sure is the gender of a name if it is sure to have that: a word alone may be a surname,
// whichever list it is on.
func (n Name) sure(g Gender) Gender {
	if len(n.Titles) == 0 && len(n.Words) == 1 {
		return ""
	}
	return g
}

// relation is how two names of one person may be related.
type relation struct {
	conflict bool // they are of two
	related  bool // they may be of one
	equal    bool // but for titles
	last     bool // one is a part of the other that has its last word
	first    bool // one is a part of the other that has its first word, and not its last
	inside   bool // one is another part of the other
	initials bool // a word stands for another as its initial
	nickname bool // or as a nickname
	spelling bool // or in another spelling
	acronym  bool // one is made of the initials of the other
}

// match says how a word of a name may stand for another.
func (r *relation) match(a, b string) bool {
	switch {
	case a == b:
		return true
	case abbreviates(a, b) || abbreviates(b, a):
		r.initials = true
		return true
	case link.Nicknames(a, b):
		r.nickname = true
		return true
	case len(a) > 3 && len(b) > 3 && link.JaroWinkler(a, b) >= 0.93:
		r.spelling = true
		return true
	}
	return false
}

// abbreviates reports whether a word is the initial of another, or of what that is short
// for: W. Jones may be Bill.
func abbreviates(initial, whole string) bool {
	if !link.IsInitial(initial) {
		return false
	}
	return link.Abbreviates(initial, whole) || slices.ContainsFunc(link.NicknameForms(whole), func(f string) bool { return link.Abbreviates(initial, f) })
}

// relate compares two names.
func relate(a, b Name) relation {
	var r relation
	if a.Suffix != "" && b.Suffix != "" && a.Suffix != b.Suffix {
		r.conflict = true
		return r
	}
	if len(a.Words) > len(b.Words) {
		a, b = b, a
	}
	if slices.Equal(a.Words, b.Words) {
		r.related, r.equal = true, true
		return r
	}
	if at := r.within(a.Words, b.Words); at != nil {
		end := len(b.Words) - 1
		switch {
		case len(a.Words) == len(b.Words):
			r.equal = true
		case at[len(at)-1] == end:
			r.last = true
		case at[0] == 0:
			r.first = true
		default:
			r.inside = true
		}
		// A letter alone says nothing.
		r.related = slices.ContainsFunc(a.Words, func(w string) bool { return !link.IsInitial(w) && !particles[w] })
		return r
	}
	r = relation{}
	if len(a.Words) == 1 && len(b.Words) > 1 && initialsOf(b.Words) == a.Words[0] {
		r.acronym, r.related = true, true
		return r
	}
	r.conflict = len(a.Words) > 1 // John Smith and Mary Smith, John Smith and John Brown
	return r
}

// within returns where in a fuller name the words of another stand, in order; nil if they
// do not all.
func (r *relation) within(words, fuller []string) []int {
	at := make([]int, 0, len(words))
	i := 0
	for _, word := range words {
		for i < len(fuller) && !r.match(word, fuller[i]) {
			i++
		}
		if i == len(fuller) {
			return nil
		}
		at = append(at, i)
		i++
	}
	return at
}

// initialsOf joins the first letters of words, but for small ones such as of.
func initialsOf(words []string) string {
	var b strings.Builder
	for _, w := range words {
		if particles[w] {
			continue
		}
		for _, r := range w {
			b.WriteRune(r)
			break
		}
	}
	return b.String()
}

// keysOf are what names are compared for: they share one.
func keysOf(n Name) []string {
	var out []string
	for _, w := range n.Words {
		if particles[w] || link.IsInitial(w) {
			continue
		}
		out = append(out, w)
		for _, f := range link.NicknameForms(w) {
			out = append(out, "~"+f)
		}
		if r := []rune(w); len(r) > 3 {
			out = append(out, "^"+string(r[:4]))
		}
	}
	if len(n.Words) > 1 {
		out = append(out, "*"+initialsOf(n.Words))
	} else if len(n.Words[0]) < 7 {
		out = append(out, "*"+n.Words[0])
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Within returns where in a fuller name the words of another stand, in order, as they are
// or as initials, nicknames or other spellings; nil if they do not all.
func Within(words, fuller []string) []int {
	var r relation
	return r.within(words, fuller)
}
