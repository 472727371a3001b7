package feature

import (
	"slices"
	"strings"
	"unicode"

	"sotto/study/language"
	"sotto/study/language/english"
	"sotto/study/language/lexicon"
)

// Options says what is looked for. The zero value takes what is built in.
type Options struct {
	// Lexicons say which emotions words carry; nil means xed for eight emotions
	// and opinion for positive and negative. NRC's EmoLex has all ten.
	Lexicons []*lexicon.Lexicon
	// Known tells whether a word, in small letters, is known to whatever is
	// judged; nil means the built-in model of English.
	Known func(word string) bool
}

// Reader finds the features of texts. Several goroutines may use it.
type Reader struct {
	pipeline language.Pipeline
	lexicons []*lexicon.Lexicon
	known    func(string) bool
}

// New returns a reader.
func New(o Options) (*Reader, error) {
	p, err := english.Load()
	if err != nil {
		return nil, err
	}
	r := &Reader{pipeline: p, lexicons: o.Lexicons, known: o.Known}
	if r.lexicons == nil {
		for _, name := range []string{"xed", "opinion"} {
			l, err := lexicon.Open(name)
			if err != nil {
				return nil, err
			}
			r.lexicons = append(r.lexicons, l)
		}
	}
	if r.known == nil {
		m, err := english.Model()
		if err != nil {
			return nil, err
		}
		r.known = m.Knows
	}
	return r, nil
}

// Read finds the features of a text.
func (r *Reader) Read(text string) (Text, error) {
	d, err := r.pipeline.Document(text)
	if err != nil {
		return Text{}, err
	}
	s := sheet{document: d, found: map[string]*Found{}}
	entities := r.entities(&s)
	s.trees()
	s.cues(entities)
	r.emotions(&s)
	r.unknown(&s, entities)
	return s.text(), nil
}

// sheet collects the features of one text.
type sheet struct {
	document *language.Document
	found    map[string]*Found
}

// add counts a feature once, at some places.
func (s *sheet) add(group, name string, spans ...Span) {
	f := s.found[name]
	if f == nil {
		f = &Found{Name: name, Group: group}
		s.found[name] = f
	}
	f.Value++
	f.Spans = append(f.Spans, spans...)
}

// text divides what was counted by the number of tokens and puts it in order.
func (s *sheet) text() Text {
	t := Text{Tokens: len(s.document.Tokens), Found: make([]Found, 0, len(s.found)+1)}
	for _, f := range s.found {
		f.Value /= float64(t.Tokens) // what was found is in a token
		t.Found = append(t.Found, *f)
	}
	t.Found = append(t.Found, Found{Name: Length, Group: Shape, Value: float64(t.Tokens)})
	slices.SortFunc(t.Found, func(a, b Found) int { return strings.Compare(a.Name, b.Name) })
	return t
}

func place(t language.Token) Span { return Span{t.Start, t.End} }

// The features of the shape of a text.
const (
	Length  = "length"  // number of tokens
	Unknown = "unknown" // words that are not known, by tokens
)

// trees adds the relation of each word to its head, by their tags: a root has itself
// as head. Words that negate have the relation neg, which newer treebanks do not
// tell from other adverbs.
func (s *sheet) trees() {
	for _, t := range s.document.Tokens {
		if t.DepRel == "" {
			continue
		}
		head, relation := t, t.DepRel
		if t.Head >= 0 {
			head = s.document.Tokens[t.Head]
		}
		if relation == "advmod" && negates[strings.ToLower(t.Lemma)] {
			relation = "neg"
		}
		spans := []Span{place(t)}
		if t.Head >= 0 {
			spans = append(spans, place(head))
		}
		s.add(Dependency, relation+"-"+head.XPOS+"-"+t.XPOS, spans...)
	}
}

var negates = map[string]bool{"not": true, "n't": true, "never": true}

// emotions adds the categories of words, a category once a word.
func (r *Reader) emotions(s *sheet) {
	for _, t := range s.document.Tokens {
		seen := map[string]bool{}
		for _, l := range r.lexicons {
			for _, e := range l.Look(t.Text, t.Lemma) {
				if !seen[e.Category] {
					seen[e.Category] = true
					s.add(Emotion, "emotion:"+e.Category, place(t))
				}
			}
		}
	}
}

// unknown adds words that are not known. Addresses and numbers are no words, and
// neither is what begins with @ or #.
func (r *Reader) unknown(s *sheet, taken cover) {
	for i, t := range s.document.Tokens {
		if !wordy(t.Text) || s.handle(i) || taken.has(t, language.URL, language.Email, language.Username, language.IP) {
			continue
		}
		if !r.known(strings.ToLower(t.Text)) && !r.known(strings.ToLower(t.Lemma)) {
			s.add(Shape, Unknown, place(t))
		}
	}
}

// wordy reports whether a token has a letter and is no handle.
func wordy(s string) bool {
	return !strings.HasPrefix(s, "@") && !strings.HasPrefix(s, "#") && strings.IndexFunc(s, unicode.IsLetter) >= 0
}

// handle reports whether token i is written behind an @ or # that is a token.
func (s *sheet) handle(i int) bool {
	if i == 0 {
		return false
	}
	before, t := s.document.Tokens[i-1], s.document.Tokens[i]
	return before.End == t.Start && (before.Text == "@" || before.Text == "#")
}
