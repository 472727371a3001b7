package mention

import "slices"

// Canonical returns the mention that names a cluster best: the name with the most words,
// the one without a title and the earlier of two alike; or else the longest noun phrase,
// or the first pronoun.
func (r *Result) Canonical(cluster []int) Mention {
	best := cluster[0]
	rank := func(k int) [4]int {
		switch m := r.Mentions[k]; m.Kind {
		case Named:
			return [4]int{2, len(m.name.Words), -len(m.name.Titles), -len(m.name.Tail)}
		case Nominal:
			return [4]int{1, min(len(m.words), 6), 0, 0}
		default:
			return [4]int{}
		}
	}
	for _, k := range cluster[1:] {
		a, b := rank(k), rank(best)
		if slices.Compare(a[:], b[:]) > 0 {
			best = k
		}
	}
	return r.Mentions[best]
}

// About returns what is known of a cluster: the first type, gender and number that one
// of its mentions tells, names before nouns before pronouns.
func (r *Result) About(cluster []int) Mention {
	out := r.Canonical(cluster)
	for _, kind := range []Kind{Named, Nominal, Pronoun} {
		for _, k := range cluster {
			m := r.Mentions[k]
			if m.Kind != kind {
				continue
			}
			if out.Type == "" {
				out.Type = m.Type
			}
			if out.Gender == "" {
				out.Gender = m.Gender
			}
			if out.Number == "" {
				out.Number = m.Number
			}
		}
	}
	return out
}

// Reasons returns, for each mention, the link that speaks the most for its being in its
// cluster. A mention without may be of the same name as another, or of the same speaker,
// or alone.
func (r *Result) Reasons() map[int]Link {
	out := make(map[int]Link)
	for _, l := range r.Links {
		if l.Conflict || r.Labels[l.I] != r.Labels[l.J] {
			continue
		}
		if byPronoun := r.Mentions[l.I].Kind == Pronoun || r.Mentions[l.J].Kind == Pronoun; byPronoun && !l.Chosen {
			continue // another that the pronoun might have stood for
		}
		for _, k := range []int{l.I, l.J} {
			if have, ok := out[k]; !ok || l.Probability > have.Probability {
				out[k] = l
			}
		}
	}
	return out
}
