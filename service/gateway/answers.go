package gateway

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"sotto/promise/dp"
	remote "sotto/service/client"
	"sotto/service/httpserve"
	"sotto/text"
)

// Answer is what a server says of one vector.
type Answer = remote.Answer

// Classifier asks a server, on the untrusted side, for the classes of released
// vectors, one answer each; *client.Server is one.
type Classifier interface {
	Classify(ctx context.Context, vectors [][]float32, g dp.Guarantee) ([]Answer, error)
}

// ask asks the server for the classes of released vectors.
func (s *Service) ask(ctx context.Context, who *client, vectors [][]float32) ([]Answer, error) {
	answers, err := who.asks.Classify(ctx, vectors, who.gateway.guarantee)
	if err == nil && len(answers) != len(vectors) {
		err = fmt.Errorf("%d answers to %d vectors", len(answers), len(vectors))
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrServer, err)
	}
	return answers, nil
}

// usage counts the words of a request, since OpenAI's clients expect to find it.
type usage struct {
	Prompt int `json:"prompt_tokens"`
	Total  int `json:"total_tokens"`
}

func countWords(texts []string) usage {
	n := 0
	for _, t := range texts {
		for range text.Words(t) {
			n++
		}
	}
	return usage{n, n}
}

// list is the form of OpenAI's answers.
type list[T any] struct {
	Object  string   `json:"object"`
	Data    []T      `json:"data"`
	Model   string   `json:"model,omitempty"`
	Usage   *usage   `json:"usage,omitempty"`
	Privacy *Privacy `json:"privacy,omitempty"`
}

// embeddings handles "POST /v1/embeddings".
func (s *Service) embeddings(w http.ResponseWriter, r *http.Request, who *client) error {
	q, e, err := s.release(w, r, who, embeddingFields)
	if err != nil {
		return err
	}
	buffer, _ := buffers.Get().(*[]byte)
	body, err := who.gateway.appendEmbeddings((*buffer)[:0], q, e)
	if err != nil {
		return err
	}
	who.leave()
	httpserve.WriteBody(w, http.StatusOK, body)
	if cap(body) <= maxKept {
		clear(body) // releases are not kept
		*buffer = body
		buffers.Put(buffer)
	}
	return nil
}

// release does what embeddings and classes have in common: the request is read,
// paid for and released.
func (s *Service) release(w http.ResponseWriter, r *http.Request, who *client, fields []string) (wish, *Embeddings, error) {
	if _, err := query(r); err != nil {
		return wish{}, nil, err
	}
	g := who.gateway
	q, err := s.readWish(w, r, who, fields)
	if err != nil {
		return q, nil, err
	}
	if q.model, err = s.called(q.model); err != nil {
		return q, nil, err
	}
	if q.dimensions != 0 && q.dimensions != g.Width() && !g.indexed(q.dimensions) {
		index := ""
		if of := g.indexable(); of != "" {
			index = ", or 1 for the index of " + of
		}
		return q, nil, invalid("dimensions", "dimensions is %d, must be %d%s: a private vector has the width of its mechanism", q.dimensions, g.Width(), index)
	}
	if !slices.Contains(fields, "numbers") { // a page has texts alone
		q.numbers = g.unknownNumbers(len(q.texts))
	}
	subject, err := who.subject(q.user)
	if err != nil {
		return q, nil, err
	}
	if err = s.take(subject, len(q.texts)); err != nil {
		return q, nil, err
	}
	if err = s.work(r, who, len(q.texts)); err != nil {
		return q, nil, err
	}
	e, err := g.Embed(r.Context(), subject, q.texts, Options{IdempotencyKey: r.Header.Get("Idempotency-Key"), Numbers: q.numbers, turn: &who.turn})
	if err != nil {
		return q, nil, err
	}
	s.texts.WithLabelValues("paid").Add(float64(e.Privacy.Paid))
	s.texts.WithLabelValues("repeated").Add(float64(e.Privacy.Repeated))
	s.epsilon.Add(e.Privacy.Cost)
	return q, e, nil
}

type classification struct {
	Object string `json:"object"`
	Index  int    `json:"index"`
	Answer
}

