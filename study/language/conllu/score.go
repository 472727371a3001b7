package conllu

import (
	"errors"
	"strings"

	"sotto/study/language"
)

// This part of the package judges tokens, sentences, tags and trees by the measures of the
// CoNLL 2018 shared task, and entities by their spans.
//
// A system and the truth are documents of one text. Words that both see at the
// same place are aligned, and within words that either writes as one, those of
// the same form; each measure is then an F1 over all words of both. Relations
// count without what follows a colon, as in the shared task. Where the words are
// given, precision and recall are the same and all is plain accuracy.

// F1 counts what the truth has, what the system says, and what is in both.
type F1 struct {
	Gold, System, Right int
}

// Precision returns the share of what the system says that is right.
func (f F1) Precision() float64 { return share(f.Right, f.System) }

// Recall returns the share of the truth that the system says.
func (f F1) Recall() float64 { return share(f.Right, f.Gold) }

// Score returns the harmonic mean of precision and recall, from 0 to 1.
func (f F1) Score() float64 { return share(2*f.Right, f.Gold+f.System) }

// Add adds counts.
func (f *F1) Add(g F1) {
	f.Gold, f.System, f.Right = f.Gold+g.Gold, f.System+g.System, f.Right+g.Right
}

// share returns a/b, and 0 if both are 0.
func share(a, b int) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// Syntax is how well a system finds words and their structure.
type Syntax struct {
	Tokens    F1 // as they are written
	Sentences F1
	Words     F1 // with those that are fused
	UPOS      F1
	XPOS      F1
	Lemmas    F1
	UAS       F1 // heads
	LAS       F1 // heads and relations, without subtypes
	Full      F1 // heads and relations with subtypes
}

// Add adds counts.
func (s *Syntax) Add(t Syntax) {
	s.Tokens.Add(t.Tokens)
	s.Sentences.Add(t.Sentences)
	s.Words.Add(t.Words)
	s.UPOS.Add(t.UPOS)
	s.XPOS.Add(t.XPOS)
	s.Lemmas.Add(t.Lemmas)
	s.UAS.Add(t.UAS)
	s.LAS.Add(t.LAS)
	s.Full.Add(t.Full)
}

// ErrText is returned by [Trees] for documents of different texts.
var ErrText = errors.New("score: the two documents have different texts, must have the same")

// Trees compares what a system says of a text with the truth.
func Trees(gold, system *language.Document) (Syntax, error) {
	if gold.Text != system.Text {
		return Syntax{}, ErrText
	}
	s := Syntax{
		Tokens:    overlap(scoreWritten(gold), scoreWritten(system)),
		Sentences: overlap(sentences(gold), sentences(system)),
	}
	partner := align(gold, system) // of each word of the system the word of the truth, or −1
	words := F1{Gold: len(gold.Tokens), System: len(system.Tokens)}
	s.Words, s.UPOS, s.XPOS, s.Lemmas, s.UAS, s.LAS, s.Full = words, words, words, words, words, words, words
	for i, g := range partner {
		if g < 0 {
			continue
		}
		a, b := &gold.Tokens[g], &system.Tokens[i]
		s.Words.Right++
		count(&s.UPOS, a.UPOS == b.UPOS)
		count(&s.XPOS, a.XPOS == b.XPOS)
		count(&s.Lemmas, a.Lemma == "" || a.Lemma == b.Lemma)
		head := a.Head == -1 && b.Head == -1 || a.Head >= 0 && b.Head >= 0 && partner[b.Head] == a.Head
		count(&s.UAS, head)
		count(&s.LAS, head && universal(a.DepRel) == universal(b.DepRel))
		count(&s.Full, head && a.DepRel == b.DepRel)
	}
	return s, nil
}

func count(f *F1, right bool) {
	if right {
		f.Right++
	}
}

// universal returns a relation without its subtype.
func universal(relation string) string {
	relation, _, _ = strings.Cut(relation, ":")
	return relation
}

// span is a part of a text.
type span struct{ start, end int }

// scoreWritten returns where the words are as they are written: fused ones as one.
func scoreWritten(d *language.Document) []span {
	var all []span
	for i, t := range d.Tokens {
		if t.Fused && i > 0 {
			all[len(all)-1].end = t.End
			continue
		}
		all = append(all, span{t.Start, t.End})
	}
	return all
}

// sentences returns where the sentences are.
func sentences(d *language.Document) []span {
	var all []span
	for i, t := range d.Tokens {
		if i > 0 && t.Sentence == d.Tokens[i-1].Sentence {
			all[len(all)-1].end = t.End
			continue
		}
		all = append(all, span{t.Start, t.End})
	}
	return all
}

// overlap counts the spans that are in both lists, which are in order.
func overlap(gold, system []span) F1 {
	f := F1{Gold: len(gold), System: len(system)}
	for len(gold) > 0 && len(system) > 0 {
		switch a, b := gold[0], system[0]; {
		case a == b:
			f.Right++
			gold, system = gold[1:], system[1:]
		case a.start < b.start || a.start == b.start && a.end < b.end:
			gold = gold[1:]
		default:
			system = system[1:]
		}
	}
	return f
}

// Entities compares the entities of a text with the truth: an entity is right
// if place and type are. Both lists are in order.
func Entities(gold, system []language.Entity) F1 {
	f := F1{Gold: len(gold), System: len(system)}
	for _, s := range system {
		for _, g := range gold {
			if g.Start == s.Start && g.End == s.End && g.Type == s.Type {
				f.Right++
				break
			}
		}
	}
	return f
}
