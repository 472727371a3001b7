package influence

import (
	"context"
	"errors"
	"math"

	"sotto/compute/nn"
	"sotto/text"
)

// Score is what a part does to the teacher's answer.
type Score struct {
	Text  string `json:"text"`
	Start int    `json:"start"` // bytes of the text
	End   int    `json:"end"`
	POS   string `json:"pos,omitempty"` // universal part of speech of a word
	// Influence is how much the part speaks for the last class against the first, from
	// −1 to 1, where there are two classes: 2ŝ − 1, with ŝ = softmax(C(r)). Where there
	// are more, it is how much it speaks for the class that the text has, ŝ·K − 1, up to
	// 1. The layer's own bias is left out, so that nothing has an influence of 0.
	Influence float64 `json:"influence"`
	// Speaks is ŝ of the class that the text has.
	Speaks float64 `json:"speaks"`
	// Unlike is the share of words of the same part of speech in whose place the student
	// gives another class than the text has; −1 for a phrase, which has none.
	Unlike float64 `json:"unlike"`
	// Hybrid is √(Speaks·Unlike): high where the part speaks for the class and others in
	// its place would not.
	Hybrid float64 `json:"hybrid"`
}

// Scored is a text with the scores of its parts.
type Scored struct {
	Prediction    string             `json:"prediction"`
	Probabilities map[string]float64 `json:"probabilities"`
	Words         []Score            `json:"words"`
	Phrases       []Score            `json:"phrases,omitempty"`
}

// ErrEmpty is returned for a text without a word.
var ErrEmpty = errors.New("influence: the text has no words, must have at least one")

// ScoreOptions say what is scored and how.
type ScoreOptions struct {
	// Phrases are further parts; nil scores none.
	Phrases []text.Span
	// Published computes the unlike ratio from z + r, as one line of the publication has
	// it, in place of z' + r, which is what the student has learnt.
	Published bool
}

// Scores returns what the words of a text do to the teacher's answer.
func (s *Student) Scores(ctx context.Context, text string, o ScoreOptions) (*Scored, error) {
	words, err := s.words(text)
	if err != nil {
		return nil, err
	}
	places, tags := placed(text, words), make([]string, len(words))
	for i, w := range words {
		tags[i] = w.POS
	}
	for _, span := range o.Phrases {
		places = append(places, TeacherPlace{Text: text, Span: span})
	}
	z, err := s.Teacher.Represent(ctx, []string{text}, s.workers)
	if err != nil {
		return nil, err
	}
	whole := s.Teacher.Scores(z)
	said := nn.Argmax(whole.Row(0))
	scores, err := s.score(ctx, places, tags, whole.Row(0), said, o.Published)
	if err != nil {
		return nil, err
	}
	result := &Scored{Prediction: s.Teacher.Names[said], Probabilities: map[string]float64{}, Words: scores[:len(words)], Phrases: scores[len(words):]}
	s.Teacher.Probable(whole)
	for i, name := range s.Teacher.Names {
		result.Probabilities[name] = float64(whole.Row(0)[i])
	}
	return result, nil
}

// words returns the words of a text.
func (s *Student) words(text string) ([]Word, error) {
	t, err := s.reads()
	if err != nil {
		return nil, err
	}
	words, err := t.words(text)
	if err == nil && len(words) == 0 {
		err = ErrEmpty
	}
	return words, err
}

// Phrases returns the phrases of a text as the parser finds them, for [ScoreOptions].
func (s *Student) Phrases(sentence string) ([]text.Span, error) {
	t, err := s.reads()
	if err != nil {
		return nil, err
	}
	d, err := t.document(sentence)
	if err != nil {
		return nil, err
	}
	var spans []text.Span
	for _, p := range d.Phrases() {
		spans = append(spans, text.Span{Start: d.Tokens[p[0]].Start, End: d.Tokens[p[1]-1].End})
	}
	return spans, nil
}

// reads returns the tagger, which is made once.
func (s *Student) reads() (_ *tagger, err error) {
	if s.tagger == nil {
		s.tagger, err = newTagger()
	}
	return s.tagger, err
}

// score scores places of one text, of which the first have parts of speech. whole is
// what the teacher's layer says of the text, and said its class.
func (s *Student) score(ctx context.Context, places []TeacherPlace, tags []string, whole []float32, said int, published bool) ([]Score, error) {
	c, without, err := s.contexts(ctx, places)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(places))
	for i, p := range places {
		names[i] = p.Part()
	}
	t, err := s.parts(ctx, names)
	if err != nil {
		return nil, err
	}
	end := s.tail()
	halves := end.half(end.onC, c)
	scores := make([]Score, len(places))
	for i, p := range places {
		one := nn.Matrix{Rows: 1, Cols: t.Cols, Data: t.Row(i)}
		own := end.half(end.onT, one)
		r := end.scores(t.Row(i), own.Row(0), c.Slice(i, i+1), halves.Slice(i, i+1)).Clone()
		scores[i] = s.influence(r.Row(0), said)
		scores[i].Text, scores[i].Start, scores[i].End = names[i], p.Span.Start, p.Span.End
		scores[i].Unlike = -1
		if i >= len(tags) {
			continue
		}
		scores[i].POS = tags[i]
		from := without.Row(i)
		if published {
			from = whole
		}
		scores[i].Unlike = s.unlike(end, tags[i], c.Row(i), halves.Row(i), from, said)
		scores[i].Hybrid = math.Sqrt(scores[i].Speaks * scores[i].Unlike)
	}
	return scores, nil
}

// influence makes a score of what an influence adds to the scores of classes.
func (s *Student) influence(r []float32, said int) Score {
	share := make([]float32, len(r))
	nn.Softmax(share, r)
	if s.Teacher.Law() { // they are probabilities, and what is added to them too
		for j := range share {
			share[j] = min(1, max(0, 1/float32(len(r))+r[j]/2))
		}
	}
	speaks := float64(share[said])
	if len(r) == 2 {
		return Score{Influence: 2*float64(share[1]) - 1, Speaks: speaks}
	}
	return Score{Influence: min(1, float64(speaks*float64(len(r)))-1), Speaks: speaks}
}

// unlike returns the share of words of a part of speech that make another class than
// said in a context. Where the vocabulary has none, it is 0.
func (s *Student) unlike(end *tail, tag string, c, half, from []float32, said int) float64 {
	table, ok := s.table[tag]
	if !ok || table.Rows == 0 {
		return 0
	}
	flips := 0
	got := end.scores(c, half, table, s.halves(end, tag))
	for i := range got.Rows {
		if argmaxSum(got.Row(i), from) != said {
			flips++
		}
	}
	return float64(flips) / float64(got.Rows)
}

// halves returns what the first layer makes of the words of a part of speech, which is
// computed once.
func (s *Student) halves(end *tail, tag string) nn.Matrix {
	if s.half == nil {
		s.half = map[string]nn.Matrix{}
	}
	h, ok := s.half[tag]
	if !ok {
		h = end.half(end.onT, s.table[tag])
		s.half[tag] = h
	}
	return h
}

// argmaxSum returns the place of the largest number of a + b.
func argmaxSum(a, b []float32) int {
	best := 0
	for j := range a {
		if a[j]+b[j] > a[best]+b[best] {
			best = j
		}
	}
	return best
}
