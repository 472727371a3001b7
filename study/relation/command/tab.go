package relation

import (
	"context"
	_ "embed" // of the tab
	"net/http"

	"sotto/command/studio"
	"sotto/service/httpserve"
)

var (
	//go:embed tab.html
	tabHTML string
	//go:embed tab.js
	tabScript string
)

// tab makes the tab of a studio that shows what rules find of relations, and lets a person
// judge and edit them.
func tab() studio.Tab {
	var t reviews
	return studio.Tab{Name: "relations", Title: "Relations", HTML: tabHTML, Script: tabScript, Routes: map[string]func(*studio.Studio, http.ResponseWriter, *http.Request) error{
		"POST start": t.start,
		"POST show":  t.about(func(rulesAnswer, *Desk) error { return nil }),
		"POST judge": t.about(func(q rulesAnswer, d *Desk) error { return d.Judge(q.Finding, q.Say) }),
		"POST keep":  t.about(func(q rulesAnswer, d *Desk) error { return d.Keep(q.Page.Rule, q.Pattern) }),
		"POST add": t.about(func(q rulesAnswer, d *Desk) error {
			return d.Add(q.Page.Rule, q.Finding.Relation, q.Pattern)
		}),
		"POST reject": t.about(func(q rulesAnswer, d *Desk) error { return d.Reject(q.Page.Rule, q.Rejected) }),
		"POST try":    t.answer(func(q rulesAnswer, d *Desk) (any, error) { return d.Try(q.Page.Rule, q.Pattern) }),
		"POST export": t.answer(func(q rulesAnswer, d *Desk) (any, error) {
			return map[string]string{"name": "mine.rules", "text": d.File(q.Tests).String()}, nil
		}),
	}}
}

// reviews is the set of rules under review.
type reviews struct{ studio.Last[*Desk] }

// rulesView is rules under review as the page gets them.
type rulesView struct {
	Review string `json:"review"` // its name, for what comes after
	View
}

// maxSentences bounds a request with a file of sentences, in bytes.
const maxSentences = 32 << 20

// start handles "POST start".
func (t *reviews) start(s *studio.Studio, w http.ResponseWriter, r *http.Request) error {
	var q struct {
		Data      string `json:"data"`
		Sentences string `json:"sentences"` // in place of it, a file of one's own
		Part      string `json:"part"`
		Rules     string `json:"rules"` // a file of them; "" means those that are built in
	}
	if err := studio.ReadUpTo(w, r, &q, maxSentences); err != nil {
		return err
	}
	var content []byte
	if q.Sentences != "" {
		content = []byte(q.Sentences)
	}
	return s.Begin(w, "relations", func(ctx context.Context, tell studio.Tell) (any, error) {
		tell(0, "Reading the rules")
		d, err := OpenDesk(ctx, DeskOptions{Data: q.Data, Content: content, Part: q.Part, Rules: q.Rules, Workers: s.Workers, Progress: func(done, total int) {
			tell(float64(done)/float64(max(1, total)), "Reading sentences")
		}})
		if err != nil {
			return nil, err
		}
		v, err := d.View(Page{})
		if err != nil {
			return nil, err
		}
		return rulesView{t.Keep(d), v}, nil
	})
}

// rulesAnswer is something to be done about rules, or a question.
type rulesAnswer struct {
	Review   string  `json:"review"`
	Page     Page    `json:"page"`
	Finding  Finding `json:"finding"`
	Say      say     `json:"say"`
	Pattern  string  `json:"pattern"`
	Rejected bool    `json:"rejected"`
	Tests    bool    `json:"tests"`
}

// answer answers a question about the rules under review.
func (t *reviews) answer(f func(q rulesAnswer, d *Desk) (any, error)) func(*studio.Studio, http.ResponseWriter, *http.Request) error {
	return func(_ *studio.Studio, w http.ResponseWriter, r *http.Request) error {
		var q rulesAnswer
		if err := studio.Read(w, r, &q); err != nil {
			return err
		}
		d, known := t.Find(q.Review)
		if !known {
			return &studio.Problem{Status: http.StatusNotFound, Message: "these rules are not known any more: look at them again"}
		}
		answer, err := f(q, d)
		if err != nil {
			return err
		}
		return httpserve.WriteJSON(w, http.StatusOK, answer)
	}
}

// about does something about rules, and answers with what they are then.
func (t *reviews) about(act func(q rulesAnswer, d *Desk) error) func(*studio.Studio, http.ResponseWriter, *http.Request) error {
	return t.answer(func(q rulesAnswer, d *Desk) (any, error) {
		if err := act(q, d); err != nil {
			return nil, err
		}
		v, err := d.View(q.Page)
		return rulesView{q.Review, v}, err
	})
}
