package marks

import (
	"fmt"
	"slices"

	"sotto/study/relation"
	"sotto/study/relation/rule"
	"sotto/text"
)

// sentence is the words of a sentence, two arguments among them, and their types, which
// are empty where they do not count.
type sentence struct {
	words           []string
	subject, object rule.Span
	types           [2]string // of the subject and of the object
}

// read returns the sentence of an instance, with types of its arguments if they count. An
// argument that is not words of the sentence is an error.
func read(x relation.Instance, typed bool) (sentence, error) {
	s := sentence{subject: x.Subject, object: x.Object}
	for _, t := range x.Doc.Tokens {
		s.words = append(s.words, t.Text)
	}
	for k, a := range []rule.Span{s.subject, s.object} {
		if a.First < 0 || a.End <= a.First || a.End > len(s.words) {
			return s, fmt.Errorf("marks: the %s is words %d to %d, must be some of the sentence's %d", [2]string{"subject", "object"}[k], a.First, a.End, len(s.words))
		}
	}
	if typed {
		subject, object := x.Types()
		s.types = [2]string{string(subject), string(object)}
	}
	return s, nil
}

// marker writes sentences as a transformer reads them: with a mark before and behind each
// argument, which says which of the two it is and of which type.
type marker struct {
	pieces  *text.WordPiece
	limit   int
	marks   map[string][2]int32 // before and behind, by role and type
	ends    [2]int32            // before the first word and behind the last
	unknown int32
}

// mark is the key of a marker's marks.
func mark(role int, kind string) string { return fmt.Sprint(role, " ", kind) }

// newMarker returns that of a tokeniser and some types. Marks are tokens that BERT keeps
// unused; each vocabulary of its family has some.
func newMarker(w *text.WordPiece, types []string, limit int) (*marker, error) {
	m := &marker{pieces: w, limit: limit, marks: map[string][2]int32{}}
	if limit < leastTokens {
		return nil, fmt.Errorf("marks: length is %d, must be at least %d", limit, leastTokens)
	}
	next := 0
	for _, kind := range types {
		for role := range 2 {
			var pair [2]int32
			for k := range pair {
				id, ok := w.ID(fmt.Sprintf("[unused%d]", next))
				if !ok {
					return nil, fmt.Errorf("marks: the vocabulary has %d unused tokens, must have 4 for each of %d types of arguments", next, len(types))
				}
				pair[k] = id
				next++
			}
			m.marks[mark(role, kind)] = pair
		}
	}
	m.unknown, _ = w.ID("[UNK]")
	empty := w.Encode("", 2).IDs
	m.ends = [2]int32{empty[0], empty[1]}
	return m, nil
}

// leastTokens is the least length of a sequence: two ends, four marks and some words.
const leastTokens = 16

// part is what stands at one place of a sentence: pieces of a word, or a mark.
type part struct {
	ids  []int32
	mark int // 1 for the mark before the subject, 2 for that before the object; else 0
	keep bool
}

// sequence returns a sentence as tokens, and where the marks before the subject and the
// object stand. What is too long loses words farthest from both arguments, and then words
// within them, but never a mark. A type that was not seen in training is marked as none.
func (m *marker) sequence(s sentence) (text.Tokens, [2]int) {
	var parts []part
	roles := []rule.Span{s.subject, s.object}
	pair := func(role int) [2]int32 {
		if p, ok := m.marks[mark(role, s.types[role])]; ok {
			return p
		}
		return m.marks[mark(role, "")]
	}
	for i := range len(s.words) + 1 {
		for role := 1; role >= 0; role-- { // of two that end here, the inner is the object's
			if roles[role].End == i {
				parts = append(parts, part{ids: []int32{pair(role)[1]}, keep: true})
			}
		}
		for role, a := range roles {
			if a.First == i {
				parts = append(parts, part{ids: []int32{pair(role)[0]}, mark: role + 1, keep: true})
			}
		}
		if i == len(s.words) {
			break
		}
		t := m.pieces.Encode(s.words[i], m.limit)
		ids := t.IDs[1 : len(t.IDs)-1]
		if len(ids) == 0 {
			ids = []int32{m.unknown}
		}
		parts = append(parts, part{ids: ids})
	}
	near := distances(parts)
	total := 2
	for _, p := range parts {
		total += len(p.ids)
	}
	for total > m.limit {
		far := -1
		for i, p := range parts {
			if !p.keep && len(p.ids) > 0 && (far < 0 || near[i] > near[far]) {
				far = i
			}
		}
		total -= len(parts[far].ids)
		parts[far].ids = nil
	}
	var places [2]int
	out := text.Tokens{IDs: []int32{m.ends[0]}}
	for _, p := range parts {
		if p.mark > 0 {
			places[p.mark-1] = len(out.IDs)
		}
		out.IDs = append(out.IDs, p.ids...)
	}
	out.IDs = append(out.IDs, m.ends[1])
	out.Types = make([]int32, len(out.IDs))
	return out, places
}

// distances returns how far each part is from the nearest mark.
func distances(parts []part) []int {
	near := make([]int, len(parts))
	at := len(parts)
	for i, p := range parts {
		if at++; p.keep {
			at = 0
		}
		near[i] = at
	}
	at = len(parts)
	for i, p := range slices.Backward(parts) {
		if at++; p.keep {
			at = 0
		}
		near[i] = min(near[i], at)
	}
	return near
}
