package explain

import (
	"context"
	_ "embed" // of the tab
	"errors"
	"net/http"
	"sync"

	"sotto/command/studio"
	"sotto/service/httpserve"
	"sotto/study/explain"
	"sotto/study/explain/predictor"
	"sotto/study/language"
	"sotto/study/language/english"
	"sotto/text"
)

var (
	//go:embed tab.html
	tabHTML string
	//go:embed tab.js
	tabScript string
)

// tab makes the tab of a studio that shows which words of a text an answer hangs on, and
// which others would change it.
func tab() studio.Tab {
	var t students
	return studio.Tab{Name: "explain", Title: "Explain", Before: "report", HTML: tabHTML, Script: tabScript, Routes: map[string]func(*studio.Studio, http.ResponseWriter, *http.Request) error{
		"POST student": t.hand,
		"POST words":   t.words,
		"POST swaps":   t.swaps,
	}}
}

// request is a text as the page asks about it.
type request struct {
	Run    string `json:"run"`
	Text   string `json:"text"`
	Method string `json:"method"`
	View   string `json:"view"`
}

// explained is what the page shows of a text. It is as secret as the text, and goes to
// the person who typed it alone.
type explained struct {
	*explain.Explanation
	Classes []string         `json:"classes"`
	Noise   *predictor.Noise `json:"noise,omitempty"`
	Private bool             `json:"model_private"` // that the model promises anything
}

// explainer returns the method of a name.
func explainer(name string) (explain.Explainer, error) {
	for _, e := range []explain.Explainer{explain.Occlusion{}, explain.LIME{}, explain.SHAP{}, explain.Gradients{}} {
		if e.Name() == name {
			return e, nil
		}
	}
	return nil, &studio.Problem{Status: http.StatusBadRequest, Message: "this way to explain is not known: load the page anew"}
}

// words handles "POST words".
func (t *students) words(s *studio.Studio, w http.ResponseWriter, r *http.Request) error {
	var q request
	if err := studio.Read(w, r, &q); err != nil {
		return err
	}
	m, err := open(s, q)
	if err != nil {
		return err
	}
	got, err := t.explain(r.Context(), s, q, m)
	if errors.Is(err, explain.ErrWords) {
		return &studio.Problem{Status: http.StatusBadRequest, Message: "type a text with at least one word, and at most 2048"}
	} else if err != nil {
		return err
	}
	noise, err := m.Noise(r.Context(), q.Text)
	if err != nil {
		return err
	}
	return httpserve.WriteJSON(w, http.StatusOK, explained{got, m.Classes(), noise, m.Manifest().Guarantee != nil})
}

// open opens the model of a training as one that can be asked.
func open(s *studio.Studio, q request) (*predictor.Model, error) {
	m, e, err := s.Typed(q.Run, q.Text)
	if err != nil {
		return nil, err
	}
	return predictor.New(m.Model, m.Manifest, e, predictor.Options{View: predictor.View(q.View)})
}

// mostSwaps is how many words are offered in place of another.
const mostSwaps = 10

// swapped is what would change an answer.
type swapped struct {
	Answer   string         `json:"answer"`
	Swaps    []explain.Swap `json:"swaps"`
	Proposed int            `json:"proposed,omitempty"` // words that the student expects to change it, if it is they that were tried
	Asked    int            `json:"asked"`              // words that were tried
	Part     string         `json:"part,omitempty"`     // of speech, that all have
	Flips    int            `json:"flips"`              // how many of them change the answer
}

// swaps handles "POST swaps": which other words in place of one would change
// the answer, of the same part of speech, each tried on the model. Those that a student
// proposes come first, and all words of the encoder where it knows none that does.
func (t *students) swaps(s *studio.Studio, w http.ResponseWriter, r *http.Request) error {
	var q struct {
		request
		Start int `json:"start"`
		End   int `json:"end"`
	}
	if err := studio.Read(w, r, &q); err != nil {
		return err
	}
	m, err := open(s, q.request)
	if err != nil {
		return err
	}
	word := text.Span{Start: q.Start, End: q.End}
	if word.Start < 0 || word.End > len(q.Text) || word.Start >= word.End {
		return &studio.Problem{Status: http.StatusBadRequest, Message: "this word is not in the text: explain it anew"}
	}
	got, err := t.swap(r.Context(), s, q.request, m, word)
	if err != nil {
		return err
	}
	return httpserve.WriteJSON(w, http.StatusOK, got)
}

// swap finds what would change an answer in place of a word.
func (t *students) swap(ctx context.Context, s *studio.Studio, q request, m *predictor.Model, word text.Span) (*swapped, error) {
	if words, list := t.proposed(ctx, s, q, word); len(words) > 0 {
		answer, flips, err := explain.Swaps(ctx, m, q.Text, word, words)
		if err != nil {
			return nil, err
		}
		if len(flips) > 0 {
			return &swapped{Answer: answer, Proposed: list.Flips, Asked: len(words), Part: list.POS, Flips: len(flips), Swaps: flips[:min(len(flips), mostSwaps)]}, nil
		}
	}
	words, err := m.Candidates()
	if err != nil {
		return nil, err
	}
	answer, flips, err := explain.Swaps(ctx, m, q.Text, word, words)
	if err != nil {
		return nil, err
	}
	got := &swapped{Answer: answer, Asked: len(words), Flips: len(flips)}
	got.Part, got.Swaps, err = alike(ctx, q.Text, word, flips)
	return got, err
}

var pipeline = sync.OnceValues(english.Load)

// alike returns the first swaps that are of the same part of speech as the word, in
// their place in the text.
func alike(ctx context.Context, s string, word text.Span, flips []explain.Swap) (string, []explain.Swap, error) {
	p, err := pipeline()
	if err != nil {
		return "", nil, err
	}
	part, err := partOf(p, s, word.Start)
	if err != nil {
		return "", nil, err
	}
	kept := []explain.Swap{}
	for _, f := range flips[:min(len(flips), 20*mostSwaps)] {
		if err := ctx.Err(); err != nil {
			return "", nil, err
		}
		other, err := partOf(p, explain.Replace(s, word, f.Word), word.Start)
		if err != nil {
			return "", nil, err
		}
		if other == part {
			kept = append(kept, f)
		}
		if len(kept) == mostSwaps {
			break
		}
	}
	return part, kept, nil
}

// partOf returns the part of speech of the token that begins at, or covers, a byte.
func partOf(p language.Pipeline, s string, at int) (string, error) {
	d, err := p.Document(s)
	if err != nil {
		return "", err
	}
	for _, t := range d.Tokens {
		if t.Start <= at && at < t.End {
			return t.UPOS, nil
		}
	}
	return "", nil
}
