package mention

import (
	"strings"

	"sotto/study/language"
	"sotto/study/link"
)

// headMatch is what is simplest: names and nouns with the same last word are one, and a
// pronoun stands for the nearest mention before it that its gender and number allow.
func headMatch(mentions []Mention) []int {
	labels := make([]int, len(mentions))
	known := make(map[string]int)
	genders, numbers := make(map[int]Gender), make(map[int]Number)
	for k, m := range mentions {
		labels[k] = k
		if m.Kind == Pronoun {
			for j := k - 1; j >= max(0, k-100); j-- {
				other := mentions[j]
				g, n := genders[labels[j]], numbers[labels[j]]
				if other.Start <= m.Start && other.End >= m.End || m.Gender != "" && g != "" && m.Gender != g || m.Number != "" && n != "" && m.Number != n {
					continue
				}
				labels[k] = labels[j]
				break
			}
		} else {
			key := string(m.Kind) + " " + m.Head()
			if j, ok := known[key]; ok {
				labels[k] = j
			} else {
				known[key] = k
			}
		}
		if genders[labels[k]] == "" {
			genders[labels[k]] = m.Gender
		}
		if numbers[labels[k]] == "" {
			numbers[labels[k]] = m.Number
		}
	}
	return link.Canonical(labels)
}

// nearest is the baseline by distance of GAP: of two names, the one that is fewer words
// away.
func nearest(it item, _ *language.Document) (a, b bool) {
	words := func(s Span) int {
		from, to := min(s.End, it.pronoun.End), max(s.Start, it.pronoun.Start)
		if from > to {
			return 0
		}
		return len(strings.Fields(it.text[from:to]))
	}
	if words(it.a) < words(it.b) {
		return true, false
	}
	return false, true
}

// parallel is the baseline by parallelism of GAP: of two names, the one that is what the
// pronoun is, subject or object; otherwise the nearest.
func parallel(it item, d *language.Document) (a, b bool) {
	role := func(s Span) string {
		for _, t := range d.Tokens {
			if t.Start >= s.Start && t.Start < s.End && (t.Head < 0 || d.Tokens[t.Head].Start < s.Start || d.Tokens[t.Head].Start >= s.End) {
				rel, _, _ := strings.Cut(t.DepRel, ":")
				return rel
			}
		}
		return ""
	}
	r := role(it.pronoun)
	if x, y := role(it.a) == r, role(it.b) == r; x != y {
		return x, y
	}
	return nearest(it, d)
}