// classify handles "POST /v1/classify".
func (s *Service) classify(w http.ResponseWriter, r *http.Request, who *client) error {
	if who.asks == nil {
		return &problem{status: http.StatusNotImplemented, Type: invalidRequest, Code: "no_server", Message: "this gateway knows no server that classifies"}
	}
	who.waits = true
	q, e, err := s.release(w, r, who, classifyFields)
	if err != nil {
		return err
	}
	answers, err := s.ask(r.Context(), who, e.Vectors)
	if err != nil {
		return err
	}
	data := make([]classification, len(answers))
	for i, a := range answers {
		data[i] = classification{"classification", i, a}
	}
	words := countWords(q.texts)
	who.leave()
	return httpserve.WriteJSON(w, http.StatusOK, list[classification]{"list", data, q.model, &words, &e.Privacy})
}

// budget handles "GET /v1/budget", with the user as a parameter.
func (s *Service) budget(w http.ResponseWriter, r *http.Request, who *client) error {
	subject, err := whose(r, who)
	if err != nil {
		return err
	}
	if err = s.take(subject, 1); err != nil {
		return err
	}
	if err = s.place(r, who); err != nil {
		return err
	}
	b, err := who.gateway.Balance(r.Context(), subject)
	if err != nil {
		return err
	}
	answer := struct {
		Object  string     `json:"object"`
		Unit    string     `json:"unit"`
		Epsilon float64    `json:"epsilon"` // of each window
		Delta   float64    `json:"delta"`
		Window  string     `json:"window"` // 0s for ever
		Granted float64    `json:"granted"`
		Spent   float64    `json:"spent"`
		Left    float64    `json:"left"`
		Renews  *time.Time `json:"renews"`
		// Lifetime is ε in all windows together, and LifetimeLimit what bounds it;
		// null if nothing does.
		Lifetime      float64       `json:"lifetime"`
		LifetimeLimit *float64      `json:"lifetime_limit"`
		Together      *dp.Guarantee `json:"together,omitempty"` // of this window, by optimal composition
		Release       Privacy       `json:"release"`            // what is promised of each
	}{
		"budget", string(b.Budget.Unit), b.Budget.Epsilon, b.Budget.Delta, b.Budget.Window.String(),
		b.Granted.EpsilonValue(), b.Spent.EpsilonValue(), b.Left.EpsilonValue(), nil,
		b.Lifetime.EpsilonValue(), nil, nil, who.gateway.privacy(nil, 0, b),
	}
	if b.Budget.Lifetime != 0 {
		answer.LifetimeLimit = &b.Budget.Lifetime
	}
	if b.Budget.Each != 0 {
		g := b.Together()
		answer.Together = &g
	}
	answer.Renews = answer.Release.Renews
	return httpserve.WriteJSON(w, http.StatusOK, answer)
}

// health handles "GET /healthz": the process answers.
func (s *Service) health(w http.ResponseWriter, _ *http.Request, _ *client) error {
	return httpserve.WriteJSON(w, http.StatusOK, map[string]string{"status": "ok"})
}

// ready handles "GET /readyz": a release could be paid for, and the service is
// not about to end.
func (s *Service) ready(w http.ResponseWriter, r *http.Request, who *client) error {
	if s.http.Draining() {
		return &problem{status: http.StatusServiceUnavailable, Type: serverError, Code: "draining", Message: "the gateway is about to end"}
	}
	if s.http.Shedding(false) {
		return overloaded("requests are turned away for want of room")
	}
	if err := s.lookout.ask(r.Context(), who.gateway.Ready); err != nil {
		return err
	}
	return httpserve.WriteJSON(w, http.StatusOK, map[string]string{"status": "ready"})
}

// always refuses every request.
func always(p *problem) action {
	return func(http.ResponseWriter, *http.Request, *client) error { return p }
}

var (
	// errNowhere is the answer to what no route handles.
	errNowhere = &problem{status: http.StatusNotFound, Type: invalidRequest, Code: "not_found", Message: "there is nothing at this address, or not by this method"}
	// errForeign refuses what a page of another site sends.
	errForeign = &problem{status: http.StatusForbidden, Type: invalidRequest, Code: "cross_origin", Message: "pages of other sites may not ask; nothing was released"}
)
