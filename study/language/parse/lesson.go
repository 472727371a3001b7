package parse

import (
	weakrand "math/rand/v2"

	"sotto/study/language"
)

// words are those of a document, looked up once.
type words struct {
	document  *language.Document
	sentences [][2]int // first token and end, without those that are too long to learn from
	rows      []lookups
	given     [][]float32
}

// look looks up the words of a document.
func (m *Model) look(d *language.Document) *words {
	w := &words{document: d, rows: make([]lookups, len(d.Tokens)), given: make([][]float32, len(d.Tokens))}
	m.lookUp(d, 0, w.rows, w.given)
	for from := 0; from < len(d.Tokens); {
		_, end := d.Sentence(from)
		if end-from <= longest {
			w.sentences = append(w.sentences, [2]int{from, end})
		}
		from = end
	}
	return w
}

// lookUp sets the rows and the given vectors of some tokens of a document.
func (m *Model) lookUp(d *language.Document, from int, rows []lookups, given [][]float32) {
	space := make([]float32, len(rows)*m.network.given)
	for i := range rows {
		t := &d.Tokens[from+i]
		low := normal(t.Text)
		rows[i] = m.vocabulary.look(t, low, apart(d, from+i), first(d, from+i))
		if row, known := m.vocabulary.given[low]; known {
			given[i] = space[i*m.network.given:][:m.network.given]
			m.vectors.row(given[i], int(row))
		}
	}
}

// lesson is some sentences as a network takes them, and what it should say of them.
type lesson struct {
	bounds []int // where sentences begin, and the number of words
	rows   []lookups
	given  [][]float32
	want   target
}

// begin empties a lesson.
func (l *lesson) begin() {
	l.bounds, l.rows, l.given = append(l.bounds[:0], 0), l.rows[:0], l.given[:0]
	w := &l.want
	w.upos, w.xpos, w.relation, w.heads = w.upos[:0], w.xpos[:0], w.relation[:0], w.heads[:0]
}

// add adds a sentence. Labels that the vocabulary lacks are −1.
func (l *lesson) add(w *words, v *vocabulary, sentence [2]int) {
	base := len(l.rows)
	for i := sentence[0]; i < sentence[1]; i++ {
		token := &w.document.Tokens[i]
		l.rows, l.given = append(l.rows, w.rows[i]), append(l.given, w.given[i])
		l.want.upos = append(l.want.upos, v.upos.of(token.UPOS))
		l.want.xpos = append(l.want.xpos, v.xpos.of(token.XPOS))
		l.want.relation = append(l.want.relation, v.relations.of(token.DepRel))
		head := -1
		if token.Head >= 0 {
			head = base + token.Head - sentence[0]
		}
		l.want.heads = append(l.want.heads, head)
	}
	l.bounds = append(l.bounds, len(l.rows))
}

// hide hides the spelling of a share of the words of the last sentence, and the
// given vectors of a third of that.
func (l *lesson) hide(share float64, rng *weakrand.Rand) {
	for i := l.bounds[len(l.bounds)-2]; i < len(l.rows); i++ {
		if rng.Float64() < share {
			l.rows[i][byWord] = unknown
		}
		if rng.Float64() < share/3 {
			l.given[i] = nil
		}
	}
}
