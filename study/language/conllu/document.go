package conllu

import (
	"strconv"
	"strings"

	"sotto/study/language"
)

// Document returns sentences as one document, whose text is made again from the
// forms and from SpaceAfter=No: paragraphs, where comments say that they begin,
// stand behind a blank line, and sentences of one behind a space. Tokens carry
// what the columns say.
func Document(sentences ...*Sentence) *language.Document {
	d := &language.Document{}
	var text strings.Builder
	space := ""
	for i, s := range sentences {
		_, paragraph := s.Comment("newpar")
		if _, document := s.Comment("newdoc"); i > 0 && (paragraph || document) {
			space = "\n\n"
		}
		space = s.add(d, &text, i, space)
	}
	d.Text = text.String()
	for i := range d.Tokens { // one text, of which all that is written as it is shares the memory
		if t := &d.Tokens[i]; d.Text[t.Start:t.End] == t.Text {
			t.Text = d.Text[t.Start:t.End]
		}
	}
	return d
}

// add appends the words of a sentence and their text, with space before them,
// and returns the space behind them.
func (s *Sentence) add(d *language.Document, text *strings.Builder, number int, space string) string {
	first := len(d.Tokens)
	last, start, end := 0, 0, 0 // of the fused word
	for i := range s.Rows {
		row := &s.Rows[i]
		if _, to, is := row.span(); is {
			text.WriteString(space)
			start, space = text.Len(), row.space()
			text.WriteString(row[Form])
			last, end = to, text.Len()
			continue
		}
		if !row.Word() {
			continue
		}
		t := language.Token{Text: row[Form], Sentence: number, Lemma: row.value(Lemma), UPOS: row.value(UPOS), XPOS: row.value(XPOS), DepRel: row.value(DepRel), Head: -1}
		if head, err := strconv.Atoi(row[Head]); err == nil && head > 0 {
			t.Head = first + head - 1
		}
		if len(d.Tokens)-first < last {
			t.Start, t.End = start, end
			t.Fused = len(d.Tokens) > first && d.Tokens[len(d.Tokens)-1].Start == start
		} else {
			text.WriteString(space)
			t.Start, space = text.Len(), row.space()
			text.WriteString(row[Form])
			t.End = text.Len()
		}
		d.Tokens = append(d.Tokens, t)
		if len(d.Tokens)-first == last {
			divide(d.Tokens, text.String()[start:end], start)
		}
	}
	return space
}

// divide gives the words at the end of tokens that share one written word from
// start on their own parts of it, if that is what they are written as.
func divide(tokens []language.Token, written string, start int) {
	from := len(tokens)
	for from > 0 && tokens[from-1].Start == start {
		from--
	}
	together := ""
	for _, t := range tokens[from:] {
		together += t.Text
	}
	if together != written {
		return
	}
	for i := range tokens[from:] {
		t := &tokens[from+i]
		t.Start, t.End = start, start+len(t.Text)
		start = t.End
	}
}

// value returns a column, empty for the _ that stands for nothing, unless it is
// the underscore itself that is written.
func (r *Row) value(column int) string {
	if r[column] == "_" && (column != Lemma || r[Form] != "_") {
		return ""
	}
	return r[column]
}

// space returns what stands behind a word.
func (r *Row) space() string {
	for feature := range strings.SplitSeq(r[Misc], "|") {
		if feature == "SpaceAfter=No" {
			return ""
		}
	}
	return " "
}

// Fill writes lemmas, tags and the tree of a document's tokens, which are the
// words of the sentence, into their columns, and leaves the others as they are.
// It panics if there are not as many tokens as words.
func (s *Sentence) Fill(tokens []language.Token, first int) {
	for i := range s.Rows {
		row := &s.Rows[i]
		if !row.Word() {
			continue
		}
		row.fill(&tokens[0], first)
		tokens = tokens[1:]
	}
	if len(tokens) > 0 {
		panic("conllu: there are more tokens than words")
	}
}

// fill writes what is known of a token, whose sentence has its first token at
// place first of the document.
func (r *Row) fill(t *language.Token, first int) {
	r[Lemma], r[UPOS], r[XPOS] = written(t.Lemma), written(t.UPOS), written(t.XPOS)
	r[Head], r[DepRel] = "_", "_"
	if t.DepRel != "" {
		r[Head], r[DepRel] = strconv.Itoa(max(t.Head-first+1, 0)), t.DepRel
		if t.Head < 0 {
			r[Head] = "0"
		}
	}
}

// written returns a value for a column.
func written(value string) string {
	if value == "" {
		return "_"
	}
	return strings.Map(func(r rune) rune {
		if r == '\t' || r == '\n' || r == '\r' {
			return ' '
		}
		return r
	}, value)
}

// Sentences returns a document as sentences, with comments of their text and
// fused words.
func Sentences(d *language.Document) []*Sentence {
	var all []*Sentence
	for first := 0; first < len(d.Tokens); {
		_, end := d.Sentence(first)
		tokens := d.Tokens[first:end]
		text := d.Text[tokens[0].Start:tokens[len(tokens)-1].End]
		s := &Sentence{Comments: []string{"# text = " + strings.Join(strings.Fields(text), " ")}}
		for i := range tokens {
			if to := group(tokens, i); to > i+1 {
				row := Row{strconv.Itoa(i+1) + "-" + strconv.Itoa(to), d.Text[tokens[i].Start:tokens[to-1].End], "_", "_", "_", "_", "_", "_", "_", apart(d, first+to-1)}
				s.Rows = append(s.Rows, row)
			}
			row := Row{strconv.Itoa(i + 1), written(tokens[i].Text), "_", "_", "_", "_", "_", "_", "_", "_"}
			if next := i+1 < len(tokens) && tokens[i+1].Fused; !tokens[i].Fused && !next {
				row[Misc] = apart(d, first+i)
			}
			row.fill(&tokens[i], first)
			s.Rows = append(s.Rows, row)
		}
		all = append(all, s)
		first = end
	}
	return all
}

// group returns the end of the words that are written as one from word i on, or
// i if the written word began before.
func group(tokens []language.Token, i int) int {
	if tokens[i].Fused {
		return i
	}
	for i++; i < len(tokens) && tokens[i].Fused; {
		i++
	}
	return i
}

// apart returns what Misc says of the space behind token i.
func apart(d *language.Document, i int) string {
	if i+1 < len(d.Tokens) && d.Tokens[i+1].Start == d.Tokens[i].End {
		return "SpaceAfter=No"
	}
	return "_"
}
