package studio

import (
	"cmp"
	"crypto/rand"
	_ "embed" // of the tab
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"

	"sotto/compute/nn"
	"sotto/learn/model"
	"sotto/promise/dp"
	"sotto/service/httpserve"
	"sotto/text/encode"
)

var (
	//go:embed assets/try.html
	tryHTML string
	//go:embed assets/try.js
	tryScript string
)

// tryTab shows what would be released of a text.
func tryTab() Tab {
	return Tab{Name: "try", Title: "Try", HTML: tryHTML, Script: tryScript, Routes: map[string]func(*Studio, http.ResponseWriter, *http.Request) error{
		"POST release": (*Studio).release,
	}}
}

const (
	draws    = 8      // releases that are shown
	counted  = 400    // and that are counted where the law of the release is not known
	mostText = 20_000 // bytes
)

// tried is what would be released of a text.
type tried struct {
	Guarantee string     `json:"guarantee"`
	Epsilon   dp.Epsilon `json:"epsilon"`
	Bound     bool       `json:"bound"` // that odds change at most by e^ε: text-level and δ = 0
	Mechanism string     `json:"mechanism"`
	Label     string     `json:"label"`
	Classes   []string   `json:"classes"`
	Codes     []codeLaw  `json:"codes,omitempty"` // of a release that is one of them, the likeliest first
	Of        int        `json:"of,omitempty"`    // how many codes there are
	Draws     []draw     `json:"draws"`
	Reads     []float64  `json:"reads"` // of each class, how often a release of this text is read as it
	Exact     bool       `json:"exact"` // computed from the law of the release; else counted
}

// codeLaw says how likely a code is.
type codeLaw struct {
	Index  int     `json:"index"`
	Says   string  `json:"says"`   // the class that its receiver answers
	Chance float64 `json:"chance"` // for this text, which stays here
	Least  float64 `json:"least"`  // for any text at all
	Most   float64 `json:"most"`
}

// draw is one release.
type draw struct {
	Code   *int      `json:"code,omitempty"`
	Vector []float32 `json:"vector,omitempty"` // of a release that is no code
	Says   string    `json:"says"`
	Scores []float32 `json:"scores"` // what the receiver's classifier gives each class
}

// release handles "POST release". The noise is fresh and of nobody's budget: what
// it makes is shown on this machine and sent nowhere.
func (s *Studio) release(w http.ResponseWriter, r *http.Request) error {
	var q struct {
		Run  string `json:"run"`
		Text string `json:"text"`
	}
	if err := Read(w, r, &q); err != nil {
		return err
	}
	m, e, err := s.Typed(q.Run, q.Text)
	if err == nil {
		err = untrained(m, q.Text)
	}
	if err != nil {
		return err
	}
	x, err := encode.Texts(r.Context(), e, []string{q.Text}, 1)
	if err != nil {
		return err
	}
	if x.Cols != m.Model.Architecture().Inputs {
		return &Problem{http.StatusUnprocessableEntity, "this model reads more than a text, so that it cannot be tried here"}
	}
	t, err := release(m.Model, m.Manifest, x)
	if err != nil {
		return err
	}
	return httpserve.WriteJSON(w, http.StatusOK, t)
}

// untrained refuses a text that the model of a training was trained on: what is said of
// its releases would not be true. Of a folder of before nobody knows.
func untrained(m *model.Opened, t string) error {
	known, _, err := m.Trained(nil)
	if errors.Is(err, model.ErrNotKnown) {
		return nil
	}
	if err == nil && known.Text(t, nil, nil) {
		err = &Problem{http.StatusUnprocessableEntity, "the model was trained on this text, so that its ε does not cover it: type one that it has not seen"}
	}
	return err
}

// Typed returns the model of a training and its encoder, for a text that a person
// typed, which it refuses if there is none or too much of it. The encoder is the studio's,
// which keeps it for the next text.
func (s *Studio) Typed(run, text string) (*model.Opened, encode.Source, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil, &Problem{http.StatusBadRequest, "type a text first"}
	}
	if len(text) > mostText {
		return nil, nil, &Problem{http.StatusRequestEntityTooLarge, fmt.Sprintf("the text has %d bytes, must have at most %d", len(text), mostText)}
	}
	trained, err := s.Run(run)
	if err != nil {
		return nil, nil, err
	}
	m, err := model.Open(s.ctx, trained.Model())
	if err != nil {
		return nil, nil, err
	}
	e, err := s.source(m)
	return m, e, err
}

// source returns the encoder of a model, which is opened once.
func (s *Studio) source(m *model.Opened) (encode.Source, error) {
	s.encoder.mu.Lock()
	defer s.encoder.mu.Unlock()
	if s.encoder.source == nil || s.encoder.name != m.Encoder {
		e, err := m.Source(s.ctx)
		if err != nil {
			return nil, err
		}
		s.encoder.name, s.encoder.source = m.Encoder, e
	}
	return s.encoder.source, nil
}

// release releases a vector a few times and says what a receiver makes of it.
func release(m *model.Model, info model.Manifest, x nn.Matrix) (*tried, error) {
	p := nn.NewPool(1)
	rows := make([]int, counted) // the same text each time, with noise of its own
	key := make([]byte, 32)
	rand.Read(key)
	released, err := m.Release(p, x, rows, key)
	if err != nil {
		return nil, err
	}
	g := m.Guarantee()
	t := &tried{Guarantee: g.String(), Epsilon: g.Epsilon, Bound: g.Unit == dp.Text && g.Delta == 0, Label: info.Data.Label, Classes: info.Data.Classes}
	if st, ok := m.Statement(); ok {
		t.Mechanism = st.Mechanism
	}
	law, coded, err := m.Law(p, x, rows[:1])
	if err != nil {
		return nil, err
	}
	t.Reads, t.Exact = make([]float64, len(t.Classes)), coded
	if coded {
		t.Of, t.Codes = law.Cols, codes(m, info, law.Row(0))
		for i, chance := range law.Row(0) {
			t.Reads[m.Architecture().Answers[i][0]] += float64(chance)
		}
	}
	scores := m.Logits(p, released)
	for i := range counted {
		chances := scores.Row(i)[:len(t.Classes)] // of the first label
		nn.Softmax(chances, chances)
		best := nn.Argmax(chances)
		if !coded {
			t.Reads[best] += 1.0 / counted
		}
		if i >= draws {
			continue
		}
		d := draw{Scores: chances, Says: t.Classes[best]}
		if coded {
			d.Code = new(slices.Index(released.Row(i), 1))
		} else {
			d.Vector = slices.Clone(released.Row(i))
		}
		t.Draws = append(t.Draws, d)
	}
	return t, nil
}

// mostCodes is how many codes are listed.
const mostCodes = 12

// codes lists the codes, the likeliest first, with what any text gives them.
func codes(m *model.Model, info model.Manifest, law []float32) []codeLaw {
	a := m.Architecture()
	least := model.CodeWeights(*a.Release)
	all := make([]codeLaw, len(law))
	for i, chance := range law {
		all[i] = codeLaw{Index: i, Says: info.Data.Classes[a.Answers[i][0]], Chance: float64(chance), Least: least[i], Most: min(1, least[i]*math.Exp(a.Release.Epsilon))}
	}
	slices.SortStableFunc(all, func(a, b codeLaw) int { return cmp.Compare(b.Chance, a.Chance) })
	return all[:min(mostCodes, len(all))]
}
