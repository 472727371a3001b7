package studio

import (
	"context"
	"crypto/rand"
	_ "embed" // of the tab
	"net/http"
	"sync"

	"sotto/service/httpserve"
	"sotto/study/relation/review"
)

var (
	//go:embed assets/relations.html
	relationsHTML string
	//go:embed assets/relations.js
	relationsScript string
)

// relationsTab shows what rules find of relations, and lets a person judge and edit them.
func relationsTab() Tab {
	return Tab{Name: "relations", Title: "Relations", HTML: relationsHTML, Script: relationsScript, Routes: map[string]func(*Studio, http.ResponseWriter, *http.Request) error{
		"POST start": (*Studio).startRelations,
		"POST show":  aboutRules(func(rulesAnswer, *review.Desk) error { return nil }),
		"POST judge": aboutRules(func(q rulesAnswer, d *review.Desk) error { return d.Judge(q.Finding, q.Say) }),
		"POST keep":  aboutRules(func(q rulesAnswer, d *review.Desk) error { return d.Keep(q.Page.Rule, q.Pattern) }),
		"POST add": aboutRules(func(q rulesAnswer, d *review.Desk) error {
			return d.Add(q.Page.Rule, q.Finding.Relation, q.Pattern)
		}),
		"POST reject": aboutRules(func(q rulesAnswer, d *review.Desk) error { return d.Reject(q.Page.Rule, q.Rejected) }),
		"POST try":    answerRules(func(q rulesAnswer, d *review.Desk) (any, error) { return d.Try(q.Page.Rule, q.Pattern) }),
		"POST export": answerRules(func(q rulesAnswer, d *review.Desk) (any, error) {
			return map[string]string{"name": "mine.rules", "text": d.File(q.Tests).String()}, nil
		}),
	}}
}

// ruled is the last set of rules under review.
type ruled struct {
	mu   sync.Mutex // guards the rest
	id   string
	last *review.Desk
}

// rulesView is rules under review as the page gets them.
type rulesView struct {
	Review string `json:"review"` // its name, for what comes after
	review.View
}

// maxSentences bounds a request with a file of sentences, in bytes.
const maxSentences = 32 << 20

// startRelations handles "POST start".
func (s *Studio) startRelations(w http.ResponseWriter, r *http.Request) error {
	var q struct {
		Data      string `json:"data"`
		Sentences string `json:"sentences"` // in place of it, a file of one's own
		Part      string `json:"part"`
		Rules     string `json:"rules"` // a file of them; "" means those that are built in
	}
	if err := readUpTo(w, r, &q, maxSentences); err != nil {
		return err
	}
	var content []byte
	if q.Sentences != "" {
		content = []byte(q.Sentences)
	}
	return s.begin(w, "relations", func(ctx context.Context, tell Tell) (any, error) {
		tell(0, "Reading the rules")
		d, err := review.Open(ctx, review.Options{Data: q.Data, Content: content, Part: q.Part, Rules: q.Rules, Workers: s.Workers, Progress: func(done, total int) {
			tell(float64(done)/float64(max(1, total)), "Reading sentences")
		}})
		if err != nil {
			return nil, err
		}
		v, err := d.View(review.Page{})
		name := rand.Text()
		s.ruled.mu.Lock()
		defer s.ruled.mu.Unlock()
		s.ruled.id, s.ruled.last = name, d
		return rulesView{name, v}, err
	})
}

// rulesAnswer is something to be done about rules, or a question.
type rulesAnswer struct {
	Review   string         `json:"review"`
	Page     review.Page    `json:"page"`
	Finding  review.Finding `json:"finding"`
	Say      review.Say     `json:"say"`
	Pattern  string         `json:"pattern"`
	Rejected bool           `json:"rejected"`
	Tests    bool           `json:"tests"`
}

// answerRules answers a question about the rules under review.
func answerRules(f func(q rulesAnswer, d *review.Desk) (any, error)) func(*Studio, http.ResponseWriter, *http.Request) error {
	return func(s *Studio, w http.ResponseWriter, r *http.Request) error {
		var q rulesAnswer
		if err := read(w, r, &q); err != nil {
			return err
		}
		s.ruled.mu.Lock()
		d, known := s.ruled.last, s.ruled.id == q.Review
		s.ruled.mu.Unlock()
		if d == nil || !known {
			return &Problem{http.StatusNotFound, "these rules are not known any more: look at them again"}
		}
		answer, err := f(q, d)
		if err != nil {
			return err
		}
		return httpserve.WriteJSON(w, http.StatusOK, answer)
	}
}

// aboutRules does something about rules, and answers with what they are then.
func aboutRules(act func(q rulesAnswer, d *review.Desk) error) func(*Studio, http.ResponseWriter, *http.Request) error {
	return answerRules(func(q rulesAnswer, d *review.Desk) (any, error) {
		if err := act(q, d); err != nil {
			return nil, err
		}
		v, err := d.View(q.Page)
		return rulesView{q.Review, v}, err
	})
}
